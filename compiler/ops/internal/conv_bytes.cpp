// onnxc::ConvBytes: convolution of 8-bit numbers less their zero point by constant weights whose
// zero points are taken off already; sums in 32 bits, as floats.
#include "compiler/ops/byte_weights.hpp"
#include "compiler/ops/infer.hpp"

namespace onnxc::ops::conv_bytes {
namespace {

void infer(Infer& n) { infer_convolution(n, ElemType::float32); }

LayoutRule layout(const Node&) { return {.accepts = true, .prefers = true}; }

void lower(Lower& n) {
  const ByteWeightInputs w{n.constant(1), n.constant(3), n.constant(2)};
  lower_byte_convolution(n, read_convolution(n), w, unsigned_zero(n.elem(0), n.attr_int("x_zero")));
}

constexpr Op rows[] = {{
    .name = "ConvBytes",
    .domain = "onnxc",
    .versions = "1",
    .inputs = "X:T1 W:int8 B:int32? R:int8?",
    .outputs = "Y:T2",
    .types = "T1: int8 uint8; T2: float int8 uint8",
    .attributes = "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints "
                  "strides:ints x_zero:int!",
    .infer = infer,
    .lower = lower,
    .layout = layout,
    .epilogue = Epilogue::channel_is_axis_1,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::conv_bytes
