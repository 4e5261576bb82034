// Scan: runs a subgraph over the slices of its inputs, carrying state.
#include "compiler/ops/body.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::scan {
namespace {

struct Counts {
  std::size_t states, scan_inputs, scan_outputs;
};

Counts counts(const NodeView& n, const Graph& body) {
  const std::int64_t scanned = n.attr_int("num_scan_inputs");
  n.require(scanned >= 1 && static_cast<std::size_t>(scanned) <= n.input_count(),
            "attribute \"num_scan_inputs\"", "{} for {} inputs", scanned, n.input_count());
  const std::size_t states = n.input_count() - static_cast<std::size_t>(scanned);
  n.require(body.inputs.size() == n.input_count(), "attribute \"body\"", "has {} inputs, needs {}",
            body.inputs.size(), n.input_count());
  n.require(body.outputs.size() >= states && n.output_count() <= body.outputs.size(),
            "attribute \"body\"", "has {} outputs for {} state variables and {} outputs",
            body.outputs.size(), states, n.output_count());
  return {states, static_cast<std::size_t>(scanned), body.outputs.size() - states};
}

// Entry `i` of a list attribute that may be left out, then 0.
std::int64_t entry(const NodeView& n, const char* name, std::size_t i, std::size_t count) {
  const auto* list = n.find_ints(name);
  if (!list) return 0;
  n.require(list->size() == count, fmt::format("attribute \"{}\"", name), "has {} entries, needs {}",
            list->size(), count);
  return (*list)[i];
}

std::size_t input_axis(const NodeView& n, const Counts& c, std::size_t i, std::size_t rank) {
  return n.axis(entry(n, "scan_input_axes", i, c.scan_inputs), rank, "attribute \"scan_input_axes\"");
}

std::size_t output_axis(const NodeView& n, const Counts& c, std::size_t i, std::size_t rank) {
  return n.axis(entry(n, "scan_output_axes", i, c.scan_outputs), rank,
                "attribute \"scan_output_axes\"");
}

bool reversed(const NodeView& n, const char* name, std::size_t i, std::size_t count) {
  const std::int64_t direction = entry(n, name, i, count);
  n.require(direction == 0 || direction == 1, fmt::format("attribute \"{}\"", name),
            "{} is neither 0 nor 1", direction);
  return direction == 1;
}

void infer(Infer& n) {
  Graph& body = n.attr_graph("body");
  const Counts c = counts(n, body);
  std::optional<Dim> length;
  for (std::size_t i = 0; i < c.scan_inputs; ++i) {
    const std::size_t at = c.states + i;
    if (!n.has_rank(at)) {
      body.inputs[at]->type = Type::tensor(n.elem(at));
      continue;
    }
    Shape slice = n.shape(at);
    const auto axis = static_cast<std::ptrdiff_t>(input_axis(n, c, i, slice.size()));
    const Dim extent = slice[static_cast<std::size_t>(axis)];
    if (length && length->is_const() && extent.is_const())
      n.require(*length == extent, fmt::format("input {}", at), "has {} slices, others have {}",
                extent.to_string(), length->to_string());
    if (!length || extent.is_const()) length = extent;
    slice.erase(slice.begin() + axis);
    body.inputs[at]->type = Type::tensor(n.elem(at), slice);
  }
  std::vector<Type> state;
  for (std::size_t i = 0; i < c.states; ++i) state.push_back(n.input(i));
  infer_loop_body(n, body, 0, 0, state);
  for (std::size_t i = 0; i < c.states; ++i) n.output(i, state[i]);
  for (std::size_t i = 0; i < c.scan_outputs; ++i) {
    const Type& element = body.outputs[c.states + i]->type;
    if (!element.is_tensor() || !element.shape || !length) {
      n.output(c.states + i, Type::tensor(element.elem));
      continue;
    }
    Shape shape = *element.shape;
    const std::size_t axis = output_axis(n, c, i, shape.size() + 1);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), *length);
    n.output(c.states + i, element.elem, shape);
  }
}

void lower(Lower& n) {
  const Graph& body = n.attr_graph("body");
  const Counts c = counts(n, body);
  const Dim length = n.shape(c.states)[input_axis(n, c, 0, n.shape(c.states).size())];
  const BufferId counter = n.scratch(ElemType::int64, 1, "iteration");
  const std::int64_t trips[] = {length.value()};
  const BufferId limit = n.constant(Tensor::ints(trips), "length");
  std::vector<BufferId> state, slices;
  for (std::size_t i = 0; i < c.states; ++i) {
    state.push_back(n.has_output(i) ? n.out(i) : n.scratch(n.elem(i), product(n.shape(i)), "state"));
    n.copy(n.in(i), state.back());
    n.bind(*body.inputs[i], state.back());
  }
  for (std::size_t i = 0; i < c.scan_inputs; ++i) {
    const Value& inner = *body.inputs[c.states + i];
    slices.push_back(n.scratch(inner.type.elem, product(*inner.type.shape), "slice"));
    n.bind(inner, slices.back());
  }
  n.open_loop(counter, limit, -1);
  for (std::size_t i = 0; i < c.scan_inputs; ++i) {
    const std::size_t at = c.states + i;
    take_slice(n, n.in(at), counter, slices[i], input_axis(n, c, i, n.shape(at).size()), n.shape(at),
               reversed(n, "scan_input_directions", i, c.scan_inputs));
  }
  n.lower_body(body);
  for (std::size_t i = 0; i < c.scan_outputs; ++i) {
    const std::size_t at = c.states + i;
    if (!n.has_output(at)) continue;
    put_slice(n, n.buffer_of(*body.outputs[at]), counter, n.out(at),
              output_axis(n, c, i, n.out_shape(at).size()), n.out_shape(at),
              reversed(n, "scan_output_directions", i, c.scan_outputs));
  }
  std::vector<std::pair<BufferId, BufferId>> moves;
  for (std::size_t i = 0; i < c.states; ++i) moves.emplace_back(n.buffer_of(*body.outputs[i]), state[i]);
  copy_all(n, moves);
  n.close();
}

constexpr Op rows[] = {{
    .name = "Scan",
    .versions = "9 11 16 19 21 23 24 25",
    .inputs = "initial_state_and_scan_inputs:any~",
    .outputs = "final_state_and_scan_outputs:any~",
    .attributes = "body:graph! num_scan_inputs:int! scan_input_axes:ints scan_output_axes:ints "
                  "scan_input_directions:ints scan_output_directions:ints",
    .limits = "version 8, state that changes its shape",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::scan
