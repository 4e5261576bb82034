// Finds attention, from the second product back to the first.
#include "compiler/passes/fusion/match_attention.hpp"

#include <algorithm>
#include <utility>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/fusion/constant_number.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

constexpr std::size_t kMostFactors = 8;

// The producer of `v` if it has exactly this number of readers.
const Node* only_for(const Value* v, std::size_t readers = 1) {
  return !v->constant && v->users().size() == readers ? v->producer : nullptr;
}

bool find_scores(Value* v, AttentionMatch& m);

// The input of a Reshape that keeps the last axis: old versions of Softmax need a matrix.
Value* before_reshape(Value* v, AttentionMatch& m) {
  const Node* n = only_for(v);
  if (!is_a(n, "Reshape") && !is_a(n, "Flatten")) return v;
  Value* x = n->inputs[0];
  if (!is_matrix(x) || !is_matrix(v) || !(x->type.shape->back() == v->type.shape->back())) return v;
  m.nodes.push_back(n);
  m.reshaped = true;
  const Node* shape = n->inputs.size() > 1 ? only_for(n->inputs[1]) : nullptr;
  if (is_a(shape, "Shape")) m.measured = shape->inputs[0];
  return x;
}

// The x of Where(IsNaN(x), 0, x).
Value* before_zeros(Value* v, AttentionMatch& m) {
  const Node* where = only_for(v);
  if (!is_a(where, "Where") || constant_number(where->inputs[1]) != 0.0) return v;
  const Node* test = only_for(where->inputs[0]);
  if (!is_a(test, "IsNaN") || test->inputs[0] != where->inputs[2]) return v;
  m.nodes.insert(m.nodes.end(), {where, test});
  m.nan_is_zero = true;
  return where->inputs[2];
}

bool find_weights(Value* weights, AttentionMatch& m) {
  weights = before_reshape(before_zeros(weights, m), m);
  const Node* softmax = only_for(weights, m.nan_is_zero ? 2 : 1);
  if (!is_a(softmax, "Softmax") || !is_matrix(weights)) return false;
  const std::int64_t axis = ops::NodeView(*softmax).attr_int("axis");
  if (axis != -1 && axis != static_cast<std::int64_t>(weights->type.rank()) - 1) return false;
  m.nodes.push_back(softmax);
  return find_scores(before_reshape(softmax->inputs[0], m), m);
}

// Products of a batch of matrices, with masks that have more batch axes.
bool take_view(const Node& n, AttentionMatch& m) {
  Value* x = n.inputs[0];
  const Shape& to = *m.scores->type.shape;
  if (!is_matrix(x) || !std::equal(to.end() - 2, to.end(), x->type.shape->end() - 2)) return false;
  m.scores = x;
  m.reshaped = true;
  return find_scores(x, m);
}

bool take_factor(const Node& n, AttentionMatch& m) {
  const bool divides = is_a(&n, "Div");
  const std::size_t at = constant_number(n.inputs[1]) || divides ? 1 : 0;
  if (!constant_number(n.inputs[at]) || m.factors.size() == kMostFactors) return false;
  m.factors.push_back({n.inputs[at], divides});
  return find_scores(n.inputs[1 - at], m);
}

bool take_mask(const Node& n, AttentionMatch& m) {
  for (std::size_t i : {0, 1}) {
    AttentionMatch with = m;
    with.mask = n.inputs[1 - i];
    with.masked = m.scores;
    if (with.mask->type.has_rank() && find_scores(n.inputs[i], with)) {
      m = std::move(with);
      return true;
    }
  }
  return false;
}

bool take_condition(const Node& n, AttentionMatch& m) {
  const auto yes = constant_number(n.inputs[1]), no = constant_number(n.inputs[2]);
  if (!yes == !no || !n.inputs[0]->type.has_rank()) return false;
  if (m.masked && *m.masked->type.shape != *m.scores->type.shape) return false;
  m.masked = m.scores;
  m.bool_mask = n.inputs[0];
  m.mask_keeps = !yes;
  m.masked_value = static_cast<float>(yes ? *yes : *no);
  return find_scores(n.inputs[yes ? 2 : 1], m);
}

// From the softmax's input back to the product of queries and keys.
bool find_scores(Value* v, AttentionMatch& m) {
  const Node* n = only_for(v, v == m.measured ? 2 : 1);
  if (!n || !is_matrix(v)) return false;
  if (m.scores && *m.scores->type.shape != *v->type.shape) return false;
  m.scores = v;
  m.nodes.push_back(n);
  if (is_a(n, "Reshape")) return take_view(*n, m);
  if (is_a(n, "MatMul")) {
    m.q = n->inputs[0];
    m.k = n->inputs[1];
    return is_matrix(m.q) && is_matrix(m.k);
  }
  if (is_a(n, "Mul") || is_a(n, "Div")) return take_factor(*n, m);
  if (m.bool_mask || !m.factors.empty()) return false;
  if (is_a(n, "Add")) return !m.mask && take_mask(*n, m);
  return is_a(n, "Where") && take_condition(*n, m);
}

}  // namespace

bool is_matrix(const Value* v) {
  return v && (v->type.elem == ElemType::float32 || v->type.elem == ElemType::float64) &&
         v->type.has_rank() && v->type.rank() >= 2;
}

std::optional<AttentionMatch> match_attention(const Node& product) {
  if (!is_a(&product, "MatMul")) return std::nullopt;
  AttentionMatch m;
  m.v = product.inputs[1];
  m.nodes = {&product};
  const bool found =
      is_matrix(product.outputs[0]) && is_matrix(m.v) && find_weights(product.inputs[0], m);
  return found ? std::optional(std::move(m)) : std::nullopt;
}

}  // namespace onnxc::passes
