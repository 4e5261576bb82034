// Loop: runs a subgraph a number of times, or while a condition holds.
#include <algorithm>

#include "compiler/ops/control_flow/body.hpp"
#include "compiler/ops/control_flow/reverse_iteration.hpp"
#include "compiler/ops/control_flow/scan_output.hpp"
#include "compiler/ops/sequence/container.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::ops::loop {
namespace {

// Inputs: M, cond, state...; body: iteration, cond, state... -> cond, state..., scan outputs...
constexpr std::size_t kFirstState = 2;

// M and cond may also be left out at the end of the list.
std::size_t state_count(const NodeView& n) {
  return n.input_count() > kFirstState ? n.input_count() - kFirstState : 0;
}

bool is_true(const Tensor* t) { return t && t->size() == 1 && t->to_int64s()[0] != 0; }

// The condition that the body returns is true in every iteration.
bool never_stops(const Graph& body) {
  const Value* out = body.outputs[0];
  while (is_a(out->producer, "Identity")) out = out->producer->inputs[0];
  return is_true(out->constant ? &*out->constant : nullptr) || out == body.inputs[1];
}

std::optional<std::int64_t> trip_count(const NodeView& n, const Graph& body) {
  const Tensor* trips = n.constant(0);
  const bool endless = !n.has_input(1) || is_true(n.constant(1));
  if (n.constant(1) && !is_true(n.constant(1))) return 0;
  if (!trips || trips->size() != 1 || !endless || !never_stops(body)) return std::nullopt;
  return std::max<std::int64_t>(trips->to_int64s()[0], 0);
}

// The largest number of iterations, for bounds of what grows with them.
std::optional<Dim> bounded_trips(const NodeView& n) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  if (!n.has_input(0)) return std::nullopt;
  const auto trips = n.extents(0);
  if (!trips || trips->size() != 1) return std::nullopt;
  if (trips->front().is_const() && trips->front().value() > kLimit) return std::nullopt;
  return Dim::max(trips->front(), 0);
}

// The largest number of slices, when it is known at compile time.
std::optional<std::int64_t> max_trips(Lower& n, const Dim& length) {
  if (length.is_const()) return length.value();
  const Tensor* trips = n.constant(0);
  if (!trips || trips->size() != 1) return std::nullopt;
  return std::max<std::int64_t>(trips->to_int64s()[0], 0);
}

// A trip count whose slices fit in no memory is an error, even if the loop could end earlier.
void require_capacity(const Infer& n, std::size_t output, std::int64_t trips, const Type& slice) {
  constexpr std::int64_t kLimit = std::int64_t{64} << 30;
  if (!slice.is_static() || trips <= 0) return;
  const std::int64_t bytes = checked_mul(product(*slice.shape).value(),
                                         static_cast<std::int64_t>(storage_bytes(slice.elem)));
  n.require(checked_mul(bytes, trips) <= kLimit, fmt::format("output {}", output),
            "{} slices of {} bytes are over the limit of {}", trips, bytes, kLimit);
}

// State that starts as an optional ends as its element, unless the body or the model declares
// otherwise.
bool is_opened(const Infer& n, std::size_t i, const Type& state, const Graph& body) {
  if (state.kind != Type::Kind::optional) return false;
  const Type::Kind declared = n.output_value(i).type.kind;
  return declared == state.element->kind ||
         (declared == Type::Kind::unknown && body.outputs[i + 1]->type.kind == state.element->kind);
}

// Exporters declare the iteration number and the condition as tensors of one element, too.
Shape one_element(const Type& declared) {
  return declared.is_tensor() && declared.has_rank() && declared.rank() == 1 ? Shape{1} : Shape{};
}

void require_condition(const Infer& n, const Type& condition) {
  const bool known = condition.kind != Type::Kind::unknown;
  n.require(!known || (condition.is_tensor() && condition.elem == ElemType::boolean),
            "attribute \"body\"", "its condition is {}, no bool", condition.to_string());
  const Dim count = condition.shape ? product(*condition.shape) : Dim(1);
  n.require(!count.is_const() || count.is(1), "attribute \"body\"",
            "its condition is {}, needs one element", condition.to_string());
}

void infer(Infer& n) {
  Graph& body = n.attr_graph("body");
  n.one_value(0, "input 0 \"M\"");
  n.one_value(1, "input 1 \"cond\"");
  const std::size_t states = state_count(n);
  n.require(body.inputs.size() == states + kFirstState, "attribute \"body\"",
            "has {} inputs for {} state variables", body.inputs.size(), states);
  n.require(body.outputs.size() >= states + 1 && n.output_count() <= body.outputs.size() - 1,
            "attribute \"body\"", "has {} outputs for {} state variables and {} outputs",
            body.outputs.size(), states, n.output_count());
  body.inputs[0]->type = Type::tensor(ElemType::int64, one_element(body.inputs[0]->type));
  body.inputs[1]->type = Type::tensor(ElemType::boolean, one_element(body.inputs[1]->type));
  std::vector<Type> state;
  for (std::size_t i = 0; i < states; ++i) state.push_back(n.input(kFirstState + i));
  const std::set<std::string> variable =
      infer_loop_body(n, body, kFirstState, 1, state, bounded_trips(n));
  require_condition(n, body.outputs[0]->type);
  for (std::size_t i = 0; i < states; ++i) {
    if (!n.has_output(i)) continue;
    n.output(i, is_opened(n, i, state[i], body) ? *state[i].element : state[i]);
  }
  std::optional<Dim> length;
  const auto trips = trip_count(n, body);
  const Tensor* most = n.constant(0);
  for (std::size_t i = states; i + 1 < body.outputs.size(); ++i) {
    const Type& element = body.outputs[i + 1]->type;
    if (is_tape(n, i)) {
      n.output(i, tape_type(n, element, body, variable));
      continue;
    }
    if (!element.is_tensor() || !element.shape) {
      n.output(i, Type::tensor(element.elem));
      continue;
    }
    // All scan outputs have one length.
    if (!length) {
      const std::int64_t bound = most && most->size() == 1 ? most->to_int64s()[0] : -1;
      length = trips ? Dim(*trips)
                     : n.unknown_extent(bound >= 0 ? std::optional<Dim>(bound) : std::nullopt);
    }
    Shape shape = slice_shape(n, *element.shape, body, variable);
    if (most && most->size() == 1) require_capacity(n, i, most->to_int64s()[0], element);
    shape.insert(shape.begin(), *length);
    n.output(i, element.elem, shape);
  }
}

