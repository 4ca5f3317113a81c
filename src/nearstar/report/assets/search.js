/* The search: how far it came, best cost and bound over time, and the programs it trained. */

nearstar.sections.search = function (element, page) {
  let run = null;
  let parts = [];

  function update(grown) {
    if (grown.search.run !== run) {
      run = grown.search.run;
      const holders = [0, 1, 2, 3].map(() => nearstar.element("div"));
      element.replaceChildren(...holders);
      const creators = [nearstar.summary, nearstar.tiles, nearstar.history, nearstar.programs];
      parts = creators.map((create, i) => create(holders[i]));
    }
    for (const part of parts) part.update(grown);
  }

  update(page);
  return { update };
};

/** What the search says of itself, in lines. */
nearstar.summary = function (holder) {
  let shown = null;
  return {
    update({ search }) {
      const now = search.summary.join("\n");
      if (now === shown) return;
      shown = now;
      holder.replaceChildren(...search.summary.map((line) => nearstar.element("p", {}, line)));
    },
  };
};

/** Whether bounds rest on a heuristic; else they are of structural cost alone. */
nearstar.guided = function ({ nodes }) {
  const { complete, probe } = nearstar.kinds;
  return nodes.kind.some((kind) => !(kind & (complete | probe)));
};

/** How many of the programs are but probes. */
nearstar.probes = function ({ nodes }) {
  return nodes.kind.filter((kind) => kind & nearstar.kinds.probe).length;
};

/** The numbers of a search, each with what it means. */
nearstar.tiles = function (holder) {
  const { element: make, number } = nearstar;
  const list = make("dl", { class: "tiles" });
  holder.append(list);
  let shown = null;

  function best({ nodes, best: i, weight }) {
    if (i === null) return ["–", "no program is complete yet"];
    const cost = weight * nodes.cost[i];
    return [number(cost + nodes.error[i]),
      `structural cost ${number(cost)} + validation error ${number(nodes.error[i])}`];
  }

  const { guided } = nearstar;

  function bound(search) {
    const { bound: value, ended: how } = search;
    if (value === null) return ["–", how === null ? "none so far" : "this search gives none"];
    if (value === "inf") return ["∞", "nothing is left to explore"];
    const proviso = guided(search) ? "by the heuristic, " : "";
    return [number(value), `${proviso}nothing unexplored costs less`];
  }

  function gap(search) {
    if (search.gap === null) return ["–", "needs a program and a bound"];
    const meaning = "by how much the best that the search found may cost more than the best there is";
    // Where the heuristic is known to overestimate, its gap is not told without that.
    if (search.epsilon > 0) {
      return [`${number(search.gap)}; ${number(search.gap + search.epsilon)} with ε`,
        `${meaning}: by the heuristic, and with the ε that was measured`];
    }
    return [number(search.gap),
      `${meaning}${guided(search) ? ", if the heuristic never overestimates" : ""}`];
  }

  function waiting({ waiting: nodes }) {
    return nodes === null ? "" : `; ${nearstar.count(nodes)} left to explore`;
  }

  function probes(search) {
    const number = nearstar.probes(search);
    return number ? `${nearstar.count(number)} of them as probes; ` : "";
  }

  function epsilon({ audit, epsilon: largest }) {
    if (!audit) return ["–", "by how much the heuristic overestimated at most: not measured"];
    return [number(largest), audit.text];
  }

  return {
    update({ search }) {
      const { count } = nearstar;
      const tiles = [
        ["Programs trained", count(search.trained),
          `${probes(search)}${count(search.rounds)} ${search.rounds === 1 ? "round" : "rounds"}${waiting(search)}`],
        ["Time", nearstar.seconds(search.seconds), `${search.algorithm}${ended(search.ended)}`],
        ["Best cost", ...best(search)],
        ["Bound", ...bound(search)],
        ["Gap", ...gap(search)],
        ["Measured ε", ...epsilon(search)],
      ];
      const now = JSON.stringify(tiles);
      if (now === shown) return;
      shown = now;
      list.replaceChildren(...tiles.map(([name, value, note]) =>
        make("div", {}, make("dt", {}, name), make("dd", { class: "large" }, value),
          make("dd", { class: "note" }, note))));
    },
  };

  function ended(how) {
    return {
      exhausted: ", nothing was left",
      finished: ", finished",
      time: ", ended by its time limit",
      trainings: ", ended by its limit of programs",
      rounds: ", ended by its limit of rounds",
      interrupted: ", interrupted",
    }[how] || "";
  }
};

