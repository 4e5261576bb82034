// DequantizeLinear: quantised numbers to real ones.
#include "compiler/ops/quantize.hpp"

namespace onnxc::ops::dequantize_linear {
namespace {

ElemType result_elem(const NodeView& n) {
  if (n.attr_int("output_dtype") != 0) return n.attr_elem_type("output_dtype");
  return n.input(1).elem == ElemType::float8e8m0 ? ElemType::float32 : n.input(1).elem;
}

void infer(Infer& n) {
  check_scale(n);
  Type y = n.input(0);
  y.elem = result_elem(n);
  n.require(contains(signature(*n.node().op).outputs[0].mask, y.elem), "attribute \"output_dtype\"",
            "{} is no real type", info(y.elem).onnx_name);
  n.output(0, y);
}

void lower(Lower& n) {
  Call call = n.call("dequantize_linear");
  call.header("quantize");
  add_scale(call, n);
  call.in(0).in(1).in(2, n.elem(0)).out(0);
}

constexpr Op rows[] = {{
    .name = "DequantizeLinear",
    .versions = "10 13 19 21 23 24 25",
    .inputs = "x:T1 x_scale:T2 x_zero_point:T1?",
    .outputs = "y:T3",
    .types = "T1: int8 uint8 int16 uint16 int32 float8 uint4 int4 float4e2m1 uint2 int2; "
             "T2: float float16 bfloat16 float8e8m0; T3: float float16 bfloat16",
    .attributes = "axis:int=1 block_size:int=0 output_dtype:int=0",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::dequantize_linear
