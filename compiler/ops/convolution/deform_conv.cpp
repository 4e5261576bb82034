// DeformConv: convolution whose taps are shifted by offsets from an input.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/window.hpp"
#include "templates/convolution/convolution_calls.hpp"

namespace onnxc::ops::deform_conv {
namespace {

constexpr ConvInputs kInputs{.x = 0, .w = 1, .bias = 3};

void require_channels(const NodeView& n, std::size_t input, const char* name, const Dim& channels,
                      const Convolution& c) {
  if (!n.has_input(input) || !n.input(input).has_rank()) return;
  const Shape& s = *n.input(input).shape;
  Shape want{c.batch, channels};
  want.insert(want.end(), c.window.out.begin(), c.window.out.end());
  const std::string field = input_field(input, name);
  n.require(s.size() == want.size(), field, "rank {}, needs {}", s.size(), want.size());
  for (std::size_t i = 0; i < s.size(); ++i) n.same(s[i], want[i], field);
}

Convolution read(const NodeView& n) {
  const Convolution c = read_convolution(n, kInputs);
  const std::int64_t groups = n.attr_int("offset_group");
  const Dim channels = c.in_channels * Dim(c.group);
  n.require(groups >= 1 && (!channels.is_const() || channels.value() % groups == 0),
            "attribute \"offset_group\"", "{} does not divide {} channels", groups,
            channels.to_string());
  n.same(Dim::floor_div(channels, groups) * groups, channels, "attribute \"offset_group\"");
  const Dim taps = Dim(groups) * product(c.window.kernel);
  require_channels(n, 2, "offset", taps * Dim(static_cast<std::int64_t>(c.window.rank())), c);
  require_channels(n, 4, "mask", taps, c);
  return c;
}

void infer(Infer& n) {
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, n.elem(0), std::nullopt);
  n.output(0, n.elem(0), read(n).out_shape());
}

void lower(Lower& n) {
  const Convolution c = read(n);
  Call call = n.call("deform_conv_nd",
                     DeformConvNdShape<Dim>{c.batch, c.group, n.attr_int("offset_group"),
                                            c.in_channels, c.out_channels, nd_window(c.window)});
  call.template_arg(std::to_string(c.window.rank()));
  call.in({0, 1, 2}).in(3, n.elem(0)).in(4, n.elem(0)).out(0).macs(n.macs());
}

constexpr Op rows[] = {{
    .name = "DeformConv",
    .versions = "19 22",
    .inputs = "X:T W:T offset:T B:T? mask:T?",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "dilations:ints group:int=1 kernel_shape:ints offset_group:int=1 pads:ints "
                  "strides:ints",
    .infer = infer,
    .lower = lower,
    .macs = convolution_macs<1>,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::deform_conv
