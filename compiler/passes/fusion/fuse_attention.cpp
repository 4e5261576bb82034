// fuse_attention: softmax(scaled, masked product of queries and keys) times values becomes one
// node, which keeps one block of score rows at a time. Transposes and similar operators around it
// become strides. Requires: types. Produces: onnxc::DotProductAttention. Leaves alone: scores or
// weights with other readers; masks that are not strided views; with --fp strict, forms that would
// round differently.
#include <algorithm>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/fusion/strided.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

// The batch axes of a stack of matrices that the kernel iterates over.
constexpr std::size_t kBatchAxes = 3;

// The nodes and operands of one attention. q [.., rows, width], k [.., width, keys], v [.., keys,
// v_width].
struct Match {
  Value *q = nullptr, *k = nullptr, *v = nullptr, *mask = nullptr, *bool_mask = nullptr;
  const Value* scores = nullptr;    // the product of queries and keys
  const Value* masked = nullptr;    // the scores in the shape that the masks see
  const Value* measured = nullptr;  // value whose Shape a matched Reshape reads
  float scale = 1, divisor = 1, masked_value = 0;
  int factors = 0;
  bool mask_keeps = true, nan_is_zero = false;
  std::vector<const Node*> nodes;  // from the last to the first
};

std::optional<float> scalar(const Value* v) {
  const bool one =
      v && v->constant && v->type.elem == ElemType::float32 && v->constant->size() == 1;
  return one ? std::optional<float>(v->constant->as<float>()[0]) : std::nullopt;
}

bool is_float(const Value* v) {
  return v && v->type.elem == ElemType::float32 && v->type.has_rank() && v->type.rank() >= 2;
}

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

class AttentionFusion {
 public:
  AttentionFusion(Graph& graph, bool strict) : graph_(graph), strict_(strict) {}

  void run() {
    for (const auto& node : graph_.nodes)
      if (is_a(node.get(), "MatMul")) rewrite(*node);
  }

 private:
  // The producer of `v` if it has exactly this number of readers.
  static const Node* only_for(const Value* v, std::size_t readers = 1) {
    return !v->constant && v->users().size() == readers ? v->producer : nullptr;
  }

  // The input of a Reshape that keeps the last axis: old versions of Softmax need a matrix.
  Value* before_reshape(Value* v, Match& m) const {
    const Node* n = only_for(v);
    if (!is_a(n, "Reshape") && !is_a(n, "Flatten")) return v;
    Value* x = n->inputs[0];
    if (!is_float(x) || !is_float(v) || !(x->type.shape->back() == v->type.shape->back())) return v;
    m.nodes.push_back(n);
    const Node* shape = n->inputs.size() > 1 ? only_for(n->inputs[1]) : nullptr;
    if (is_a(shape, "Shape")) m.measured = shape->inputs[0];
    return x;
  }

  // The x of Where(IsNaN(x), 0, x).
  Value* before_zeros(Value* v, Match& m) const {
    const Node* where = only_for(v);
    if (!is_a(where, "Where") || scalar(where->inputs[1]) != 0.0f) return v;
    const Node* test = only_for(where->inputs[0]);
    if (!is_a(test, "IsNaN") || test->inputs[0] != where->inputs[2]) return v;
    m.nodes.insert(m.nodes.end(), {where, test});
    m.nan_is_zero = true;
    return where->inputs[2];
  }

  bool find_weights(Value* weights, Match& m) const {
    weights = before_reshape(before_zeros(weights, m), m);
    const Node* softmax = only_for(weights, m.nan_is_zero ? 2 : 1);
    if (!is_a(softmax, "Softmax") || !is_float(weights)) return false;
    const std::int64_t axis = ops::NodeView(*softmax).attr_int("axis");
    if (axis != -1 && axis != static_cast<std::int64_t>(weights->type.rank()) - 1) return false;
    m.nodes.push_back(softmax);
    return find_scores(before_reshape(softmax->inputs[0], m), m);
  }

  // From the softmax's input back to the product of queries and keys.
  bool find_scores(Value* v, Match& m) const {
    const Node* n = only_for(v, v == m.measured ? 2 : 1);
    if (!n || !is_float(v) || !n->body.empty()) return false;
    if (m.scores && *m.scores->type.shape != *v->type.shape) return false;
    m.scores = v;
    m.nodes.push_back(n);
    if (is_a(n, "Reshape")) return take_view(*n, m);
    if (is_a(n, "MatMul")) {
      m.q = n->inputs[0];
      m.k = n->inputs[1];
      return true;
    }
    if (is_a(n, "Mul") || is_a(n, "Div")) return take_factor(*n, m);
    if (m.bool_mask || m.factors > 0) return false;
    if (is_a(n, "Add")) return !m.mask && take_mask(*n, m);
    return is_a(n, "Where") && take_condition(*n, m);
  }

  // Products of a batch of matrices, with masks that have more batch axes.
  bool take_view(const Node& n, Match& m) const {
    Value* x = n.inputs[0];
    if (!is_float(x) || matrix_of(*x->type.shape) != matrix_of(*m.scores->type.shape)) return false;
    m.scores = x;
    return find_scores(x, m);
  }

