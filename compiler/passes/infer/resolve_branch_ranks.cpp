// Copies the nodes that depend on an If into its branches and infers them there.
#include "compiler/passes/infer/infer.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/ir/clone.hpp"
#include "compiler/ops/control_flow/body.hpp"
#include "compiler/ops/infer.hpp"

namespace onnxc::passes {
namespace {

constexpr const char* kBranches[] = {"then_branch", "else_branch"};

Graph& branch_of(const Node& node, const char* key) {
  return *std::get<std::shared_ptr<Graph>>(*node.find(key));
}

bool ranks_differ(const Node& node, std::size_t i) {
  if (!node.outputs[i] || node.outputs[i]->type.has_rank()) return false;
  const Type& a = branch_of(node, kBranches[0]).outputs[i]->type;
  const Type& b = branch_of(node, kBranches[1]).outputs[i]->type;
  return a.is_tensor() && b.is_tensor() && a.has_rank() && b.has_rank() && a.rank() != b.rank();
}

bool ranks_differ(const Node& node) {
  static const ops::Op* const kIf = ops::find("", "If");
  if (node.op != kIf) return false;
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (ranks_differ(node, i)) return true;
  return false;
}

std::size_t count_nodes(const Node& node) {
  std::size_t count = 1;
  each_subgraph(node, [&](const Graph& body) {
    for (const auto& inner : body.nodes) count += count_nodes(*inner);
  });
  return count;
}

// Appends the nodes that depended on the outputs of the branch; its new outputs are `results`.
void extend(Graph& branch, const Node& node, const std::vector<const Node*>& dependents,
            const std::vector<Value*>& results) {
  ValueMap copies;
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i]) copies[node.outputs[i]] = branch.outputs[i];
  for (const Node* dependent : dependents) copy_node(*dependent, branch, copies);
  std::vector<Value*> outputs;
  for (Value* v : results) outputs.push_back(mapped(copies, v));
  branch.outputs = outputs;
  // Both branches need to be inferred again.
  branch.relations.clear();
  ops::clear_inferred(branch);
}

// The nodes and values that depend on an If.
struct Followers {
  std::vector<const Node*> nodes;
  std::set<const Value*> values;  // results of the If and of the dependent nodes
  std::vector<Value*> results;    // results that are graph outputs
  std::size_t size = 0;           // nodes, bodies included
  std::set<const Node*> readers;  // of the values: nodes of the graph and of bodies inside it,
  std::set<const Graph*> bodies;  // and the bodies that contain such nodes or give such results

  void add_outputs(const Graph& graph, const Node& node) {
    for (const Value* v : node.outputs) {
      if (!v) continue;
      values.insert(v);
      for (const Use& use : v->users()) {
        if (use.node) readers.insert(use.node);
        for (const Graph* g = use.node ? use.node->graph : use.graph; g && g != &graph;)
          bodies.insert(std::exchange(g, g->parent));
      }
    }
  }

  bool contain(const Node& node) const {
    bool found = readers.count(&node) != 0;
    each_subgraph(node, [&](const Graph& body) { found = found || bodies.count(&body) != 0; });
    return found;
  }
};

// `all`: also the later nodes that do not depend on it.
Followers followers_of(const Graph& graph, std::size_t at, bool all) {
  Followers f;
  f.add_outputs(graph, *graph.nodes[at]);
  for (std::size_t i = at + 1; i < graph.nodes.size(); ++i) {
    const Node& node = *graph.nodes[i];
    if (!all && !f.contain(node)) continue;
    f.add_outputs(graph, node);
    f.nodes.push_back(&node);
    f.size += count_nodes(node);
  }
  for (Value* v : graph.outputs)
    if (f.values.count(v) && std::find(f.results.begin(), f.results.end(), v) == f.results.end())
      f.results.push_back(v);
  return f;
}

// Dependent nodes may read the results of the others: these come first.
void move_after_others(Graph& graph, std::size_t at, const Followers& followers) {
  Node& node = *graph.nodes[at];
  std::set<const Node*> last(followers.nodes.begin(), followers.nodes.end());
  last.insert(&node);
  std::stable_partition(graph.nodes.begin() + static_cast<std::ptrdiff_t>(at), graph.nodes.end(),
                        [&](const auto& n) { return last.count(n.get()) == 0; });
  each_subgraph(node, [](Graph& branch) {
    branch.relations.clear();
    ops::clear_inferred(branch);
  });
  for (Value* v : node.outputs)
    if (v) v->type = {};
}

void sink(Graph& graph, std::size_t at, const Followers& followers) {
  Node& node = *graph.nodes[at];
  for (const char* key : kBranches)
    extend(branch_of(node, key), node, followers.nodes, followers.results);
  const std::set<const Node*> moved(followers.nodes.begin(), followers.nodes.end());
  graph.nodes.push_back(std::move(graph.nodes[at]));
  graph.nodes.erase(std::remove_if(graph.nodes.begin(), graph.nodes.end(),
                                   [&](const auto& n) { return !n || moved.count(n.get()) != 0; }),
                    graph.nodes.end());
  node.outputs = followers.results;
  for (Value* v : followers.results) v->producer = &node;
  const std::set<const Value*> kept(followers.results.begin(), followers.results.end());
  graph.values.erase(std::remove_if(graph.values.begin(), graph.values.end(),
                                    [&](const auto& v) {
                                      return followers.values.count(v.get()) != 0 &&
                                             kept.count(v.get()) == 0;
                                    }),
                     graph.values.end());
}

// Whether inference of the dependent nodes succeeds for the results of a branch.
bool fits(Graph& graph, const Node& node, const char* key, const Followers& followers,
          const std::function<bool(Graph&)>& infer) {
  const auto trial = copy_graph(branch_of(node, key), graph, {});
  extend(*trial, node, followers.nodes, followers.results);
  return infer(*trial);
}

void take_ranks(Graph& graph, Node& node, const char* key) {
  ops::Infer n(node, graph, {});
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (!ranks_differ(node, i)) continue;
    Type type = branch_of(node, key).outputs[i]->type;
    for (Dim& d : *type.shape)
      if (!d.is_const()) d = n.unknown_extent();
    node.outputs[i]->type = std::move(type);
  }
}

}  // namespace

bool resolve_branch_ranks(Graph& graph, std::size_t at, std::set<const Node*>& moved,
                          const std::function<bool(Graph&)>& infer) {
  constexpr std::size_t kMaxNodes = 4000;
  Node& node = *graph.nodes[at];
  if (!ranks_differ(node)) return false;
  const Followers followers = followers_of(graph, at, moved.count(&node) != 0);
  if (followers.nodes.empty() || followers.size > kMaxNodes) return false;
  if (at + 1 + followers.nodes.size() < graph.nodes.size()) {
    move_after_others(graph, at, followers);
    moved.insert(&node);
    return true;
  }
  const bool then_fits = fits(graph, node, "then_branch", followers, infer);
  const bool else_fits = fits(graph, node, "else_branch", followers, infer);
  if (then_fits != else_fits) take_ranks(graph, node, then_fits ? "then_branch" : "else_branch");
  if (!then_fits || !else_fits) return false;
  sink(graph, at, followers);
  return true;
}

}  // namespace onnxc::passes
