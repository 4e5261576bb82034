// The memory plan, what is alive at its peak, and what is on the heap.
const inArena = (t) => isNumber(t.offset);
const size = (t) => (isNumber(t.bytes) ? t.bytes : t.most_bytes);
const alive = (part, step) =>
  part.tensors.filter((t) => inArena(t) && t.first_step <= step && step <= t.last_step);
const stepName = (s) => s.name || s.kind;
// Of steps without a name also what follows.
const placeOf = (part, at) => {
  const next = part.steps.slice(at).find((s) => s.name);
  return part.steps[at].name || !next ? stepName(part.steps[at]) : `before ${next.name}`;
};

// Tensors of one name are told apart by a number.
const addLabels = (tensors) => {
  const seen = new Map();
  const all = new Map();
  for (const t of tensors) all.set(t.name, (all.get(t.name) || 0) + 1);
  for (const t of tensors) {
    seen.set(t.name, (seen.get(t.name) || 0) + 1);
    t.label = all.get(t.name) > 1 ? `${t.name} (${seen.get(t.name)} of ${all.get(t.name)})` : t.name;
  }
};

// ---- loops and branches ----
const blocksOf = (part) => {
  const blocks = [], open = [];
  part.steps.forEach((step, at) => {
    if (step.kind === "else" || step.kind === "end") open.pop().end = at;
    if (step.kind !== "else" && step.kind !== "if" && step.kind !== "loop") return;
    const block = { kind: step.kind, step, at, end: part.steps.length, depth: open.length };
    blocks.push(block);
    open.push(block);
  });
  return blocks;
};
const around = (blocks, at) => blocks.filter((b) => b.at < at && at < b.end);
const inLoop = (blocks, at) => around(blocks, at).some((b) => b.kind === "loop");

// A body ran as often as the step in it that ran most often, outside of inner loops.
const roundsRun = (part, blocks, loop) => Math.max(0, ...part.steps.map((s, at) =>
  (around(blocks, at).at(-1) === loop ? s.calls || 0 : 0)));
const roundsText = (part, blocks, loop) => {
  const ran = roundsRun(part, blocks, loop), most = loop.step.most_rounds;
  if (ran) return `${counted(ran, "round")} measured`;
  if (most === undefined) return "as many rounds as the data say";
  const count = isNumber(most) ? counted(most, "round") : `${plain(most)} rounds`;
  return loop.step.may_end_early ? `at most ${count}` : count;
};
const blockText = (part, blocks, b) =>
  b.kind === "loop" ? `Loop: ${roundsText(part, blocks, b)}` : b.kind === "if" ? "If" : "Else";

// ---- the plan ----
const baseOf = (part) => {
  const base = new Map();
  let next = 0;
  for (const region of part.memory.regions || []) {
    base.set(region.name, next);
    next += region.bytes;
  }
  return (t) => (base.get(t.region) || 0) + t.offset;
};
const addresses = (part, t) => {
  const from = baseOf(part)(t);
  return `bytes ${from} .. ${from + size(t)} of the arena`;
};

const stepOfAxis = (span, ticks) => 2 ** Math.ceil(Math.log2(Math.max(span / ticks, 1)));

// Calls that have room for a name, the peak first.
const longestLabel = 18;
const labelled = (part, box) => {
  const room = 14, { peak_step } = part.memory, list = [peak_step];
  const free = (s) => list.every((other) => Math.abs(box.x(other) - box.x(s)) >= room);
  part.steps.forEach((s, at) => { if (s.kind === "call" && free(at)) list.push(at); });
  return list.filter((at) => part.steps[at]);
};
const labelHeight = (part) => {
  const longest = Math.max(...part.steps.map((_, at) => Math.min(`${at} ${placeOf(part, at)}`.length, longestLabel)));
  return 20 + longest * 5.6;
};

