/* The tree of programs that a search trained. Rows are made only when they are opened, and while a
   run is watched only what is new is added: it works with a hundred thousand programs. */

/** How many of a long list are shown at first, and each time more are asked for. */
nearstar.AT_ONCE = 100;

nearstar.count = (number) => number.toLocaleString("en");

/** What a node is, as a sum. */
nearstar.kinds = { complete: 1, diverged: 2, failed: 4, audited: 8, probe: 16 };

/** The nodes of a search, by parent; more of them may come. */
nearstar.nodes = function () {
  const top = [];
  const below = new Map();
  let columns = null;
  let search = null;
  let seen = 0;
  const value = (each) => (each === null || each === "inf" ? Infinity : each);

  const nodes = {
    /** Take up a search that has grown; the parents (−1: none) of its new nodes. */
    grow(grown) {
      search = grown;
      columns = grown.nodes;
      const touched = new Set();
      for (; seen < columns.text.length; seen++) {
        const parent = columns.parent[seen];
        touched.add(parent);
        if (parent < 0) top.push(seen);
        else if (below.has(parent)) below.get(parent).push(seen);
        else below.set(parent, [seen]);
      }
      return touched;
    },
    count: () => seen,
    nested: () => below.size > 0,
    /** The nodes whose texts contain this one, in lower case. */
    containing: (asked) => [...columns.text.keys()].filter((i) =>
      columns.text[i].toLowerCase().includes(asked)),
    children: (i) => (i < 0 ? top : below.get(i) || []),
    parent: (i) => columns.parent[i],
    text: (i) => columns.text[i],
    is: (i, kind) => (columns.kind[i] & nearstar.kinds[kind]) > 0,
    g: (i) => search.weight * columns.cost[i],
    h: (i) => value(columns.error[i]),
    f: (i) => value(columns.f[i]),
    best: () => search.best,
    bestCost: () => (search.best === null ? Infinity : nodes.g(search.best) + nodes.h(search.best)),
    /** Of the nodes the best first, a complete one by its path cost, and probes after all others,
        since they promise nothing; or as they were trained. */
    sorted(which, byOrder) {
      if (byOrder) return which;
      const key = (i) => (nodes.is(i, "complete") ? nodes.g(i) + nodes.h(i) : nodes.f(i));
      const keys = new Map(which.map((i) => [i, key(i)]));
      // ∞ − ∞ is no number: equals are told apart by their order.
      return which.slice().sort((a, b) =>
        nodes.is(a, "probe") - nodes.is(b, "probe") || keys.get(a) - keys.get(b) || a - b);
    },
    state(i) {
      if (nodes.is(i, "complete")) return "complete";
      if (nodes.is(i, "probe")) return "probe"; // no answer, and no bound that could prune it
      if (nodes.children(i).length) return "expanded";
      if (i === search.best) return ""; // a network may be the answer
      return nodes.f(i) >= nodes.bestCost() - 1e-9 ? "pruned" : "open";
    },
  };
  return nodes;
};

/** The part of a text that its parent's has not, as [from, to]: whole words, and whole holes. */
nearstar.added = function (text, parent) {
  const word = /[\w\ud800-\udfff]/;
  const shorter = Math.min(text.length, parent.length);
  let from = 0;
  while (from < shorter && text[from] === parent[from]) from++;
  let after = 0;
  while (after < shorter - from && text.at(-1 - after) === parent.at(-1 - after)) after++;
  const replaced = () => parent.length - after - from;
  while (after && replaced() < 2 && parent[parent.length - after] === "?") after--;
  while (from && replaced() < 2 && parent[from - 1] === "?") from--;
  while (from && word.test(text[from - 1]) && word.test(text[from] ?? "")) from--;
  while (after && word.test(text.at(-after)) && word.test(text.at(-after - 1))) after--;
  return [from, text.length - after];
};

/** A program's text with its holes marked, and what was added to its parent's. */
nearstar.programText = function (text, parent) {
  const holes = (part) => part.split(/(\?\?)/).filter(Boolean).map((each) =>
    each === "??" ? nearstar.element("span", { class: "hole" }, each) : each);
  const [from, to] = parent === undefined ? [0, 0] : nearstar.added(text, parent);
  return nearstar.element(
    "code",
    {},
    holes(text.slice(0, from)),
    to > from ? nearstar.element("span", { class: "added" }, holes(text.slice(from, to))) : null,
    holes(text.slice(to)),
  );
};

