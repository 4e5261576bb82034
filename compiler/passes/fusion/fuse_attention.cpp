// fuse_attention: softmax(scaled, masked product of queries and keys) times values becomes one
// node, which keeps one block of score rows at a time. Transposes and similar operators around it
// become strides. Requires: types. Produces: onnxc::DotProductAttention. Leaves alone: scores or
// weights with other readers; masks that are not strided views; with --fp strict, forms that would
// round differently.
#include <algorithm>
#include <cmath>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/fusion/constant_number.hpp"
#include "compiler/passes/fusion/match_attention.hpp"
#include "compiler/passes/fusion/strided.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

// The batch axes of a stack of matrices that the kernel iterates over.
constexpr std::size_t kBatchAxes = 3;

struct Match : AttentionMatch {
  float scale = 1, divisor = 1;
};

Shape batch_of(const Shape& dims) { return {dims.begin(), dims.end() - 2}; }

Shape matrix_of(const Shape& dims) { return {dims.end() - 2, dims.end()}; }

// The matrix axes after the axes of a batch.
Shape with_matrix(Shape batch, const Shape& dims) {
  batch.insert(batch.end(), dims.end() - 2, dims.end());
  return batch;
}

// An operand as the kernel reads it: the batch axes of the scores, then the matrix axes; nullopt if
// the operand has other axes.
std::optional<ValueView> operand_of(const ValueView& x, const Shape& batch) {
  auto view = broadcast(x.view, with_matrix(batch, x.view.dims));
  if (!view) return std::nullopt;
  // An axis of one element may have any stride: 0 in a batch, 1 in a matrix.
  for (std::size_t i = 0; i < view->rank(); ++i)
    if (view->dims[i].is(1)) view->strides[i] = i < batch.size() ? 0 : 1;
  return ValueView{x.base, *view};
}

// Strides of the matrices of an operand.
const Dim& row_stride(const ValueView& o) { return o.view.strides[o.view.rank() - 2]; }
const Dim& column_stride(const ValueView& o) { return o.view.strides.back(); }

// The shape of an operand whose batch axes equal `own`, or broadcast to it, after these are split
// into the axes `batch`.
std::optional<Shape> split_shape(const Shape& dims, const Shape& own, const Shape& batch) {
  if (own == batch) return dims;
  Shape first = batch_of(dims), split;
  if (first.size() > own.size()) return std::nullopt;
  first.insert(first.begin(), own.size() - first.size(), Dim(1));
  std::size_t k = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!(first[i] == own[i]) && !first[i].is(1)) return std::nullopt;
    Dim count = 1;
    for (bool begun = false; k < batch.size() && !(begun && count == own[i]); ++k, begun = true) {
      count = count * batch[k];
      split.push_back(first[i] == own[i] ? batch[k] : Dim(1));
    }
    if (!(count == own[i])) return std::nullopt;
  }
  if (k != batch.size()) return std::nullopt;
  split.insert(split.end(), dims.end() - 2, dims.end());
  return split;
}

std::optional<ValueView> in_axes(const ValueView& x, const Shape& own, const Shape& batch) {
  const auto dims = split_shape(x.view.dims, own, batch);
  return dims ? reshape(x, *dims) : std::nullopt;
}

// A view of the earliest tensor that holds the operand; of the operand itself if its rows are not
// contiguous there, or, with `either`, neither its rows nor its columns.
std::optional<ValueView> find_operand(Value* v, const Shape& own, const Shape& batch, bool either) {
  const auto dims = split_shape(*v->type.shape, own, batch);
  for (const bool earliest : {true, false}) {
    if (!dims) break;
    const auto x = earliest ? view_of_earliest_as(v, *dims) : reshape(view_of_itself(v), *dims);
    const auto o = x ? operand_of(*x, batch) : std::nullopt;
    if (o && (column_stride(*o).is(1) || (either && row_stride(*o).is(1)))) return o;
  }
  return std::nullopt;
}

