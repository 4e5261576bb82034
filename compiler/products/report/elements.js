// Elements of the page, tables and charts. Texts of the model are only ever set as text, never as
// markup.

// Columns of a large report (packed.cpp) as objects again.
const unpacked = ({ $rows: count, $columns: columns }) => {
  const rows = Array.from({ length: count }, () => ({}));
  for (const [key, column] of Object.entries(columns))
    rows.forEach((row, i) => {
      if (Array.isArray(column)) row[key] = column[i];
      else if (column.at[i] >= 0) row[key] = column.of[column.at[i]];
    });
  return rows;
};
const report = JSON.parse(document.getElementById("report").textContent,
  (key, value) => (value?.$columns instanceof Object ? unpacked(value) : value));
const page = document.querySelector("main");
const palette = ["#8ab6e8", "#93d1a8", "#f2c07e", "#c5a8e6", "#f0a3a3", "#8fd3d6", "#d9cf86", "#b9c2cd"];

const build = (made, attributes, children) => {
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const html = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
// Drawn for the width there is, scaled when that changes.
const chartWidth = () => Math.max(page.clientWidth - 2, 560);
const chart = (width, height, label, ...children) => svg("svg",
  { viewBox: `0 0 ${width} ${height}`, style: "width: 100%; min-width: 560px", role: "img", "aria-label": label }, ...children);
const scrolled = (content, tall) => html("div", { class: tall ? "scroll tall" : "scroll" }, content);
const soft = (...text) => html("p", { class: "soft" }, ...text);
const cut = (text, most) => (text.length > most ? `${text.slice(0, Math.max(most - 1, 1))}\u2026` : text);
// Open for a few rows, folded for many.
const folded = (title, content, open) =>
  html("details", open ? { open: "" } : {}, html("summary", {}, title), content);

// Headings are what the table of contents lists.
const contents = [];
const heading = (text, level = 2) => {
  const made = html(`h${level}`, { id: `s${contents.length}` }, text);
  contents.push({ text, level, target: made });
  return made;
};

// ---- tables ----
// Columns: {title, value(row), text(row), hint(row), number, wide, style, share, total()}. A click on a
// title sorts by it. share: a bar and a percentage of this whole.
const cell = (column, row, largest) => {
  const text = column.text ? column.text(row) : `${column.value(row) ?? ""}`;
  const td = html("td", { class: column.number ? "number" : column.wide ? "wide" : "" }, column.wide ? html("span", {}, text) : text);
  const value = column.value(row);
  if (column.share && isNumber(value) && value > 0 && largest > 0) {
    td.append(html("small", {}, percent(value, column.share)));
    td.style.setProperty("--part", `${((100 * value) / largest).toFixed(1)}%`);
    td.classList.add("part");
  }
  if (column.style) td.classList.add(column.style);
  const hint = column.hint ? column.hint(row) : column.wide ? text : "";
  if (hint) td.title = hint;
  if (column.indent) td.style.setProperty("--depth", column.indent(row));
  return td;
};

const compare = (column, a, b) => {
  const [x, y] = [column.value(a) ?? "", column.value(b) ?? ""];
  if (isNumber(x) !== isNumber(y)) return isNumber(x) ? 1 : -1;
  return isNumber(x) ? x - y : `${x}`.localeCompare(`${y}`);
};

const sortBy = (column, th, body) => {
  const down = th.getAttribute("aria-sort") ? th.getAttribute("aria-sort") === "ascending" : column.number && !column.order;
  for (const other of th.parentNode.children) other.removeAttribute("aria-sort");
  th.setAttribute("aria-sort", down ? "descending" : "ascending");
  body.parentNode.classList.toggle("sorted", !column.order || down);
  const rows = [...body.rows].filter((r) => r.item);
  const heads = [...body.rows].filter((r) => !r.item);
  rows.sort((a, b) => compare(column, a.item, b.item) * (down ? -1 : 1));
  body.append(...rows);
  for (const head of heads) rows.find((r) => r.item.at > head.at)?.before(head);
};

const footer = (columns) => html("tfoot", {}, html("tr", { class: "total" }, ...columns.map((c) =>
  html("td", { class: c.number ? "number" : "" }, c.total ? c.total() : ""))));

// heads: rows of one cell each, {at, text, depth}, before the row of the next `at`.
const table = (columns, rows, heads = []) => {
  const largest = new Map(columns.map((c) => [c, Math.max(0, ...rows.map((r) => Number(c.value(r)) || 0))]));
  const body = html("tbody");
  const left = [...heads];
  const addHeads = (at) => {
    while (left.length && left[0].at < at) {
      const head = left.shift();
      const td = html("td", { colspan: columns.length, style: `--depth: ${head.depth}` }, head.text);
      const tr = html("tr", { class: "head" }, td);
      tr.at = head.at;
      body.append(tr);
    }
  };
  for (const row of rows) {
    addHeads(row.at);
    const tr = html("tr", {}, ...columns.map((c) => cell(c, row, largest.get(c))));
    tr.item = row;
    body.append(tr);
  }
  const titles = html("tr");
  for (const column of columns) {
    // Not a <button>: on paper browsers repeat the head of a table on every page, but without those.
    const button = html("span", { role: "button", tabindex: 0 }, column.title);
    const th = html("th", { class: column.number ? "number" : "", scope: "col" }, button);
    button.addEventListener("click", () => sortBy(column, th, body));
    button.addEventListener("keydown", (e) => {
      if (e.key !== "Enter" && e.key !== " ") return;
      e.preventDefault();
      sortBy(column, th, body);
    });
    titles.append(th);
  }
  const made = html("table", {}, html("thead", {}, titles), body);
  if (columns.some((c) => c.total)) made.append(footer(columns));
  return made;
};

// ---- what is picked ----
// Shared by plan, tables and details of one function: what is picked, and who wants to know.
const selection = () => {
  const listeners = [];
  return { on: (f) => listeners.push(f), pick: (what) => listeners.forEach((f) => f(what)) };
};
