// GivenTensorFill, an experimental operator of the first opsets: reshapes given values.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::given_tensor_fill {
namespace {

// The shape comes from an attribute, from the input, or from its contents.
void upgrade(Upgrade& n) {
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
    .name = "GivenTensorFill",
    .versions = "1",
    .deprecated = 10,
    .inputs = "shape:T?",
    .outputs = "X:any",
    .types = "T: classic_floats int32 int64",
    .attributes = "values:floats! shape:ints input_as_shape:int=0 extra_shape:ints",
    .upgrade = upgrade,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::given_tensor_fill
