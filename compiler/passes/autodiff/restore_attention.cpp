// restore_attention: in a graph with derivatives, softmax(scale * q * k + mask) * v becomes the
// operator Attention, whose derivative needs no matrix of weights.
//
// Needs: types. Produces: Attention, of rank 3 where heads are split and joined around it. Leaves
// alone: tensors with other readers, which a Gradient may name; masks that are not constant or that
// leave a query without a key, where Attention gives zeros instead of NaN.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/fusion/match_attention.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

using Perm = std::vector<std::int64_t>;

// Numbers from here down count as minus infinity: added to a score they leave nothing of it.
constexpr double kForbidden = -1e30;

bool is_transpose(const Node* n, const Perm& perm) {
  const Perm* own = n ? ops::NodeView(*n).find_ints("perm") : nullptr;
  return own && *own == perm;
}

// ---- masks ------------------------------------------------------------------------------------

// Whether every matrix of the mask allows each query the keys up to its own position.
bool is_causal(const Tensor& mask, std::int64_t rows, std::int64_t columns) {
  if (rows != columns || mask.size() % (rows * columns) != 0) return false;
  for (std::int64_t at = 0; at < mask.size(); ++at) {
    const double v = mask.number(at);
    if (at % columns <= at / columns % rows ? v != 0 : v > kForbidden) return false;
  }
  return true;
}

// Whether all numbers can be added, and each row allows a key.
bool allows_each_row(const Tensor& mask, std::int64_t columns) {
  bool allows = true;
  for (std::int64_t at = 0; at < mask.size(); ++at) {
    const double v = mask.number(at);
    if (std::isnan(v) || v == std::numeric_limits<double>::infinity()) return false;
    if (at % columns == 0 && !allows) return false;
    allows = v > kForbidden || (allows && at % columns != 0);
  }
  return allows;
}

// The mask is that of decoders, which the operator applies by itself.
bool masks_causally(const AttentionMatch& m) {
  if (!m.mask) return false;
  const auto& dims = m.mask->constant->dims();
  const std::int64_t rows = dims[dims.size() - 2], columns = dims.back();
  return (*m.scores->type.shape)[2].is(rows) && is_causal(*m.mask->constant, rows, columns);
}

bool mask_fits(const AttentionMatch& m) {
  const Dim &rows = (*m.scores->type.shape)[2], &columns = (*m.scores->type.shape)[3];
  if (!m.mask->constant || !rows.is_const() || !columns.is_const()) return false;
  const auto& dims = m.mask->constant->dims();
  if (dims.size() < 2 || !columns.is(dims.back()) || m.mask->constant->size() == 0) return false;
  return masks_causally(m) || allows_each_row(*m.mask->constant, dims.back());
}

// [batch, heads, rows, columns], of equal batch and heads.
bool fits(const AttentionMatch& m, Value& y) {
  if (m.reshaped || m.nan_is_zero || m.bool_mask || m.factors.size() > 1) return false;
  for (const Value* v : {m.q, m.k, m.v, &y})
    if (v->type.rank() != 4) return false;
  const Shape &q = *m.q->type.shape, &k = *m.k->type.shape, &v = *m.v->type.shape;
  for (const std::size_t i : {0, 1})
    if (!(q[i] == k[i]) || !(q[i] == v[i]) || !(q[i] == (*y.type.shape)[i])) return false;
  return q[1].is_const() && q[3].is_const() && k[3] == v[2] && (!m.mask || mask_fits(m));
}

// ---- heads that are split and joined around it --------------------------------------------------

// x [batch, length, heads * width] of Transpose(Reshape(x)); null if it is made otherwise.
Value* before_split(const Value* heads, const Perm& perm) {
  const Node* transpose = heads->producer;
  if (heads->constant || !is_a(transpose, "Transpose") || !is_transpose(transpose, perm))
    return nullptr;
  const Node* split = transpose->inputs[0]->producer;
  if (!is_a(split, "Reshape")) return nullptr;
  Value* const x = split->inputs[0];
  const Type& parts = split->outputs[0]->type;
  if (!x->type.has_rank() || x->type.rank() != 3) return nullptr;
  const Shape &whole = *x->type.shape, &own = *parts.shape;
  return whole[0] == own[0] && whole[1] == own[1] ? x : nullptr;
}

