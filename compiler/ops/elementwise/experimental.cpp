// ParametricSoftplus, ScaledTanh, Scale and GivenTensorFill, experimental operators of the first
// opsets.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::experimental {
namespace {

Value* factor(Upgrade& n, const char* name) {
  return n.emit("CastLike", {n.constant(Tensor::scalar(n.attr_float(name))), n.node().inputs[0]});
}

// alpha * f(beta * x)
void upgrade_scaled(Upgrade& n, const char* f) {
  Value* inner = n.emit("Mul", {n.node().inputs[0], factor(n, "beta")});
  Value* outer = factor(n, "alpha");
  n.mutable_node().inputs = {n.emit(f, {inner}), outer};
  n.mutable_node().attributes.clear();
  n.to("Mul");
}
void upgrade_softplus(Upgrade& n) { upgrade_scaled(n, "Softplus"); }
void upgrade_tanh(Upgrade& n) { upgrade_scaled(n, "Tanh"); }

void upgrade_scale(Upgrade& n) {
  n.set_input(1, factor(n, "scale"));
  n.mutable_node().attributes.clear();
  n.to("Mul");
}

// The given numbers in the shape of an attribute, of the input, or of its contents.
void upgrade_fill(Upgrade& n) {
  const std::vector<float> values = n.attr_floats("values");
  const auto count = static_cast<std::int64_t>(values.size());
  Value* filling = n.constant(Tensor::of<float>(ElemType::float32, {count}, values));
  Value* shape = nullptr;
  if (const auto* fixed_shape = n.find_ints("shape")) {
    shape = n.constant(Tensor::ints(*fixed_shape));
  } else {
    n.require(n.has_input(0), "attribute \"shape\"", "is missing, and so is the input");
    Value* given = n.node().inputs[0];
    shape = n.attr_int("input_as_shape") != 0 ? n.emit("Cast", {given}, {{"to", std::int64_t{7}}})
                                              : n.emit("Shape", {given});
    filling = n.attr_int("input_as_shape") != 0 ? filling : n.emit("CastLike", {filling, given});
    if (const auto* extra = n.find_ints("extra_shape"))
      shape =
          n.emit("Concat", {shape, n.constant(Tensor::ints(*extra))}, {{"axis", std::int64_t{0}}});
  }
  n.mutable_node().inputs = {filling, shape};
  n.mutable_node().attributes = {{"allowzero", std::int64_t{1}}};
  n.to("Reshape");
}

constexpr Op rows[] = {{
                           .name = "ParametricSoftplus",
                           .versions = "1",
                           .deprecated = 10,
                           .inputs = "X:T",
                           .outputs = "Y:T",
                           .types = "T: classic_floats",
                           .attributes = "alpha:float! beta:float!",
                           .upgrade = upgrade_softplus,
                       },
                       {
                           .name = "ScaledTanh",
                           .versions = "1",
                           .deprecated = 10,
                           .inputs = "input:T",
                           .outputs = "output:T",
                           .types = "T: classic_floats",
                           .attributes = "alpha:float! beta:float!",
                           .upgrade = upgrade_tanh,
                       },
                       {
                           .name = "Scale",
                           .versions = "1",
                           .deprecated = 10,
                           .inputs = "input:T",
                           .outputs = "output:T",
                           .types = "T: classic_floats",
                           .attributes = "scale:float=1",
                           .upgrade = upgrade_scale,
                       },
                       {
                           .name = "GivenTensorFill",
                           .versions = "1",
                           .deprecated = 10,
                           .inputs = "shape:T?",
                           .outputs = "X:any",
                           .types = "T: classic_floats int32 int64",
                           .attributes = "values:floats! shape:ints input_as_shape:int=0 "
                                         "extra_shape:ints",
                           .upgrade = upgrade_fill,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::experimental