  bool take_factor(const Node& n, Match& m) const {
    const bool divides = n.op->name == "Div";
    const std::size_t at = scalar(n.inputs[1]) || divides ? 1 : 0;
    const auto factor = scalar(n.inputs[at]);
    if (!factor || ++m.factors > (strict_ ? 1 : 8)) return false;
    if (!divides)
      m.scale *= *factor;
    else if (strict_)
      m.divisor = *factor;
    else
      m.scale /= *factor;
    return find_scores(n.inputs[1 - at], m);
  }

  bool take_mask(const Node& n, Match& m) const {
    for (std::size_t i : {0, 1}) {
      Match with = m;
      with.mask = n.inputs[1 - i];
      with.masked = m.scores;
      if (with.mask->type.has_rank() && find_scores(n.inputs[i], with)) {
        m = std::move(with);
        return true;
      }
    }
    return false;
  }

  bool take_condition(const Node& n, Match& m) const {
    const auto yes = scalar(n.inputs[1]), no = scalar(n.inputs[2]);
    if (!yes == !no || !n.inputs[0]->type.has_rank()) return false;
    if (m.masked && *m.masked->type.shape != *m.scores->type.shape) return false;
    m.masked = m.scores;
    m.bool_mask = n.inputs[0];
    m.mask_keeps = !yes;
    m.masked_value = yes ? *yes : *no;
    return find_scores(n.inputs[yes ? 2 : 1], m);
  }

  // Queries and keys that are scaled before the product, as exporters do against float16 overflow.
  void take_scaled(Value*& v, Match& m) const {
    const Node* n = strict_ ? nullptr : only_for(v);
    if (!is_a(n, "Mul") && !is_a(n, "Div")) return;
    const auto factor = scalar(n->inputs[1]);
    if (!factor || *n->inputs[0]->type.shape != *v->type.shape) return;
    m.scale = n->op->name == "Div" ? m.scale / *factor : m.scale * *factor;
    m.nodes.push_back(n);
    v = n->inputs[0];
  }

  // The only reader of a value, if it has this operator.
  Node* only_reader(const Value* v, const char* op) const {
    Node* reader = only_user(*v);
    return is_a(reader, op) && reader->graph == &graph_ ? reader : nullptr;
  }

  // Matches a Transpose after the product, possibly of a reshaped result.
  std::optional<Result> transposed(const Node& product) const {
    Result r;
    const Value* y = product.outputs[0];
    if (const Node* view = only_reader(y, "Reshape")) {
      const Value* x = view->outputs[0];
      if (!is_float(x) || matrix_of(*x->type.shape) != matrix_of(*y->type.shape))
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

  void rewrite(Node& product) {
    Match m;
    m.nodes.push_back(&product);
    m.v = product.inputs[1];
    if (!is_float(product.outputs[0]) || !is_float(m.v)) return;
    if (!find_weights(product.inputs[0], m)) return;
    take_scaled(m.q, m);
    take_scaled(m.k, m);
    if (!is_float(m.q) || !is_float(m.k)) return;
    const Shape& own = *product.outputs[0]->type.shape;
    const auto with_transpose = transposed(product);
    if (with_transpose && become(m, own, *with_transpose)) return;
    become(m, own, {&product, own, nullptr, {}});
  }

  static bool become(const Match& m, const Shape& own, const Result& result) {
    const auto groups = groups_of(m);
    if (groups && become(m, own, result, *groups)) return true;
    return become(m, own, result, finest(m, batch_of(result.dims)));
  }

  // The batch axes of values before heads that share them were merged: groups of heads.
  static std::optional<Shape> groups_of(const Match& m) {
    const Node* merge = m.v->producer;
    if (m.v->constant || !is_a(merge, "Reshape") || !is_float(merge->inputs[0]))
      return std::nullopt;
    const Shape &from = *merge->inputs[0]->type.shape, &to = *m.v->type.shape;
    if (from.size() <= to.size() || matrix_of(from) != matrix_of(to)) return std::nullopt;
    return batch_of(from);
  }

  // The finest split of the batch axes: the longest list.
  static Shape finest(const Match& m, const Shape& y_batch) {
    Shape batch = batch_of(*m.scores->type.shape);
    if (m.masked && m.masked->type.rank() > batch.size() + 2)
      batch = batch_of(*m.masked->type.shape);
    return y_batch.size() > batch.size() ? y_batch : batch;
  }

  // Replaces the last node by the attention; false if strides cannot express it. own: the shape of
  // the second product.
  static bool become(const Match& m, const Shape& own, const Result& result, Shape batch) {
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

  struct Operands {
    ValueView q, k, v, mask, bool_mask, y;
  };

  // Keys as the kernel reads them: one per row.
  static View transposed_matrix(const View& v) {
    return transpose(v, {0, 1, 2, kBatchAxes + 1, kBatchAxes});
  }

  static Attributes attributes_of(const Match& m, const Operands& o) {
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

  static void replace(const Match& m, const Result& result, const Operands& o) {
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

  // A mask for every row and key of the scores; without a mask an empty view.
  static std::optional<ValueView> mask_of(Value* given, const Shape& own, const Shape& batch,
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

  Graph& graph_;
  bool strict_;
};

}  // namespace

void fuse_attention(Graph& graph, PassContext& context) {
  if (context.options.optimize_size) return;
  AttentionFusion(graph, context.options.strict_fp).run();
}

}  // namespace onnxc::passes
