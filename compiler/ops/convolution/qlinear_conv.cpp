// QLinearConv: convolution of quantised data with a quantised result.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/quantization/quantize.hpp"
#include "compiler/ops/window.hpp"
#include "templates/convolution/convolution_calls.hpp"

namespace onnxc::ops::qlinear_conv {
namespace {

constexpr ConvInputs kInputs{.x = 0, .w = 3, .bias = 8};

void infer(Infer& n) {
  infer_convolution(n, n.elem(7), kInputs);
  if (!n.has_rank(0) || !n.has_rank(3)) return;
  const Dim& channels = n.shape(3)[0];
  for (std::size_t i : {1, 2, 6, 7}) vector_stride(n, i, "scale or zero point", 1);
  vector_stride(n, 4, "w_scale", channels);
  vector_stride(n, 5, "w_zero_point", channels);
}

void lower(Lower& n) {
  const Convolution c = read_convolution(n, kInputs);
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

constexpr Op rows[] = {{
    .name = "QLinearConv",
    .versions = "10",
    .inputs = "x:T1 x_scale:float x_zero_point:T1 w:T2 w_scale:float w_zero_point:T2 y_scale:float "
              "y_zero_point:T3 B:int32?",
    .outputs = "y:T3",
    .types = "T1: int8 uint8; T2: int8 uint8; T3: int8 uint8",
    .attributes = "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints "
                  "strides:ints",
    .infer = infer,
    .lower = lower,
    .macs = convolution_macs<3>,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::qlinear_conv