// The Reshape that joins the heads of the result; null if there is none.
Node* join_of(const Node& product) {
  const Node* transpose = only_reader(product.outputs[0], "Transpose");
  if (!is_transpose(transpose, {0, 2, 1, 3})) return nullptr;
  Node* join = only_reader(transpose->outputs[0], "Reshape");
  if (!join || !join->outputs[0]->type.has_rank() || join->outputs[0]->type.rank() != 3)
    return nullptr;
  const Shape &own = *transpose->outputs[0]->type.shape, &whole = *join->outputs[0]->type.shape;
  return whole[0] == own[0] && whole[1] == own[1] ? join : nullptr;
}

// ---- rewriting ----------------------------------------------------------------------------------

// Keys as the operator wants them, [batch, heads, keys, width].
Value* keys_as_rows(GraphEditor& editor, Value* k) {
  const Node* made = k->constant ? nullptr : k->producer;
  Perm perm = {0, 1, 2, 3};
  if (is_a(made, "Transpose")) {
    if (const Perm* own = ops::NodeView(*made).find_ints("perm")) {
      perm = *own;
      k = made->inputs[0];
    }
  }
  std::swap(perm[2], perm[3]);
  if (perm == Perm{0, 1, 2, 3}) return k;
  Type type = k->type;
  for (std::size_t i = 0; i < 4; ++i)
    (*type.shape)[i] = (*k->type.shape)[static_cast<std::size_t>(perm[i])];
  return editor.emit("Transpose", {k}, type, {{"perm", perm}});
}

// The factor as an attribute; queries that are scaled where a float would round it.
float scale_of(GraphEditor& editor, const AttentionMatch& m, Value*& q) {
  if (m.factors.empty()) return 1.0f;
  const auto [factor, divides] = m.factors[0];
  const double number = factor->constant->number(0);
  const auto scale = static_cast<float>(divides ? 1.0 / number : number);
  const bool exact = !divides && double{scale} == number;
  if (q->type.elem == ElemType::float32 || exact) return scale;
  q = editor.emit(divides ? "Div" : "Mul", {q, factor}, q->type);
  return 1.0f;
}

struct Operands {
  Value *q, *k, *v;
  Node* last;  // whose result the Attention makes
  std::int64_t heads = 0;
};

Operands operands_of(GraphEditor& editor, const AttentionMatch& m, Node& product) {
  Node* const join = join_of(product);
  Value *const q = before_split(m.q, {0, 2, 1, 3}), *const k = before_split(m.k, {0, 2, 3, 1}),
               *const v = before_split(m.v, {0, 2, 1, 3});
  if (join && q && k && v) return {q, k, v, join, (*m.q->type.shape)[1].value()};
  return {m.q, keys_as_rows(editor, m.k), m.v, &product};
}

void rewrite(GraphEditor& editor, const AttentionMatch& m, Node& product) {
  Operands o = operands_of(editor, m, product);
  Attributes attributes;
  attributes["scale"] = scale_of(editor, m, o.q);
  const bool causal = masks_causally(m);
  if (causal) attributes["is_causal"] = std::int64_t{1};
  if (o.heads > 0) attributes["q_num_heads"] = attributes["kv_num_heads"] = o.heads;
  std::vector<Value*> inputs = {o.q, o.k, o.v};
  if (m.mask && !causal) inputs.push_back(m.mask);
  editor.fuse(m.nodes, *o.last, ops::get("Attention"), inputs, attributes);
}

}  // namespace

void restore_attention(Graph& graph, PassContext& context) {
  const auto& nodes = graph.nodes;
  const bool differentiates = std::any_of(
      nodes.begin(), nodes.end(), [](const auto& node) { return !node->op->named_values.empty(); });
  if (!differentiates || context.diagnostics.has_errors()) return;
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    const auto match = match_attention(node);
    if (match && fits(*match, *node.outputs[0])) rewrite(editor, *match, node);
  });
}

}  // namespace onnxc::passes
