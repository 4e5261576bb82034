// LpPool: the p-norm of every window.
#include "compiler/ops/convolution/conv_gradient.hpp"
#include "compiler/ops/pooling/pool.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::lp_pool {
namespace {

void upgrade(Upgrade& n) { whole_norm_order(n); }

void infer(Infer& n) {
  norm_order(n);
  infer_pool(n);
}

void lower(Lower& n) {
  const Window window = read_pool_window(n, n.shape(0));
  Call call = n.call("lp_pool_nd", LpPoolNdShape<Dim>{nd_pool(n, window), norm_order(n)});
  call.template_arg(std::to_string(window.rank())).in(0).out(0);
}

// The sum over windows as a convolution of every channel with ones. Windows that reach past the
// data, as rounding up allows, become padding.
ConvGeometry sum_of_windows(const Gradient& n) {
  Window w = read_pool_window(n, n.shape(0));
  for (std::size_t i = 0; i < w.rank() && n.attr_int("ceil_mode") != 0; ++i) {
    n.require_known(w.in[i].is_const(), "attribute \"ceil_mode\"",
                    "the gradient needs extents known at compile time");
    const Dim reach = (w.kernel[i] - Dim(1)) * Dim(w.dilation[i]) + Dim(1);
    const Dim end = (w.out[i] - Dim(1)) * Dim(w.stride[i]) + reach;
    w.pad_end[i] = Dim::max(end - w.in[i] - w.pad_begin[i], Dim(0));
  }
  ConvGeometry g = geometry_of(n, w);
  n.require_known(n.shape(0)[1].is_const(), "input 0 \"X\"",
                  "the gradient needs a number of channels known at compile time");
  g.group = n.shape(0)[1].value();
  return g;
}

void gradient(Gradient& n) {
  const ConvGeometry g = sum_of_windows(n);
  const std::int64_t p = norm_order(n);
  std::vector<std::int64_t> extents = {g.group, 1};
  for (const Dim& d : g.window.kernel) extents.push_back(d.value());
  const Term one = n.emit("Reshape", {n.scalar(1), n.list({1})});
  const Term ones = n.emit("Expand", {one, n.list(extents)});
  n.dx(0,
       gradient_of_norm(n.x(), p, conv_by_data(g, divided_by_norm(n.dy(), n.y(), p), ones, n.x())));
}

constexpr Op rows[] = {{
    .name = "LpPool",
    .versions = "1 2 11 18 22",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "auto_pad:string=NOTSET ceil_mode:int=0@18- dilations:ints@18- "
                  "kernel_shape:ints@1-1 kernel_shape:ints!@2- "
                  "p:int=2@2- p:float=2@1-1 pads:ints strides:ints",
    .limits = "a fraction p of version 1",
    .upgrade = upgrade,
    .infer = infer,
    .lower = lower,
    .layout = accept_channels_last,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::lp_pool
