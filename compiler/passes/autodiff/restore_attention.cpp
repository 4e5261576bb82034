// restore_attention: in a graph with derivatives, softmax(scale * q * k + mask) * v becomes the
// operator Attention, whose derivative needs no matrix of weights.
//
// Needs: types. Produces: Attention, of rank 3 where heads are split and joined around it. Leaves
// alone: tensors with other readers, which a Gradient may name; masks that are not constant or that
// leave a query without a key, where Attention gives zeros instead of NaN.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

using Perm = std::vector<std::int64_t>;

// Numbers from here down count as minus infinity: added to a score they leave nothing of it.
constexpr double kForbidden = -1e30;

struct Match {
  Value *q = nullptr, *k = nullptr, *v = nullptr;  // k: [batch, heads, width, keys]
  Value *factor = nullptr, *mask = nullptr;        // of one element; of numbers to add
  bool divides = false, causal = false;
  std::vector<const Node*> nodes;  // from the last to the first
};

bool is_number(const Value* v) { return v->constant && v->constant->size() == 1; }

// The producer of a value that only this reader has, if it is this operator.
const Node* only_from(const Value* v, const char* op) {
  const Node* n = producer_for_one(*v);
  return is_a(n, op) && n->body.empty() ? n : nullptr;
}

Node* only_to(const Value* v, const char* op) {
  Node* n = only_user(*v);
  return is_a(n, op) ? n : nullptr;
}

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

bool take_mask(Value& added, Match& m) {
  const Shape& scores = *m.nodes.back()->outputs[0]->type.shape;
  const Dim &rows = scores[2], &columns = scores[3];
  if (!added.constant || !rows.is_const() || !columns.is_const()) return false;
  const Tensor& mask = *added.constant;
  const auto& dims = mask.dims();
  if (dims.size() < 2 || dims.back() != columns.value() || mask.size() == 0) return false;
  m.causal =
      dims[dims.size() - 2] == rows.value() && is_causal(mask, rows.value(), columns.value());
  if (!m.causal) m.mask = &added;
  return m.causal || allows_each_row(mask, columns.value());
}

// ---- the match, from the second product back to the first ---------------------------------------

bool take_scores(Value* scores, Match& m);

bool take_sum(const Node& add, Match& m) {
  m.nodes.push_back(&add);
  for (const std::size_t i : {0, 1})
    if (take_mask(*add.inputs[1 - i], m)) return take_scores(add.inputs[i], m);
  return false;
}

bool take_factor(const Node& n, Match& m) {
  m.divides = is_a(&n, "Div");
  const std::size_t at = is_number(n.inputs[1]) || m.divides ? 1 : 0;
  m.factor = n.inputs[at];
  m.nodes.push_back(&n);
  return is_number(m.factor) && take_scores(n.inputs[1 - at], m);
}

bool take_scores(Value* scores, Match& m) {
  const Node* n = producer_for_one(*scores);
  if (!n || !n->body.empty()) return false;
  if (is_a(n, "Add")) return !m.mask && !m.causal && !m.factor && take_sum(*n, m);
  if (is_a(n, "Mul") || is_a(n, "Div")) return !m.factor && take_factor(*n, m);
  if (!is_a(n, "MatMul")) return false;
  m.nodes.push_back(n);
  m.q = n->inputs[0];
  m.k = n->inputs[1];
  return true;
}

// [batch, heads, rows, columns], of equal batch and heads.
bool fits(const Match& m, const Shape& y) {
  for (const Value* v : {m.q, m.k, m.v})
    if (!v->type.has_rank() || v->type.rank() != 4) return false;
  const Shape &q = *m.q->type.shape, &k = *m.k->type.shape, &v = *m.v->type.shape;
  for (const std::size_t i : {0, 1})
    if (!(q[i] == k[i]) || !(q[i] == v[i]) || !(q[i] == y[i])) return false;
  return q[1].is_const() && q[3].is_const() && k[3] == v[2];
}

std::optional<Match> find(const Node& product) {
  Match m;
  m.nodes.push_back(&product);
  m.v = product.inputs[1];
  const Type& y = product.outputs[0]->type;
  if (!y.has_rank() || y.rank() != 4) return std::nullopt;
  if (y.elem != ElemType::float32 && y.elem != ElemType::float64) return std::nullopt;
  const Node* softmax = only_from(product.inputs[0], "Softmax");
  if (!softmax || !softmax->outputs[0]->type.has_rank()) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(softmax->outputs[0]->type.rank());
  const std::int64_t axis = ops::NodeView(*softmax).attr_int("axis");
  if (rank != 4 || (axis != -1 && axis != 3)) return std::nullopt;
  m.nodes.push_back(softmax);
  if (!take_scores(softmax->inputs[0], m) || !fits(m, *y.shape)) return std::nullopt;
  return m;
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
  const Node* transpose = only_to(product.outputs[0], "Transpose");
  if (!is_transpose(transpose, {0, 2, 1, 3})) return nullptr;
  Node* join = only_to(transpose->outputs[0], "Reshape");
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
float scale_of(GraphEditor& editor, const Match& m, Value*& q) {
  if (!m.factor) return 1.0f;
  const double number = m.factor->constant->number(0);
  const auto scale = static_cast<float>(m.divides ? 1.0 / number : number);
  const bool exact = !m.divides && double{scale} == number;
  if (q->type.elem == ElemType::float32 || exact) return scale;
  q = editor.emit(m.divides ? "Div" : "Mul", {q, m.factor}, q->type);
  return 1.0f;
}

struct Operands {
  Value *q, *k, *v;
  Node* last;  // whose result the Attention makes
  std::int64_t heads = 0;
};

Operands operands_of(GraphEditor& editor, const Match& m, Node& product) {
  Node* const join = join_of(product);
  Value *const q = before_split(m.q, {0, 2, 1, 3}), *const k = before_split(m.k, {0, 2, 3, 1}),
               *const v = before_split(m.v, {0, 2, 1, 3});
  if (join && q && k && v) return {q, k, v, join, (*m.q->type.shape)[1].value()};
  return {m.q, keys_as_rows(editor, m.k), m.v, &product};
}

void rewrite(GraphEditor& editor, const Match& m, Node& product) {
  Operands o = operands_of(editor, m, product);
  Attributes attributes;
  attributes["scale"] = scale_of(editor, m, o.q);
  if (m.causal) attributes["is_causal"] = std::int64_t{1};
  if (o.heads > 0) attributes["q_num_heads"] = attributes["kv_num_heads"] = o.heads;
  std::vector<Value*> inputs = {o.q, o.k, o.v};
  if (m.mask) inputs.push_back(m.mask);
  Value* const y = o.last->outputs[0];
  editor.before(*o.last);
  std::vector<std::string> sources;
  for (std::size_t i = m.nodes.size(); i-- > 0;)
    sources.insert(sources.end(), m.nodes[i]->sources.begin(), m.nodes[i]->sources.end());
  Node& node = editor.emit_as(y, "Attention", inputs, attributes);
  node.op_type = "Attention";
  node.sources = std::move(sources);
  editor.erase(*o.last);
}

}  // namespace

void restore_attention(Graph& graph, PassContext& context) {
  const auto& nodes = graph.nodes;
  const bool differentiates = std::any_of(
      nodes.begin(), nodes.end(), [](const auto& node) { return !node->op->named_values.empty(); });
  if (!differentiates || context.diagnostics.has_errors()) return;
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (!is_a(&node, "MatMul")) return;
    if (const auto match = find(node)) rewrite(editor, *match, node);
  });
}

}  // namespace onnxc::passes
