// ConstantOfShape: fills a tensor of a given shape with one value.
#include <cstring>

#include "compiler/kernels/shape_struct.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/movement/given_extents.hpp"
#include "templates/movement/fill.hpp"

namespace onnxc::ops::constant_of_shape {
namespace {

Tensor value_of(const NodeView& n) {
  if (!n.has_attr("value")) return Tensor::scalar(0.0f).reshaped({1});
  const Tensor& t = n.attr_tensor("value");
  n.require(t.size() == 1, "attribute \"value\"", "has {} elements, not 1", t.size());
  return t.reshaped({1});
}

void infer(Infer& n) {
  const Tensor value = value_of(n);
  n.require(!n.has_rank(0) || n.rank(0) <= 1, "input 0 \"input\"", "needs rank 1");
  std::optional<Shape> shape;
  if (const auto extents = n.some_extents(0)) {
    shape = Shape{};
    for (const std::optional<Dim>& d : *extents) {
      if (d) n.at_least(*d, 0, "input 0 \"input\"");
      shape->push_back(d ? *d : n.unknown_extent());
    }
  } else if (n.has_rank(0) && n.rank(0) == 1 && n.shape(0)[0].is_const() &&
             n.shape(0)[0].value() <= 64) {
    shape = Shape{};
    for (std::int64_t i = 0; i < n.shape(0)[0].value(); ++i) shape->push_back(n.unknown_extent());
  }
  n.output(0, value.elem(), shape);
  if (!shape || !is_integer(value.elem()) || shape->size() > 1) return;
  const Dim count = product(*shape);
  if (count.is_const() && count.value() <= 64)
    n.output_extents(
        0, std::vector<Dim>(static_cast<std::size_t>(count.value()), Dim(value.to_int64s()[0])));
}

struct FoldShape {
  Index count;
};

void fold(Fold& n) {
  if (!worth_folding(n)) return;
  const Tensor value = value_of(n);
  with_width(value.elem(), [&](auto tag) {
    using T = decltype(tag);
    TensorBuilder y(value.elem(), n.out_dims(0));
    onnxc::fill(FoldShape{y.size()}, value.as<T>().data(), y.data<T>());
    n.out(0, y.take());
  });
}

void lower(Lower& n) {
  lower_given_extents(n, 0, n.out_shape(0));
  n.call("fill", CountShape<Dim>{product(n.out_shape(0))})
      .read(n.constant(value_of(n), "value"))
      .out(0);
}

constexpr Op rows[] = {{
    .name = "ConstantOfShape",
    .versions = "9 20 21 23 24 25",
    .inputs = "input:int64",
    .outputs = "output:any",
    .attributes = "value:tensor",
    .infer = infer,
    .fold = fold,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::constant_of_shape
