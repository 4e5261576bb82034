// remove_identity: readers of an Identity, of a Dropout outside training, or of a Cast to the type
// that is there, read its input instead. Needs: types. Gives: no Identity but those a graph output
// needs. Never touches: other nodes.
#include "compiler/ir/op.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

// A mask that somebody reads keeps the Dropout, but not what reads the data.
bool passes_on(const Node& n) {
  static const ops::Op* const identity = ops::find("", "Identity");
  static const ops::Op* const dropout = ops::find("", "Dropout");
  static const ops::Op* const cast = ops::find("", "Cast");
  if (n.op == identity) return true;
  if (n.op == cast) return n.inputs[0]->type.elem == n.outputs[0]->type.elem;
  return n.op == dropout && (n.inputs.size() < 3 || !n.inputs[2]);
}

}  // namespace

void remove_identity(Graph& graph, PassContext&) {
  std::map<const Value*, Value*> source;
  const auto resolve = [&](Value* v) {
    for (auto it = source.find(v); it != source.end(); it = source.find(v)) v = it->second;
    return v;
  };
  for (auto& node : graph.nodes) {
    for (Value*& v : node->inputs)
      if (v) v = resolve(v);
    if (passes_on(*node) && node->outputs[0]) source[node->outputs[0]] = node->inputs[0];
  }
  // Graph outputs keep their own value: two may share one source, and each is the caller's memory.
}

}  // namespace onnxc::passes