const axes = (part, box) => {
  const group = svg("g");
  const top = part.memory.arena_bytes;
  for (let b = 0; b <= top; b += stepOfAxis(top, 6)) {
    const y = box.y(b);
    group.append(svg("line", { class: "axis", x1: box.left, x2: box.right, y1: y, y2: y }));
    group.append(svg("text", { class: "soft", x: box.left - 6, y: y + 4, "text-anchor": "end" }, bytesText(b)));
  }
  for (const s of labelled(part, box)) {
    const x = box.x(s + 0.5) + 4, y = box.bottom + 8;
    const text = `${s} ${placeOf(part, s)}`;
    group.append(svg("text", { class: "soft step", x, y, "text-anchor": "end", transform: `rotate(-60 ${x} ${y})` },
      svg("title", {}, text), cut(text, longestLabel)));
  }
  return group;
};

const bounds = (part, box) => {
  const group = svg("g");
  const bound = box.y(part.memory.lower_bound_bytes);
  group.append(svg("line", { class: "bound", x1: box.left, x2: box.right, y1: bound, y2: bound }));
  group.append(svg("text", { class: "soft", x: box.right, y: bound - 4, "text-anchor": "end" }, "lower bound"));
  const peak = box.x(part.memory.peak_step + 0.5), atEnd = peak > box.right - 60;
  group.append(svg("line", { class: "peak", x1: peak, x2: peak, y1: box.top - 14, y2: box.bottom }));
  group.append(svg("text", { x: peak + (atEnd ? -4 : 4), y: box.top - 4, "text-anchor": atEnd ? "end" : "start" }, "peak"));
  return group;
};

// Brackets under the steps that loops repeat.
const loopMarks = (part, blocks, box) => {
  const group = svg("g");
  for (const b of blocks.filter((x) => x.kind === "loop")) {
    const from = box.x(b.at), to = box.x(b.end + 1), y = box.bottom + 2;
    group.append(svg("path", { class: "loop", d: `M${from} ${y - 6}V${y}H${to}V${y - 6}` },
      svg("title", {}, blockText(part, blocks, b))));
  }
  return group;
};

// Where each of several memories begins.
const regionMarks = (part, box) => {
  const group = svg("g");
  let base = 0;
  for (const region of part.memory.regions || []) {
    const y = box.y(base);
    group.append(svg("line", { class: "region", x1: box.left, x2: box.right, y1: y, y2: y }));
    group.append(svg("text", { x: box.right, y: y - 4, "text-anchor": "end" }, `${region.name}, ${bytesText(region.bytes)}`));
    base += region.bytes;
  }
  return group;
};

const tensorBox = (part, box, base, picks) => (t, i) => {
  const x = box.x(t.first_step), width = Math.max(box.x(t.last_step + 1) - x, 1);
  const y = box.y(base(t) + size(t)), height = Math.max(box.y(base(t)) - y, 1);
  const fill = t.kind === "scratch" ? "url(#hatch)" : palette[i % palette.length];
  const rect = svg("rect", { class: onHeap(t) ? "tensor heap" : "tensor", x, y, width, height, fill, tabindex: 0 },
    svg("title", {}, `${t.label} ${typeText(t)}, ${bytesText(size(t))}`));
  rect.addEventListener("click", () => picks.pick({ tensor: t }));
  rect.addEventListener("focus", () => picks.pick({ tensor: t }));
  picks.on((p) => rect.classList.toggle("picked", p.tensor === t || (p.step !== undefined &&
    t.first_step <= p.step && p.step <= t.last_step)));
  if (width < 40 || height < 14) return [rect];
  const text = cut(t.label, Math.floor((width - 8) / 6.2));
  return [rect, svg("text", { class: "label", x: x + 4, y: y + Math.min(height / 2, 30) + 4 }, text)];
};

