// match_channel_shuffle: Reshape, Transpose and Reshape that interleave groups of channels become
// one node, which supports channels-last data. Requires: types. Produces: onnxc::ShuffleChannels.
// Leaves alone: intermediate results with other readers.
#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

// The producer of `v` if it has a single reader.
Node* only_for(const Value* v, const char* op) {
  Node* n = v ? producer_for_one(*v) : nullptr;
  return n && n->op == ops::find("", op) ? n : nullptr;
}

// [n, c, ...] -> [n, groups, each, ...]
bool splits_channels(const Type& x, const Type& split) {
  if (!x.is_static() || !split.is_static() || x.rank() < 3 || split.rank() != x.rank() + 1)
    return false;
  const Shape &from = *x.shape, &to = *split.shape;
  if (!(from[0] == to[0]) || !(from[1] == to[1] * to[2])) return false;
  return std::equal(from.begin() + 2, from.end(), to.begin() + 3);
}

bool swaps_groups(const Node& transpose) {
  const auto* perm = ops::NodeView(transpose).find_ints("perm");
  if (!perm || perm->size() < 4) return false;
  for (std::size_t i = 0; i < perm->size(); ++i) {
    const std::size_t from = i == 1 ? 2 : i == 2 ? 1 : i;
    if ((*perm)[i] != static_cast<std::int64_t>(from)) return false;
  }
  return true;
}

void rewrite(GraphEditor& editor, Node& last_reshape) {
  Node* transpose = only_for(last_reshape.inputs[0], "Transpose");
  Node* split = transpose ? only_for(transpose->inputs[0], "Reshape") : nullptr;
  if (!split || !swaps_groups(*transpose)) return;
  Value* x = split->inputs[0];
  if (!splits_channels(x->type, split->outputs[0]->type) ||
      x->type != last_reshape.outputs[0]->type)
    return;
  const std::int64_t groups = (*split->outputs[0]->type.shape)[1].value();
  editor.fuse({&last_reshape, transpose, split}, last_reshape, ops::get("ShuffleChannels", "onnxc"),
              {x}, {{"groups", groups}});
}

}  // namespace

void match_channel_shuffle(Graph& graph, PassContext&) {
  const ops::Op* reshape = ops::find("", "Reshape");
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (node.op == reshape && node.body.empty() && node.outputs[0]) rewrite(editor, node);
  });
}

}  // namespace onnxc::passes
