// The table of steps.
const callsOf = (part) => part.steps.map((s, at) => ({ ...s, at })).filter((s) => s.kind === "call");

// How often a step runs in one call of the function: measured, else as the sizes say.
const timesOf = (s) => s.calls ?? (isNumber(s.times) ? s.times : 1);
const macsOf = (s) => {
  const once = valueOf(s, "macs");
  return isNumber(once) ? once * timesOf(s) : undefined;
};
const movedOf = (s) => {
  const once = valueOf(s, "moved_bytes");
  return isNumber(once) ? once * timesOf(s) : undefined;
};
const rate = (s) => (s.ms > 0 && isNumber(valueOf(s, "macs")) ? (valueOf(s, "macs") * s.calls) / s.ms / 1e6 : 0);
const macsCell = (s) => (s.macs === 0 ? "" : valueText(s, "macs", macsText));
const movedCell = (s) => valueText(s, "moved_bytes", bytesText);
const exactly = (key, unit) => (s) => (isOpen(s[key]) ? `${plain(s[key])} ${unit}` : "");

const timeColumns = (rows) => {
  const ms = sum(rows.map((s) => s.ms));
  if (!(ms > 0)) return [];
  const columns = [
    { title: "time", value: (s) => s.ms ?? 0, text: (s) => timeText((s.ms ?? 0) / 1e3), number: true, share: ms, total: () => timeText(ms / 1e3) },
  ];
  if (rows.some((s) => rate(s) > 0)) columns.push(
    { title: "rate", value: rate, text: (s) => (rate(s) ? rateText(rate(s) * 1e9, "MAC/s") : ""), number: true,
      total: () => rateText((sum(rows.map(macsOf)) / ms) * 1e3, "MAC/s") });
  return columns;
};

const roundsColumn = (rows) => (rows.some((s) => (s.times ?? s.calls ?? 1) !== 1)
  ? [{ title: "rounds", value: (s) => s.calls ?? s.times ?? 1, text: (s) => ((s.calls ?? s.times ?? 1) === 1 ? "" : `\u00d7 ${plain(s.calls ?? s.times)}`), number: true }]
  : []);

const workColumns = (part, rows) => {
  const all = rows.map(macsOf), macs = sum(all), known = all.every(isNumber);
  if (rows.every((s) => s.macs === 0)) return [];
  const total = known ? macsText(macs) : shortText(part, "macs", macsText);
  return [{ title: "MAC", value: macsOf, text: macsCell, hint: exactly("macs", "MAC"), number: true, share: known ? macs : 0, total: () => total }];
};

// Estimated for one core, whose memory has no wait states.
const cyclesColumn = (rows) => {
  if (!rows.some((s) => isNumber(s.cycles))) return [];
  const cyclesOf = (s) => (isNumber(s.cycles) ? s.cycles * timesOf(s) : undefined);
  const all = sum(rows.map((s) => cyclesOf(s) ?? 0));
  return [{ title: "cycles", value: cyclesOf, text: (s) => (isNumber(s.cycles) ? countText(cyclesOf(s)) : ""), number: true,
    hint: (s) => (isNumber(s.constant_loads) ? `${plain(s.constant_loads)} more for each wait state of an uncached flash` : ""),
    share: all, total: () => countText(all) }];
};

// A shape that does not change is there once.
const shapes = (s) => {
  const [from, to, ...more] = plain(s.shape).split(" -> ");
  return more.length || to === undefined || from === to ? to ?? from : `${from} \u2192 ${to}`;
};

const stepColumns = (part, rows, blocks) => {
  const moved = rows.map(movedOf);
  const columns = [
    { title: "#", value: (s) => s.at, number: true, order: true, total: () => "" },
    { title: "step", value: (s) => s.name, wide: true, indent: (s) => around(blocks, s.at).length, total: () => "total" },
    ...timeColumns(rows), ...roundsColumn(rows), ...workColumns(part, rows), ...cyclesColumn(rows),
    { title: "work", value: (s) => s.work, wide: true },
    { title: "moved", value: movedOf, text: movedCell, hint: exactly("moved_bytes", "bytes"), number: true,
      total: () => (moved.every(isNumber) ? bytesText(sum(moved)) : "") },
  ];
  if (rows.some((s) => s.weight_bytes)) columns.push(
    { title: "weights", value: (s) => s.weight_bytes, text: (s) => (s.weight_bytes ? bytesText(s.weight_bytes) : ""), number: true,
      // Steps may share weights, and the sum of a column would count them twice.
      total: () => (part === report && !report.training ? bytesText(report.weight_bytes) : "") });
  columns.push({ title: "shape", value: shapes, hint: (s) => plain(s.shape), wide: true, style: "shape" },
    { title: "kernel", value: (s) => s.kernel, wide: true });
  return columns;
};

const sizesText = (sizes) => Object.entries(sizes || {}).map(([name, value]) => `${name} = ${value}`).join(", ");
const notes = (part, rows, blocks) => {
  const list = ["A click on a title sorts. Moved: bytes read and written, each tensor once."];
  const open = rows.filter((s) => isOpen(s.moved_bytes) || isOpen(s.macs));
  const measured = open.some((s) => isNumber(s.run_moved_bytes));
  if (measured) list.push(` Open sizes are those of the run: ${sizesText(report.run?.sizes)}.`);
  else if (open.some((s) => isNumber(s.typical_moved_bytes))) list.push(` Work and bytes at ${sizesText(part.typical_sizes)}.`);
  if (rows.some((s) => isNumber(s.cycles))) list.push(" Cycles are estimated.");
  if (open.length) list.push(" The pointer on a number shows how it grows.");
  if (open.some((s) => !isNumber(valueOf(s, "moved_bytes")))) list.push(" ~: the leading terms, where the data decide.");
  if (blocks.some((b) => b.kind === "loop"))
    list.push(" Figures of a step in a loop are those of one round; time and totals are of all rounds.");
  return list;
};

const drawSteps = (part, picks) => {
  const rows = callsOf(part);
  if (!rows.length) return [];
  const blocks = blocksOf(part);
  const heads = blocks.map((b) => ({ at: b.at, depth: b.depth, text: blockText(part, blocks, b) }));
  const made = table(stepColumns(part, rows, blocks), rows, heads);
  made.classList.add("steps");
  made.classList.toggle("timed", stepTime(part) > 0);
  for (const tr of made.tBodies[0].rows) {
    if (!tr.item) continue;
    tr.classList.toggle("repeated", inLoop(blocks, tr.item.at));
    tr.addEventListener("click", () => picks.pick({ step: tr.item.at }));
    picks.on((p) => tr.classList.toggle("picked", p.step === tr.item.at || (p.tensor !== undefined &&
      [...tr.item.reads, ...tr.item.writes].some((i) => part.tensors[i] === p.tensor))));
  }
  return [heading("Steps"), soft(...notes(part, rows, blocks)),
  scrolled(made, true)];
};
