// onnxc::ConvInt8: convolution of int8 or uint8 data, minus its zero point, with constant weights
// whose zero points are subtracted already. The int32 sums are the result, or converted to float32.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/int8_weights.hpp"
#include "compiler/ops/macs.hpp"

namespace onnxc::ops::conv_int8 {
namespace {

void infer(Infer& n) {
  infer_convolution(n, n.attr_int("sums") != 0 ? ElemType::int32 : ElemType::float32);
}

LayoutRule layout(const Node&) { return {.accepts = true, .prefers = true}; }

void lower(Lower& n) {
  const Int8Weights w{n.constant(1), n.constant(3), n.constant(2)};
  lower_int8_convolution(n, read_convolution(n), w, zero_point_of(n, "x_zero", 4));
}

constexpr Op rows[] = {internal({
    .name = "ConvInt8",
    .inputs = "X:T1 W:int8 B:int32? R:int8? Z:T1?",
    .outputs = "Y:T2",
    .types = "T1: int8 uint8; T2: float int8 uint8 int32",
    .attributes = "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints "
                  "strides:ints x_zero:int=0 sums:int=0",
    .infer = infer,
    .lower = lower,
    .macs = convolution_macs<1>,
    .layout = layout,
    .epilogue = Epilogue::channel_is_axis_1,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::conv_int8
