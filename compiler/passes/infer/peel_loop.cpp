#include "compiler/passes/infer/peel_loop.hpp"

#include <algorithm>
#include <optional>

#include "compiler/ir/clone.hpp"
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

// A Loop with state that lost its rank. Scan outputs would have to be joined from two places.
bool changes_rank(const Node& node) {
  static const ops::Op* const kLoop = ops::find("", "Loop");
  if (node.op != kLoop || node.inputs.size() <= kFirstState) return false;
  const std::size_t states = node.inputs.size() - kFirstState;
  if (body_of(node).outputs.size() != states + 1) return false;
  for (std::size_t i = kFirstState; i < node.inputs.size(); ++i) {
    if (!node.inputs[i]) return false;
  }
  for (std::size_t i = kFirstState; i < node.inputs.size(); ++i) {
    const Type& every = body_of(node).inputs[i]->type;  // as in every trip
    if (every.is_tensor() && !every.has_rank() && has_rank(node.inputs[i]->type)) return true;
  }
  return false;
}

// The types of the state after one trip; nullopt if that makes no sense.
std::optional<std::vector<Type>> next_types(Graph& graph, const Graph& body,
                                            const std::vector<Type>& state,
                                            const std::function<bool(Graph&)>& infer) {
  const auto trial = copy_graph(body, graph, {});
  ops::forget(*trial);
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

// Adds nodes on behalf of a Loop.
class Builder {
 public:
  Builder(const Node& loop, Graph& graph) : loop_(loop), graph_(graph) {}

  Node* node(const char* op, std::vector<Value*> inputs, std::vector<Value*> outputs) {
    Node* n = graph_.add_node(ops::find("", op), std::move(inputs), std::move(outputs));
    n->op_type = op;
    n->name = loop_.name;
    n->index = loop_.index;
    n->sources = loop_.sources;
    return n;
  }
  Value* result(const char* op, std::vector<Value*> inputs) {
    Value* v = graph_.add_value(graph_.fresh_name("trip"));
    node(op, std::move(inputs), {v});
    return v;
  }
  Value* constant(Tensor tensor) {
    return graph_.add_constant(graph_.fresh_name("trip"), std::move(tensor));
  }
  Value* number(std::int64_t value) { return constant(Tensor::scalar(value)); }

 private:
  const Node& loop_;
  Graph& graph_;
};

// The body from the second trip on: its iterations count from 0 again.
std::shared_ptr<Graph> rest_of(const Node& loop, Graph& parent) {
  auto body = copy_graph(body_of(loop), parent, {});
  Builder build(loop, *body);
  Value* const iteration = body->inputs[0];
  Value* const counter =
      body->add_value(body->fresh_name(iteration->name), Type::tensor(ElemType::int64, Shape{}));
  body->inputs[0] = counter;
  build.node("Add", {counter, build.number(1)}, {iteration});
  std::rotate(body->nodes.begin(), body->nodes.end() - 1, body->nodes.end());
  return body;
}

// One trip, then the Loop with one trip less.
std::shared_ptr<Graph> with_first_trip(const Node& loop, Graph& parent) {
  const Graph& body = body_of(loop);
  auto branch = std::make_shared<Graph>();
  branch->parent = &parent;
  Builder build(loop, *branch);
  ValueMap copies;
  copies[body.inputs[0]] = build.number(0);
  copies[body.inputs[1]] = build.constant(ops::truth());
  for (std::size_t i = kFirstState; i < loop.inputs.size(); ++i)
    copies[body.inputs[i]] = loop.inputs[i];
  copy_contents(body, *branch, copies);
  Value* const trips = loop.inputs[0];
  std::vector<Value*> inputs = {trips ? build.result("Sub", {trips, build.number(1)}) : nullptr};
  std::vector<Value*> outputs;
  for (Value* v : body.outputs) inputs.push_back(mapped(copies, v));
  for (std::size_t i = 0; i < loop.outputs.size(); ++i) {
    outputs.push_back(branch->add_value(branch->fresh_name("state")));
    if (loop.outputs[i]) branch->outputs.push_back(outputs.back());
  }
  Node* rest = build.node("Loop", std::move(inputs), std::move(outputs));
  rest->version = loop.version;
  rest->attributes["body"] = rest_of(loop, *branch);
  ops::forget(*branch);
  return branch;
}

std::shared_ptr<Graph> without_trips(const Node& loop, Graph& parent) {
  auto branch = std::make_shared<Graph>();
  branch->parent = &parent;
  Builder build(loop, *branch);
  for (std::size_t i = 0; i < loop.outputs.size(); ++i)
    if (loop.outputs[i])
      branch->outputs.push_back(build.result("Identity", {loop.inputs[kFirstState + i]}));
  return branch;
}

}  // namespace

bool peel_loop(Graph& graph, std::size_t at, const std::function<bool(Graph&)>& infer) {
  if (!changes_rank(*graph.nodes[at]) || !settles_after_one_trip(graph, *graph.nodes[at], infer))
    return false;
  const std::unique_ptr<Node> loop = std::move(graph.nodes[at]);
  const std::size_t end = graph.nodes.size();
  Builder build(*loop, graph);
  Value* const wanted = loop->inputs[1] ? loop->inputs[1] : build.constant(ops::truth());
  Value* condition = wanted;
  if (loop->inputs[0]) {
    Value* const any = build.result("Less", {build.number(0), loop->inputs[0]});
    condition = build.result("And", {any, wanted});
  }
  std::vector<Value*> results;
  for (Value* v : loop->outputs) {
    if (!v) continue;
    v->type = {};
    results.push_back(v);
  }
  Node* choice = build.node("If", {condition}, results);
  choice->attributes["then_branch"] = with_first_trip(*loop, graph);
  choice->attributes["else_branch"] = without_trips(*loop, graph);
  const auto place = graph.nodes.begin() + static_cast<std::ptrdiff_t>(at);
  std::rotate(place, graph.nodes.begin() + static_cast<std::ptrdiff_t>(end), graph.nodes.end());
  const auto hole = std::find(graph.nodes.begin(), graph.nodes.end(), nullptr);
  graph.nodes.erase(hole);
  return true;
}

}  // namespace onnxc::passes
