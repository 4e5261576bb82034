// Scan: runs a subgraph over the slices of its inputs, carrying state.
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/control_flow/body.hpp"
#include "compiler/ops/control_flow/reverse_iteration.hpp"
#include "compiler/ops/control_flow/scan_output.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/sequence/container.hpp"
#include "compiler/ops/upgrade.hpp"

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

// Entry `i` of a list attribute; 0 when it is left out.
std::int64_t entry(const NodeView& n, const char* name, std::size_t i, std::size_t count) {
  const auto* list = n.find_ints(name);
  if (!list) return 0;
  n.require(list->size() == count, fmt::format("attribute \"{}\"", name),
            "has {} entries, needs {}", list->size(), count);
  return (*list)[i];
}

std::size_t input_axis(const NodeView& n, const Counts& c, std::size_t i, std::size_t rank) {
  return n.axis(entry(n, "scan_input_axes", i, c.scan_inputs), rank,
                "attribute \"scan_input_axes\"");
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

// "All the output tensors are required to have the same shape in each iteration."
void require_kept_shape(const Infer& n, std::size_t i, const Type& before, const Type& after) {
  if (!before.is_tensor() || !after.is_tensor() || !before.shape || !after.shape) return;
  const std::string field = fmt::format("state variable {}", i);
  bool kept = before.rank() == after.rank();
  for (std::size_t k = 0; kept && k < before.rank(); ++k) {
    const Dim grown = (*after.shape)[k] - (*before.shape)[k];
    kept = !grown.is_const() || grown.is(0);
  }
  n.require(kept, field, "is {}, the body makes it {}; its shape has to stay", before.to_string(),
            after.to_string());
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
    const std::string field = fmt::format("input {}", at);
    if (length && length->is_const() && extent.is_const())
      n.require(*length == extent, field, "has {} slices, others have {}", extent.to_string(),
                length->to_string());
    length = length ? n.same(*length, extent, field) : extent;
    slice.erase(slice.begin() + axis);
    body.inputs[at]->type = Type::tensor(n.elem(at), slice);
  }
  std::vector<Type> state;
  for (std::size_t i = 0; i < c.states; ++i) state.push_back(n.input(i));
  const std::vector<Type> first = state;
  const std::set<std::string> variable = infer_loop_body(n, body, 0, 0, state);
  for (std::size_t i = 0; i < c.states; ++i) {
    require_kept_shape(n, i, body.inputs[i]->type, body.outputs[i]->type);
    require_kept_shape(n, i, first[i], body.outputs[i]->type);
  }
  for (std::size_t i = 0; i < c.states; ++i) n.output(i, state[i]);
  for (std::size_t i = 0; i < c.scan_outputs; ++i) {
    const Type& element = body.outputs[c.states + i]->type;
    if (is_tape(n, c.states + i)) {
      n.output(c.states + i, tape_type(n, element, body, variable));
      continue;
    }
    if (!element.is_tensor() || !element.shape || !length) {
      n.output(c.states + i, Type::tensor(element.elem));
      continue;
    }
    Shape shape = slice_shape(n, *element.shape, body, variable);
    const std::size_t axis = output_axis(n, c, i, shape.size() + 1);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), *length);
    n.output(c.states + i, element.elem, shape);
  }
}

// Memory for all slices is allocated before the loop where its size is known by then.
std::vector<std::pair<std::size_t, ScanOutput>> start_outputs(Lower& n, const Graph& body,
                                                              const Counts& c) {
  std::vector<std::pair<std::size_t, ScanOutput>> all;
  for (std::size_t i = 0; i < c.scan_outputs; ++i) {
    const std::size_t at = c.states + i;
    if (!n.has_output(at)) continue;
    const bool reverse = reversed(n, "scan_output_directions", i, c.scan_outputs);
    const std::optional<Shape>& whole = n.output_value(at).type.shape;
    const std::int64_t given = entry(n, "scan_output_axes", i, c.scan_outputs);
    // A nonzero axis needs the rank, which is unknown here.
    const std::size_t axis = whole ? output_axis(n, c, i, whole->size()) : given != 0;
    const bool known = whole && is_size_known(n, *whole);
    all.emplace_back(
        at, ScanOutput(n, at, body.outputs[at]->type, known ? whole : std::nullopt, axis, reverse));
  }
  return all;
}

// What require_kept_shape() cannot decide is checked in each iteration.
void check_state_shapes(Lower& n, const Graph& body, std::size_t states) {
  std::vector<Relation> relations;
  for (std::size_t i = 0; i < states; ++i) {
    const Type &before = body.inputs[i]->type, &after = body.outputs[i]->type;
    if (!before.has_rank() || !after.has_rank() || before.rank() != after.rank()) continue;
    for (std::size_t k = 0; k < before.rank(); ++k)
      if ((*after.shape)[k] != (*before.shape)[k])
        relations.push_back({(*after.shape)[k], (*before.shape)[k], false});
  }
  n.check_sizes(std::move(relations));
}

