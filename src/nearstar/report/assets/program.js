/* The program: what Python laid out for reading, and its text to take along. */

nearstar.sections.program = function (element, page) {
  const LONGEST_ON_PAPER = 1000; // characters of a text that somebody might type
  const layout = nearstar.element("div");
  const text = nearstar.element("pre", { class: "ns-text" });
  const said = nearstar.element("span", { class: "muted small", role: "status" });
  const copy = nearstar.element("button", { type: "button", onclick: take }, "Copy text");
  const whole = nearstar.element(
    "details",
    {},
    nearstar.element("summary", {}, "As text"),
    text,
    nearstar.element("div", { class: "controls" }, copy, said),
  );
  let shown = null;

  async function take() {
    try {
      await navigator.clipboard.writeText(text.textContent);
      said.textContent = "Copied.";
    } catch {
      // Where pages may not write to the clipboard, people can.
      window.getSelection().selectAllChildren(text);
      said.textContent = "Selected: copy it with Ctrl+C or ⌘C.";
    }
  }

  function update(page) {
    if (shown === page.program.html) return;
    shown = page.program.html;
    layout.innerHTML = shown; // made, and escaped, by program_html
    text.textContent = page.program.text;
    whole.classList.toggle("long", page.program.text.length > LONGEST_ON_PAPER);
    said.textContent = "";
  }

  element.append(layout, whole);
  update(page);
  return { update };
};
