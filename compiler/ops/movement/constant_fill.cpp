// ConstantFill, an experimental operator of the first opsets: fills a tensor with one value. Its
// shape comes from an input, its contents, or an attribute.
#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops::constant_fill {
namespace {

// The result shape, with `extra_shape` appended.
Value* shape_of(Upgrade& n) {
  Value* shape = nullptr;
  if (!n.has_input(0))
    shape = n.constant(Tensor::ints(n.attr_ints("shape")));
  else if (n.attr_int("input_as_shape") != 0)
    shape = n.emit("Cast", {n.node().inputs[0]}, {{"to", std::int64_t{7}}});
  else
    shape = n.emit("Shape", {n.node().inputs[0]});
  const auto* extra = n.find_ints("extra_shape");
  if (!extra || extra->empty()) return shape;
  n.require(n.has_input(0), "attribute \"extra_shape\"", "needs an input");
  return n.emit("Concat", {shape, n.constant(Tensor::ints(*extra))}, {{"axis", std::int64_t{0}}});
}

Tensor filling(const NodeView& n) {
  const ElemType elem = n.attr_elem_type("dtype");
  std::optional<Tensor> result;
  with_any(elem, [&](auto tag) {
    using T = decltype(tag);
    const T value = static_cast<T>(static_cast<compute_t<T>>(n.attr_float("value")));
    result = Tensor::of<T>(elem, {1}, std::span(&value, 1));
  });
  n.require(result.has_value(), "attribute \"dtype\"", "{} cannot be filled in",
            info(elem).onnx_name);
  return *result;
}

void upgrade(Upgrade& n) {
  Value* shape = shape_of(n);
  const Tensor value = filling(n);
  n.to("ConstantOfShape");
  n.mutable_node().attributes = {{"value", value}};
  n.mutable_node().inputs = {shape};
}

constexpr Op rows[] = {{
    .name = "ConstantFill",
    .versions = "1",
    .deprecated = 10,
    .inputs = "input:T?",
    .outputs = "output:any",
    .types = "T: classic",
    .attributes = "dtype:int=1 value:float=0 shape:ints extra_shape:ints input_as_shape:int=0",
    .upgrade = upgrade,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::constant_fill
