// Draws the report of a model from the JSON in the page. Texts of the model are only ever set as
// text, never as markup.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("report").textContent);
  const page = document.querySelector("main");
  const palette = ["#8ab6e8", "#93d1a8", "#f2c07e", "#c5a8e6", "#f0a3a3", "#8fd3d6", "#d9cf86", "#b9c2cd"];

  // ---- elements ----
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
  const heading = (text) => html("h2", {}, text);

  // ---- numbers; one that is known only at run time is a text ----
  const isNumber = (x) => typeof x === "number";
  const unknown = (x, most, show) =>
    `${x}`.replace(/\d{5,}/g, (n) => show(Number(n))).replaceAll("*", " * ") + (isNumber(most) ? ` (at most ${show(most)})` : "");
  const grouped = (n) => n.toLocaleString("en-US");
  const bytes = (n, most) => {
    if (!isNumber(n)) return unknown(n, most, bytes);
    if (n < 1024) return `${n} B`;
    return n < 1 << 20 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / (1 << 20)).toFixed(2)} MiB`;
  };
  const work = (n, most) => {
    if (!isNumber(n)) return unknown(n, most, work);
    if (n < 1e6) return grouped(n);
    return n < 1e9 ? `${(n / 1e6).toFixed(2)} M` : `${(n / 1e9).toFixed(2)} G`;
  };
  const time = (ms) => (ms < 1 ? `${(ms * 1e3).toFixed(1)} us` : `${ms.toFixed(3)} ms`);
  const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "");
  const sum = (list) => list.reduce((a, b) => a + (isNumber(b) ? b : 0), 0);
  const type = (t) => (t.shape ? `${t.type}[${t.shape.join(",")}]` : t.type);

  // ---- tables ----
  // Columns: {title, value(row), text(row), number, wide}. A click on a title sorts by it.
  const cell = (column, row, shares) => {
    const td = html("td", { class: column.number ? "number" : column.wide ? "wide" : "" });
    const text = column.text ? column.text(row) : `${column.value(row) ?? ""}`;
    if (column.share && isNumber(column.value(row))) {
      const width = shares.get(column) > 0 ? (60 * column.value(row)) / shares.get(column) : 0;
      td.append(html("span", { class: "bar", style: `width:${width.toFixed(1)}px` }));
    }
    if (column.wide) td.title = text;
    td.append(text);
    return td;
  };

  const compare = (column, a, b) => {
    const [x, y] = [column.value(a) ?? "", column.value(b) ?? ""];
    return isNumber(x) && isNumber(y) ? x - y : `${x}`.localeCompare(`${y}`);
  };

  const sortBy = (column, th, body) => {
    const down = th.getAttribute("aria-sort") ? th.getAttribute("aria-sort") === "ascending" : column.number;
    for (const other of th.parentNode.children) other.removeAttribute("aria-sort");
    th.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...body.rows];
    rows.sort((a, b) => compare(column, a.item, b.item) * (down ? -1 : 1));
    body.append(...rows);
  };

  const table = (columns, rows, foot) => {
    const shares = new Map(columns.map((c) => [c, Math.max(0, ...rows.map((r) => Number(c.value(r)) || 0))]));
    const body = html("tbody");
    for (const row of rows) {
      const tr = html("tr", {}, ...columns.map((c) => cell(c, row, shares)));
      tr.item = row;
      body.append(tr);
    }
    const titles = html("tr");
    for (const column of columns) {
      const button = html("button", { type: "button" }, column.title);
      const th = html("th", { class: column.number ? "number" : "", scope: "col" }, button);
      button.addEventListener("click", () => sortBy(column, th, body));
      titles.append(th);
    }
    const made = html("table", {}, html("thead", {}, titles), body);
    if (foot)
      made.append(
        html("tfoot", {}, html("tr", {}, ...columns.map((c, i) =>
          html("td", { class: c.number ? "number" : "" }, c.total ? c.total() : i ? "" : foot)))));
    return made;
  };
  const scrolled = (content, tall) => html("div", { class: tall ? "scroll tall" : "scroll" }, content);

  // ---- summary ----
  const card = (title, value, note) =>
    html("div", { class: "card" }, html("span", {}, title), html("b", {}, value), html("span", {}, note || ""));

  const stepTime = (part) => sum(part.steps.map((s) => s.ms));

  const cards = (part) => {
    const list = html("div", { class: "cards" });
    const memory = part.memory;
    list.append(card("work", `${work(part.macs)} MAC`, isNumber(part.most_macs) ? `at most ${work(part.most_macs)}` : ""));
    list.append(card("arena", bytes(memory.arena_bytes), memory.arena_bytes ? `${memory.ratio.toFixed(3)} of its lower bound` : ""));
    const heap = part.tensors.filter((t) => t.kind === "heap" || t.kind === "object").length;
    const peak = memory.heap_bytes === undefined ? "no bound" : `about ${bytes(memory.heap_bytes)}`;
    if (heap) list.append(card("heap", peak, `${heap} tensors`));
    if (part === report) {
      list.append(card("weights", bytes(report.weight_bytes)));
      const costs = report.costs;
      if (costs) list.append(card("code", bytes(costs.code_bytes), costs.measured ? costs.compiler : "an estimate"));
      if (costs && isNumber(costs.stack_bytes)) list.append(card("stack", bytes(costs.stack_bytes), "at most"));
      if (report.training) list.append(card("state", bytes(report.training.state_bytes)));
    }
    if (stepTime(part) > 0) list.append(card("time", time(stepTime(part)), "sum of the steps"));
    return list;
  };

  const quantised = (p) => (p.scale === undefined ? "" : `scale ${p.scale}, zero point ${p.zero_point}`);
  const drawPorts = (part) => {
    const rows = [
      ...part.inputs.map((p) => ({ way: "input", ...p })),
      ...part.outputs.map((p) => ({ way: "output", ...p })),
    ];
    if (!rows.length) return [];
    const shape = (p) => (p.shape ? `[${p.shape.join(",")}]` : "");
    return [scrolled(table([
      { title: "", value: (p) => p.way },
      { title: "name", value: (p) => p.name, wide: true },
      { title: "type", value: (p) => p.type },
      { title: "shape", value: shape },
      { title: "quantisation", value: quantised },
    ], rows))];
  };

  // ---- memory plan ----
  // Shared by plan, tables and details of one function: what is picked, and who wants to know.
  const selection = () => {
    const listeners = [];
    return { on: (f) => listeners.push(f), pick: (what) => listeners.forEach((f) => f(what)) };
  };
  const inArena = (t) => isNumber(t.offset);
  const size = (t) => (isNumber(t.bytes) ? t.bytes : t.most_bytes);
  const alive = (part, step) =>
    part.tensors.filter((t) => inArena(t) && t.first_step <= step && step <= t.last_step);

  const baseOf = (part) => {
    const base = new Map();
    let next = 0;
    for (const region of part.memory.regions || []) {
      base.set(region.name, next);
      next += region.bytes;
    }
    return (t) => (base.get(t.region) || 0) + t.offset;
  };

  const niceStep = (span, ticks) => {
    const rough = span / ticks;
    const power = 2 ** Math.ceil(Math.log2(Math.max(rough, 1)));
    return power;
  };

  const axes = (part, box) => {
    const group = svg("g");
    const top = part.memory.arena_bytes;
    for (let b = 0; b <= top; b += niceStep(top, 6)) {
      const y = box.y(b);
      group.append(svg("line", { class: "axis", x1: box.left, x2: box.right, y1: y, y2: y }));
      group.append(svg("text", { class: "soft", x: box.left - 6, y: y + 4, "text-anchor": "end" }, bytes(b)));
    }
    const count = part.steps.length;
    const every = Math.max(1, Math.ceil((count * 46) / (box.right - box.left)));
    for (let s = 0; s < count; s += every)
      group.append(svg("text", { class: "soft", x: box.x(s + 0.5), y: box.bottom + 15, "text-anchor": "middle" }, `${s}`));
    group.append(svg("text", { class: "soft", x: box.right, y: box.bottom + 30, "text-anchor": "end" }, "step"));
    return group;
  };

  const bounds = (part, box) => {
    const group = svg("g");
    const bound = box.y(part.memory.lower_bound_bytes);
    group.append(svg("line", { class: "bound", x1: box.left, x2: box.right, y1: bound, y2: bound }));
    group.append(svg("text", { class: "soft", x: box.right, y: bound - 4, "text-anchor": "end" }, "lower bound"));
    const peak = box.x(part.memory.peak_step + 0.5);
    group.append(svg("line", { class: "peak", x1: peak, x2: peak, y1: box.top, y2: box.bottom }));
    group.append(svg("text", { x: peak + 4, y: box.top + 10 }, "peak"));
    return group;
  };

  const tensorBox = (part, box, base, picks) => (t, i) => {
    const x = box.x(t.first_step), width = Math.max(box.x(t.last_step + 1) - x, 1);
    const y = box.y(base(t) + size(t)), height = Math.max(box.y(base(t)) - y, 1);
    const fill = t.kind === "scratch" ? "url(#hatch)" : palette[i % palette.length];
    const rect = svg("rect", { class: "tensor", x, y, width, height, fill, tabindex: 0 },
      svg("title", {}, `${t.name} ${type(t)}, ${bytes(size(t))}`));
    rect.addEventListener("click", () => picks.pick({ tensor: t }));
    rect.addEventListener("focus", () => picks.pick({ tensor: t }));
    picks.on((p) => rect.classList.toggle("picked", p.tensor === t || (p.step !== undefined &&
      t.first_step <= p.step && p.step <= t.last_step)));
    if (width < 40 || height < 14) return [rect];
    const text = t.name.slice(0, Math.floor((width - 8) / 6.2));
    return [rect, svg("text", { class: "label", x: x + 4, y: y + Math.min(height / 2, 30) + 4 }, text)];
  };

  const hatch = () =>
    svg("defs", {}, svg("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("rect", { width: 6, height: 6, fill: "#c9ced6" }), svg("line", { x1: 0, x2: 0, y1: 0, y2: 6, stroke: "#8b95a3", "stroke-width": 3 })));

  const drawPlan = (part, picks) => {
    const width = chartWidth(), height = 410, box = { left: 70, right: width - 12, top: 20, bottom: height - 36 };
    const top = Math.max(part.memory.arena_bytes, 1), count = Math.max(part.steps.length, 1);
    box.x = (s) => box.left + ((box.right - box.left) * s) / count;
    box.y = (b) => box.bottom - ((box.bottom - box.top) * b) / top;
    const column = svg("rect", { class: "column", y: box.top, height: box.bottom - box.top, width: 0 });
    picks.on((p) => {
      column.setAttribute("width", p.step === undefined ? 0 : Math.max(box.x(1) - box.x(0), 2));
      if (p.step !== undefined) column.setAttribute("x", box.x(p.step));
    });
    const base = baseOf(part);
    return chart(width, height, "memory plan", hatch(), axes(part, box),
      ...part.tensors.filter(inArena).flatMap(tensorBox(part, box, base, picks)), column, bounds(part, box));
  };

  const describeTensor = (part, t) =>
    `${t.name}: ${type(t)}, ${bytes(t.bytes, t.most_bytes)}` +
    (inArena(t) ? `, bytes ${grouped(baseOf(part)(t))} .. ${grouped(baseOf(part)(t) + size(t))} of the arena` : "") +
    (t.region ? ` in ${t.region}` : "") + `, steps ${t.first_step} .. ${t.last_step}` +
    (t.kind === "scratch" ? ", scratch memory" : "");

  const describeStep = (part, i) => {
    const s = part.steps[i];
    const live = alive(part, i);
    const names = (list) => list.map((k) => part.tensors[k].name).join(", ") || "nothing";
    return `Step ${i}, ${s.name || s.kind}: reads ${names(s.reads)}; writes ${names(s.writes)}; ` +
      `${live.length} tensors of ${bytes(sum(live.map(size)))} are alive in the arena.`;
  };

  const drawMemory = (part, picks) => {
    const list = [heading("Memory plan"), html("p", { class: "soft" },
      `Steps to the right, addresses of the arena upwards; ${bytes(part.memory.arena_bytes)}, of which ` +
      `${bytes(part.memory.lower_bound_bytes)} are in use at once whatever the placement. Hatched: scratch memory of a kernel.`)];
    const holder = scrolled(drawPlan(part, picks));
    const detail = html("p", { class: "detail", "aria-live": "polite" }, "Pick a tensor or a step to see what it is.");
    picks.on((p) => { detail.textContent = p.tensor ? describeTensor(part, p.tensor) : describeStep(part, p.step); });
    list.push(holder, detail);
    const peak = alive(part, part.memory.peak_step);
    list.push(heading(`Alive at the peak, step ${part.memory.peak_step}: ${part.steps[part.memory.peak_step].name || ""}`));
    list.push(scrolled(tensorTable(part, peak)));
    return list;
  };

  const tensorTable = (part, tensors) => table([
    { title: "tensor", value: (t) => t.name, wide: true },
    { title: "type", value: type },
    { title: "bytes", value: size, text: (t) => bytes(t.bytes, t.most_bytes), number: true },
    { title: "of the arena", value: size, text: (t) => percent(size(t), part.memory.arena_bytes), number: true },
    { title: "address", value: (t) => t.offset, text: (t) => (inArena(t) ? grouped(baseOf(part)(t)) : ""), number: true },
    { title: "steps", value: (t) => t.first_step, text: (t) => `${t.first_step} .. ${t.last_step}` },
  ], tensors);

  const drawHeap = (part) => {
    const list = part.tensors.filter((t) => t.kind === "heap" || t.kind === "object");
    if (!list.length) return [];
    return [heading("On the heap: sizes without a bound"), scrolled(table([
      { title: "tensor", value: (t) => t.name, wide: true },
      { title: "type", value: type },
      { title: "bytes", value: (t) => (t.bytes === undefined ? "" : bytes(t.bytes)), wide: true },
      { title: "steps", value: (t) => t.first_step, text: (t) => `${t.first_step} .. ${t.last_step}` },
    ], list))];
  };

  // ---- steps ----
  const callsOf = (part) => part.steps.map((s, at) => ({ ...s, at })).filter((s) => s.kind === "call");

  const stepColumns = (part, rows) => {
    const total = (f) => sum(rows.map(f));
    const macs = total((s) => s.macs), ms = total((s) => s.ms);
    const columns = [
      { title: "#", value: (s) => s.at, number: true },
      { title: "step", value: (s) => s.name, wide: true },
      { title: "work", value: (s) => s.work, wide: true },
      { title: "shape", value: (s) => s.shape, wide: true },
      { title: "kernel", value: (s) => s.kernel },
      { title: "MAC", value: (s) => s.macs, text: (s) => work(s.macs, s.most_macs), number: true, total: () => work(macs) },
      { title: "of all", value: (s) => s.macs, text: (s) => (isNumber(s.macs) ? percent(s.macs, macs) : ""), number: true, share: true },
      { title: "weights", value: (s) => s.weight_bytes, text: (s) => (s.weight_bytes ? bytes(s.weight_bytes) : ""), number: true },
      { title: "moved", value: (s) => s.moved_bytes, text: (s) => bytes(s.moved_bytes), number: true, total: () => bytes(total((s) => s.moved_bytes)) },
    ];
    if (ms > 0)
      columns.push(
        { title: "time", value: (s) => s.ms ?? 0, text: (s) => time(s.ms ?? 0), number: true, total: () => time(ms) },
        { title: "of it", value: (s) => s.ms ?? 0, text: (s) => percent(s.ms ?? 0, ms), number: true, share: true },
        { title: "GMAC/s", value: (s) => rate(s), text: (s) => (rate(s) ? rate(s).toFixed(1) : ""), number: true });
    return columns;
  };
  const rate = (s) => (s.ms > 0 && isNumber(s.macs) ? (s.macs * s.calls) / s.ms / 1e6 : 0);

  const drawSteps = (part, picks) => {
    const rows = callsOf(part);
    if (!rows.length) return [];
    const made = table(stepColumns(part, rows), rows, "");
    for (const tr of made.tBodies[0].rows) {
      tr.addEventListener("click", () => picks.pick({ step: tr.item.at }));
      picks.on((p) => tr.classList.toggle("picked", p.step === tr.item.at || (p.tensor !== undefined &&
        [...tr.item.reads, ...tr.item.writes].some((i) => part.tensors[i] === p.tensor))));
    }
    return [heading(`Steps`), html("p", { class: "soft" },
      "A click on a title sorts. Moved: bytes read and written, each tensor once."), scrolled(made, true)];
  };

  // ---- roofline ----
  const logScale = (values, from, to) => {
    const low = Math.floor(Math.log10(Math.min(...values))), high = Math.max(Math.ceil(Math.log10(Math.max(...values))), low + 1);
    const scale = (v) => from + ((to - from) * (Math.log10(v) - low)) / (high - low);
    return Object.assign(scale, { ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)) });
  };

  const logAxes = (x, y, box) => {
    const group = svg("g");
    for (const t of x.ticks) group.append(
      svg("line", { class: "axis", x1: x(t), x2: x(t), y1: box.top, y2: box.bottom }),
      svg("text", { class: "soft", x: x(t), y: box.bottom + 15, "text-anchor": "middle" }, `${t}`));
    for (const t of y.ticks) group.append(
      svg("line", { class: "axis", x1: box.left, x2: box.right, y1: y(t), y2: y(t) }),
      svg("text", { class: "soft", x: box.left - 6, y: y(t) + 4, "text-anchor": "end" }, `${t}`));
    group.append(svg("text", { class: "soft", x: box.right, y: box.bottom + 30, "text-anchor": "end" }, "MAC per byte moved"));
    group.append(svg("text", { class: "soft", x: box.left + 4, y: box.top + 10 }, "GMAC/s"));
    return group;
  };

  const drawRoofline = (part, picks) => {
    const points = callsOf(part).filter((s) => rate(s) > 0 && s.moved_bytes > 0);
    if (!points.length) return [];
    const intensity = (s) => s.macs / s.moved_bytes, machine = part.machine;
    const width = chartWidth(), height = 380;
    const box = { left: 60, right: width - 12, top: 10, bottom: height - 36 };
    const x = logScale(points.map(intensity), box.left, box.right);
    const rates = points.map(rate).concat(machine ? [machine.gmacs] : []);
    const y = logScale(rates, box.bottom, box.top);
    const made = chart(width, height, "roofline", logAxes(x, y, box));
    if (machine) {
      const roof = x.ticks.concat(machine.gmacs / machine.gbytes).sort((a, b) => a - b)
        .filter((t) => t >= x.ticks[0] && t <= x.ticks.at(-1))
        .map((t) => [x(t), Math.min(y(Math.min(machine.gmacs, t * machine.gbytes)), box.bottom)].join(","));
      made.append(svg("polyline", { class: "roof", points: roof.join(" ") }));
    }
    for (const s of points) {
      const point = svg("circle", { class: "point", cx: x(intensity(s)), cy: y(rate(s)), r: 3 + 12 * Math.sqrt(s.ms / stepTime(part)) },
        svg("title", {}, `${s.name}: ${rate(s).toFixed(2)} GMAC/s, ${time(s.ms)}`));
      point.addEventListener("click", () => picks.pick({ step: s.at }));
      made.append(point);
    }
    return [heading("Roofline"), html("p", { class: "soft" },
      "One circle for each step with multiply-accumulates; its area is its share of the time." +
      (machine ? " The line: what this machine reaches at most." : "")), scrolled(made)];
  };

  // ---- the page ----
  const drawFunction = (part, title) => {
    const picks = selection();
    if (title) page.append(html("h2", {}, title));
    page.append(cards(part), ...drawPorts(part));
    if (part.memory.arena_bytes > 0) page.append(...drawMemory(part, picks));
    page.append(...drawHeap(part), ...drawSteps(part, picks), ...drawRoofline(part, picks));
  };

  const glossary = () => html("details", {}, html("summary", {}, "Words"), html("p", {},
    "Arena: the block of memory that the caller lends for a run; tensors share it over time. Lower bound: the most bytes that " +
    "are in use at one step. Step: one call of a kernel, for one operator or several fused ones. MAC: a multiplication and an addition."));

  page.replaceChildren(html("p", { class: "soft" },
    `onnxc ${report.onnxc}, target ${report.target}, model of sha256 ${report.model_sha256.slice(0, 16)}`));
  drawFunction(report, report.training ? "run" : "");
  for (const part of report.training ? report.training.functions : []) drawFunction(part, part.name);
  page.append(glossary());
})();
