// ConvInteger: convolution of int8 or uint8 data minus zero points, summed in int32. QLinearConv:
// the same with scales and a quantised result. onnxc::ConvInt8: with constant weights whose zero
// points are subtracted already; the int32 sums are the result, or converted to float32.
#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/int8_weights.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/quantization/quantize.hpp"
#include "compiler/ops/window.hpp"
#include "compiler/ops/window_axes.hpp"

namespace onnxc::ops::quantized_conv {
namespace {

// Input 2 is a zero point, not a bias.
constexpr ConvInputs kIntegerInputs{.bias = 99};

void infer_conv_integer(Infer& n) {
  infer_convolution(n, ElemType::int32, kIntegerInputs);
  if (!n.has_rank(0) || !n.has_rank(1)) return;
  vector_stride(n, 2, "x_zero_point", 1);
  vector_stride(n, 3, "w_zero_point", n.shape(1)[0]);
}

void lower_conv_integer(Lower& n) {
  const Convolution c = read_convolution(n, kIntegerInputs);
  const Dim zero_step = vector_stride(n, 3, "w_zero_point", n.shape(1)[0]);
  Call call = n.call("conv_integer_nd",
                     ConvIntegerNdShape<Dim>{c.batch, c.group, c.in_channels, c.out_channels,
                                             zero_step, nd_window(c.window)});
  call.template_arg(std::to_string(c.window.rank()));
  call.in({0, 1}).in(2, n.elem(0)).in(3, n.elem(1)).out(0).macs(n.macs());
}

constexpr ConvInputs kQlinearInputs{.x = 0, .w = 3, .bias = 8};

void infer_qlinear_conv(Infer& n) {
  infer_convolution(n, n.elem(7), kQlinearInputs);
  if (!n.has_rank(0) || !n.has_rank(3)) return;
  const Dim& channels = n.shape(3)[0];
  vector_stride(n, 1, "x_scale", 1);
  vector_stride(n, 2, "x_zero_point", 1);
  vector_stride(n, 4, "w_scale", channels);
  vector_stride(n, 5, "w_zero_point", channels);
  vector_stride(n, 6, "y_scale", 1);
  vector_stride(n, 7, "y_zero_point", 1);
}

void lower_qlinear_conv(Lower& n) {
  const Convolution c = read_convolution(n, kQlinearInputs);
  const Dim& channels = n.shape(3)[0];
  Call call =
      n.call("qlinear_conv", QlinearConvShape<Dim>{c.batch, c.group, c.in_channels, c.out_channels,
                                                   vector_stride(n, 4, "w_scale", channels),
                                                   vector_stride(n, 5, "w_zero_point", channels),
                                                   nd_window(c.window)});
  call.template_arg(std::to_string(c.window.rank()));
  for (std::size_t first : {0, 3})
    call.begin_struct("QuantizedOperand").in({first, first + 1, first + 2}).end_struct();
  call.in({6, 7, 8}).out(0).macs(n.macs());
}

void infer_conv_int8(Infer& n) {
  infer_convolution(n, n.attr_int("sums") != 0 ? ElemType::int32 : ElemType::float32);
}

LayoutRule layout_conv_int8(const Node&) { return {.accepts = true, .prefers = true}; }

void lower_conv_int8(Lower& n) {
  const Int8Weights w{n.constant(1), n.constant(3), n.constant(2)};
  lower_int8_convolution(n, read_convolution(n), w, zero_point_of(n, "x_zero", 4));
}

void axes_of_qlinear(Axes& n) {
  axes_convolution(n, {.inputs = kQlinearInputs, .channel_operands = {4, 5}});
}

void axes_of_integers(Axes& n) {
  axes_convolution(n, {.inputs = kIntegerInputs, .channel_operands = {3}});
}

constexpr Op rows[] = {
    {
        .name = "ConvInteger",
        .versions = "10",
        .inputs = "x:T1 w:T2 x_zero_point:T1? w_zero_point:T2?",
        .outputs = "y:int32",
        .types = "T1: int8 uint8; T2: int8 uint8",
        .attributes =
            "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints "
            "strides:ints",
        .infer = infer_conv_integer,
        .axes = axes_of_integers,
        .lower = lower_conv_integer,
        .macs = convolution_macs<1>,
    },
    {
        .name = "QLinearConv",
        .versions = "10",
        .inputs =
            "x:T1 x_scale:float x_zero_point:T1 w:T2 w_scale:float w_zero_point:T2 y_scale:float "
            "y_zero_point:T3 B:int32?",
        .outputs = "y:T3",
        .types = "T1: int8 uint8; T2: int8 uint8; T3: int8 uint8",
        .attributes =
            "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints "
            "strides:ints",
        .infer = infer_qlinear_conv,
        .axes = axes_of_qlinear,
        .lower = lower_qlinear_conv,
        .macs = convolution_macs<3>,
    },
    internal({
        .name = "ConvInt8",
        .inputs = "X:T1 W:int8 B:int32? R:int8? Z:T1?",
        .outputs = "Y:T2",
        .types = "T1: int8 uint8; T2: float int8 uint8 int32",
        .attributes =
            "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints "
            "strides:ints x_zero:int=0 sums:int=0",
        .infer = infer_conv_int8,
        .lower = lower_conv_int8,
        .macs = convolution_macs<1>,
        .layout = layout_conv_int8,
        .epilogue = Epilogue::channel_is_axis_1,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::quantized_conv
