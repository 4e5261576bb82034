// Einsum: sums of products over named axes.
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
  Call call = n.call("einsum");
  call.template_arg(std::to_string(axes.size())).template_arg(std::to_string(e.output.size()));
  call.dims("dims", dims).dims("strides", strides).out(0).macs(product(dims));
  for (std::size_t i = 0; i < e.inputs.size(); ++i) call.in(i);
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
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::einsum
