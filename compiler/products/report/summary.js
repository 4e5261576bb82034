// The figures of a model at a glance: cards, conditions of the measurement, ports, examples.
const card = (title, value, note, exact) => {
  const made = html("div", { class: value.length > 22 ? "card long" : "card" },
    html("span", {}, title), html("b", {}, value), html("span", {}, note || ""));
  if (exact) made.title = exact;
  return made;
};

const stepTime = (part) => sum(part.steps.map((s) => s.ms));
const onHeap = (t) => t.kind === "heap" || t.kind === "object";
const isOpen = (x) => x !== undefined && !isNumber(x);

const codeCard = (costs) => costs.measured
  ? card("code", bytesText(costs.code_bytes), report.run ? "measured" : `measured: ${cut(costs.compiler, 40)}`, costs.compiler)
  : card("code", `about ${bytesText(costs.code_bytes)}`, `at most ${bytesText(costs.code_bytes_at_most)}, an estimate`);

const fit = ({ arena_bytes, lower_bound_bytes }) => {
  if (arena_bytes === lower_bound_bytes) return "as small as possible";
  return `${percent(arena_bytes - lower_bound_bytes, lower_bound_bytes)} above the lower bound`;
};

// The first of its terms that have room.
const leading = (terms) => {
  const room = 70, list = terms.split(" + ");
  let kept = list[0], at = 1;
  while (at < list.length && kept.length + list[at].length < room) kept += ` + ${list[at++]}`;
  return at < list.length ? `${kept} + \u2026` : kept;
};
// An open amount: its leading terms, or, if those are long, a value and the terms below.
const openCard = (title, item, key, text, typical, most, sizes) => {
  const terms = amountText(item, key, text), longest = 44;
  if (terms.length <= longest || !isNumber(typical)) return card(title, leading(terms), most, plain(item[key]));
  return card(title, text(typical), cut(`at ${sizes.length > longest ? "typical sizes" : sizes}; ${terms}`, 130), plain(item[key]));
};
// Of the example at typical sizes.
const typicalOf = (part, key) => {
  const same = (e) => Object.entries(part.typical_sizes || {}).every(([name, value]) => e.sizes[name] === value);
  return (part.examples || []).find(same)?.[key];
};

const memoryCards = (part) => {
  const { memory } = part, list = [];
  const heap = part.tensors.filter(onHeap).length;
  if (memory.arena_bytes || !heap)
    list.push(card("arena", bytesText(memory.arena_bytes), memory.arena_bytes ? fit(memory) : ""));
  if (heap) list.push(memory.heap_bytes === undefined
    ? card("heap", "no bound", counted(heap, "tensor"))
    : openCard("heap", memory, "heap_bytes", bytesText, typicalOf(part, "heap_bytes"), counted(heap, "tensor"), sizesText(part.typical_sizes)));
  return list;
};

const ofModel = () => {
  const list = [card("weights", bytesText(report.weight_bytes))];
  const { costs } = report;
  if (costs) list.push(codeCard(costs));
  if (costs && isNumber(costs.stack_bytes)) list.push(card("stack", bytesText(costs.stack_bytes), "at most"));
  if (report.training) list.push(card("state", bytesText(report.training.state_bytes)));
  return list;
};

const timeCard = (part) => {
  const whole = stepTime(part);
  if (!(whole > 0)) return [];
  const { run } = report;
  if (!run) return [card("time", timeText(whole / 1e3), "sum of the steps")];
  return [card("time", timeText(run.median_ms / 1e3), `median; p99 ${timeText(run.p99_ms / 1e3)}`)];
};

// What the steps of a measured run did in it.
const workOfRun = (part) => {
  const steps = callsOf(part).filter((s) => s.calls), all = steps.map(macsOf);
  return steps.length && all.every(isNumber) ? sum(all) : undefined;
};

