// QuantizeLinear: round(x / scale) + zero point, saturated. DynamicQuantizeLinear: with scale and
// zero point from the range of the data.
#include "compiler/kernels/shape_struct.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/quantization/quantize.hpp"

namespace onnxc::ops::quantize_linear {
namespace {

ElemType result_elem(const NodeView& n) {
  if (n.has_input(2)) return n.input(2).elem;
  return n.attr_int("output_dtype") != 0 ? n.attr_elem_type("output_dtype") : ElemType::uint8;
}

// Of x divided by the scale. The standard takes the type of the scale where the model names none:
// float32 there is closer to the exact quotient.
ElemType quotient_type(const NodeView& n) {
  return n.attr_int("precision") != 0 ? n.attr_elem_type("precision") : ElemType::float32;
}

void infer(Infer& n) {
  check_scale(n);
  const ElemType type = quotient_type(n);
  n.require(type == ElemType::float32 || type == ElemType::float16 || type == ElemType::bfloat16,
            "attribute \"precision\"", "{} is not float, float16 or bfloat16",
            info(type).onnx_name);
  Type y = n.input(0);
  y.elem = result_elem(n);
  n.require(contains(signature(*n.node().op).outputs[0].mask, y.elem), "attribute \"output_dtype\"",
            "{} is no quantised type", info(y.elem).onnx_name);
  n.require(!n.has_input(2) || n.attr_int("output_dtype") == 0 ||
                n.attr_elem_type("output_dtype") == y.elem,
            "attribute \"output_dtype\"", "differs from the zero point's type");
  n.output(0, y);
}

void lower(Lower& n) {
  const bool saturate = n.attr_int("saturate") != 0;
  Call call = n.call("quantize_linear", QuantizeLinearShape<Dim>{scale_strides(n), saturate});
  if (const ElemType type = quotient_type(n); type != ElemType::float32)
    call.template_arg(std::string(info(type).cpp_name));
  call.in({0, 1}).in(2, n.out_elem(0)).out(0);
}

void infer_dynamic(Infer& n) {
  Type y = n.input(0);
  y.elem = ElemType::uint8;
  n.output(0, y);
  n.output(1, ElemType::float32, Shape{});
  n.output(2, ElemType::uint8, Shape{});
}

void lower_dynamic(Lower& n) {
  n.call("dynamic_quantize_linear", CountShape<Dim>{product(n.shape(0))}).in(0).out({0, 1, 2});
}

constexpr Op rows[] = {
    {
        .name = "QuantizeLinear",
        .versions = "10 13 19 21 23 24 25",
        .inputs = "x:T1 y_scale:T2 y_zero_point:T3?",
        .outputs = "y:T3",
        .types = "T1: float float16 bfloat16 int32; T2: float float16 bfloat16 int32 float8e8m0; "
                 "T3: int8 uint8 int16 uint16 float8 uint4 int4 float4e2m1 uint2 int2",
        .attributes =
            "axis:int=1@13- block_size:int=0@21- output_dtype:int=0@21- precision:int=0@23- "
            "saturate:int=1@19-",
        .settings = "y_scale",
        .infer = infer,
        .axes = axes_quantized,
        .lower = lower,
    },
    {
        .name = "DynamicQuantizeLinear",
        .versions = "11",
        .inputs = "x:float",
        .outputs = "y:uint8 y_scale:float y_zero_point:uint8",
        .infer = infer_dynamic,
        .lower = lower_dynamic,
        .layout = layout_elementwise,
    }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::quantize_linear
