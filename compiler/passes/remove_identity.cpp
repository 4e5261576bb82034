// remove_identity: readers of an Identity read its input instead.
// Needs: types. Gives: no Identity but those a graph output needs. Never touches: other nodes.
#include "compiler/ops/op.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {

void remove_identity(Graph& graph, PassContext&) {
  const ops::Op* identity = ops::find("", "Identity");
  std::map<const Value*, Value*> source;
  const auto resolve = [&](Value* v) {
    for (auto it = source.find(v); it != source.end(); it = source.find(v)) v = it->second;
    return v;
  };
  for (auto& node : graph.nodes) {
    for (Value*& v : node->inputs)
      if (v) v = resolve(v);
    if (node->op == identity && node->outputs[0]) source[node->outputs[0]] = node->inputs[0];
  }
  // Graph outputs keep their own value: two may share one source, and each is the caller's memory.
}

}  // namespace onnxc::passes
