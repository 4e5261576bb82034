// What else the model could become: memory against instructions, and a table.
const tradeoffAxes = (x, y, box) => svg("g", {},
  svg("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }),
  svg("line", { class: "axis", x1: box.left, x2: box.left, y1: box.top, y2: box.bottom }),
  ...[0, 0.5, 1].flatMap((part) => [
    svg("text", { class: "soft", x: x(part * x.most), y: box.bottom + 15, "text-anchor": part === 1 ? "end" : "middle" }, bytesText(part * x.most)),
    svg("text", { class: "soft", x: box.left - 6, y: y(part * y.most) + 4, "text-anchor": "end" }, countText(part * y.most))]),
  svg("text", { class: "soft", x: box.right, y: box.bottom + 30, "text-anchor": "end" }, "arena"),
  svg("text", { class: "soft", x: box.left + 4, y: box.top + 4 }, "instructions of a run"));

const linear = (most, from, to) => Object.assign((v) => from + ((to - from) * v) / most, { most });

const tradeoffPoint = (a, i, x, y) => svg("g", {},
  svg("circle", { cx: x(a.arena_bytes), cy: y(a.instructions), r: a.options ? 4 : 6, fill: palette[a.options.startsWith("--ram") || !a.options ? 0 : 2] },
    svg("title", {}, `${a.form}: ${a.options || "the default"}`)),
  svg("text", { class: "soft", x: x(a.arena_bytes) + 8, y: y(a.instructions) + 4 }, `${i + 1}`));

const drawTradeoff = () => {
  const list = report.alternatives || [];
  if (list.length < 2) return [];
  const made = [heading("What else it could be")];
  if (list.every((a) => isNumber(a.instructions))) {
    const width = chartWidth(), height = 260, box = { left: 70, right: width - 24, top: 10, bottom: height - 36 };
    const x = linear(Math.max(...list.map((a) => a.arena_bytes), 1), box.left, box.right);
    const y = linear(1.1 * Math.max(...list.map((a) => a.instructions)), box.bottom, box.top);
    made.push(chart(width, height, "arena against instructions", tradeoffAxes(x, y, box), ...list.map((a, i) => tradeoffPoint(a, i, x, y))));
  }
  const columns = [
    { title: "", value: (a) => list.indexOf(a) + 1, number: true },
    { title: "arena", value: (a) => a.arena_bytes, text: (a) => bytesText(a.arena_bytes), number: true },
    { title: "code", value: (a) => a.code_bytes, text: (a) => `${a.measured ? "" : "about "}${bytesText(a.code_bytes)}`, number: true },
    { title: "weights", value: (a) => a.weight_bytes, text: (a) => bytesText(a.weight_bytes), number: true },
    { title: "instructions", value: (a) => a.instructions, text: (a) => (isNumber(a.instructions) ? countText(a.instructions) : ""), number: true },
    { title: "cycles", value: (a) => a.cycles, text: (a) => (isNumber(a.cycles) ? countText(a.cycles) : ""), number: true },
    { title: "form", value: (a) => a.form, wide: true },
    { title: "options", value: (a) => a.options || "the default", wide: true },
  ];
  made.push(scrolled(table(columns, list)), soft("Instructions are estimated from counts in QEMU, cycles from the manuals of the cores."));
  return made;
};
