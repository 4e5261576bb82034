// Tabs: arrow keys, Home and End move between them; a panel is filled when it is first seen.
const tabs = (() => {
  const list = document.getElementById("tabs");
  const panels = document.getElementById("panels");
  const known = new Map(); // id -> {tab, panel, fill}

  function add(id, title) {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `tab-${id}`;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", `panel-${id}`);
    tab.append(title, " ");
    const mark = document.createElement("span");
    mark.className = "mark";
    tab.append(mark);
    const panel = document.createElement("div");
    panel.id = `panel-${id}`;
    panel.className = "panel";
    panel.tabIndex = 0;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => select(id));
    list.append(tab);
    panels.append(panel);
    known.set(id, {tab, panel, mark, fill: null});
  }

  function select(id) {
    for (const [name, {tab, panel}] of known) {
      const chosen = name === id;
      tab.setAttribute("aria-selected", chosen);
      tab.tabIndex = chosen ? 0 : -1;
      panel.hidden = !chosen;
    }
    show(id);
  }

  function show(id) {
    const entry = known.get(id);
    const fill = entry.fill;
    entry.fill = null;
    if (fill) entry.panel.replaceChildren(...[fill()].flat());
  }

  const selected = () => [...known].find(([, {tab}]) => tab.getAttribute("aria-selected") === "true")?.[0];

  // set(id, fill, mark): what the panel will show, and a number beside its title.
  function set(id, fill, mark = "") {
    const entry = known.get(id);
    entry.fill = fill;
    entry.mark.textContent = mark;
    if (selected() === id) show(id);
  }

  list.addEventListener("keydown", (event) => {
    const ids = [...known.keys()], at = ids.indexOf(selected());
    const next = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1}[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const id = ids[(next + ids.length) % ids.length];
    select(id);
    known.get(id).tab.focus();
  });

  return {list, add, select, selected, set};
})();
