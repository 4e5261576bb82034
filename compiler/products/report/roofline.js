// The roofline: the rate of each step against its work for a byte.
const logScale = (values, from, to) => {
  const low = Math.floor(Math.log10(Math.min(...values))), high = Math.max(Math.ceil(Math.log10(Math.max(...values))), low + 1);
  const scale = (v) => from + ((to - from) * (Math.log10(v) - low)) / (high - low);
  return Object.assign(scale, { low: 10 ** low, high: 10 ** high, ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)) });
};
const tickText = (t) => `${Number(t.toPrecision(3))}`;

const logAxes = (x, y, box) => {
  const group = svg("g");
  for (const t of x.ticks) group.append(
    svg("line", { class: "axis", x1: x(t), x2: x(t), y1: box.top, y2: box.bottom }),
    svg("text", { class: "soft", x: x(t), y: box.bottom + 15, "text-anchor": "middle" }, tickText(t)));
  for (const t of y.ticks) group.append(
    svg("line", { class: "axis", x1: box.left, x2: box.right, y1: y(t), y2: y(t) }),
    svg("text", { class: "soft", x: box.left - 6, y: y(t) + 4, "text-anchor": "end" }, tickText(t)));
  group.append(svg("text", { class: "soft", x: box.right, y: box.bottom + 30, "text-anchor": "end" }, "MAC per byte moved"));
  group.append(svg("text", { class: "soft", x: box.left + 4, y: box.top + 12 }, "GMAC/s"));
  return group;
};

const intensity = (s) => valueOf(s, "macs") / valueOf(s, "moved_bytes");

const roofs = ({ machine }) => (machine
  ? [{ name: "float32", gmacs: machine.gmacs, kind: "float" }, { name: "int8", gmacs: machine.int8_gmacs, kind: "int8" }].filter((r) => r.gmacs > 0)
  : []);

// A line that rises as memory allows, up to this rate.
const drawRoof = (roof, gbytes, x, y, box) => {
  const knee = roof.gmacs / gbytes;
  const at = [x.low, ...(knee > x.low && knee < x.high ? [knee] : []), x.high];
  const points = at.map((t) => [x(t), Math.min(y(Math.min(roof.gmacs, t * gbytes)), box.bottom)].join(","));
  return [svg("polyline", { class: `roof ${roof.kind}`, points: points.join(" ") }),
    svg("text", { x: box.right - 4, y: y(Math.min(roof.gmacs, x.high * gbytes)) - 5, "text-anchor": "end" },
      `${roof.name}: ${rateText(roof.gmacs * 1e9, "MAC/s")}`)];
};

// Names next to the points that take most time, where there is room.
const pointNames = (points, place) => {
  const made = [];
  const taken = points.map(place).map(({ x, y, r }) => ({ left: x - r, right: x + r, top: y - r, bottom: y + r }));
  for (const s of [...points].sort((a, b) => b.ms - a.ms).slice(0, 12)) {
    const { x, y, r } = place(s), text = cut(s.name, 22), width = text.length * 6.2;
    const box = { left: x + r + 3, right: x + r + 3 + width, top: y - 7, bottom: y + 6 };
    if (taken.some((b) => box.left < b.right && b.left < box.right && box.top < b.bottom && b.top < box.bottom)) continue;
    taken.push(box);
    made.push(svg("text", { class: "soft", x: box.left, y: y + 4 }, text));
  }
  return made;
};

const legend = (kinds) => html("p", { class: "soft legend" }, ...kinds.flatMap(([name, kind]) =>
  [html("i", { class: kind }), ` ${name}  `]));

const drawRoofline = (part, picks) => {
  const points = callsOf(part).filter((s) => rate(s) > 0 && valueOf(s, "moved_bytes") > 0);
  if (!points.length) return [];
  const { machine } = part, width = chartWidth(), height = 400;
  const box = { left: 60, right: width - 12, top: 10, bottom: height - 36 };
  const lines = roofs(part);
  const x = logScale(points.map(intensity), box.left, box.right);
  const y = logScale(points.map(rate).concat(lines.map((l) => l.gmacs)), box.bottom, box.top);
  const place = (s) => ({ x: x(intensity(s)), y: y(rate(s)), r: 3 + 12 * Math.sqrt(s.ms / stepTime(part)) });
  const made = chart(width, height, "roofline", logAxes(x, y, box), ...lines.flatMap((l) => drawRoof(l, machine.gbytes, x, y, box)));
  for (const s of [...points].sort((a, b) => b.ms - a.ms)) {
    const at = place(s);
    const point = svg("circle", { class: s.int8 ? "point int8" : "point float", cx: at.x, cy: at.y, r: at.r },
      svg("title", {}, `${s.name} (${s.work}): ${rateText(rate(s) * 1e9, "MAC/s")}, ${timeText(s.ms / 1e3)}`));
    point.addEventListener("click", () => picks.pick({ step: s.at }));
    made.append(point);
  }
  made.append(...pointNames(points, place));
  const kinds = [["steps on float32", "float", points.some((s) => !s.int8)], ["steps on int8", "int8", points.some((s) => s.int8)]];
  return [heading("Roofline"), soft(
    "One circle for each step with multiply-accumulates; its area is its share of the time." +
    (lines.length ? ` Lines: what one core reached here with nothing but multiply-accumulates, and with nothing but loads, ${rateText(machine.gbytes * 1e9, "B/s")}.` : "") +
    (points.some((s) => s.kernel.includes("winograd")) ? " Winograd's convolutions need fewer multiplications than the MAC that are counted, and may be above." : "")),
  legend(kinds.filter(([, , any]) => any)), scrolled(made)];
};