/** Best cost and bound over time, or over the programs trained. */
nearstar.history = function (holder) {
  const { element: make, number } = nearstar;
  const SECONDS = 0;
  const TRAINED = 1;
  let across = SECONDS;
  let points = []; // [seconds, trained, best, bound, gap]; the bound is never above the best
  let called = "gap";
  let scales = null;
  let at = null;
  let seen = "";

  const buttons = [["time", SECONDS], ["programs trained", TRAINED]].map(([name, which]) =>
    make("button", { type: "button", onclick: () => turn(which) }, name));
  const cursor = make("div", { class: "cursor", hidden: true });
  const slider = make("div", {
    role: "slider",
    tabindex: 0,
    class: "slider",
    "aria-label": "Time in the search",
    "aria-valuemin": 0,
    onpointermove: pointed,
    onpointerleave: leave,
    onfocus: () => (at === null ? move(points.length - 1) : move(at)),
    onblur: leave,
    onkeydown: pressed,
  });
  const rows = make("tbody");
  const heading = make("th", { scope: "col", class: "number" });
  const table = make("details", { class: "long" },
    make("summary", {}, "When the best cost fell, as a table"),
    make("table", {},
      make("thead", {}, make("tr", {},
        ["Seconds", "Programs", "Best cost", "Bound"].map((name) =>
          make("th", { scope: "col", class: "number" }, name)), heading)),
      rows));
  const body = make("div", {},
    make("div", { class: "controls", role: "group", "aria-label": "Over" },
      make("span", {}, "Over"), buttons));
  const title = make("h3");
  holder.append(title, body);
  const chart = nearstar.chart(body, {
    height: 260,
    margin: { left: 52, right: 106, top: 34, bottom: 48 },
    draw,
  });
  chart.layer.append(cursor, slider);
  body.append(table);
  turn(SECONDS);

  function turn(which) {
    across = which;
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", i === which));
    chart.redraw();
  }

  /** Long runs are told in minutes or hours. */
  function unit() {
    const last = points.at(-1)[SECONDS];
    if (across === TRAINED) return [1, "programs trained"];
    if (last < 300) return [1, "seconds"];
    return last < 3 * 3600 ? [60, "minutes"] : [3600, "hours"];
  }

  function draw(plot) {
    if (!points.length) return;
    const [per, name] = unit();
    const costs = points.flatMap((point) => [point[2], point[3]]).filter((cost) => cost !== null);
    const { x, y } = nearstar.axes(
      plot,
      { low: 0, high: points.at(-1)[across] / per, name },
      { ...nearstar.range(costs.length ? costs : [0, 1]), name: "path cost" },
    );
    scales = { x: (i) => x(points[i][across] / per), plot };
    const steps = (of, cost) =>
      nearstar.steps(of.map((point) => [x(point[across] / per), y(cost(point))]));
    const both = points.filter((point) => point[2] !== null && point[3] !== null);
    const { area, line } = nearstar.marks;
    const upper = steps(both, (point) => point[2]);
    const lower = steps(both, (point) => point[3]);
    plot.picture.append(area([...upper, ...lower.reverse()], "gap"));
    const ends = [];
    for (const [which, kind] of [[3, "bound"], [2, "best"]]) {
      const known = points.filter((point) => point[which] !== null);
      if (!known.length) continue;
      plot.picture.append(line(steps(known, (point) => point[which]), `curve ${kind}`));
      ends.push([y(known.at(-1)[which]), `${kind} ${number(known.at(-1)[which])}`, kind]);
    }
    label(plot, ends);
    plot.picture.setAttribute("aria-label", described(name));
    slider.setAttribute("style",
      plot.at(plot.left, plot.top) + plot.size(plot.right - plot.left, plot.bottom - plot.top));
    place();
  }

  /** Names at the ends of the lines, apart enough to be read. */
  function label(plot, ends) {
    ends.sort(([one], [other]) => other - one); // from below
    const apart = ends.length === 2 ? Math.max(16 - (ends[0][0] - ends[1][0]), 0) / 2 : 0;
    ends.forEach(([y, text, kind], i) => {
      const height = y + 4 + (i ? -apart : apart);
      plot.picture.append(nearstar.marks.label(plot.right + 8, height, text, "start", kind));
    });
  }

  function described(name) {
    const [, trained, best, bound] = points.at(-1);
    return `Best path cost and bound over ${name}: after ${trained} programs the best cost is ` +
      `${number(best)}, the bound ${number(bound)}.`;
  }

  function facts(i) {
    const [seconds, trained, best, bound] = points[i];
    return [["time", nearstar.seconds(seconds)], ["programs", String(trained)],
      ["best cost", number(best)], ["bound", number(bound)], [called, number(points[i][4])]];
  }

  function place() {
    slider.setAttribute("aria-valuemax", points.length - 1);
    const i = Math.min(at ?? points.length - 1, points.length - 1);
    slider.setAttribute("aria-valuenow", i);
    slider.setAttribute("aria-valuetext", facts(i).map((fact) => fact.join(" ")).join(", "));
    if (!scales) return;
    const { plot, x } = scales;
    cursor.setAttribute("style", plot.at(x(i), plot.top) + plot.size(0, plot.bottom - plot.top));
  }

  function move(i, event) {
    if (!scales) return;
    at = Math.min(Math.max(i, 0), points.length - 1);
    place();
    cursor.hidden = false;
    nearstar.tip.show(event || nearstar.place(cursor), nearstar.facts(facts(at)));
  }

  function leave() {
    cursor.hidden = true;
    nearstar.tip.hide();
  }

  function pointed(event) {
    if (!scales) return;
    const box = slider.getBoundingClientRect();
    const { plot, x } = scales;
    const pixel = plot.left + ((event.clientX - box.left) / box.width) * (plot.right - plot.left);
    const after = points.findIndex((_, i) => x(i) > pixel);
    move(after < 0 ? points.length - 1 : after - 1, event);
  }

  function pressed(event) {
    const far = Math.max(Math.round(points.length / 10), 1);
    const steps = {
      ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: far, PageDown: -far,
    };
    if (event.key === "Escape") leave();
    const to = { Home: 0, End: points.length - 1 }[event.key] ?? at + (steps[event.key] || NaN);
    if (Number.isNaN(to)) return;
    event.preventDefault();
    move(to);
  }

  /** A bound that is no higher than the best cost: where nothing is left, it is that itself. */
  function drawn(bound, [, , best, before]) {
    if (bound === null) return before;
    if (best === null) return bound === "inf" ? null : bound;
    return bound === "inf" ? best : Math.min(bound, best);
  }

  /** The rows where the best cost fell, and the last. */
  function fill() {
    const fell = points.filter((point, i) =>
      i === points.length - 1 || (point[2] !== null && point[2] !== points[i - 1]?.[2]));
    rows.replaceChildren(...fell.map((point) => make("tr", {}, [
      number(point[0]), String(point[1]), ...point.slice(2).map((value) => number(value)),
    ].map((value) => make("td", { class: "number" }, value)))));
  }

  return {
    update({ search }) {
      const now = [search.trace.length, search.seconds, search.trained].join();
      if (now === seen) return;
      seen = now;
      points = [...search.trace];
      const last = points.at(-1);
      if (last) {
        // Where it stands now: the end of a search may have raised its bound.
        const bound = drawn(search.bound, last);
        const seconds = Math.max(search.seconds, last[SECONDS]);
        if (seconds > last[SECONDS] || bound !== last[3]) {
          points.push([seconds, search.trained, last[2], bound, search.gap]);
        }
      }
      called = nearstar.guided(search) ? "gap by the heuristic" : "gap";
      heading.textContent = `G${called.slice(1)}`;
      holder.hidden = points.length === 0;
      if (!points.length) return;
      title.textContent = `Best cost${last[3] === null ? "" : " and bound"} over time`;
      fill();
      place();
      chart.redraw();
    },
  };
};

