// DynamicQuantizeLinear: quantises with scale and zero point from the range of the data.
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/lower.hpp"
#include "templates/shape_struct.hpp"

namespace onnxc::ops::dynamic_quantize_linear {
namespace {

void infer(Infer& n) {
  Type y = n.input(0);
  y.elem = ElemType::uint8;
  n.output(0, y);
  n.output(1, ElemType::float32, Shape{});
  n.output(2, ElemType::uint8, Shape{});
}

void lower(Lower& n) {
  n.call("dynamic_quantize_linear", CountShape<Dim>{product(n.shape(0))}).in(0).out({0, 1, 2});
}

constexpr Op rows[] = {{
    .name = "DynamicQuantizeLinear",
    .versions = "11",
    .inputs = "x:float",
    .outputs = "y:uint8 y_scale:float y_zero_point:uint8",
    .infer = infer,
    .lower = lower,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::dynamic_quantize_linear
