"use strict";

/* What all sections of the page share: safe elements, numbers, colours, scales and the tip. */

const nearstar = { sections: {} };

/** An HTML element. Texts become text, never markup: names and labels come from anywhere. */
nearstar.element = function (tag, attributes, ...children) {
  return nearstar.fill(document.createElement(tag), attributes, children);
};

/** An SVG element. */
nearstar.svg = function (tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  return nearstar.fill(element, attributes, children);
};

nearstar.fill = function (element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
};

/** A name out of the data, cut short by its style where it is very long. */
nearstar.name = (text) => nearstar.element("bdi", { class: "name", title: text }, text);

/** A small square in the colour of a class. */
nearstar.swatch = function (code) {
  const fill = nearstar.stripes(code).flatMap(([from, to]) => [
    `transparent ${100 * from}%`,
    `${nearstar.colour(code)} ${100 * from}% ${100 * to}%`,
    `transparent ${100 * to}%`,
  ]);
  const style = `background: linear-gradient(${fill.join(", ")})`;
  return nearstar.element("span", { class: "swatch", style });
};

/** What may be wider than the page: it scrolls by itself, and then by keys too. */
nearstar.scrolling = function (label, ...children) {
  const attributes = { class: "scroll", role: "group", "aria-label": label };
  const box = nearstar.element("div", attributes, ...children);
  const watched = new ResizeObserver(() => {
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
  watched.observe(box);
  return box;
};

/** A number for reading: four significant digits, as in texts of programs. */
nearstar.number = function (value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (value === Infinity || value === "inf") return "∞";
  const text = Number(value).toPrecision(digits);
  return String(Number(text)).replace("-", "−");
};

/** A share with three decimals. */
nearstar.share = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));

nearstar.seconds = function (seconds) {
  if (seconds < 120) return `${nearstar.number(seconds, 3)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** The colour of a class, by its code; −1 is what has no label. */
nearstar.colour = (code) => (code < 0 ? "var(--unlabelled)" : `var(--class-${code % 10})`);

/**
 * The shares of a height that are filled for a class, from above: all of it, and for each ten
 * classes, when colours come again, one stripe more.
 */
nearstar.stripes = function (code) {
  const n = 1 + Math.floor(Math.max(code, 0) / 10);
  const gap = n > 1 ? 0.25 / (n - 1) : 0;
  const height = (1 - gap * (n - 1)) / n;
  return Array.from({ length: n }, (_, i) => [i * (height + gap), i * (height + gap) + height]);
};

/** A linear scale, from values to pixels. */
nearstar.scale = function (low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
};

/** Round values between two, about as many as asked for. */
nearstar.ticks = function (low, high, count) {
  const rough = (high - low || 1) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
  const ticks = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) ticks.push(n * step);
  return ticks;
};

/** A small box with details, beside what is pointed at or has the focus. */
nearstar.tip = {
  show(event, ...contents) {
    const tip = document.getElementById("tip");
    tip.replaceChildren(...contents);
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const x = Math.min(event.clientX + 14, window.innerWidth - box.width - 8);
    const below = event.clientY + 18 + box.height < window.innerHeight;
    tip.style.left = `${Math.max(x, 8)}px`;
    tip.style.top = `${Math.max(below ? event.clientY + 18 : event.clientY - box.height - 10, 8)}px`;
  },
  hide() {
    document.getElementById("tip").hidden = true;
  },
};