// A mask for every row and key of the scores; without a mask an empty view.
std::optional<ValueView> mask_of(Value* given, const Shape& own, const Shape& batch,
                                 const Shape& scores) {
  const Shape dims = with_matrix(batch, scores);
  if (!given) return ValueView{nullptr, {dims, Shape(dims.size(), Dim(0)), 0}};
  for (const bool earliest : {true, false}) {
    ValueView x = earliest ? view_of_earliest(given) : view_of_itself(given);
    while (x.view.rank() < 2) {
      x.view.dims.insert(x.view.dims.begin(), Dim(1));
      x.view.strides.insert(x.view.strides.begin(), Dim(0));
    }
    if (!(x.view.dims.back() == scores.back())) return std::nullopt;
    const auto split = in_axes(x, own, batch);
    auto o = split ? operand_of(*split, batch) : std::nullopt;
    if (!o || !column_stride(*o).is(1)) continue;
    auto view = broadcast(o->view, dims);
    if (!view) return std::nullopt;
    if (o->view.dims[batch.size()].is(1)) view->strides[batch.size()] = 0;
    return ValueView{o->base, *view};
  }
  return std::nullopt;
}

// The result of the second product, possibly reshaped, and the order in which it is written: its
// own, or that of the Transpose after it.
struct Result {
  Node* last = nullptr;
  Shape dims;
  const std::vector<std::int64_t>* perm = nullptr;
  std::vector<const Node*> nodes;  // after the product

  ValueView view() const {
    const View out = dense_view(*last->outputs[0]->type.shape);
    View x{dims, out.strides, 0};
    for (std::size_t i = 0; perm && i < dims.size(); ++i)
      x.strides[static_cast<std::size_t>((*perm)[i])] = out.strides[i];
    return {last->outputs[0], x};
  }
};

// Merges neighbouring batch axes that are contiguous in all operands and drops axes of one element;
// false if more axes remain than the kernel supports.
bool collapse_batch(Shape batch, const std::vector<ValueView*>& operands) {
  std::vector<Shape> own;
  for (const ValueView* o : operands) own.push_back(batch_of(o->view.strides));
  std::vector<Shape*> strides;
  for (Shape& list : own) strides.push_back(&list);
  collapse(batch, strides);
  if (batch.size() > kBatchAxes) return false;
  const std::size_t missing = kBatchAxes - batch.size();
  batch.insert(batch.begin(), missing, Dim(1));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    View& v = operands[i]->view;
    own[i].insert(own[i].begin(), missing, Dim(0));
    v.dims = with_matrix(batch, v.dims);
    v.strides = with_matrix(own[i], v.strides);
  }
  return true;
}

// Matches a Transpose after the product, possibly of a reshaped result.
std::optional<Result> transposed(const Node& product) {
  Result r;
  const Value* y = product.outputs[0];
  if (const Node* view = only_reader(y, "Reshape")) {
    const Value* x = view->outputs[0];
    if (!is_matrix(x) || matrix_of(*x->type.shape) != matrix_of(*y->type.shape))
      return std::nullopt;
    r.nodes.push_back(view);
    y = x;
  }
  r.last = only_reader(y, "Transpose");
  r.perm = r.last ? ops::NodeView(*r.last).find_ints("perm") : nullptr;
  if (!r.perm) return std::nullopt;
  r.dims = *y->type.shape;
  r.nodes.insert(r.nodes.begin(), r.last);
  return r;
}

// The batch axes of values before heads that share them were merged: groups of heads.
std::optional<Shape> groups_of(const Match& m) {
  const Node* merge = m.v->producer;
  if (m.v->constant || !is_a(merge, "Reshape") || !is_matrix(merge->inputs[0])) return std::nullopt;
  const Shape &from = *merge->inputs[0]->type.shape, &to = *m.v->type.shape;
  if (from.size() <= to.size() || matrix_of(from) != matrix_of(to)) return std::nullopt;
  return batch_of(from);
}

// The finest split of the batch axes: the longest list.
Shape finest(const Match& m, const Shape& y_batch) {
  Shape batch = batch_of(*m.scores->type.shape);
  if (m.masked && m.masked->type.rank() > batch.size() + 2) batch = batch_of(*m.masked->type.shape);
  return y_batch.size() > batch.size() ? y_batch : batch;
}

struct Operands {
  ValueView q, k, v, mask, bool_mask, y;
};

// Keys as the kernel reads them: one per row.
View transposed_matrix(const View& v) {
  return transpose(v, {0, 1, 2, kBatchAxes + 1, kBatchAxes});
}

Attributes attributes_of(const Match& m, const Operands& o) {
  Attributes attributes = {{"q", o.q.view},    {"k", transposed_matrix(o.k.view)},
                           {"v", o.v.view},    {"y", o.y.view},
                           {"scale", m.scale}, {"divisor", m.divisor}};
  if (m.nan_is_zero) attributes["nan_is_zero"] = std::int64_t{1};
  if (m.mask) attributes["mask"] = o.mask.view;
  if (m.bool_mask) {
    attributes["bool_mask"] = o.bool_mask.view;
    attributes["masked_value"] = m.masked_value;
    attributes["mask_keeps"] = std::int64_t{m.mask_keeps};
  }
  return attributes;
}

