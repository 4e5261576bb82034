// Peels the first iteration of a Loop whose state changes its rank.
#include "compiler/passes/infer/infer.hpp"

#include <optional>

#include "compiler/ir/clone.hpp"
#include "compiler/ir/editor.hpp"
#include "compiler/ops/control_flow/body.hpp"

namespace onnxc::passes {
namespace {

// Inputs: M, cond, state...; body: iteration, cond, state... -> cond, state...
constexpr std::size_t kFirstState = 2;

Graph& body_of(const Node& loop) { return *std::get<std::shared_ptr<Graph>>(*loop.find("body")); }

bool has_rank(const Type& t) { return t.is_tensor() && t.has_rank(); }

bool same_rank(const Type& a, const Type& b) {
  return has_rank(a) == has_rank(b) && (!has_rank(a) || a.rank() == b.rank());
}

// A Loop with state that lost its rank. Scan outputs are excluded: they would need a concatenation.
bool changes_rank(const Node& node) {
  static const ops::Op* const kLoop = ops::find("", "Loop");
  if (node.op != kLoop || node.inputs.size() <= kFirstState) return false;
  const std::size_t states = node.inputs.size() - kFirstState;
  if (body_of(node).outputs.size() != states + 1) return false;
  for (std::size_t i = kFirstState; i < node.inputs.size(); ++i) {
    if (!node.inputs[i]) return false;
  }
  for (std::size_t i = kFirstState; i < node.inputs.size(); ++i) {
    const Type& every = body_of(node).inputs[i]->type;  // the type in every iteration
    if (every.is_tensor() && !every.has_rank() && has_rank(node.inputs[i]->type)) return true;
  }
  return false;
}

// The types of the state after one iteration; nullopt if inference fails.
std::optional<std::vector<Type>> next_types(Graph& graph, const Graph& body,
                                            const std::vector<Type>& state,
                                            const std::function<bool(Graph&)>& infer) {
  const auto trial = copy_graph(body, graph, {});
  ops::clear_inferred(*trial);
  for (std::size_t i = 0; i < state.size(); ++i) trial->inputs[kFirstState + i]->type = state[i];
  if (!infer(*trial)) return std::nullopt;
  std::vector<Type> types;
  for (std::size_t i = 0; i < state.size(); ++i) types.push_back(trial->outputs[i + 1]->type);
  return types;
}

bool settles_after_one_trip(Graph& graph, const Node& loop,
                            const std::function<bool(Graph&)>& infer) {
  std::vector<Type> before;
  for (std::size_t i = kFirstState; i < loop.inputs.size(); ++i)
    before.push_back(loop.inputs[i]->type);
  const auto once = next_types(graph, body_of(loop), before, infer);
  const auto twice = once ? next_types(graph, body_of(loop), *once, infer) : std::nullopt;
  if (!twice) return false;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (!same_rank((*once)[i], (*twice)[i])) return false;
  return true;
}

// A result of a node, with a type to be inferred.
Value* result(GraphEditor& editor, const char* op, const std::vector<Value*>& inputs) {
  Value* v = editor.value({}, "trip");
  editor.emit_as(v, op, inputs);
  return v;
}

Value* number(GraphEditor& editor, std::int64_t value) {
  return editor.constant(Tensor::scalar(value), "trip");
}

// The body from the second iteration on: its iteration number starts at 0.
std::shared_ptr<Graph> rest_of(const Node& loop, Graph& parent) {
  auto body = copy_graph(body_of(loop), parent, {});
  GraphEditor editor(*body);
  if (!body->nodes.empty()) editor.before(*body->nodes.front());
  editor.set_provenance(loop);
  Value* const iteration = body->inputs[0];
  Value* const counter = editor.value(Type::tensor(ElemType::int64, Shape{}), iteration->name);
  body->inputs[0] = counter;
  editor.emit_as(iteration, "Add", {counter, number(editor, 1)});
  editor.commit();
  return body;
}

// One iteration, then the Loop with one iteration less.
std::shared_ptr<Graph> with_first_trip(const Node& loop, Graph& parent) {
  const Graph& body = body_of(loop);
  auto branch = std::make_shared<Graph>();
  branch->parent = &parent;
  GraphEditor editor(*branch);
  editor.set_provenance(loop);
  ValueMap copies;
  copies[body.inputs[0]] = number(editor, 0);
  copies[body.inputs[1]] = editor.constant(ops::true_scalar(), "trip");
  for (std::size_t i = kFirstState; i < loop.inputs.size(); ++i)
    copies[body.inputs[i]] = loop.inputs[i];
  copy_contents(body, *branch, copies);
  Value* const trips = loop.inputs[0];
  std::vector<Value*> inputs = {trips ? result(editor, "Sub", {trips, number(editor, 1)})
                                      : nullptr};
  std::vector<Value*> outputs;
  for (Value* v : body.outputs) inputs.push_back(mapped(copies, v));
  for (std::size_t i = 0; i < loop.outputs.size(); ++i) {
    outputs.push_back(editor.value({}, "state"));
    if (loop.outputs[i]) branch->outputs.push_back(outputs.back());
  }
  editor.emit_as(std::move(outputs), *loop.op, inputs, {{"body", rest_of(loop, *branch)}});
  ops::clear_inferred(*branch);
  return branch;
}

std::shared_ptr<Graph> without_trips(const Node& loop, Graph& parent) {
  auto branch = std::make_shared<Graph>();
  branch->parent = &parent;
  GraphEditor editor(*branch);
  editor.set_provenance(loop);
  for (std::size_t i = 0; i < loop.outputs.size(); ++i)
    if (loop.outputs[i])
      branch->outputs.push_back(result(editor, "Identity", {loop.inputs[kFirstState + i]}));
  return branch;
}

}  // namespace

bool peel_loop(Graph& graph, std::size_t at, const std::function<bool(Graph&)>& infer) {
  if (!changes_rank(*graph.nodes[at]) || !settles_after_one_trip(graph, *graph.nodes[at], infer))
    return false;
  Node& loop = *graph.nodes[at];
  GraphEditor editor(graph);
  editor.before(loop);
  Value* const wanted =
      loop.inputs[1] ? loop.inputs[1] : editor.constant(ops::true_scalar(), "trip");
  Value* condition = wanted;
  if (loop.inputs[0]) {
    Value* const any = result(editor, "Less", {number(editor, 0), loop.inputs[0]});
    condition = result(editor, "And", {any, wanted});
  }
  std::vector<Value*> results;
  for (Value* v : loop.outputs) {
    if (!v) continue;
    v->type = {};
    results.push_back(v);
  }
  editor.emit_as(
      std::move(results), ops::get("If"), {condition},
      {{"then_branch", with_first_trip(loop, graph)}, {"else_branch", without_trips(loop, graph)}});
  editor.erase(loop);
  return true;
}

}  // namespace onnxc::passes
