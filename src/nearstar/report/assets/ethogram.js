/* What the program says over time, beside what is true, and how its parts came to it. */

nearstar.sections.ethogram = function (element, page) {
  const { element: make, svg, number } = nearstar;
  const MOST_BOUTS = 500;
  const SHORTEST_VIEW = 10;
  const BAND = 22;
  const STRIP = 8;
  const ROW = 44;
  let { classes, ethogram } = page;
  let sequence = null; // the one shown, as `opened` made it
  let view = { from: 0, to: 1 }; // the frames shown: from the first to before the last
  let at = 0; // the frame under the cursor
  let columns = 0; // how many points across the pictures were drawn for

  /* The data, frame by frame */

  /** A sequence with its labels laid out by frame, and where the two differ. */
  function opened(data) {
    const labels = (runs) => {
      const codes = new Int16Array(data.length).fill(-1);
      let begin = 0;
      for (const [code, length] of runs) codes.fill(code, begin, (begin += length));
      return codes;
    };
    const truth = data.true && labels(data.true);
    const predicted = labels(data.predicted);
    const wrong = predicted.map((code, i) => (truth && truth[i] >= 0 && truth[i] !== code ? 1 : 0));
    return { ...data, truth, predicted, wrong };
  }

  /** The number of a frame in its recording. */
  const frame = (i, { numbers, first } = sequence) => (numbers ? numbers[i] : first + i);
  const className = (code) => (code < 0 ? "no label" : classes[code]);

  /** Values of some frames for each of so many points: the lowest and highest of those under it. */
  function envelope(values, { from, to }, points) {
    const span = to - from;
    const result = [];
    for (let p = 0; p < points; p++) {
      const begin = from + Math.floor((p * span) / points);
      const end = Math.max(from + Math.floor(((p + 1) * span) / points), begin + 1);
      let low = Infinity;
      let high = -Infinity;
      for (let i = begin; i < end; i++) {
        const value = values[i];
        if (value === null || value === undefined) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
      result.push(low <= high ? [low, high] : null);
    }
    return result;
  }

  /** The code that most of the frames under each point have. */
  function commonest(codes, { from, to }, points) {
    const counts = new Map();
    return Array.from({ length: points }, (_, p) => {
      const begin = from + Math.floor((p * (to - from)) / points);
      const end = Math.max(from + Math.floor(((p + 1) * (to - from)) / points), begin + 1);
      counts.clear();
      let best = codes[begin];
      for (let i = begin; i < end; i++) {
        counts.set(codes[i], (counts.get(codes[i]) || 0) + 1);
        if (counts.get(codes[i]) > counts.get(best)) best = codes[i];
      }
      return best;
    });
  }

  /** Begin, end and value of each run of equal values. */
  function* runs(values) {
    let begin = 0;
    for (let i = 1; i <= values.length; i++) {
      if (i < values.length && values[i] === values[begin]) continue;
      yield [begin, i, values[begin]];
      begin = i;
    }
  }

  /* Pictures: as wide as their box, whatever it is; a unit across is a point */

  function picture(points, height, label, ...children) {
    return svg(
      "svg",
      {
        viewBox: `0 0 ${points} ${height}`,
        preserveAspectRatio: "none",
        height,
        role: "img",
        "aria-label": label,
      },
      ...children,
    );
  }

  function band(codes, view, points, label) {
    const paths = new Map();
    for (const [begin, end, code] of runs(commonest(codes, view, points))) {
      // What has no label is a thin line, so that it is told apart by more than its grey.
      const filled = code < 0 ? [[0.4, 0.6]] : nearstar.stripes(code);
      const boxes = filled.map(
        ([top, bottom]) => `M${begin} ${BAND * top}H${end}V${BAND * bottom}H${begin}z`,
      );
      paths.set(code, (paths.get(code) || "") + boxes.join(""));
    }
    const drawn = [...paths].map(([code, d]) =>
      svg("path", { d, style: `fill: ${nearstar.colour(code)}` }),
    );
    return picture(points, BAND, label, drawn);
  }

  function strip(wrong, view, points) {
    let d = "";
    for (const [begin, end, value] of runs(envelope(wrong, view, points).map((pair) => pair[1]))) {
      if (value) d += `M${begin} 0H${end}v${STRIP}H${begin}z`;
    }
    return picture(points, STRIP, "Where the two differ", svg("path", { d, class: "differs" }));
  }

  function trace(values, gate, view, points, label) {
    const [low, high] = gate ? [0, 1] : limits(values);
    const y = nearstar.scale(low, high, ROW - 3, 3);
    const place = (value) => y(gate ? Math.min(Math.max(value, 0), 1) : value).toFixed(1);
    const pairs = envelope(values, view, points);
    const zero = place(0);
    const level = gate ? place(0.5) : zero;
    const children = [svg("path", { d: `M0 ${level}H${points}`, class: gate ? "half" : "zero" })];
    if (gate) {
      for (const end of [0, 1]) children.push(svg("path", { d: area(pairs, end), class: "gate" }));
    }
    children.push(svg("path", { d: line(pairs), class: "trace" }));
    return picture(points, ROW, label, children);

    function area(pairs, end) {
      let d = "";
      for (const [begin, until, there] of runs(pairs.map((pair) => pair !== null))) {
        if (!there) continue;
        d += `M${begin + 0.5} ${zero}`;
        for (let p = begin; p < until; p++) d += `L${p + 0.5} ${place(pairs[p][end])}`;
        d += `V${zero}z`;
      }
      return d;
    }

    function line(pairs) {
      let d = "";
      pairs.forEach((pair, p) => {
        if (!pair) return;
        const to = d && pairs[p - 1] ? "L" : "M";
        const x = p + 0.5;
        d += `${to}${x} ${place(pair[0])}`;
        if (pair[1] !== pair[0]) d += `V${place(pair[1])}`;
        else if (to === "M") d += "h0";
      });
      return d;
    }
  }

  /** The least and greatest value; zero is among them, for what is above it and what below. */
  function limits(values) {
    let [low, high] = [0, 0];
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return [low, high];
  }

  /** What a trace is of; the output of a class, by that. */
  function named({ title, code }) {
    if (code === undefined) return nearstar.name(title);
    const label = nearstar.name(className(code));
    label.title = title;
    return make("span", { class: "output" }, nearstar.swatch(code), label);
  }

  /** Labels, bands, traces and frame numbers of a sequence, as children of the chart's grid. */
  function rows(shown, view, points) {
    const result = [];
    const add = (label, drawn) => result.push(make("div", { class: "label" }, label), drawn);
    if (shown.truth) add("true", band(shown.truth, view, points, "True labels over time"));
    add("predicted", band(shown.predicted, view, points, "Predicted labels over time"));
    if (shown.truth) add("differ", strip(shown.wrong, view, points));
    ethogram.parts.forEach((part, row) => {
      const values = shown.traces[row];
      const [low, high] = part.gate ? [0, 1] : limits(values);
      const scale = make(
        "span",
        { class: "range" },
        make("span", {}, number(high, 3)),
        make("span", {}, number(low, 3)),
      );
      const about = `${part.title} over time, from ${number(low, 3)} to ${number(high, 3)}`;
      const drawn = trace(values, part.gate, view, points, about);
      add([named(part), scale], drawn);
    });
    add("frame", axis(shown, view));
    return result;
  }

  function axis(shown, { from, to }) {
    const count = element.clientWidth < 600 ? 4 : 8;
    // Round numbers where the frames count up by one, else every so many frames.
    const shift = shown.numbers ? 0 : shown.first;
    const marks = nearstar
      .ticks(from + shift, to - 1 + shift, count)
      .filter(Number.isInteger)
      .map((tick) => [tick - shift, (100 * (tick - shift + 0.5 - from)) / (to - from)])
      .filter(([, place]) => place < 98) // further right, a number would stand out of the page
      .map(([i, place]) => make("span", { style: `left: ${place}%` }, String(frame(i, shown))));
    return make("div", { class: "axis", "aria-hidden": "true" }, marks);
  }

  /* What is always there */

  const note = make("p", { class: "muted small" });
  const legend = make("ul", { class: "legend", "aria-label": "Colours of the classes" });
  const picker = make("select", { onchange: () => choose(picker.selectedIndex) });
  const previous = button("◂ previous", () => choose(picker.selectedIndex - 1));
  const next = button("next ▸", () => choose(picker.selectedIndex + 1));
  const zoomIn = button("+", () => zoom(0.5), "Zoom in");
  const zoomOut = button("−", () => zoom(2), "Zoom out");
  const whole = button("whole", () => look(0, sequence.length), "Show the whole sequence");
  const before = button("◂ difference", () => seek(-1), "To the previous difference");
  const after = button("difference ▸", () => seek(1), "To the next difference");
  const pan = make("input", {
    type: "range",
    min: 0,
    "aria-label": "First frame shown",
    oninput: () => look(Number(pan.value), Number(pan.value) + view.to - view.from),
  });
  const cursor = make("div", { class: "cursor" });
  const selection = make("div", { class: "selection", hidden: true });
  const slider = make(
    "div",
    {
      class: "slider",
      role: "slider",
      tabindex: 0,
      "aria-label": "Frame",
      onkeydown: pressed,
      onpointermove: moved,
      onpointerdown: grabbed,
      onpointerup: released,
      onpointercancel: () => drop(),
      ondblclick: () => look(0, sequence.length),
    },
    selection,
    cursor,
  );
  const chart = make("div", { class: "chart" });
  // The slider lies over the chart: it keeps the focus when the chart is drawn anew.
  const covered = make("div", { class: "over" }, chart, slider);
  const readout = make("dl", { class: "readout" });
  const numbers = nearstar.scrolling("Numbers at the frame", readout);
  const bouts = make("div");
  const listed = make(
    "details",
    { class: "long", ontoggle: () => listed.open && list() },
    make("summary", {}, "The same as a table"),
    bouts,
  );
  const others = make("div", { class: "others" });
  element.append(
    note,
    make(
      "div",
      { class: "controls" },
      make("label", {}, "Sequence ", picker),
      previous,
      next,
      before,
      after,
    ),
    make("h3", { class: "printed" }),
    make(
      "div",
      { class: "above" },
      legend,
      make("div", { class: "controls" }, zoomOut, zoomIn, whole, pan),
    ),
    make("div", {}, covered, numbers),
    make(
      "p",
      { class: "muted small hint" },
      "Point at a frame for its numbers; drag to zoom in, double-click for the whole. " +
        "With the focus on the chart: arrow keys by a frame, Page Up and Down by a tenth, " +
        "+ and − to zoom, 0 for the whole.",
    ),
    listed,
    others,
  );

  function button(text, click, label = null) {
    const attributes = { type: "button", onclick: click, "aria-label": label, title: label };
    return make("button", attributes, text);
  }

  /* What changes */

  function shownName(data) {
    // Of a long name both ends: paths often differ in one of them alone.
    const { name } = data;
    const long = name.length > 100 ? `${name.slice(0, 49)}…${name.slice(-50)}` : name;
    // Isolated: a name's direction of writing is not that of what follows.
    return `\u2068${long}\u2069 – ${data.part}${judged(data)}`;
  }

  function judged({ accuracy }) {
    if (accuracy === null) return "";
    if (ethogram.per === "sequence") return accuracy === 1 ? ", right" : ", wrong";
    return `, accuracy ${nearstar.share(accuracy)}`;
  }

  function fill() {
    const single =
      "There is one label a sequence, shown at all of its frames. Traces are what each part would " +
      "give if the sequence ended there.";
    const outputs = "Traces with a colour are the outputs of the classes.";
    const lines = [
      ethogram.note && `${ethogram.note}.`,
      ethogram.per === "sequence" ? single : null,
      ethogram.parts.some((part) => part.code !== undefined) ? outputs : null,
    ];
    note.replaceChildren(...lines.filter(Boolean).map((line) => make("span", {}, `${line} `)));
    const codes = classes.map((_, code) => code);
    legend.replaceChildren(
      ...[...codes, -1].map((code) =>
        make("li", {}, nearstar.swatch(code), nearstar.name(className(code))),
      ),
    );
    const chosen = Math.max(picker.selectedIndex, 0);
    picker.replaceChildren(
      ...ethogram.sequences.map((each) => make("option", {}, shownName(each))),
    );
    choose(Math.min(chosen, ethogram.sequences.length - 1));
  }

  function choose(index) {
    picker.selectedIndex = index;
    previous.disabled = index <= 0;
    next.disabled = index >= ethogram.sequences.length - 1;
    sequence = opened(ethogram.sequences[index]);
    element.querySelector(".printed").textContent = shownName(sequence);
    before.disabled = after.disabled = !sequence.wrong.includes(1);
    at = 0;
    readout.replaceChildren(...readings());
    look(0, sequence.length);
    if (listed.open) list();
  }

  /** Show these frames, as far as there are so many. */
  function look(from, to) {
    const span = Math.min(Math.max(to - from, SHORTEST_VIEW), sequence.length);
    const begin = Math.min(Math.max(Math.round(from), 0), sequence.length - span);
    view = { from: begin, to: begin + span };
    draw();
    if (at < view.from || at >= view.to) at = Math.min(Math.max(at, view.from), view.to - 1);
    point();
  }

  function draw() {
    columns = pointsAcross(view);
    chart.replaceChildren(...rows(sequence, view, columns));
    const span = view.to - view.from;
    zoomIn.disabled = span <= Math.min(SHORTEST_VIEW, sequence.length);
    zoomOut.disabled = whole.disabled = span === sequence.length;
    pan.disabled = span === sequence.length;
    pan.max = sequence.length - span;
    pan.value = view.from;
    pan.setAttribute("aria-valuetext", `frame ${frame(view.from)} to ${frame(view.to - 1)}`);
  }

  /** A point a frame; of long views, one a pixel. */
  function pointsAcross({ from, to }) {
    return Math.min(to - from, Math.max(Math.round(slider.clientWidth || 800), 200));
  }

  function zoom(factor) {
    const span = Math.round((view.to - view.from) * factor);
    const share = (at + 0.5 - view.from) / (view.to - view.from);
    look(Math.round(at + 0.5 - share * span), Math.round(at + 0.5 - share * span) + span);
  }

  /** To a frame; the view follows. */
  function go(i) {
    at = Math.min(Math.max(i, 0), sequence.length - 1);
    const span = view.to - view.from;
    if (at < view.from) look(at, at + span);
    else if (at >= view.to) look(at + 1 - span, at + 1);
    else point();
  }

  /** To the first frame of the next, or of the previous, run of differences. */
  function seek(way) {
    const begins = (i) => sequence.wrong[i] && !sequence.wrong[i - 1];
    const { length } = sequence;
    for (let step = 1; step <= length; step++) {
      const i = (at + way * step + length * step) % length;
      if (begins(i)) return go(i);
    }
  }

  /** The places of the numbers under the chart; `point` fills them. */
  function readings() {
    const reading = (title, key, kind = "answer") =>
      make("div", { class: kind }, make("dt", {}, title), make("dd", { "data-key": key }));
    return [
      reading("frame", "frame"),
      ...(sequence.truth ? [reading("true", "true")] : []),
      reading("predicted", "predicted"),
      ...ethogram.parts.map((part, row) => reading(named(part), row, "part")),
    ];
  }

  /** Put the cursor, the numbers and what a screen reader says at the frame pointed at. */
  function point() {
    const { from, to } = view;
    cursor.style.left = `${(100 * (at + 0.5 - from)) / (to - from)}%`;
    const put = (key, ...contents) =>
      readout.querySelector(`[data-key="${key}"]`).replaceChildren(...contents);
    const label = (code) => [nearstar.swatch(code), nearstar.name(className(code))];
    const said = [`frame ${frame(at)}`];
    put("frame", String(frame(at)));
    if (sequence.truth) {
      put("true", ...label(sequence.truth[at]));
      said.push(`true ${className(sequence.truth[at])}`);
    }
    const differs = sequence.wrong[at] ? [make("b", { class: "wrong" }, "≠ differs")] : [];
    put("predicted", ...label(sequence.predicted[at]), ...differs);
    said.push(`predicted ${className(sequence.predicted[at])}${differs.length ? ", differs" : ""}`);
    ethogram.parts.forEach((part, row) => {
      const value = number(sequence.traces[row][at]);
      put(row, value);
      said.push(`${part.title}: ${value}`);
    });
    slider.setAttribute("aria-valuemin", 0);
    slider.setAttribute("aria-valuemax", sequence.length - 1);
    slider.setAttribute("aria-valuenow", at);
    slider.setAttribute("aria-valuetext", said.join("; "));
  }

  function list() {
    const both = Array.from(sequence.predicted, (code, i) =>
      sequence.truth ? code * (classes.length + 1) + sequence.truth[i] + 1 : code,
    );
    const found = [...runs(both)];
    const shown = found.slice(0, MOST_BOUTS);
    const heads = ["from", "to", ...(sequence.truth ? ["true"] : []), "predicted"];
    const cells = ([begin, end]) => [
      make("td", { class: "number" }, String(frame(begin))),
      make("td", { class: "number" }, String(frame(end - 1))),
      sequence.truth
        ? make("td", {}, nearstar.name(className(sequence.truth[begin])))
        : null,
      make(
        "td",
        {},
        nearstar.name(className(sequence.predicted[begin])),
        sequence.wrong[begin] ? make("b", { class: "wrong" }, "≠ differs") : null,
      ),
    ];
    const cut = found.length > shown.length;
    const rest = cut ? `, the first ${shown.length} of ${found.length}` : "";
    bouts.replaceChildren(
      nearstar.scrolling(
        "Bouts",
        make(
          "table",
          { class: "bouts" },
          make("caption", {}, `Bouts of ${shownName(sequence)}${rest}`),
          make(
            "thead",
            {},
            make("tr", {}, heads.map((each) => make("th", { scope: "col" }, each))),
          ),
          make("tbody", {}, shown.map((run) => make("tr", {}, cells(run)))),
        ),
      ),
    );
  }

  /* Pointer and keys */

  let grabbedAt = null;

  /** Where the pointer is across the chart, from 0 to 1. */
  function across(event) {
    const box = slider.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
  }

  function frameAt(share) {
    return Math.min(view.from + Math.floor(share * (view.to - view.from)), view.to - 1);
  }

  function grabbed(event) {
    if (event.button !== 0) return;
    slider.setPointerCapture(event.pointerId);
    grabbedAt = across(event);
  }

  function moved(event) {
    const share = across(event);
    at = frameAt(share);
    point();
    if (grabbedAt === null) return;
    const [left, right] = [Math.min(grabbedAt, share), Math.max(grabbedAt, share)];
    selection.hidden = (right - left) * slider.clientWidth < 5;
    selection.style.left = `${100 * left}%`;
    selection.style.width = `${100 * (right - left)}%`;
  }

  function released(event) {
    if (grabbedAt === null) return;
    const ends = [frameAt(grabbedAt), frameAt(across(event))].sort((a, b) => a - b);
    const selected = !selection.hidden;
    drop();
    if (selected) look(ends[0], ends[1] + 1);
  }

  function drop() {
    grabbedAt = null;
    selection.hidden = true;
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const tenth = Math.max(Math.round((view.to - view.from) / 10), 1);
    const actions = {
      ArrowRight: () => go(at + 1),
      ArrowUp: () => go(at + 1),
      ArrowLeft: () => go(at - 1),
      ArrowDown: () => go(at - 1),
      PageUp: () => go(at + tenth),
      PageDown: () => go(at - tenth),
      Home: () => go(0),
      End: () => go(sequence.length - 1),
      "+": () => zoom(0.5),
      "=": () => zoom(0.5),
      "-": () => zoom(2),
      0: () => look(0, sequence.length),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  }

  /* On paper there is no picker: all sequences are shown, one below the other. */

  window.addEventListener("beforeprint", () => {
    const rest = ethogram.sequences.filter((_, i) => i !== picker.selectedIndex);
    others.replaceChildren(
      ...rest.map((data) => {
        const all = { from: 0, to: data.length };
        const drawn = make("div", { class: "chart" }, rows(opened(data), all, pointsAcross(all)));
        return make("figure", {}, make("h3", {}, shownName(data)), drawn);
      }),
    );
  });
  window.addEventListener("afterprint", () => others.replaceChildren());

  fill();
  new ResizeObserver(() => {
    if (pointsAcross(view) === columns) return;
    draw();
    point();
  }).observe(chart);

  return {
    update(page) {
      if (page.ethogram === ethogram) return;
      ({ classes, ethogram } = page);
      fill();
    },
  };
};
