// The arena as a picture: steps to the right, addresses upwards.
const memoryPlan = (() => {
  const kWidth = 1000, kHeight = 360;
  const {element, bytes, number, table, code} = views;

  function svg(tag, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function box(tensor, steps, arena) {
    const x = kWidth * tensor.first_step / steps, width = kWidth * (tensor.last_step + 1 - tensor.first_step) / steps;
    const height = Math.max(1, kHeight * tensor.bytes / arena), y = kHeight - kHeight * tensor.offset / arena - height;
    const words = `${tensor.name}: ${bytes(tensor.bytes)} at ${tensor.offset}, steps ${tensor.first_step} to ${tensor.last_step}`;
    return svg("rect", {x, y, width: Math.max(1, width), height, class: tensor.kind}, svg("title", {}, words));
  }

  function picture(tensors, plan) {
    const {arena_bytes: arena, peak_step: peak} = plan.memory;
    const steps = plan.steps.length;
    const line = svg("rect", {x: kWidth * peak / steps, y: 0, width: Math.max(2, kWidth / steps), height: kHeight, class: "peak"});
    const words = `${tensors.length} tensors in ${bytes(arena)} over ${steps} steps; the most is in use at step ${peak}`;
    return svg("svg", {viewBox: `0 0 ${kWidth} ${kHeight}`, preserveAspectRatio: "none", role: "img", "aria-label": words},
      ...tensors.map((tensor) => box(tensor, steps, arena)), line);
  }

  function view(report) {
    // A model that trains has a plan for each function.
    const plan = report.memory ? report : report.training.functions[0];
    const {memory} = plan;
    const placed = plan.tensors.filter((t) => typeof t.offset === "number" && typeof t.bytes === "number" && t.region === undefined);
    const peak = plan.steps[memory.peak_step];
    const rows = placed.sort((a, b) => b.bytes - a.bytes).map((t) => [code(t.name), t.kind, `${t.type}[${t.shape.join(",")}]`,
      number(t.bytes), number(t.offset), `${t.first_step} to ${t.last_step}`]);
    const out = [element("p", {}, `An arena of ${bytes(memory.arena_bytes)}; ${bytes(memory.peak_bytes)} are in use at the peak` +
      (peak && peak.name ? `, step ${memory.peak_step}: ${peak.name}.` : "."))];
    if (memory.heap_bytes) out.push(element("p", {}, `On the heap: ${bytes(memory.heap_bytes)}.`));
    if (placed.length && memory.arena_bytes > 0) {
      out.push(element("p", {className: "soft"}, "Steps to the right, addresses upwards. ",
          ...[["", "tensor"], ["scratch", "scratch memory of a kernel"], ["peak", "peak"]].map(([kind, text]) => element("span", {className: `key ${kind}`}, text))),
        element("div", {className: "plan"}, picture(placed, plan)),
        ...table(["Tensor", "Kind", "Type", "#Bytes", "#Offset", "Steps"], rows, "In the arena, the largest first"));
    }
    return out;
  }

  return {view};
})();
