// fold_dims: integers that are expressions of the inputs' dimensions are stored from them, instead
// of being computed from the shapes of tensors, so that these have no readers but for their data.
// Requires: types. Produces: onnxc::Dims. Leaves alone: sizes that a step determines at run time.
#include <algorithm>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

class InputDims {
 public:
  explicit InputDims(const Graph& root) {
    for (const Value* v : root.inputs)
      if (v->type.shape)
        for (const Dim& d : *v->type.shape) d.collect_symbols(known_);
    for (const auto& [name, definition] : root.definitions)
      if (gives(definition)) known_.push_back(name);
  }

  bool gives(const Dim& d) const {
    std::vector<std::string> symbols;
    d.collect_symbols(symbols);
    return std::all_of(symbols.begin(), symbols.end(), [this](const std::string& s) {
      return std::find(known_.begin(), known_.end(), s) != known_.end();
    });
  }

 private:
  std::vector<std::string> known_;
};

bool has_subgraph(const Node& node) {
  bool found = false;
  each_subgraph(node, [&](const Graph&) { found = true; });
  return found;
}

}  // namespace

void fold_dims(Graph& graph, PassContext&) {
  const ops::Op& dims = ops::get("Dims", "onnxc");
  const InputDims inputs(graph.root());
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (node.outputs.size() != 1 || node.op == &dims || has_subgraph(node)) return;
    Value* v = node.outputs[0];
    if (v->constant || !v->extent || v->type.elem != ElemType::int64) return;
    const std::vector<Dim>& values = *v->extent;
    if (!v->type.is_static() ||
        !(product(*v->type.shape).is(static_cast<std::int64_t>(values.size()))))
      return;
    if (!std::all_of(values.begin(), values.end(), [&](const Dim& d) { return inputs.gives(d); }))
      return;
    editor.emit_as(v, dims, {});
    editor.erase(node);
  });
}

}  // namespace onnxc::passes
