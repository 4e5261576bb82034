// Einsum: sums of products over named axes.
#include <algorithm>

#include "compiler/kernels/matmul_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/matmul/einsum_equation.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::einsum {
namespace {

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  split_equation(n);
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (!n.has_rank(i)) return;
  const Equation e = read_equation(n);
  Shape out;
  for (int label : e.output) out.push_back(e.extents.at(label));
  n.output(0, n.elem(0), out);
}

// A label that occurs twice in one term selects the diagonal: its strides add up.
void add_strides(Shape& all, const Labels& axes, const Labels& own, const Shape& shape,
                 const std::map<int, Dim>& extents) {
  const Shape strides = row_major(shape);
  for (int label : axes) {
    Dim stride = 0;
    for (std::size_t i = 0; i < own.size(); ++i)
      if (own[i] == label)
        stride = stride + (shape[i] == extents.at(label) && !shape[i].is(1)
                               ? strides[i]
                               : Dim::broadcast_stride(shape[i], strides[i]));
    all.push_back(stride);
  }
}

void lower(Lower& n) {
  const Equation e = read_equation(n);
  Labels axes = e.output;
  axes.insert(axes.end(), e.summed.begin(), e.summed.end());
  Shape dims, strides;
  for (int label : axes) dims.push_back(e.extents.at(label));
  for (std::size_t i = 0; i < e.inputs.size(); ++i)
    add_strides(strides, axes, e.inputs[i], n.shape(i), e.extents);
  Call call = n.call("einsum", BroadcastShape<Dim>{dims, strides});
  call.template_arg(std::to_string(axes.size())).template_arg(std::to_string(e.output.size()));
  call.out(0).macs(product(dims));
  for (std::size_t i = 0; i < e.inputs.size(); ++i) call.in(i);
}

// The labels as letters of an equation.
class Letters {
 public:
  std::string of(const Labels& labels) {
    std::string text;
    for (int label : labels) text += of(label);
    return text;
  }

 private:
  char of(int label) {
    const auto [it, fresh] = letters_.emplace(label, letters_.size());
    return static_cast<char>(it->second < 26 ? 'a' + it->second : 'A' + (it->second - 26));
  }
  std::map<int, std::size_t> letters_;
};

bool holds(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// Whether the axes `first` and `second` of `like` have equal indices, with its rank.
Term on_diagonal(const Gradient& n, Term like, std::int64_t first, std::int64_t second) {
  NodeBuilder& b = n.builder();
  const auto number = [&](std::int64_t v) { return b.term(b.constant(Tensor::scalar(v))); };
  const auto indices = [&](std::int64_t axis) {
    const Term size = n.emit("Shape", {like}, {{"start", axis}, {"end", axis + 1}});
    const Term all = n.emit("Range", {number(0), n.emit("Squeeze", {size}), number(1)});
    std::vector<std::int64_t> shape(like.type().rank(), 1);
    shape[static_cast<std::size_t>(axis)] = -1;
    return n.emit("Reshape", {all, n.list(shape)});
  };
  return indices(first) == indices(second);
}

// From one axis for each label to the axes of the operand: what was summed there repeats, and what
// is off the diagonal of a repeated label is zero.
Term at_operand(const Gradient& n, Term g, const Labels& have, const Labels& want, Term x) {
  std::vector<std::int64_t> missing;
  Labels seen;
  std::vector<std::pair<std::int64_t, std::int64_t>> repeats;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const auto first = std::find(want.begin(), want.end(), want[i]) - want.begin();
    if (holds(seen, want[i])) repeats.emplace_back(first, static_cast<std::int64_t>(i));
    if (holds(seen, want[i]) || !holds(have, want[i]))
      missing.push_back(static_cast<std::int64_t>(i));
    seen.push_back(want[i]);
  }
  if (!missing.empty()) g = n.emit("Unsqueeze", {g, n.list(missing)});
  for (const auto& [first, second] : repeats) g = choose(on_diagonal(n, x, first, second), g, 0.0);
  return expand_like(n.builder().sum_to(g, *x.value), x);
}

// The product of dY and the other operands, summed over what this operand lacks.
void gradient(Gradient& n) {
  const Equation e = read_equation(n);
  Letters letters;
  for (std::size_t i = 0; i < e.inputs.size(); ++i) {
    if (!n.wants(i)) continue;
    std::vector<Value*> factors = {n.dy()};
    std::string equation = letters.of(e.output);
    Labels given = e.output, kept;
    for (std::size_t k = 0; k < e.inputs.size(); ++k) {
      if (k == i) continue;
      factors.push_back(n.x(k));
      equation += "," + letters.of(e.inputs[k]);
      given.insert(given.end(), e.inputs[k].begin(), e.inputs[k].end());
    }
    for (int label : e.inputs[i])
      if (holds(given, label) && !holds(kept, label)) kept.push_back(label);
    equation += "->" + letters.of(kept);
    const Term g = n.emit("Einsum", factors, {{"equation", equation}});
    n.dx(i, at_operand(n, g, kept, e.inputs[i], n.x(i)));
  }
}

constexpr Op rows[] = {{
    .name = "Einsum",
    .versions = "12",
    .inputs = "Inputs:T+",
    .outputs = "Output:T",
    .types = "T: numeric",
    .attributes = "equation:string!",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::einsum