// The shape of a buffer for all slices of a scan output, if it can be allocated before the loop.
// Where the number of slices has no bound, memory grows.
std::optional<Shape> room_for(Lower& n, std::size_t output) {
  if (!n.output_value(output).type.has_rank()) return std::nullopt;
  Shape capacity = n.out_shape(output);
  if (is_size_known(n, capacity)) return capacity;
  const auto most = max_trips(n, capacity[0]);
  if (!most) return std::nullopt;
  capacity[0] = *most;
  const bool fixed =
      std::all_of(capacity.begin(), capacity.end(), [](const Dim& d) { return d.is_const(); });
  const auto width = static_cast<std::int64_t>(storage_bytes(n.out_elem(output)));
  if (!fixed || (product(capacity) * Dim(width)).value() > kLargestBound) return std::nullopt;
  return capacity;
}

std::vector<std::pair<std::size_t, ScanOutput>> start_outputs(Lower& n, const Graph& body) {
  std::vector<std::pair<std::size_t, ScanOutput>> all;
  for (std::size_t i = state_count(n); i < n.output_count(); ++i)
    if (n.has_output(i))
      all.emplace_back(i, ScanOutput(n, i, body.outputs[i + 1]->type, room_for(n, i)));
  return all;
}

// The number of slices is known only at run time. All scan outputs have one length, but the model
// may declare some of them with another extent for it, a number among them.
void tell_trips(Lower& n, const Graph& body, BufferId counter) {
  const auto trips = trip_count(n, body);
  Shape lengths;
  if (trips) lengths.push_back(*trips);
  for (std::size_t i = state_count(n); i < n.output_count(); ++i) {
    if (!n.has_output(i) || !n.output_value(i).type.has_rank()) continue;
    const Dim length = n.out_shape(i)[0];
    if (std::find(lengths.begin(), lengths.end(), length) != lengths.end()) continue;
    lengths.push_back(length);
    if (length.is_const())
      n.call("expect_trips", CountShape<Dim>{length}).read(counter);
    else
      n.call("trip_count").read(counter).extents({length});
  }
}

void lower(Lower& n) {
  const Graph& body = n.attr_graph("body");
  const std::size_t states = state_count(n);
  const BufferId counter = n.scratch_like(body.inputs[0]->type, "iteration");
  n.bind(*body.inputs[0], counter);
  // The condition is re-read before every iteration, so it has memory of its own.
  BufferId condition = -1;
  const bool endless = (!n.has_input(1) || is_true(n.constant(1))) && never_stops(body);
  const bool read = !endless || body.outputs[0] == body.inputs[1];
  if (read || !n.has_input(0)) condition = n.scratch_like(body.inputs[1]->type, "condition");
  const BufferId condition_value =
      condition >= 0 ? condition : n.scratch_like(body.inputs[1]->type, "condition");
  n.copy(n.has_input(1) ? n.in(1) : n.constant(true_scalar(), "true"), condition_value);
  n.bind(*body.inputs[1], condition_value);
  std::vector<BufferId> state;
  for (std::size_t i = 0; i < states; ++i)
    state.push_back(start_state(n, i, n.in(kFirstState + i), *body.inputs[kFirstState + i]));
  const auto outputs = start_outputs(n, body);
  n.open_loop(counter, n.has_input(0) ? n.in(0) : -1, condition, bounded_trips(n), !endless);
  n.lower_body(body);
  for (const auto& [i, output] : outputs) output.add(n, n.buffer_of(*body.outputs[i + 1]), counter);
  std::vector<std::pair<BufferId, BufferId>> moves;
  for (std::size_t i = 0; i < states; ++i)
    moves.emplace_back(n.buffer_of(*body.outputs[i + 1]), state[i]);
  if (condition >= 0) moves.emplace_back(n.buffer_of(*body.outputs[0]), condition);
  copy_all(n, moves);
  n.close();
  finish_states(n, state);
  for (const auto& [i, output] : outputs) output.finish(n);
  tell_trips(n, body, counter);
}

void gradient(Gradient& n) {
  const std::size_t states = state_count(n);
  const std::size_t scanned = n.attr_graph("body").outputs.size() - 1 - states;
  Iteration it{.states = states, .first_input = kFirstState, .body_input = kFirstState};
  it.body_output = 1;
  it.output_axes = it.output_directions = std::vector<std::int64_t>(scanned, 0);
  gradient_of_iteration(n, it);
}

constexpr Op rows[] = {{
    .name = "Loop",
    .versions = "1 11 13 16 19 21 23 24 25",
    .inputs = "M:int64? cond:bool? v_initial:any~*",
    .outputs = "v_final_and_scan_outputs:any~",
    .attributes = "body:graph!",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::loop
