// What flash holds: weights, the largest first, and code, as areas.

// Rectangles of these values that fill a box and are as square as rows of them get.
const squares = (items, box) => {
  const whole = sum(items.map((i) => i.value)), made = [];
  let { x, y, width, height } = box, left = whole, at = 0;
  const worst = (row, side, area) => {
    const total = sum(row.map((i) => i.value)), depth = (area * total) / left / side;
    return Math.max(...row.map((i) => {
      const length = (side * i.value) / total;
      return Math.max(length / depth, depth / length);
    }));
  };
  while (at < items.length && left > 0) {
    const side = Math.min(width, height), area = width * height;
    let row = [items[at]];
    while (at + row.length < items.length) {
      const longer = [...row, items[at + row.length]];
      if (worst(longer, side, area) > worst(row, side, area)) break;
      row = longer;
    }
    const total = sum(row.map((i) => i.value)), depth = (area * total) / left / side;
    let along = 0;
    for (const item of row) {
      const length = (side * item.value) / total;
      made.push(width > height ? { item, x, y: y + along, width: depth, height: length }
                               : { item, x: x + along, y, width: length, height: depth });
      along += length;
    }
    if (width > height) { x += depth; width -= depth; } else { y += depth; height -= depth; }
    left -= total;
    at += row.length;
  }
  return made;
};

const flashItems = () => {
  addLabels(report.weights);
  const items = report.weights.map((w) => ({
    name: w.label, value: w.bytes, about: `${typeText(w)}, read by ${w.steps.join(", ")}`, kind: w.steps[0] || "",
  }));
  const rest = report.weight_bytes - sum(report.weights.map((w) => w.bytes));
  if (rest > 0) items.push({ name: "other weights", value: rest, about: "smaller ones and text", kind: "other" });
  const { costs } = report;
  if (costs) items.push({
    name: costs.measured ? "code" : "code, estimated", value: costs.code_bytes,
    about: costs.measured ? costs.compiler : `at most ${bytesText(costs.code_bytes_at_most)}`, kind: "code",
  });
  if (report.selftest_bytes) items.push({ name: "self test", value: report.selftest_bytes, about: "recorded data", kind: "test" });
  return items.filter((i) => i.value > 0).sort((a, b) => b.value - a.value);
};

// A color for each step that reads weights; code is hatched.
const flashColors = (items) => {
  const colors = new Map();
  for (const { kind } of items) if (!colors.has(kind)) colors.set(kind, palette[colors.size % palette.length]);
  colors.set("code", "url(#code)");
  return colors;
};

const codeHatch = () => svg("defs", {}, svg("pattern",
  { id: "code", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
  svg("rect", { width: 8, height: 8, fill: "#e3c9a8" }), svg("line", { x1: 0, x2: 0, y1: 0, y2: 8, stroke: "#d3b48b", "stroke-width": 5 })));

const flashCell = (colors, whole) => ({ item, x, y, width, height }) => {
  const text = `${item.name}: ${bytesText(item.value)}, ${percent(item.value, whole)}; ${item.about}`;
  const group = svg("g", { class: "flash" }, svg("title", {}, text),
    svg("rect", { x, y, width: Math.max(width, 0.5), height: Math.max(height, 0.5), fill: colors.get(item.kind) }));
  if (width < 46 || height < 16) return group;
  const most = Math.floor((width - 8) / 6.2);
  group.append(svg("text", { class: "label", x: x + 4, y: y + 13 }, cut(item.name, most)));
  if (height >= 30) group.append(svg("text", { class: "label", x: x + 4, y: y + 26 }, cut(bytesText(item.value), most)));
  return group;
};

const drawFlash = () => {
  const items = flashItems(), whole = sum(items.map((i) => i.value));
  if (!whole) return [];
  const width = chartWidth(), height = 260, colors = flashColors(items);
  const made = chart(width, height, "flash", codeHatch(),
    ...squares(items, { x: 0, y: 0, width, height }).map(flashCell(colors, whole)));
  const few = 10;
  const columns = [
    { title: "", value: (i) => i.name, wide: true },
    { title: "bytes", value: (i) => i.value, text: (i) => bytesText(i.value), number: true, share: whole },
    { title: "what it is", value: (i) => i.about, wide: true },
  ];
  return [heading("Flash"), soft(`Weights and code, ${bytesText(whole)}: areas are bytes; weights that one step reads have one color.`),
    scrolled(made), folded(`The ${few < items.length ? `${few} largest` : "parts"} as a table`, scrolled(table(columns, items.slice(0, few))))];
};