/** The tree of programs, with a box to find some of them. */
nearstar.programs = function (holder) {
  const { element: make, AT_ONCE } = nearstar;
  const nodes = nearstar.nodes();
  let onFront = new Set();
  let judged = null;
  let byOrder = false;

  const tree = nearstar.tree(nodes, (i) => onFront.has(i));
  const button = (name, onclick) => make("button", { type: "button", onclick }, name);
  const best = button("Show the best", () => show(nodes.best()));
  const collapse = button("Collapse all", () => tree.collapse());
  const order = make("select", { onchange: sort },
    make("option", { value: "f" }, "f, the best first"),
    make("option", { value: "order" }, "order of training"));
  const box = make("input", { type: "search", placeholder: "part of a program", oninput: find });
  const count = make("p", { role: "status", class: "muted" });
  const found = make("ol", { class: "found", hidden: true });
  const none = make("p", { class: "muted" }, "No program has been trained yet.");
  const head = make("div", { class: "row head", "aria-hidden": "true" },
    make("span", { class: "text" }, "program"),
    ["g", "h", "f"].map((name) => make("span", { class: "value" }, name)));
  const grown = make("p", { class: "muted" },
    "Each program was made from the one above it: ",
    make("span", { class: "added code" }, "this"), " is new, ",
    make("span", { class: "hole code" }, "??"), " a hole, still to be filled. g is the structural cost " +
    "so far, h the validation error, with a network in each hole; f is what the search expected of all " +
    "below, at least. What is pruned cannot be better than the best program, by that; what is open was " +
    "not looked into.");
  const probes = make("p", { class: "muted" },
    "A probe is a partial program with a leaf over everything in each of its holes, trained for a short " +
    "time to see what it is worth: its f is what the search hopes for. It is no answer, and no bound.");
  const flat = make("p", { class: "muted" },
    "Each program by itself: g is its structural cost, h its validation error, f the sum of both.");
  const body = make("div", {},
    grown,
    flat,
    probes,
    make("div", { class: "controls" }, best, collapse,
      make("label", {}, "Sort by ", order), make("label", {}, "Find ", box)),
    count,
    make("div", { class: "programs-tree" }, head, tree.element, found));
  holder.append(make("h3", {}, "The programs"), none, body);

  function show(i) {
    box.value = "";
    find();
    tree.go(i);
  }

  function sort() {
    byOrder = order.value === "order";
    tree.sort(byOrder);
    find();
  }

  /** List what contains the text in the box; the tree is there again when the box is empty. */
  function find() {
    const asked = box.value.trim().toLowerCase();
    found.hidden = !asked;
    tree.element.hidden = Boolean(asked);
    if (!asked) {
      found.replaceChildren();
      count.textContent = "";
      return;
    }
    const matches = nodes.containing(asked);
    const first = nodes.sorted(matches, byOrder).slice(0, AT_ONCE);
    found.replaceChildren(...first.map((i) => make("li", {},
      make("button", { type: "button", class: "plain", onclick: () => show(i) }, tree.row(i)))));
    const told = `${nearstar.count(matches.length)} of ${nearstar.count(nodes.count())} programs`;
    count.textContent = matches.length > AT_ONCE ? `${told}; the first ${AT_ONCE}:` : `${told}:`;
  }

  return {
    update({ search }) {
      const first = nodes.count() === 0;
      const touched = nodes.grow(search);
      const now = JSON.stringify([search.best, search.front]);
      const judgedAnew = now !== judged;
      judged = now;
      onFront = new Set(search.front);
      if (!touched.size && !judgedAnew) return;
      none.hidden = nodes.count() > 0;
      body.hidden = nodes.count() === 0;
      grown.hidden = !nodes.nested();
      flat.hidden = nodes.nested();
      probes.hidden = nearstar.probes(search) === 0;
      best.disabled = search.best === null;
      tree.update(touched, judgedAnew);
      if (first && search.best !== null && nodes.count()) tree.reveal(search.best);
      if (box.value && !found.contains(document.activeElement)) find();
    },
  };
};
