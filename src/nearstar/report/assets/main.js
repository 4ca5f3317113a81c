/* Filling the sections, and, while a run is watched, keeping them up to date. */

nearstar.start = function () {
  const page = JSON.parse(document.getElementById("data").textContent);
  const shown = {};

  function show() {
    showHead();
    for (const [id, create] of Object.entries(nearstar.sections)) {
      const section = document.getElementById(id);
      const contents = page[id];
      const empty = contents === null || contents === undefined;
      section.hidden = empty;
      document.querySelector(`nav a[href="#${id}"]`).parentElement.hidden = empty;
      if (empty) continue;
      if (shown[id]) shown[id].update(page);
      else shown[id] = create(section.querySelector(".body"), page);
    }
  }

  function showHead() {
    document.getElementById("subtitle").textContent = page.subtitle;
    note(page.notes);
    const live = document.getElementById("live");
    live.hidden = !page.live;
    if (page.live) {
      live.dataset.state = page.live.state;
      if (live.textContent !== page.live.text) live.textContent = page.live.text;
    }
  }

  function note(notes) {
    const list = document.getElementById("notes");
    list.hidden = !notes.length;
    const shown = Array.from(list.children, (item) => item.textContent);
    if (JSON.stringify(shown) === JSON.stringify(notes)) return;
    list.replaceChildren(...notes.map((text) => nearstar.element("li", {}, text)));
  }

  /** Take up what is new; the nodes and the trace of a search only grow. */
  function merge(news) {
    const before = page.search;
    Object.assign(page, news);
    if (!before || !news.search || news.search.run !== before.run) return;
    for (const [name, values] of Object.entries(news.search.nodes)) {
      page.search.nodes[name] = append(before.nodes[name], values);
    }
    page.search.trace = append(before.trace, news.search.trace);
  }

  /** In place: there may be a hundred thousand of them, each second. */
  function append(all, more) {
    for (const each of more) all.push(each);
    return all;
  }

  function seen(search) {
    if (!search) return "";
    const [nodes, points] = [search.nodes.text.length, search.trace.length];
    return new URLSearchParams({ run: search.run, nodes, points });
  }

  async function ask() {
    try {
      const answer = await fetch(`state?${seen(page.search)}`, { cache: "no-store" });
      if (answer.ok) return await answer.json();
      return { live: { state: "lost", text: `nearstar watch cannot show the run (${answer.status}).` } };
    } catch {
      return { live: { state: "lost", text: "The run is no longer followed: nearstar watch has ended." } };
    }
  }

  async function follow() {
    const news = await ask();
    try {
      merge(news);
      show();
    } finally {
      setTimeout(follow, 1000);
    }
  }

  show();
  if (page.live) setTimeout(follow, 1000);
};

nearstar.start();
