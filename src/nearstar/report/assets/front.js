/* The front: programs of which none is both simpler and better, as points and as a table. */

nearstar.sections.front = function (element, page) {
  const { element: make, number, share } = nearstar;
  let front = page.front;
  let drawn = null;
  let picked = null; // the text of the program asked for; without one, the chosen program is shown
  let buttons = [];

  const holder = make("div");
  const panel = make("div", {
    class: "pinned", role: "region", tabindex: 0, "aria-label": "The marked program",
  });
  const about = make("p", { class: "muted" });
  const beside = make("div", { class: "beside" }, holder, panel);
  const caption = make("caption", {}, "The same as a table; click a program to see it above.");
  const rows = make("tbody");
  const table = make(
    "table",
    { class: "programs" },
    caption,
    make("thead", {}, make("tr", {}, [
      ["Cost", "number"], ["Rules", "number"], ["Numbers", "number"], ["Error", "number"],
      ["F1", "number"], ["Accuracy", "number"], ["Program", null],
    ].map(([name, kind]) => make("th", { scope: "col", class: kind }, name)))),
    rows,
  );
  const empty = make("p", { class: "muted" }, "No program has been completed yet.");
  const filled = make(
    "div",
    {},
    about,
    beside,
    make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table of programs" },
      table),
  );
  element.append(empty, filled);
  const height = (point) => (point.f1 === null ? 1 - point.error : point.f1);
  const chart = nearstar.chart(holder, {
    height: 320,
    margin: { left: 52, right: 24, top: 34, bottom: 48 },
    draw,
  });
  chart.layer.setAttribute("role", "group");
  chart.layer.setAttribute("aria-label", "Programs of the front, by arrow keys");

  function marked() {
    const at = front.findIndex((point) => point.text === picked);
    return at >= 0 ? at : Math.max(front.findIndex((point) => point.chosen), 0);
  }

  function facts(point) {
    return [
      ["cost", number(point.cost)], ["rules", String(point.size)],
      ["numbers to read", point.numbers === null ? "–" : String(point.numbers)],
      ["error", number(point.error)],
      ["F1", share(point.f1)], ["accuracy", share(point.accuracy)],
    ];
  }

  /** Where a program stands on the axis: its structural cost, or its numbers to read. */
  function simplicity(point) {
    return point[point.axis];
  }

  function axisName() {
    return front[0].axis === "numbers" ? "numbers to read" : "structural cost";
  }

  function name() {
    if (front.every((point) => point.f1 === null)) return "1 − error";
    return front.some((point) => point.f1 === null) ? "F1 (hollow: 1 − error)" : "F1";
  }

  function draw(plot) {
    if (!front.length) return;
    const { line, circle, diamond, label } = nearstar.marks;
    const { x, y } = nearstar.axes(
      plot,
      { ...nearstar.range(front.map(simplicity)), name: axisName() },
      { ...nearstar.range(front.map(height)), name: name() },
    );
    const points = front.map((point) => [x(simplicity(point)), y(height(point))]);
    plot.picture.append(line(nearstar.steps(points), "steps"));
    points.forEach(([across, up], i) => {
      const { f1, chosen } = front[i];
      const kind = f1 === null ? "point hollow" : "point";
      const half = across > (plot.left + plot.right) / 2 ? ["end", -17] : ["start", 17];
      plot.picture.append(...[
        i === marked() ? circle(across, up, 13, "ring") : null,
        chosen ? diamond(across, up, 8, kind) : circle(across, up, 6, kind),
        chosen ? label(across + half[1], up + 4, "chosen", half[0], "title") : null,
      ].filter(Boolean));
    });
    plot.picture.setAttribute("aria-label", described());
    buttons.forEach((button, i) => button.setAttribute("style", plot.at(...points[i])));
  }

  function described() {
    const at = (point) =>
      point.axis === "numbers" ? `${point.numbers} numbers` : `cost ${number(point.cost)}`;
    const told = (point) => `${share(height(point))} at ${at(point)}`;
    return `${front.length} programs, ${axisName()} against ${name()}: from ${told(front[0])} ` +
      `to ${told(front.at(-1))}. The table below has all of them.`;
  }

  function point(each, i) {
    const told = facts(each).map((fact) => fact.join(" ")).join(", ");
    const show = (event) => nearstar.tip.show(
      event, make("code", { class: "program-text" }, each.text), nearstar.facts(facts(each)));
    return make("button", {
      type: "button",
      class: "hit",
      "aria-label": `${each.chosen ? "chosen, " : ""}${told}: ${each.text}`,
      onpointermove: show,
      onpointerleave: nearstar.tip.hide,
      onfocus: (event) => show(nearstar.place(event.currentTarget)),
      onblur: nearstar.tip.hide,
      onclick: () => pick(i),
      onkeydown: (event) => {
        const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
        if (event.key === "Escape") nearstar.tip.hide();
        if (!step) return;
        event.preventDefault();
        const next = buttons[Math.min(Math.max(i + step, 0), buttons.length - 1)];
        for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
        next.focus();
      },
    });
  }

  function row(each, i) {
    const { cost, size, error, f1, accuracy } = each;
    const numbers = each.numbers === null ? "–" : String(each.numbers);
    const values = [
      cost.toFixed(4), String(size), numbers, error.toFixed(4), share(f1), share(accuracy),
    ];
    return make(
      "tr",
      { onclick: () => pick(i) },
      values.map((value) => make("td", { class: "number" }, value)),
      make("td", {},
        make("button", { type: "button", class: "plain" }, make("code", {}, each.text)),
        each.chosen ? make("span", { class: "badge" }, "chosen") : null),
    );
  }

  function pick(i) {
    picked = front[i].text;
    mark();
    chart.redraw();
  }

  /** Show which program is marked: in the picture's buttons, the table and the panel. */
  function mark() {
    const at = marked();
    buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", i === at);
      button.tabIndex = i === at ? 0 : -1;
    });
    [...rows.children].forEach((each, i) => {
      each.classList.toggle("marked", i === at);
      each.querySelector("button").setAttribute("aria-pressed", i === at);
    });
    const program = make("div");
    program.innerHTML = front[at].html; // made, and escaped, by Python
    panel.classList.toggle("chosen", front[at].chosen);
    panel.replaceChildren(
      make("p", { class: "pinned-title" },
        front[at].chosen ? "The chosen program" : "The marked program"),
      program,
      nearstar.facts(facts(front[at])),
    );
  }

  function update(grown) {
    front = grown.front;
    const now = JSON.stringify(front);
    if (now === drawn) return;
    drawn = now;
    empty.hidden = front.length > 0;
    filled.hidden = front.length === 0;
    if (!front.length) return;
    const several = front.length > 1;
    beside.hidden = caption.hidden = !several;
    about.textContent = several
      ? "The best program found at every price: each has a smaller validation error than all " +
        "simpler ones."
      : "There is one program, and none to choose between.";
    const focused = buttons.indexOf(document.activeElement);
    const inTable = [...rows.querySelectorAll("button")].indexOf(document.activeElement);
    buttons = front.map(point);
    chart.layer.replaceChildren(...buttons);
    rows.replaceChildren(...front.map(row));
    mark();
    chart.redraw();
    const last = front.length - 1;
    if (focused >= 0) buttons[Math.min(focused, last)].focus({ preventScroll: true });
    if (inTable >= 0) {
      rows.querySelectorAll("button")[Math.min(inTable, last)].focus({ preventScroll: true });
    }
  }

  update(page);
  return { update };
};
