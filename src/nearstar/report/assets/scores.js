/* How good the program is: its scores beside others', class by class, and what it confuses. */

nearstar.sections.scores = function (element, page) {
  const { element: make, name, share, swatch } = nearstar;
  const MEASURES = [
    ["accuracy", "accuracy"],
    ["f1", "F1"],
    ["f1_macro", "macro F1"],
  ];
  let drawn = null;

  function update(page) {
    const state = JSON.stringify([page.scores, page.classes]);
    if (state === drawn) return;
    drawn = state;
    const { parts } = page.scores;
    const compared = parts.some((part) => part.models.length > 1);
    element.replaceChildren(
      make("p", { class: "muted small" }, explanation(page.classes, compared)),
      make(
        "div",
        { class: "scores", "data-wide": page.classes.length > 5 },
        parts.map((part) => drawnPart(part, page.classes)),
      ),
    );
  }

  function explanation(classes, compared) {
    const f1 =
      classes.length === 2
        ? [
            "F1 is that of ",
            make("b", {}, make("bdi", {}, classes[1])),
            "; macro F1 is the mean of both classes.",
          ]
        : [
            "F1 is the mean over the classes, weighted by how often each is the true one; ",
            "macro F1 is their plain mean.",
          ];
    const marks = compared ? " ▲ and ▼: better and worse than this program." : "";
    return [...f1, marks];
  }

  function drawnPart(part, classes) {
    const count = `${part.elements.toLocaleString("en")} ${part.kind}`;
    return make(
      "article",
      { class: "part", "aria-label": part.name },
      make("h3", {}, part.name, make("span", { class: "muted" }, ` ${count}`)),
      nearstar.scrolling(`Scores on ${part.name}`, models(part)),
      nearstar.scrolling(`Scores of each class on ${part.name}`, perClass(part)),
      nearstar.scrolling(`Confusion matrix on ${part.name}`, confusion(part, classes)),
    );
  }

  function head(...names) {
    const cells = names.map((each, i) =>
      make("th", { scope: "col", class: i ? "number" : null }, each),
    );
    return make("thead", {}, make("tr", {}, cells));
  }

  function models(part) {
    const [own, ...others] = part.models;
    const rows = [own, ...others].map((model) =>
      make(
        "tr",
        { class: model === own ? "own" : null },
        make("th", { scope: "row" }, name(model.name)),
        MEASURES.map(([key]) =>
          make("td", { class: "number" }, mark(model[key], own[key]), share(model[key])),
        ),
      ),
    );
    return make(
      "table",
      { class: "models" },
      make("caption", {}, "All classes together"),
      head("model", ...MEASURES.map(([, title]) => title)),
      make("tbody", {}, rows),
    );
  }

  /** How a score of another model stands to that of this program, as it is shown. */
  function mark(value, own) {
    const either = value === null || own === null || value === undefined;
    const [sign, words] =
      either || share(value) === share(own)
        ? ["", ""]
        : value > own
          ? ["▲", "better than this program"]
          : ["▼", "worse than this program"];
    return make(
      "span",
      { class: "mark" },
      make("span", { "aria-hidden": "true" }, sign),
      words && make("span", { class: "aside" }, `${words} `),
    );
  }

  function perClass(part) {
    const rows = part.per_class.map((each, code) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, label(each.name, code)),
        ["precision", "recall", "f1"].map((key) =>
          make("td", { class: "number" }, share(each[key]), bar(each[key])),
        ),
        make("td", { class: "number" }, each.support.toLocaleString("en")),
      ),
    );
    return make(
      "table",
      { class: "per-class" },
      make("caption", {}, "Class by class"),
      head("class", "precision", "recall", "F1", part.kind),
      make("tbody", {}, rows),
    );
  }

  function label(text, code) {
    return make("span", { class: "label" }, swatch(code), name(text));
  }

  function bar(value) {
    const width = `width: ${100 * (value || 0)}%`;
    return make("span", { class: "bar" }, make("span", { style: width }));
  }

  function confusion(part, classes) {
    const rows = part.confusion.map((counts, truth) => {
      const total = counts.reduce((sum, count) => sum + count, 0);
      return make(
        "tr",
        {},
        make("th", { scope: "row" }, label(classes[truth], truth)),
        counts.map((count, guess) => cell(count, total, truth === guess)),
      );
    });
    const heads = classes.map((each, code) => make("th", { scope: "col" }, label(each, code)));
    return make(
      "table",
      { class: "confusion" },
      make("caption", {}, `Confusion matrix: ${part.kind}, and their share of the true class`),
      make(
        "thead",
        {},
        make("tr", {}, make("th", { scope: "col" }, "true ↓ predicted →"), heads),
      ),
      make("tbody", {}, rows),
    );
  }

  function cell(count, total, right) {
    const part = total ? count / total : 0;
    // Up to half of the colour: the ink stays readable on it.
    const shade = `--shade: ${(50 * part).toFixed(1)}%`;
    return make(
      "td",
      { class: right ? "number right" : "number", style: shade },
      count.toLocaleString("en"),
      make("span", { class: "percent" }, total ? ` ${(100 * part).toFixed(0)} %` : " –"),
      right ? make("span", { class: "aside" }, " right") : null,
    );
  }

  update(page);
  return { update };
};
