/* Charts: a picture as wide as its place, with axes, lines and points. */

/**
 * A chart in a holder. `draw(plot)` draws it, at once and whenever its place changes its width;
 * call `redraw` when the data have changed. What can be pointed at lies in `layer`, above the
 * picture, since nothing in a picture can have the focus.
 */
nearstar.chart = function (holder, { height, margin, draw }) {
  const picture = nearstar.svg("svg", { role: "img" });
  const layer = nearstar.element("div", { class: "layer" });
  holder.append(nearstar.element("div", { class: "graph" }, picture, layer));
  let width = 0;

  function redraw() {
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.replaceChildren();
    draw({
      picture,
      left: margin.left,
      right: width - margin.right,
      top: margin.top,
      bottom: height - margin.bottom,
      /** A place in the picture, for what lies above it; shares hold at any size, on paper too. */
      at: (x, y) => `left: ${(100 * x) / width}%; top: ${(100 * y) / height}%;`,
      size: (x, y) => `width: ${(100 * x) / width}%; height: ${(100 * y) / height}%;`,
    });
  }

  function measure() {
    const now = Math.round(holder.clientWidth);
    if (now === width || now === 0) return;
    width = now;
    redraw();
  }

  new ResizeObserver(measure).observe(holder);
  measure();
  return { layer, redraw: () => width && redraw() };
};

/** Axes with ticks and names; the scales of both. */
nearstar.axes = function (plot, across, up) {
  const { left, right, top, bottom, picture } = plot;
  const x = nearstar.scale(across.low, across.high, left, right);
  const y = nearstar.scale(up.low, up.high, bottom, top);
  const { line, label } = nearstar.marks;
  for (const value of nearstar.ticks(up.low, up.high, (bottom - top) / 35)) {
    picture.append(line([[left, y(value)], [right, y(value)]], "grid"));
    picture.append(label(left - 8, y(value) + 4, nearstar.number(value), "end"));
  }
  for (const value of nearstar.ticks(across.low, across.high, (right - left) / 90)) {
    picture.append(line([[x(value), bottom], [x(value), bottom + 5]], "axis"));
    picture.append(label(x(value), bottom + 19, nearstar.number(value), "middle"));
  }
  picture.append(line([[left, bottom], [right, bottom]], "axis"));
  picture.append(label((left + right) / 2, bottom + 38, across.name, "middle", "title"));
  picture.append(label(4, top - 12, up.name, "start", "title"));
  return { x, y };
};

/** A range a little wider than the values, so that none lies on its edge. */
nearstar.range = function (values, share = 0.06) {
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  const room = (high - low) * share || Math.abs(high) * share || share;
  return { low: low - room, high: high + room };
};

/** The corners of steps: each value holds until the next. */
nearstar.steps = function (points) {
  return points.flatMap(([x, y], i) => (i ? [[x, points[i - 1][1]], [x, y]] : [[x, y]]));
};

nearstar.marks = {
  line: (points, kind) => nearstar.svg("polyline", { class: kind, points: points.join(" ") }),
  area: (points, kind) => nearstar.svg("polygon", { class: kind, points: points.join(" ") }),
  label: (x, y, text, anchor, kind) =>
    nearstar.svg("text", { x, y, "text-anchor": anchor, class: kind }, text),
  circle: (x, y, r, kind) => nearstar.svg("circle", { cx: x, cy: y, r, class: kind }),
  diamond: (x, y, r, kind) =>
    nearstar.marks.area([[x, y - r], [x + r, y], [x, y + r], [x - r, y]], kind),
};

/** Values with their names, for tips and panels. */
nearstar.facts = function (facts) {
  const make = nearstar.element;
  return make("dl", { class: "facts" }, facts.map(([name, value]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, value))));
};

/** Where an element is, as an event that the tip can stand beside. */
nearstar.place = function (element) {
  const box = element.getBoundingClientRect();
  return { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
};
