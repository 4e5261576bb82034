#include "compiler/passes/sink_into_branches.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/ops/op.hpp"

namespace onnxc::passes {
namespace {

using Mapping = std::map<const Value*, Value*>;
using Nodes = std::vector<std::unique_ptr<Node>>;

constexpr const char* kBranches[] = {"then_branch", "else_branch"};

Graph& branch_of(const Node& node, const char* key) {
  return *std::get<std::shared_ptr<Graph>>(*node.find(key));
}

bool ranks_differ(const Node& node) {
  static const ops::Op* const kIf = ops::find("", "If");
  if (node.op != kIf) return false;
  const Graph& a = branch_of(node, kBranches[0]);
  const Graph& b = branch_of(node, kBranches[1]);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const Type &x = a.outputs[i]->type, &y = b.outputs[i]->type;
    if (node.outputs[i] && x.is_tensor() && y.is_tensor() && x.has_rank() && y.has_rank() &&
        x.rank() != y.rank())
      return true;
  }
  return false;
}

bool reads(const Graph& graph, const std::set<const Value*>& values);

bool reads(const Node& node, const std::set<const Value*>& values) {
  bool found = std::any_of(node.inputs.begin(), node.inputs.end(),
                           [&](const Value* v) { return values.count(v) != 0; });
  each_subgraph(node, [&](const Graph& body) { found = found || reads(body, values); });
  return found;
}

bool reads(const Graph& graph, const std::set<const Value*>& values) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                     [&](const Value* v) { return values.count(v) != 0; }) ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const auto& node) { return reads(*node, values); });
}

void add_outputs(const Node& node, std::set<const Value*>& values) {
  for (const Value* v : node.outputs)
    if (v) values.insert(v);
}

std::size_t count_nodes(const Node& node) {
  std::size_t count = 1;
  each_subgraph(node, [&](const Graph& body) {
    for (const auto& inner : body.nodes) count += count_nodes(*inner);
  });
  return count;
}

Value* look_up(const Mapping& copies, Value* v) {
  const auto it = copies.find(v);
  return it == copies.end() ? v : it->second;
}

Value* copy_value(const Value& v, Graph& to, Mapping& copies) {
  Value* copy = to.add_value(to.fresh_name(v.name), v.type);
  copy->constant = v.constant;
  copies[&v] = copy;
  return copy;
}

std::shared_ptr<Graph> copy_graph(const Graph& from, Graph& parent, Mapping copies);

void copy_node(const Node& from, Graph& to, Mapping& copies) {
  auto node = std::make_unique<Node>(from);
  for (Value*& v : node->inputs) v = look_up(copies, v);
  for (auto& [key, attribute] : node->attributes)
    if (auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute))
      *body = copy_graph(**body, to, copies);
  for (Value*& v : node->outputs) {
    if (!v) continue;
    const auto known = copies.find(v);
    v = known != copies.end() ? known->second : copy_value(*v, to, copies);
    v->producer = node.get();
  }
  to.nodes.push_back(std::move(node));
}

std::shared_ptr<Graph> copy_graph(const Graph& from, Graph& parent, Mapping copies) {
  auto graph = std::make_shared<Graph>();
  graph->name = from.name;
  graph->parent = &parent;
  for (const auto& v : from.values) copy_value(*v, *graph, copies);
  for (const auto& node : from.nodes) copy_node(*node, *graph, copies);
  for (Value* v : from.inputs) graph->inputs.push_back(look_up(copies, v));
  for (Value* v : from.outputs) graph->outputs.push_back(look_up(copies, v));
  return graph;
}

// The branch goes on with the nodes that depended on its outputs, and gives `results`.
void extend(Graph& branch, const Node& node, const Nodes& dependents,
            const std::vector<Value*>& results) {
  Mapping copies;
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i]) copies[node.outputs[i]] = branch.outputs[i];
  for (const auto& dependent : dependents) copy_node(*dependent, branch, copies);
  branch.outputs.clear();
  for (Value* v : results) branch.outputs.push_back(look_up(copies, v));
  branch.relations.clear();  // both branches are inferred anew
}

Nodes take_dependents(Graph& graph, std::size_t at, std::set<const Value*>& values) {
  Nodes left, dependents;
  for (std::size_t i = at + 1; i < graph.nodes.size(); ++i) {
    const bool depends = reads(*graph.nodes[i], values);
    if (depends) add_outputs(*graph.nodes[i], values);
    (depends ? dependents : left).push_back(std::move(graph.nodes[i]));
  }
  left.push_back(std::move(graph.nodes[at]));
  graph.nodes.resize(at);
  std::move(left.begin(), left.end(), std::back_inserter(graph.nodes));
  return dependents;
}

}  // namespace

bool sink_into_branches(Graph& graph, std::size_t at) {
  constexpr std::size_t kMostNodes = 4000;
  Node& node = *graph.nodes[at];
  if (!ranks_differ(node)) return false;
  std::set<const Value*> values;
  add_outputs(node, values);
  std::size_t moved = 0;
  for (std::size_t i = at + 1; i < graph.nodes.size(); ++i)
    if (reads(*graph.nodes[i], values)) {
      add_outputs(*graph.nodes[i], values);
      moved += count_nodes(*graph.nodes[i]);
    }
  if (moved == 0 || moved > kMostNodes) return false;

  const Nodes dependents = take_dependents(graph, at, values);
  std::vector<Value*> results;
  for (Value* v : graph.outputs)
    if (values.count(v) && std::find(results.begin(), results.end(), v) == results.end())
      results.push_back(v);
  for (const char* key : kBranches) extend(branch_of(node, key), node, dependents, results);
  node.outputs = results;
  for (Value* v : results) v->producer = &node;
  const auto inside = [&](const auto& v) {
    return values.count(v.get()) != 0 &&
           std::find(results.begin(), results.end(), v.get()) == results.end();
  };
  graph.values.erase(std::remove_if(graph.values.begin(), graph.values.end(), inside),
                     graph.values.end());
  return true;
}

}  // namespace onnxc::passes