/** A tree of nodes; `onFront(i)` tells whether a program is on the front. */
nearstar.tree = function (nodes, onFront) {
  const { element: make, number, AT_ONCE } = nearstar;
  const items = new Map(); // what is shown, by node
  const opened = new Set();
  const limits = new Map(); // how many children are shown, where more were asked for
  const kept = new Set(); // shown even after the first hundred: asked for, opened or with the focus
  let byOrder = false;
  let current = null; // the item that the Tab key leads to

  const tree = make("div", {
    role: "tree",
    class: "tree",
    "aria-label": "Programs by what they were made from",
    onclick: clicked,
    onkeydown: pressed,
    onfocusin: (event) => makeCurrent(event.target.closest("[role=treeitem]")),
  });

  const groupOf = (i) => (i < 0 ? tree : items.get(i)?.querySelector(":scope > [role=group]"));
  const level = (i) => (i < 0 ? 0 : 1 + level(nodes.parent(i)));
  const limit = (i) => limits.get(i) || AT_ONCE;

  function badges(i) {
    const state = nodes.state(i);
    return [
      i === nodes.best() ? "best" : null,
      onFront(i) ? "front" : null,
      state === "expanded" ? `${nearstar.count(nodes.children(i).length)} below` : state,
      nodes.is(i, "audited") ? "audit" : null,
      nodes.is(i, "diverged") ? "diverged" : null,
      nodes.is(i, "failed") ? "failed" : null,
    ].filter(Boolean);
  }

  const fixed = (value) => (value === Infinity ? "∞" : value.toFixed(4));

  /** The row of a node: its text, numbers and badges. */
  function row(i) {
    const parent = nodes.parent(i);
    const text = nearstar.programText(nodes.text(i), parent < 0 ? undefined : nodes.text(parent));
    return make(
      "span",
      { class: "row" },
      make("span", { class: "text" }, text),
      ["g", "h", "f"].map((name) => make("span", { class: "value" },
        make("span", { class: "which" }, `${name} `), fixed(nodes[name](i)))),
      make("span", { class: "badges" }, badges(i).map((badge) =>
        make("span", { class: `badge ${badge.replace(/.* /, "")}` }, badge))),
    );
  }

  /** Bring an item's row and what is said of it up to date. */
  function refresh(i) {
    const item = items.get(i);
    const expandable = nodes.children(i).length > 0;
    const told = [
      nodes.text(i), ...["g", "h", "f"].map((name) => `${name} ${number(nodes[name](i))}`), ...badges(i),
    ].join(", ");
    if (expandable) item.setAttribute("aria-expanded", opened.has(i));
    if (item.getAttribute("aria-label") === told) return;
    item.setAttribute("aria-label", told);
    item.dataset.state = nodes.state(i);
    const before = item.querySelector(":scope > .row");
    if (before) before.replaceWith(row(i));
    else item.prepend(row(i));
  }

  function create(i) {
    const depth = level(i);
    const item = make("div", {
      role: "treeitem",
      "data-node": i,
      "aria-level": depth,
      tabindex: -1,
      style: `--level: ${depth - 1}`,
    });
    items.set(i, item);
    refresh(i);
    if (opened.has(i)) addGroup(i);
    return item;
  }

  function addGroup(i) {
    items.get(i).append(make("div", { role: "group" }));
    arrange(i);
  }

  function forget(item) {
    for (const each of [item, ...item.querySelectorAll("[role=treeitem]")]) {
      items.delete(Number(each.dataset.node));
      if (each === current) current = null;
    }
    item.remove();
  }

  /** Put the children of an opened node (−1: the roots) in their places; who is there stays. */
  function arrange(i) {
    const group = groupOf(i);
    const all = nodes.sorted(nodes.children(i), byOrder);
    const shown = all.filter((child, rank) => rank < limit(i) || kept.has(child));
    const wanted = new Set(shown);
    for (const item of [...group.children]) {
      if (item.dataset.more || !wanted.has(Number(item.dataset.node))) forget(item);
    }
    shown.forEach((child, place) => {
      const item = items.get(child) || create(child);
      if (group.children[place] !== item) group.insertBefore(item, group.children[place] || null);
    });
    let rank = 0;
    for (const item of group.children) {
      while (all[rank] !== Number(item.dataset.node)) rank++;
      item.setAttribute("aria-posinset", rank + 1);
      item.setAttribute("aria-setsize", all.length);
    }
    if (all.length > shown.length) group.append(more(i, all.length, shown.length));
    if (!current) makeCurrent(tree.firstElementChild);
  }

  function more(i, all, shown) {
    const left = all - shown;
    const text = left > AT_ONCE
      ? `show ${AT_ONCE} more of ${nearstar.count(left)}` : `show ${left} more`;
    return make("div", {
      role: "treeitem",
      "data-more": i,
      class: "more",
      "aria-level": level(i) + 1,
      "aria-posinset": shown + 1,
      "aria-setsize": all,
      tabindex: -1,
      style: `--level: ${level(i)}`,
    }, make("span", { class: "row" }, make("span", { class: "text" }, text)));
  }

  function makeCurrent(item) {
    if (!item || item === current) return;
    if (current) current.tabIndex = -1;
    current = item;
    current.tabIndex = 0;
  }

  function focus(item, options) {
    if (!item) return;
    makeCurrent(item);
    item.focus({ preventScroll: true });
    item.firstElementChild.scrollIntoView({ block: "nearest", ...options });
  }

  function open(i) {
    if (opened.has(i) || !nodes.children(i).length) return;
    opened.add(i);
    kept.add(i);
    if (!items.has(i)) return;
    addGroup(i);
    refresh(i);
  }

  function close(i) {
    opened.delete(i);
    const group = groupOf(i);
    if (!group) return;
    const held = group.contains(current);
    for (const item of [...group.children]) forget(item);
    group.remove();
    refresh(i);
    if (held) makeCurrent(items.get(i));
  }

  function showMore(item) {
    const i = Number(item.dataset.more);
    const group = groupOf(i);
    const before = new Set(group.children);
    limits.set(i, limit(i) + AT_ONCE);
    const held = document.activeElement === item;
    arrange(i);
    const first = [...group.children].find((each) => !before.has(each));
    if (held) focus(first);
    else makeCurrent(first);
  }

  /** What Enter, Space and a click do. */
  function act(item) {
    if (item.dataset.more) showMore(item);
    else if (opened.has(Number(item.dataset.node))) close(Number(item.dataset.node));
    else open(Number(item.dataset.node));
  }

  function clicked(event) {
    const item = event.target.closest("[role=treeitem]");
    // Whoever marks text to copy it opens nothing.
    if (!item || !event.target.closest(".row") || !window.getSelection().isCollapsed) return;
    item.focus({ preventScroll: true });
    act(item);
  }

  function pressed(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item || event.altKey || event.ctrlKey || event.metaKey) return;
    const i = Number(item.dataset.node ?? NaN);
    const all = () => [...tree.querySelectorAll("[role=treeitem]")];
    const beside = (step) => focus(all()[all().indexOf(item) + step]);
    const keys = {
      ArrowDown: () => beside(1),
      ArrowUp: () => beside(-1),
      ArrowRight: () => {
        if (opened.has(i)) focus(groupOf(i).firstElementChild);
        else if (item.dataset.node) open(i);
      },
      ArrowLeft: () => {
        if (opened.has(i)) close(i);
        else focus(item.parentElement.closest("[role=treeitem]"));
      },
      Home: () => focus(all()[0]),
      End: () => focus(all().at(-1)),
      Enter: () => act(item),
      " ": () => act(item),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** Open all above a node, so that it is shown. */
  function reveal(i) {
    const path = [];
    for (let each = i; each >= 0; each = nodes.parent(each)) path.unshift(each);
    for (const each of path) {
      kept.add(each);
      if (!items.has(each)) arrange(nodes.parent(each));
      if (each !== i) open(each);
    }
  }

  function redraw() {
    items.clear();
    current = null;
    tree.replaceChildren();
    arrange(-1);
  }

  return {
    element: tree,
    row,
    reveal,
    /** Show a node and give it the focus. */
    go(i) {
      reveal(i);
      focus(items.get(i), { block: "center" });
    },
    /** Only the roots. */
    collapse() {
      opened.clear();
      kept.clear();
      limits.clear();
      redraw();
    },
    sort(order) {
      byOrder = order;
      redraw();
    },
    /** Take up new children of these nodes; if the best program is another, the states of all. */
    update(touched, judgedAnew) {
      const focused = tree.contains(document.activeElement) ? current : null;
      if (focused?.dataset.node) kept.add(Number(focused.dataset.node));
      const wasMore = focused?.dataset.more;
      for (const i of touched) {
        if (i < 0 || (items.has(i) && opened.has(i))) arrange(i);
        if (items.has(i)) refresh(i);
      }
      if (judgedAnew) for (const i of items.keys()) refresh(i);
      if (focused && document.activeElement !== focused) {
        focus(wasMore ? tree.querySelector(`[data-more="${wasMore}"]`) : current);
      }
    },
  };
};
