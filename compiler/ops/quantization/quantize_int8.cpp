// onnxc::Quantize and onnxc::Dequantize: QuantizeLinear and DequantizeLinear of int8 or uint8 with
// one constant scale, as element-wise functions. onnxc::FakeQuantize: both, computed in floats.
#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops::quantize_int8 {
namespace {

ScalarFn with_literals(const char* name, const Node& n,
                       std::initializer_list<const char*> attributes) {
  ScalarFn f{.name = name};
  for (const char* attribute : attributes)
    f.literals.push_back(real_literal(float_of(n, attribute)));
  return f;
}

ScalarFn quantize(const Node& n) {
  return with_literals("quantize", n, {"factor", "divisor", "zero", "low", "high"});
}
ScalarFn dequantize(const Node& n) { return with_literals("dequantize", n, {"zero", "step"}); }
ScalarFn fake_quantize(const Node& n) {
  return with_literals("fake_quantize", n, {"factor", "divisor", "step", "low", "high"});
}

void infer_quantize(Infer& n) { n.output_like_input(n.attr_elem_type("to")); }

void infer_dequantize(Infer& n) { n.output_like_input(ElemType::float32); }

constexpr Op rows[] = {
    internal({
        .name = "Quantize",
        .inputs = "x:float",
        .outputs = "y:T",
        .types = "T: int8 uint8",
        .attributes = "to:int! factor:float! divisor:float! zero:float! low:float! high:float!",
        .infer = infer_quantize,
        .lower = lower_map,
        .scalar = quantize,
        .layout = layout_elementwise,
    }),
    internal({
        .name = "Dequantize",
        .inputs = "x:T",
        .outputs = "y:float",
        .types = "T: int8 uint8",
        .attributes = "zero:float! step:float!",
        .infer = infer_dequantize,
        .lower = lower_map,
        .scalar = dequantize,
        .layout = layout_elementwise,
    }),
    internal({
        .name = "FakeQuantize",
        .inputs = "x:float",
        .outputs = "y:float",
        .attributes = "factor:float! divisor:float! step:float! low:float! high:float!",
        .infer = infer_unary,
        .lower = lower_map,
        .scalar = fake_quantize,
        .layout = layout_elementwise,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::quantize_int8
