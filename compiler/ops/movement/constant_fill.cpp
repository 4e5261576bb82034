// ConstantFill and GivenTensorFill, experimental operators of the first opsets: fill a tensor with
// one value, or reshape given values. The shape comes from an input, its contents, or an attribute.
#include <cmath>
#include <limits>

#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops::constant_fill {
namespace {

bool input_is_shape(const NodeView& n) { return n.attr_int("input_as_shape") != 0; }

// The contents or the shape of the input, with `extra_shape` appended.
Value* shape_by_input(Upgrade& n) {
  Value* given = n.node().inputs[0];
  Value* shape = input_is_shape(n) ? n.emit("Cast", {given}, {{"to", std::int64_t{7}}})
                                   : n.emit("Shape", {given});
  const auto* extra = n.find_ints("extra_shape");
  if (!extra || extra->empty()) return shape;
  return n.emit("Concat", {shape, n.constant(Tensor::ints(*extra))}, {{"axis", std::int64_t{0}}});
}

Value* fill_shape(Upgrade& n) {
  if (n.has_input(0)) return shape_by_input(n);
  const auto* extra = n.find_ints("extra_shape");
  n.require(!extra || extra->empty(), "attribute \"extra_shape\"", "needs an input");
  return n.constant(Tensor::ints(n.attr_ints("shape")));
}

// Whether an integer type holds it, rounded towards zero.
template <class T>
bool holds(float value) {
  using Number = compute_t<T>;
  if constexpr (std::is_integral_v<Number> && !std::is_same_v<T, bool>) {
    using Limits = std::numeric_limits<Number>;
    const float whole = std::trunc(value);
    if (!(whole >= static_cast<float>(Limits::lowest()) &&
          whole < std::ldexp(1.0f, Limits::digits)))
      return false;
    const auto number = static_cast<Number>(whole);
    return static_cast<Number>(static_cast<T>(number)) == number;
  }
  return true;
}

Tensor filling(const NodeView& n) {
  const ElemType elem = n.attr_elem_type("dtype");
  const float number = n.attr_float("value");
  std::optional<Tensor> result;
  with_any(elem, [&](auto tag) {
    using T = decltype(tag);
    n.require(holds<T>(number), "attribute \"value\"", "{} is out of the range of {}", number,
              info(elem).onnx_name);
    const T value = static_cast<T>(static_cast<compute_t<T>>(number));
    result = Tensor::of<T>(elem, {1}, std::span(&value, 1));
  });
  n.require(result.has_value(), "attribute \"dtype\"", "{} cannot be filled in",
            info(elem).onnx_name);
  return *result;
}

void upgrade_constant_fill(Upgrade& n) {
  Value* shape = fill_shape(n);
  const Tensor value = filling(n);
  n.to("ConstantOfShape");
  n.mutable_node().attributes = {{"value", value}};
  n.mutable_node().inputs = {shape};
}

void upgrade_given_tensor_fill(Upgrade& n) {
  const std::vector<float> values = n.attr_floats("values");
  const auto count = static_cast<std::int64_t>(values.size());
  Value* filling = n.constant(Tensor::of<float>(ElemType::float32, {count}, values));
  Value* shape = nullptr;
  if (const auto* fixed_shape = n.find_ints("shape")) {
    shape = n.constant(Tensor::ints(*fixed_shape));
  } else {
    n.require(n.has_input(0), "attribute \"shape\"", "is missing, and so is the input");
    if (!input_is_shape(n)) filling = n.emit("CastLike", {filling, n.node().inputs[0]});
    shape = shape_by_input(n);
  }
  n.mutable_node().inputs = {filling, shape};
  n.mutable_node().attributes = {{"allowzero", std::int64_t{1}}};
  n.to("Reshape");
}

constexpr Op rows[] = {
    {
        .name = "ConstantFill",
        .versions = "1",
        .deprecated = 10,
        .inputs = "input:T?",
        .outputs = "output:any",
        .types = "T: classic",
        .attributes = "dtype:int=1 value:float=0 shape:ints extra_shape:ints input_as_shape:int=0",
        .upgrade = upgrade_constant_fill,
    },
    {
        .name = "GivenTensorFill",
        .versions = "1",
        .deprecated = 10,
        .inputs = "shape:T?",
        .outputs = "X:any",
        .types = "T: classic_floats int32 int64",
        .attributes = "values:floats! shape:ints input_as_shape:int=0 extra_shape:ints",
        .upgrade = upgrade_given_tensor_fill,
    }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::constant_fill
