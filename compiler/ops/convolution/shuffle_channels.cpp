// onnxc::ShuffleChannels: interleaves the groups of channels along axis 1.
#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::shuffle_channels {
namespace {

void lower_plain(Lower& n, const Dim& groups, const Dim& each) {
  const Shape& x = n.shape(0);
  const Shape dims{x[0], each, groups, product(x, 2, x.size())};
  Region r = whole(dims);
  r.from = {x[1] * dims[3], dims[3], each * dims[3], 1};
  lower_region(n, r, n.in(0), n.out(0));
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const Dim groups = n.attr_int("groups"), each = Dim::floor_div(x[1], groups);
  if (!n.channels_last()) return lower_plain(n, groups, each);
  Call call =
      n.call("shuffle_channels", ShuffleChannelsShape<Dim>{x[0] * product(x, 2, x.size()), groups,
                                                           each, n.pitch(0), n.out_pitch(0)});
  call.divisible().in(0).out(0);
}

LayoutRule layout(const Node&) { return {.accepts = true, .parts_in = true, .part_out = true}; }

constexpr Op rows[] = {internal({
    .name = "ShuffleChannels",
    .inputs = "input:T",
    .outputs = "output:T",
    .types = "T: all",
    .attributes = "groups:int!",
    .infer = infer_like_first,
    .lower = lower,
    .layout = layout,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::shuffle_channels
