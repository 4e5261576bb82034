// Draws the report of a model from the JSON in the page.
const drawFunction = (part, holder) => {
  const picks = selection();
  addLabels(part.tensors);
  holder.append(cards(part));
  if (part === report && !report.training) holder.append(...drawRun());
  holder.append(...drawExamples(part), ...drawPorts(part));
  if (part.memory.arena_bytes > 0) holder.append(...drawMemory(part, picks));
  holder.append(...drawHeap(part, picks));
  if (part === report) holder.append(...drawFlash(), ...drawTradeoff());
  holder.append(...drawSteps(part, picks), ...drawRoofline(part, picks));
};

// A function of a model that trains, folded but for the one that was measured.
const drawSection = (part, name) => {
  const steps = callsOf(part).length;
  const about = [amountText(part, "macs", macsText), `arena ${bytesText(part.memory.arena_bytes)}`, counted(steps, "step")];
  const box = html("details", { class: "function" });
  if (part === report || stepTime(part) > 0) box.open = true;
  const title = heading(name);
  box.append(html("summary", {}, title, html("span", { class: "soft" }, about.join(", "))));
  page.append(box);
  drawFunction(part, box);
};

// Opens what is folded around the place that a link leads to.
const show = (target) => {
  for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  target.scrollIntoView();
};
const tableOfContents = () => {
  const list = html("nav", { "aria-label": "contents" });
  let line = html("div");
  list.append(line);
  for (const { text, level, target } of contents) {
    if (level > 2) continue;
    const begins = target.closest("summary") !== null;
    if (begins && line.children.length) list.append(line = html("div"));
    const link = html("a", { href: `#${target.id}`, class: begins ? "top" : "" }, text);
    link.addEventListener("click", () => show(target));
    line.append(link, " ");
  }
  return list;
};

const glossary = () => html("details", {}, html("summary", {}, "Words"), html("p", {},
  "Arena: the block of memory that the caller lends for a run; tensors share it over time. Lower bound: the most bytes that " +
  "are in use at one step. Step: one call of a kernel, for one operator or several fused ones. MAC: a multiplication and an addition."));

page.replaceChildren(soft(
  `onnxc ${report.onnxc}, target ${report.target}, interface ${report.name}, model of sha256 ${report.model_sha256.slice(0, 16)}`));
if (report.training) {
  page.append(...drawRun());
  drawSection(report, "run");
  for (const part of report.training.functions) drawSection(part, part.name);
} else {
  drawFunction(report, page);
}
page.firstChild.after(tableOfContents());
page.append(glossary());
// Paper shows what is folded, but for long lists.
addEventListener("beforeprint", () => {
  const many = 60;
  for (const box of page.querySelectorAll("details"))
    if (box.classList.contains("function") || box.querySelectorAll("tr").length < many) box.open = true;
});