void lower(Lower& n) {
  const Graph& body = n.attr_graph("body");
  const Counts c = counts(n, body);
  const Dim length = n.shape(c.states)[input_axis(n, c, 0, n.shape(c.states).size())];
  const BufferId counter = n.scratch(ElemType::int64, 1, "iteration");
  const auto outputs = start_outputs(n, body, c);
  const BufferId limit = n.scratch(ElemType::int64, 1, "length");
  n.call("extents", ExtentsShape<Dim>{1, {length}}).write(limit);
  std::vector<BufferId> state, slices;
  for (std::size_t i = 0; i < c.states; ++i)
    state.push_back(start_state(n, i, n.in(i), *body.inputs[i]));
  for (std::size_t i = 0; i < c.scan_inputs; ++i) {
    const Value& inner = *body.inputs[c.states + i];
    slices.push_back(n.scratch_like(inner.type, "slice"));
    n.bind(inner, slices.back());
  }
  n.open_loop(counter, limit, -1, length);
  for (std::size_t i = 0; i < c.scan_inputs; ++i) {
    const std::size_t at = c.states + i;
    take_slice(n, n.in(at), counter, slices[i], input_axis(n, c, i, n.shape(at).size()),
               n.shape(at), reversed(n, "scan_input_directions", i, c.scan_inputs));
  }
  n.lower_body(body);
  if (!n.node().find(kReversed)) check_state_shapes(n, body, c.states);
  for (const auto& [at, output] : outputs) output.add(n, n.buffer_of(*body.outputs[at]), counter);
  std::vector<std::pair<BufferId, BufferId>> moves;
  for (std::size_t i = 0; i < c.states; ++i)
    moves.emplace_back(n.buffer_of(*body.outputs[i]), state[i]);
  copy_all(n, moves);
  n.close();
  finish_states(n, state);
  for (const auto& [at, output] : outputs) output.finish(n);
}

std::vector<std::int64_t> entries(const NodeView& n, const char* name, std::size_t count) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(entry(n, name, i, count));
  return all;
}

void gradient(Gradient& n) {
  const Counts c = counts(n, n.attr_graph("body"));
  Iteration it{.states = c.states};
  it.input_axes = entries(n, "scan_input_axes", c.scan_inputs);
  it.input_directions = entries(n, "scan_input_directions", c.scan_inputs);
  it.output_axes = entries(n, "scan_output_axes", c.scan_outputs);
  it.output_directions = entries(n, "scan_output_directions", c.scan_outputs);
  gradient_of_iteration(n, it);
}

// ---- version 8 ------------------------------------------------------------------------------

// Sequences of different lengths: the state of a shorter one stays the same after its end. Makes
// the iteration number a state variable of the body.
void stop_at(Graph& body, std::size_t states, Value* length, Graph& batch, Node& scan) {
  GraphEditor editor(body), around(batch);
  Value* zero = around.constant(Tensor::scalar(std::int64_t{0}), "zero");
  Value* one = editor.constant(Tensor::scalar(std::int64_t{1}), "one");
  const auto fresh = [&](const char* stem) { return editor.value({}, stem); };
  Value *time = fresh("time"), *next = fresh("time"), *runs = fresh("runs");
  editor.emit_as(next, "Add", {time, one});
  editor.emit_as(runs, "Less", {time, length});
  for (std::size_t i = 0; i < states; ++i) {
    Value* kept = fresh("state");
    editor.emit_as(kept, "Where", {runs, body.outputs[i], body.inputs[i]});
    body.outputs.set(i, kept);
  }
  body.inputs.insert(body.inputs.begin(), time);
  body.outputs.insert(0, next);
  scan.inputs.insert(0, zero);
  Value* trips = around.value({}, "trips");
  trips->producer = &scan;
  scan.outputs.insert(scan.outputs.begin(), trips);
}

// Every batch entry is scanned by itself: a Scan over the batch with a Scan in its body.
void upgrade(Upgrade& n) {
  if (n.version() > 8) return;
  Node& outer = n.mutable_node();
  n.require(outer.inputs.size() >= 2, "inputs", "{}, needs at least 2", outer.inputs.size());
  for (std::size_t i = 1; i < outer.inputs.size(); ++i)
    n.require(outer.inputs[i], "input " + std::to_string(i), "is required");
  Value* lengths = outer.inputs[0];
  outer.inputs.erase(0);
  const auto body = std::get<std::shared_ptr<Graph>>(*outer.find("body"));
  const Counts c = counts(n, *body);
  const auto* given = n.find_ints("directions");
  const std::vector<std::int64_t> directions = given ? *given : std::vector<std::int64_t>{};
  if (given) n.set("scan_input_directions", directions);
  n.remove("directions");

  auto batch = std::make_shared<Graph>();
  batch->name = body->name + "_batch";
  batch->parent = body->parent;
  body->parent = batch.get();
  const auto twin = [&](const Value* v) { return batch->add_value(batch->fresh_name(v->name)); };
  for (const Value* v : body->inputs) batch->inputs.push_back(twin(v));
  for (const Value* v : body->outputs) batch->outputs.push_back(twin(v));
  Node& inner =
      GraphEditor(*batch).emit_as(batch->outputs, *outer.op, batch->inputs, outer.attributes);
  if (lengths) {
    for (std::int64_t d : directions)
      if (d != 0) n.unsupported("attribute \"directions\"", "backwards with sequence_lens");
    Value* length = batch->add_value(batch->fresh_name("length"));
    batch->inputs.push_back(length);
    outer.inputs.push_back(lengths);
    stop_at(*body, c.states, length, *batch, inner);
  }
  outer.attributes = {{"body", batch},
                      {"num_scan_inputs", static_cast<std::int64_t>(outer.inputs.size())}};
}

constexpr Op rows[] = {{
    .name = "Scan",
    .versions = "8 9 11 16 19 21 23 24 25",
    .inputs = "initial_state_and_scan_inputs:any~",
    .outputs = "final_state_and_scan_outputs:any~",
    .attributes =
        "body:graph! num_scan_inputs:int! scan_input_axes:ints@9- scan_output_axes:ints@9- "
        "scan_input_directions:ints@9- scan_output_directions:ints@9- "
        "directions:ints@8-8",
    .limits =
        "slices of unknown rank backwards or along another axis; backwards with sequence lengths "
        "in version 8",
    .upgrade = upgrade,
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::scan
