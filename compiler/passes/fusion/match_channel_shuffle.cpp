// match_channel_shuffle: Reshape, Transpose and Reshape that interleave groups of channels become one
// node, which channels-last data can pass.
// Needs: types. Gives: onnxc::ShuffleChannels. Never touches: steps that others read, too.
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

using Uses = std::map<const Value*, int>;

// The node that makes `v` for one reader only.
Node* only_for(const Value* v, const char* op, const Uses& uses) {
  Node* n = v ? v->producer : nullptr;
  const auto count = uses.find(v);
  return n && n->op == ops::find("", op) && count != uses.end() && count->second == 1 ? n : nullptr;
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

void rewrite(Node& join, const Uses& uses) {
  Node* transpose = only_for(join.inputs[0], "Transpose", uses);
  Node* split = transpose ? only_for(transpose->inputs[0], "Reshape", uses) : nullptr;
  if (!split || !swaps_groups(*transpose)) return;
  Value* x = split->inputs[0];
  if (!splits_channels(x->type, split->outputs[0]->type) || x->type != join.outputs[0]->type)
    return;
  const Shape& groups = *split->outputs[0]->type.shape;
  std::vector<std::string> sources = split->sources;
  for (const Node* n : {static_cast<const Node*>(transpose), static_cast<const Node*>(&join)})
    sources.insert(sources.end(), n->sources.begin(), n->sources.end());
  join.op = &ops::get("ShuffleChannels", "onnxc");
  join.op_type = "ShuffleChannels";
  join.attributes.clear();
  join.attributes.emplace("groups", groups[1].value());
  join.inputs = {x};
  join.sources = std::move(sources);
}

}  // namespace

void match_channel_shuffle(Graph& graph, PassContext& context) {
  const ops::Op* reshape = ops::find("", "Reshape");
  const Uses uses = count_uses(graph);
  for (auto& node : graph.nodes)
    if (node->op == reshape && node->body.empty() && node->outputs[0]) rewrite(*node, uses);
  remove_dead(graph, context);
}

}  // namespace onnxc::passes
