// decompose_einsum: an Einsum becomes sums over the axes that only one operand has, and a matrix
// product, or an element-wise product if no axis remains to sum, for one operand after the other.
// Requires: types. Produces: ReduceSum, Transpose, Reshape, MatMul, Mul, Identity. Leaves alone: a
// label that a term repeats, operands that broadcast against each other, element types that MatMul
// does not support, and three or more operands if an intermediate product would be larger than the
// inputs and the output, or if they are float16.
#include <algorithm>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/matmul/einsum_equation.hpp"
#include "compiler/passes/infer/infer.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

using ops::Labels;

bool has(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

Labels concatenated(std::initializer_list<Labels> parts) {
  Labels all;
  for (const Labels& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

struct Operand {
  Value* value;
  Labels labels;
};

// The roles of the labels when two operands are multiplied.
struct Roles {
  Labels batch, left, right, summed;

  Roles(const Labels& a, const Labels& b, const Labels& kept) {
    for (int label : a) (has(b, label) ? has(kept, label) ? batch : summed : left).push_back(label);
    for (int label : b)
      if (!has(a, label)) right.push_back(label);
  }
};

class Contraction {
 public:
  Contraction(GraphEditor& editor, const Node& node)
      : editor_(editor), node_(node), equation_(ops::read_equation(ops::NodeView(node))) {}

  bool possible() const {
    const Type& type = node_.outputs[0]->type;
    const ops::Formal* formal = ops::signature(ops::get("MatMul")).input(0);
    if (!contains(formal->mask, type.elem)) return false;
    for (std::size_t i = 0; i < equation_.inputs.size(); ++i)
      if (!walks_plainly(equation_.inputs[i], *node_.inputs[i]->type.shape)) return false;
    return equation_.inputs.size() <= 2 ? reshapes_are_known() : stays_small(type);
  }

  // Adds the nodes; the last one makes the output of the Einsum.
  void run() {
    Operand product{node_.inputs[0], equation_.inputs[0]};
    if (equation_.inputs.size() == 1) product = sum(product, equation_.output);
    for (std::size_t i = 1; i < equation_.inputs.size(); ++i)
      product = multiply(product, {node_.inputs[i], equation_.inputs[i]}, kept_after(i));
    Value* y = transpose(product, equation_.output);
    editor_.emit_as(node_.outputs[0], "Identity", {y});
  }

 private:
  // Whether every label occurs once and no operand broadcasts along it.
  bool walks_plainly(const Labels& labels, const Shape& shape) const {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const bool repeated = std::count(labels.begin(), labels.end(), labels[i]) > 1;
      // In a Reshape a dimension of 0 would have another meaning.
      if (repeated || shape[i].is(0)) return false;
      if (!(shape[i] == equation_.extents.at(labels[i]))) return false;
    }
    return true;
  }

  // Labels that the output or a later operand needs after operand i is multiplied.
  Labels kept_after(std::size_t i) const {
    Labels kept = equation_.output;
    for (std::size_t k = i + 1; k < equation_.inputs.size(); ++k)
      kept.insert(kept.end(), equation_.inputs[k].begin(), equation_.inputs[k].end());
    return kept;
  }

  // Reshape can keep the dimensions of the batch and compute one other by itself.
  bool reshapes_are_known() const {
    if (equation_.inputs.size() == 1) return true;
    const Labels &a = equation_.inputs[0], &b = equation_.inputs[1];
    const Roles r(common(a, concatenated({b, equation_.output})),
                  common(b, concatenated({a, equation_.output})), equation_.output);
    const std::size_t left = unknown(r.left), right = unknown(r.right), summed = unknown(r.summed);
    if (r.summed.empty()) return r.left.empty() || right <= 1;
    const bool left_moves = r.left.empty() || merges_left(r), summed_moves = r.summed.size() > 1;
    const bool right_moves = r.right.size() != 1;
    if ((left_moves || summed_moves) && left + summed > 1) return false;
    if ((right_moves || summed_moves) && right + summed > 1) return false;
    return !(left_moves || right_moves) || left + right <= 1;
  }

  static Labels common(const Labels& labels, const Labels& kept) {
    Labels out;
    std::copy_if(labels.begin(), labels.end(), std::back_inserter(out),
                 [&](int l) { return has(kept, l); });
    return out;
  }

  std::size_t unknown(const Labels& labels) const {
    return static_cast<std::size_t>(std::count_if(
        labels.begin(), labels.end(), [&](int l) { return !equation_.extents.at(l).is_const(); }));
  }

  // Without a batch, MatMul takes the left axes unmerged.
  static bool merges_left(const Roles& r) { return !r.batch.empty() && r.left.size() != 1; }

  bool stays_small(const Type& type) const {
    if (type.elem == ElemType::float16 || type.elem == ElemType::bfloat16) return false;
    for (const auto& [label, extent] : equation_.extents)
      if (!extent.is_const()) return false;
    std::int64_t largest = product(shape_of(equation_.output)).value();
    for (const Labels& l : equation_.inputs)
      largest = std::max(largest, product(shape_of(l)).value());
    Labels labels = equation_.inputs[0];
    for (std::size_t i = 1; i < equation_.inputs.size(); ++i) {
      const Roles roles(labels, equation_.inputs[i], kept_after(i));
      labels = concatenated({roles.batch, roles.left, roles.right});
      if (product(shape_of(labels)).value() > largest) return false;
    }
    return true;
  }

  Operand multiply(Operand a, Operand b, const Labels& kept) {
    a = sum(a, concatenated({b.labels, kept}));
    b = sum(b, concatenated({a.labels, kept}));
    const Roles r(a.labels, b.labels, kept);
    return r.summed.empty() ? multiply_elements(a, b, r) : multiply_matrices(a, b, r);
  }

  // [batch, left, 1...] * [batch, 1..., right]
  Operand multiply_elements(const Operand& a, const Operand& b, const Roles& r) {
    const Shape batch = shape_of(r.batch), left = shape_of(r.left), right = shape_of(r.right);
    Shape x = batch, y = batch;
    x.insert(x.end(), left.begin(), left.end());
    x.resize(x.size() + right.size(), Dim(1));
    y.resize(y.size() + left.size(), Dim(1));
    y.insert(y.end(), right.begin(), right.end());
    const Labels all = concatenated({r.batch, r.left, r.right});
    Value* p = reshape(transpose(a, concatenated({r.batch, r.left})), x);
    Value* q = reshape(transpose(b, concatenated({r.batch, r.right})), y);
    return {emit("Mul", {p, q}, shape_of(all)), all};
  }

  // [batch, left, summed] * [batch, summed, right]; each group but the batch is one axis.
  Operand multiply_matrices(const Operand& a, const Operand& b, const Roles& r) {
    const Dim rows = product(shape_of(r.left)), columns = product(shape_of(r.right));
    const Dim depth = product(shape_of(r.summed));
    Shape x =
        shape_of(merges_left(r) || r.left.empty() ? r.batch : concatenated({r.batch, r.left}));
    Shape y = shape_of(r.batch);
    if (merges_left(r) || r.left.empty()) x.push_back(rows);
    Shape z = x;
    x.push_back(depth);
    y.push_back(depth);
    y.push_back(columns);
    z.push_back(columns);
    Value* p = reshape(transpose(a, concatenated({r.batch, r.left, r.summed})), x);
    Value* q = reshape(transpose(b, concatenated({r.batch, r.summed, r.right})), y);
    const Labels all = concatenated({r.batch, r.left, r.right});
    return {reshape(emit("MatMul", {p, q}, z), shape_of(all)), all};
  }

  // Sums over the labels that are not kept.
  Operand sum(const Operand& x, const Labels& kept) {
    Labels rest;
    std::vector<std::int64_t> axes;
    for (std::size_t i = 0; i < x.labels.size(); ++i) {
      if (has(kept, x.labels[i]))
        rest.push_back(x.labels[i]);
      else
        axes.push_back(static_cast<std::int64_t>(i));
    }
    if (axes.empty()) return x;
    return {emit("ReduceSum", {x.value, integers(axes)}, shape_of(rest),
                 {{"keepdims", std::int64_t{0}}}),
            rest};
  }

  Value* transpose(const Operand& x, const Labels& order) {
    if (x.labels == order) return x.value;
    std::vector<std::int64_t> perm;
    for (int label : order)
      perm.push_back(std::find(x.labels.begin(), x.labels.end(), label) - x.labels.begin());
    return emit("Transpose", {x.value}, shape_of(order), {{"perm", perm}});
  }

  Value* reshape(Value* x, const Shape& shape) {
    if (*x->type.shape == shape) return x;
    std::vector<std::int64_t> dims;
    const Shape& from = *x->type.shape;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const bool stays = i < from.size() && from[i] == shape[i];
      dims.push_back(shape[i].is_const() ? shape[i].value() : stays ? 0 : -1);
    }
    return emit("Reshape", {x, integers(dims)}, shape);
  }

  Shape shape_of(const Labels& labels) const {
    Shape shape;
    for (int label : labels) shape.push_back(equation_.extents.at(label));
    return shape;
  }

  Value* integers(const std::vector<std::int64_t>& values) {
    return editor_.constant(Tensor::ints(values), node_.outputs[0]->name + "_axes");
  }

  // If the inputs are constants, so is the result.
  Value* emit(const char* op, const std::vector<Value*>& inputs, const Shape& shape,
              Attributes attributes = {}) {
    Type type = node_.outputs[0]->type;
    type.shape = shape;
    return folded(editor_, editor_.emit(op, inputs, type, std::move(attributes)));
  }

  GraphEditor& editor_;
  const Node& node_;
  const ops::Equation equation_;
};

bool has_ranks(const Node& node) {
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [](const Value* v) { return v->type.has_rank(); });
}

}  // namespace

void decompose_einsum(Graph& graph, PassContext&) {
  const ops::Op* einsum = ops::find("", "Einsum");
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (node.op != einsum || !node.outputs[0] || !has_ranks(node)) return;
    Contraction contraction(editor, node);
    if (!contraction.possible()) return;
    contraction.run();
    editor.erase(node);
  });
}

}  // namespace onnxc::passes
