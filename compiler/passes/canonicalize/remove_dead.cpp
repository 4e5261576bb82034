// remove_dead: drops nodes whose results nobody reads, or are constants by now.
// Needs: nothing. Gives: a graph without dead nodes. Never touches: what is left.
#include <set>

#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

void mark_inputs(const Node& node, std::set<const Value*>& live);

void mark_graph(const Graph& graph, std::set<const Value*>& live) {
  for (const Value* v : graph.outputs) live.insert(v);
  for (const auto& node : graph.nodes) mark_inputs(*node, live);
}

void mark_inputs(const Node& node, std::set<const Value*>& live) {
  for (const Value* v : node.inputs)
    if (v) live.insert(v);
  each_subgraph(node, [&](const Graph& g) { mark_graph(g, live); });
}

}  // namespace

void remove_dead(Graph& graph, PassContext&) {
  std::set<const Value*> live(graph.outputs.begin(), graph.outputs.end());
  std::vector<bool> keep(graph.nodes.size());
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    Node& node = *graph.nodes[i];
    for (const Value* v : node.outputs) keep[i] = keep[i] || (v && !v->constant && live.count(v));
    if (keep[i]) mark_inputs(node, live);
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!keep[i]) {
      for (Value* v : graph.nodes[i]->outputs)
        if (v && v->producer == graph.nodes[i].get()) v->producer = nullptr;
      continue;
    }
    if (at != i) graph.nodes[at] = std::move(graph.nodes[i]);
    ++at;
  }
  graph.nodes.resize(at);
}

}  // namespace onnxc::passes
