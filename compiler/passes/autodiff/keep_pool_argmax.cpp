// keep_pool_argmax: MaxPool keeps the position of its maximum in the window (its argmax), a byte,
// so that its derivative no longer reads the data, and a preceding Relu is masked where the pool's
// result is. Requires: types. Produces: MaxPoolArgmax, MaxPoolArgmaxGrad. Leaves alone: data that
// others read too, which stays in memory anyway. Results are bit-identical: the data at the argmax
// is the pool's result.
#include <algorithm>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

constexpr std::int64_t kMaxWindowSize = 254;

// A pool, its derivative, and the derivative of a Relu before it; that may be null.
struct PoolPair {
  Node *pool = nullptr, *back = nullptr, *mask = nullptr;
};

bool is_zero(const Value* v) {
  if (!v || !v->constant) return false;
  const auto bytes = v->constant->bytes();
  return std::all_of(bytes.begin(), bytes.end(), [](auto b) { return b == decltype(b){}; });
}

// The readers of `x`, if these are all and in this graph.
PoolPair find_pair(const Graph& graph, const Value& x) {
  static const ops::Op &kPool = ops::get("MaxPool"), &kBack = ops::get("MaxPoolGrad", "onnxc"),
                       &kMask = ops::get("WherePositive", "onnxc");
  PoolPair pair;
  for (const Use& use : x.users()) {
    Node* const node = use.node;
    if (!node || node->graph != &graph || !node->body.empty()) return {};
    Node*& slot = node->op == &kPool ? pair.pool : node->op == &kBack ? pair.back : pair.mask;
    if (slot || use.index != (node->op == &kBack ? 1u : 0u)) return {};
    slot = node;
  }
  if (!pair.pool || !pair.back) return {};
  if (!pair.mask) return pair;
  const Node& mask = *pair.mask;
  const bool masks = mask.op == &kMask && only_user(*pair.back->outputs[0]) == &mask &&
                     mask.inputs[1] == pair.back->outputs[0] && is_zero(mask.inputs[2]);
  return masks ? pair : PoolPair{};
}

bool has_small_windows(const Node& pool) {
  std::int64_t size = 1;
  for (std::int64_t extent : ops::NodeView(pool).attr_ints("kernel_shape")) {
    if (extent > kMaxWindowSize / size) return false;
    size *= extent;
  }
  return true;
}

// The extents after batch and channels; empty if they are known only at run time.
std::vector<std::int64_t> spatial_extents(const Type& type) {
  std::vector<std::int64_t> extents;
  for (std::size_t i = 2; i < type.rank(); ++i) {
    if (!(*type.shape)[i].is_const()) return {};
    extents.push_back((*type.shape)[i].value());
  }
  return extents;
}

void keep_argmax(GraphEditor& editor, const PoolPair& pair, std::vector<std::int64_t> extents) {
  Node& pool = *pair.pool;
  Value* const y = pool.outputs[0];
  Attributes attributes = pool.attributes;
  attributes.erase("storage_order");
  editor.before(pool);
  Type bytes = y->type;
  bytes.elem = ElemType::uint8;
  Value* const argmax = editor.value(std::move(bytes), "argmax");
  editor.emit_as({y, argmax}, ops::get("MaxPoolArgmax", "onnxc"), {pool.inputs[0]}, attributes);
  editor.before(*pair.back);
  Value *dy = pair.back->inputs[0], *dx = pair.back->outputs[0];
  if (pair.mask) {
    dy = editor.emit(*pair.mask->op, {y, dy, pair.mask->inputs[2]}, dy->type);
    dx = pair.mask->outputs[0];
  }
  attributes["extents"] = std::move(extents);
  editor.emit_as(dx, ops::get("MaxPoolArgmaxGrad", "onnxc"), {dy, argmax}, attributes);
  if (pair.mask) editor.erase(*pair.mask);
  editor.erase(*pair.back);
  editor.erase(pool);
}

}  // namespace

void keep_pool_argmax(Graph& graph, PassContext& context) {
  // With vectors, looking for the largest element again is faster.
  if (context.target.vector_floats > 1 && !context.options.recompute) return;
  static const ops::Op& kBack = ops::get("MaxPoolGrad", "onnxc");
  GraphEditor editor(graph);
  editor.each([&](Node& back) {
    if (back.op != &kBack || !back.inputs[1]->producer) return;
    const PoolPair pair = find_pair(graph, *back.inputs[1]);
    std::vector<std::int64_t> extents = spatial_extents(back.inputs[1]->type);
    const bool fits = pair.pool && !extents.empty() && has_small_windows(*pair.pool) &&
                      (pair.pool->outputs.size() < 2 || !pair.pool->outputs[1]);
    if (fits) keep_argmax(editor, pair, std::move(extents));
  });
}

}  // namespace onnxc::passes
