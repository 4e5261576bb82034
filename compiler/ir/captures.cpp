// Finds the outer values that bodies read.
#include "compiler/ir/graph.hpp"

#include <unordered_set>

namespace onnxc {
namespace {

struct Search {
  std::unordered_set<const Value*> own, seen;
  std::vector<Value*> found;

  void read(Value* v) {
    if (v && own.count(v) == 0 && seen.insert(v).second) found.push_back(v);
  }

  void visit(const Graph& body) {
    for (const auto& v : body.values) own.insert(v.get());
    for (const auto& node : body.nodes) {
      for (Value* v : node->inputs) read(v);
      each_subgraph(*node, [&](const Graph& inner) { visit(inner); });
    }
    for (Value* v : body.outputs) read(v);
  }
};

}  // namespace

std::vector<Value*> captured_values(const Node& node) {
  Search search;
  each_subgraph(node, [&](const Graph& body) { search.visit(body); });
  return std::move(search.found);
}

std::vector<Value*> captured_values(const Graph& body) {
  Search search;
  search.visit(body);
  return std::move(search.found);
}

std::vector<Value*> operands_of(const Node& node) {
  std::vector<Value*> all;
  for (Value* v : node.inputs)
    if (v) all.push_back(v);
  for (Value* v : captured_values(node)) all.push_back(v);
  return all;
}

}  // namespace onnxc
