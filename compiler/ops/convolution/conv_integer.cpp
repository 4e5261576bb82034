// ConvInteger: convolution of int8 or uint8 data minus zero points, summed in int32.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/quantization/quantize.hpp"
#include "compiler/ops/window.hpp"
#include "templates/convolution/convolution_calls.hpp"

namespace onnxc::ops::conv_integer {
namespace {

// Input 2 is a zero point, not a bias.
constexpr ConvInputs kInputs{.bias = 99};

void infer(Infer& n) {
  infer_convolution(n, ElemType::int32, kInputs);
  if (!n.has_rank(0) || !n.has_rank(1)) return;
  vector_stride(n, 2, "x_zero_point", 1);
  vector_stride(n, 3, "w_zero_point", n.shape(1)[0]);
}

void lower(Lower& n) {
  const Convolution c = read_convolution(n, kInputs);
  const Dim zero_step = vector_stride(n, 3, "w_zero_point", n.shape(1)[0]);
  Call call = n.call("conv_integer_nd",
                     ConvIntegerNdShape<Dim>{c.batch, c.group, c.in_channels, c.out_channels,
                                             zero_step, nd_window(c.window)});
  call.template_arg(std::to_string(c.window.rank()));
  call.in({0, 1}).in(2, n.elem(0)).in(3, n.elem(1)).out(0).macs(n.macs());
}

constexpr Op rows[] = {{
    .name = "ConvInteger",
    .versions = "10",
    .inputs = "x:T1 w:T2 x_zero_point:T1? w_zero_point:T2?",
    .outputs = "y:int32",
    .types = "T1: int8 uint8; T2: int8 uint8",
    .attributes = "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints "
                  "strides:ints",
    .infer = infer,
    .lower = lower,
    .macs = convolution_macs<1>,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::conv_integer