void replace(const Match& m, const Result& result, const Operands& o) {
  std::vector<const Node*> nodes = result.nodes;
  nodes.insert(nodes.end(), m.nodes.begin(), m.nodes.end());
  Node& node = *result.last;
  std::vector<std::string> sources;
  for (std::size_t i = nodes.size(); i-- > 0;)
    sources.insert(sources.end(), nodes[i]->sources.begin(), nodes[i]->sources.end());
  node.op = &ops::get("DotProductAttention", "onnxc");
  node.op_type = "Attention";
  node.inputs = {o.q.base, o.k.base, o.v.base};
  if (m.mask || m.bool_mask) node.inputs.push_back(o.mask.base);
  if (m.bool_mask) node.inputs.push_back(o.bool_mask.base);
  node.attributes = attributes_of(m, o);
  node.sources = std::move(sources);
}

// Replaces the last node by the attention; false if strides cannot express it. own: the shape of
// the second product.
bool become(const Match& m, const Shape& own, const Result& result, Shape batch) {
  const Shape& scores = *m.scores->type.shape;
  const Shape scores_batch = batch_of(scores), own_batch = batch_of(own);
  if (!(product(scores_batch) == product(own_batch)) ||
      !(scores[scores.size() - 2] == own[own.size() - 2]))
    return false;
  const Shape masked = m.masked ? batch_of(*m.masked->type.shape) : batch;
  auto q = find_operand(m.q, scores_batch, batch, false),
       k = find_operand(m.k, scores_batch, batch, true),
       v = find_operand(m.v, own_batch, batch, false),
       mask = mask_of(m.mask, masked, batch, scores),
       bool_mask = mask_of(m.bool_mask, masked, batch, scores);
  const auto written = in_axes(result.view(), batch_of(result.dims), batch);
  auto y = written ? operand_of(*written, batch) : std::nullopt;
  if (!q || !k || !v || !mask || !bool_mask || !y || !column_stride(*y).is(1)) return false;
  Operands o{*q, *k, *v, *mask, *bool_mask, *y};
  if (!collapse_batch(batch, {&o.q, &o.k, &o.v, &o.mask, &o.bool_mask, &o.y})) return false;
  replace(m, result, o);
  return true;
}

// Queries and keys that are scaled before the product, as exporters do against float16 overflow.
void take_scaled(Value*& v, Match& m) {
  const Node* n = producer_for_one(*v);
  if (!is_a(n, "Mul") && !is_a(n, "Div")) return;
  if (!constant_number(n->inputs[1]) || n->inputs[0]->type.shape != v->type.shape) return;
  m.factors.push_back({n->inputs[1], is_a(n, "Div")});
  m.nodes.push_back(n);
  v = n->inputs[0];
}

// Strict: one factor at most, and a division stays one. False, too, for a scale that a float cannot
// hold.
bool take_factors(Match& m, bool strict) {
  if (strict && m.factors.size() > 1) return false;
  if (!strict) {
    take_scaled(m.q, m);
    take_scaled(m.k, m);
  }
  for (const AttentionMatch::Factor& f : m.factors) {
    const float number = f.number->constant->as<float>()[0];
    if (!f.divides)
      m.scale *= number;
    else if (strict)
      m.divisor = number;
    else
      m.scale /= number;
  }
  return std::isnormal(m.scale);
}

void rewrite(Node& product, bool strict) {
  auto found = match_attention(product);
  if (!found || found->v->type.elem != ElemType::float32) return;
  Match m{std::move(*found)};
  if (!take_factors(m, strict)) return;
  const Shape& own = *product.outputs[0]->type.shape;
  const auto groups = groups_of(m);
  const auto become_result = [&](const Result& result) {
    return (groups && become(m, own, result, *groups)) ||
           become(m, own, result, finest(m, batch_of(result.dims)));
  };
  const auto with_transpose = transposed(product);
  if (!with_transpose || !become_result(*with_transpose))
    become_result({&product, own, nullptr, {}});
}

}  // namespace

void fuse_attention(Graph& graph, PassContext& context) {
  if (context.options.optimize_size) return;
  for (const auto& node : graph.nodes) rewrite(*node, context.options.strict_fp);
}

}  // namespace onnxc::passes
