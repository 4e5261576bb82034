// onnxc::FakeQuantize: QuantizeLinear and DequantizeLinear with one constant scale, computed in
// floats.
#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops::fake_quantize {
namespace {

ScalarFn scalar(const Node& n) {
  ScalarFn f{.name = "fake_quantize"};
  for (const char* name : {"factor", "divisor", "step", "low", "high"})
    f.literals.push_back(real_literal(float_of(n, name)));
  return f;
}

constexpr Op rows[] = {internal({
    .name = "FakeQuantize",
    .inputs = "x:float",
    .outputs = "y:float",
    .attributes = "factor:float! divisor:float! step:float! low:float! high:float!",
    .infer = infer_unary,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::fake_quantize