const hatch = () =>
  svg("defs", {}, svg("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { width: 6, height: 6, fill: "#c9ced6" }), svg("line", { x1: 0, x2: 0, y1: 0, y2: 6, stroke: "#8b95a3", "stroke-width": 3 })));

const drawPlan = (part, picks, name = "memory plan") => {
  const width = chartWidth(), box = { left: 84, right: width - 12, top: 26, bottom: 366 };
  const height = box.bottom + labelHeight(part);
  const top = Math.max(part.memory.arena_bytes, 1), count = Math.max(part.steps.length, 1);
  box.x = (s) => box.left + ((box.right - box.left) * s) / count;
  box.y = (b) => box.bottom - ((box.bottom - box.top) * b) / top;
  const column = svg("rect", { class: "column", y: box.top, height: box.bottom - box.top, width: 0 });
  picks.on((p) => {
    column.setAttribute("width", p.step === undefined ? 0 : Math.max(box.x(1) - box.x(0), 2));
    if (p.step !== undefined) column.setAttribute("x", box.x(p.step));
  });
  const base = baseOf(part);
  return chart(width, height, name, hatch(), axes(part, box),
    ...part.tensors.filter(inArena).flatMap(tensorBox(part, box, base, picks)), column, bounds(part, box), regionMarks(part, box),
    loopMarks(part, blocksOf(part), box));
};

const describeTensor = (part, t) =>
  `${t.label}: ${typeText(t)}, ${amountText(t, "bytes", bytesText)}` +
  (isOpen(t.bytes) && isNumber(t.most_bytes) ? `, at most ${bytesText(t.most_bytes)}` : "") +
  (inArena(t) ? `, ${addresses(part, t)}` : "") +
  (t.region ? ` in ${t.region}` : "") + `, steps ${t.first_step} .. ${t.last_step}` +
  (t.kind === "scratch" ? ", scratch memory" : "");

const describeStep = (part, i) => {
  const s = part.steps[i];
  const live = alive(part, i), blocks = blocksOf(part);
  const names = (list) => list.map((k) => part.tensors[k].label).join(", ") || "nothing";
  const loops = around(blocks, i).filter((b) => b.kind === "loop").map((b) => ` In a loop: ${roundsText(part, blocks, b)}.`);
  return `Step ${i}, ${stepName(s)}: reads ${names(s.reads)}; writes ${names(s.writes)}; ` +
    `${counted(live.length, "tensor")} of ${bytesText(sum(live.map(size)))} ${live.length === 1 ? "is" : "are"} alive in the arena.${loops.join("")}`;
};

// What the peak costs: how much less the step that needs next to most takes.
const nextPeak = (part) => {
  const { peak_step, peak_bytes, next_peak_step, next_peak_bytes } = part.memory;
  if (next_peak_step === undefined || !peak_bytes) return "";
  const named = (i) => `step ${i} (${placeOf(part, i)})`;
  const little = 0.01;
  if (peak_bytes - next_peak_bytes <= little * peak_bytes)
    return `Besides ${named(peak_step)}, ${named(next_peak_step)} takes ${bytesText(next_peak_bytes)}, too: only if both take less the arena gets smaller.`;
  return `Without the peak at ${named(peak_step)} the arena would be up to ${bytesText(peak_bytes - next_peak_bytes)} ` +
    `(${percent(peak_bytes - next_peak_bytes, peak_bytes)}) smaller: the next highest is ${named(next_peak_step)} with ${bytesText(next_peak_bytes)}.`;
};

const drawMemory = (part, picks) => {
  const { memory } = part;
  const list = [heading("Memory plan"), soft(
    `Steps to the right, addresses of the arena upwards; ${bytesText(memory.arena_bytes)}, of which ` +
    `${bytesText(memory.lower_bound_bytes)} are in use at once whatever the placement.` +
    (part.tensors.some((t) => t.kind === "scratch" && inArena(t)) ? " Hatched: scratch memory of a kernel." : "") +
    (part.steps.some((s) => s.kind === "loop") ? " Brackets: what a loop repeats." : ""))];
  const next = nextPeak(part);
  if (next) list.push(html("p", {}, next));
  const detail = html("p", { class: "detail", "aria-live": "polite" }, "Pick a tensor or a step to see what it is.");
  picks.on((p) => { detail.textContent = p.tensor ? describeTensor(part, p.tensor) : describeStep(part, p.step); });
  list.push(scrolled(drawPlan(part, picks)), detail);
  const peak = alive(part, memory.peak_step);
  list.push(heading(`Alive at the peak, step ${memory.peak_step}: ${part.steps[memory.peak_step].name || ""}`, 3));
  list.push(scrolled(tensorTable(part, peak)));
  return list;
};

const lifeColumn = { title: "steps", value: (t) => t.first_step, text: (t) => `${t.first_step} .. ${t.last_step}` };
const tensorTable = (part, tensors) => table([
  { title: "tensor", value: (t) => t.label, wide: true },
  { title: "type", value: typeText, wide: true },
  { title: "bytes", value: size, text: (t) => bytesText(size(t)), number: true, share: part.memory.arena_bytes,
    hint: (t) => (isOpen(t.bytes) ? plain(t.bytes) : "") },
  { title: "address", value: (t) => t.offset, text: (t) => (inArena(t) ? `${baseOf(part)(t)}` : ""), number: true },
  lifeColumn,
], tensors);

// A plan of the heap at typical sizes, as if an arena held it: each tensor at the lowest place that
// is free during its life, the large ones first.
const heapPlan = (part) => {
  const placed = [];
  const list = part.tensors.filter((t) => onHeap(t) && (isNumber(t.typical_bytes) || isNumber(t.bytes)))
    .map((t) => ({ ...t, bytes: isNumber(t.bytes) ? t.bytes : t.typical_bytes }));
  for (const t of list.sort((a, b) => b.bytes - a.bytes)) {
    const others = placed.filter((o) => o.first_step <= t.last_step && t.first_step <= o.last_step)
      .sort((a, b) => a.offset - b.offset);
    let offset = 0;
    for (const o of others) {
      if (o.offset - offset >= t.bytes) break;
      offset = Math.max(offset, o.offset + o.bytes);
    }
    placed.push({ ...t, offset });
  }
  const top = Math.max(0, ...placed.map((t) => t.offset + t.bytes));
  const live = part.steps.map((_, at) => sum(placed.filter((t) => t.first_step <= at && at <= t.last_step).map((t) => t.bytes)));
  const peak = Math.max(...live), called = part.steps.findIndex((s, at) => s.kind === "call" && live[at] === peak);
  const peak_step = called < 0 ? live.indexOf(peak) : called;
  return { ...part, tensors: placed, memory: { arena_bytes: top, lower_bound_bytes: peak, peak_step } };
};
const drawHeapPlan = (part, picks) => {
  const plan = heapPlan(part);
  const few = 2;
  if (!plan.memory.arena_bytes || plan.tensors.length <= few) return [];
  const made = drawPlan(plan, picks, "heap plan"), missing = part.tensors.filter(onHeap).length - plan.tensors.length;
  const rest = missing ? ` Without ${counted(missing, "tensor")} whose sizes the data decide.` : "";
  return [soft(`What is alive when, at ${sizesText(part.typical_sizes)}: at most ${bytesText(plan.memory.lower_bound_bytes)} at once, ` +
    `at step ${plan.memory.peak_step} (${placeOf(part, plan.memory.peak_step)}). An allocator places it in its own way.${rest}`), scrolled(made)];
};

const drawHeap = (part, picks) => {
  const list = part.tensors.filter(onHeap);
  if (!list.length) return [];
  const few = 12, typical = list.some((t) => isNumber(t.typical_bytes));
  const heapSize = (t) => (isNumber(t.bytes) ? t.bytes : t.typical_bytes);
  const columns = [
    { title: "tensor", value: (t) => t.label, wide: true },
    ...(typical ? [{ title: `bytes at ${sizesText(part.typical_sizes)}`, value: heapSize, text: (t) => (isNumber(heapSize(t)) ? bytesText(heapSize(t)) : ""), number: true }] : []),
    { title: "bytes", value: (t) => t.bytes, text: (t) => shortText(t, "bytes", bytesText), wide: true,
      hint: (t) => (t.bytes === undefined ? "" : `${plain(t.bytes)} bytes`) },
    { title: "type", value: typeText, wide: true },
    lifeColumn,
  ];
  return [heading("On the heap"), soft("Tensors whose sizes have no bound; ~: the leading terms of their bytes."),
    ...(typical ? drawHeapPlan(part, picks) : []),
    folded(counted(list.length, "tensor"), scrolled(table(columns, list), true), list.length <= few)];
};