const cards = (part) => {
  const done = workOfRun(part);
  const most = isOpen(part.macs) && isNumber(part.most_macs) ? `at most ${macsText(part.most_macs)}` : "";
  const work = isOpen(part.macs) && done > 0 ? card("work", macsText(done), `in the run; ${leading(amountText(part, "macs", macsText))}`, plain(part.macs))
    : isOpen(part.macs) ? openCard("work", part, "macs", macsText, typicalOf(part, "macs"), most, sizesText(part.typical_sizes))
                                 : card("work", macsText(part.macs));
  return html("div", { class: "cards" }, ...timeCard(part), work, ...memoryCards(part), ...(part === report ? ofModel() : []));
};

// ---- exact expressions ----
const exact = (part) => {
  const rows = [["work, in MAC", part.macs], ["heap, in bytes", part.memory.heap_bytes]].filter(([, x]) => isOpen(x));
  for (const { name, definition, high } of part.sizes || [])
    if (definition !== undefined || isNumber(high)) rows.push([plain(name), definition ?? `at most ${high}`]);
  if (!rows.length) return [];
  return [folded("All terms, and sizes that follow from others", html("dl", {}, ...rows.flatMap(([name, x]) =>
    [html("dt", {}, name), html("dd", {}, plain(x))])))];
};

const drawExamples = (part) => {
  const rows = part.examples || [];
  if (!rows.length) return [];
  const sizes = Object.keys(rows[0].sizes);
  const ram = (e) => e.heap_bytes + part.memory.arena_bytes;
  const columns = sizes.map((name) => ({ title: name, value: (e) => e.sizes[name], number: true }));
  if (rows.some((e) => isNumber(e.macs)))
    columns.push({ title: "work", value: (e) => e.macs, text: (e) => (isNumber(e.macs) ? macsText(e.macs) : ""), number: true });
  if (rows.some((e) => isNumber(e.heap_bytes)))
    columns.push({ title: part.memory.arena_bytes ? "arena and heap" : "heap", value: ram, text: (e) => bytesText(ram(e)), number: true });
  return [heading("At some sizes", 3), html("div", { class: "scroll narrow" }, table(columns, rows)), ...exact(part)];
};

// ---- the measurement ----
const drawRun = () => {
  const { run } = report;
  if (!run) return [];
  const rows = [
    ["time", `median ${timeText(run.median_ms / 1e3)}, least ${timeText(run.min_ms / 1e3)}, p90 ${timeText(run.p90_ms / 1e3)}, ` +
      `p99 ${timeText(run.p99_ms / 1e3)}; ${counted(run.runs, "run")} of ${run.inputs}`],
    ["sizes", sizesText(run.sizes)],
    ["machine", [run.machine, run.system, counted(run.threads, "thread")].filter((x) => x).join("; ")],
    ["compiler", `${run.compiler}; ${run.flags}`],
    ["options", `onnxc ${report.onnxc} bench ${run.options}`],
    ["memory", `${bytesText(run.peak_rss_bytes)} of the process at its peak`],
    ["date", run.date],
  ].filter(([, text]) => text);
  return [heading("Measured"), html("dl", {}, ...rows.flatMap(([name, text]) => [html("dt", {}, name), html("dd", {}, text)]))];
};

// ---- inputs and outputs ----
const shapeText = (t) => (t.shape ? `[${t.shape.map(plain).join(",")}]` : "");
const typeText = (t) => `${t.type}${shapeText(t)}`;
const quantised = (p) => (p.scale === undefined ? "" : `scale ${Number(p.scale.toPrecision(6))}, zero point ${p.zero_point}`);
const drawPorts = (part) => {
  const rows = [
    ...part.inputs.map((p) => ({ way: "input", ...p })),
    ...part.outputs.map((p) => ({ way: "output", ...p })),
  ];
  if (!rows.length) return [];
  const columns = [
    { title: "", value: (p) => p.way },
    { title: "name", value: (p) => p.name, wide: true },
    { title: "type", value: (p) => p.type },
    { title: "shape", value: shapeText, wide: true },
  ];
  if (rows.some(quantised)) columns.push({ title: "quantisation", value: quantised });
  const made = scrolled(table(columns, rows));
  const many = 12;
  return [heading("Inputs and outputs"), rows.length > many ? folded(`${counted(part.inputs.length, "input")}, ${counted(part.outputs.length, "output")}`, made) : made];
};
