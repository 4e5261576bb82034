// onnxc::ConvGradWeights: the derivative of a convolution by its weights. Autodiff adds one for
// each Conv or ConvTranspose.
//
// Inputs: the convolution's data, [batch, group * in_c, in], and the derivative of its result,
// [batch, group * out_c, out]. Attributes as for Conv. Output: [group * out_c, in_c, kernel].
#include "templates/convolution/conv_grad_weights.hpp"
#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/ops/convolution/conv_gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/packing.hpp"
#include "templates/convolution/conv_grad_weights_nhwc.hpp"

namespace onnxc::ops::conv_grad_weights {
namespace {

// The ends of the padding only say how many results there were, which dY says itself.
Window window_of(const NodeView& n) {
  const Shape& x = *n.input(0).shape;
  const Shape kernel = read_kernel_shape(n, x.size() - 2);
  Window w = n.attr_string("auto_pad") == "NOTSET" ? read_transposed_window(n, x, kernel)
                                                   : read_window(n, x, kernel);
  w.out = spatial(*n.input(1).shape);
  return w;
}

Dim per_group(const NodeView& n, const Dim& channels) {
  return Dim::floor_div(channels, n.attr_int("group"));
}

void infer(Infer& n) {
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, n.elem(0), std::nullopt);
  const Window w = window_of(n);
  n.same(n.shape(0)[0], n.shape(1)[0], input_field(1, "dY"));
  Shape out = {n.shape(1)[1], per_group(n, n.shape(0)[1])};
  out.insert(out.end(), w.kernel.begin(), w.kernel.end());
  n.output(0, n.elem(0), out);
}

std::optional<Dim> macs(const Node& node) {
  const NodeView n(node);
  if (!n.input(0).has_rank() || !n.input(1).has_rank()) return std::nullopt;
  const Shape& dy = *n.input(1).shape;
  return product(dy) * per_group(n, (*n.input(0).shape)[1]) * product(window_of(n).kernel);
}

ConvGradWeightsShape<Dim> shape_of(const Lower& n, const Window& w) {
  return {n.shape(0)[0],
          n.attr_int("group"),
          per_group(n, n.shape(0)[1]),
          per_group(n, n.shape(1)[1]),
          w.in,
          w.out,
          w.kernel,
          to_shape(w.stride),
          to_shape(w.dilation),
          w.pad_begin};
}

// Images and signals of float32.
LayoutRule layout(const Node& node) {
  const Type& x = node.inputs[0]->type;
  const bool fits = x.elem == ElemType::float32 && x.has_rank() && (x.rank() == 3 || x.rank() == 4);
  return {.reads_last = fits};
}

ConvShape<Dim> image_shape(const Lower& n, const Window& w) {
  ConvShape<Dim> s;
  static_cast<ImageWindow<Dim>&>(s) = image_window(w);
  s.batch = n.shape(0)[0];
  s.in_c = n.shape(0)[1];
  s.out_c = n.shape(1)[1];
  s.group = n.attr_int("group");
  s.ldx = n.pitch(0);
  s.ldy = s.ld_epilogue = n.pitch(1);
  return s;
}

void lower_channels_last(Lower& n, const Window& w) {
  const ConvShape<Dim> s = image_shape(n, w);
  const Arg x = n.input_arg(0), dy = n.input_arg(1), dw = n.output_arg(0);
  if (n.target().vector_floats == 1) {
    n.call(ConvGradWeightsEach<Dim, Arg>{s, {x, dy, dw}}).macs(n.macs());
    return;
  }
  const Dim width = per_group(n, s.in_c) * product(w.kernel), weights = product(n.out_shape(0));
  const Arg sums = write_arg(n.scratch(ElemType::float32, Dim::max(weights, 1), "sums"));
  if (s.in_c == s.group && s.out_c == s.group) {
    n.call(DepthwiseGradWeightsNhwc<Dim, Arg>{s, {x, dy, dw, sums}}).macs(n.macs());
    return;
  }
  const Dim floats = gathered_floats(s.batch * product(w.out), width);
  const BufferId gathered = n.thread_scratch(ElemType::float32, Dim::max(floats, 1), "gathered");
  n.call(ConvGradWeightsNhwc<Dim, Arg>{s, {x, dy, dw, sums, write_arg(gathered)}}).macs(n.macs());
}

void lower(Lower& n) {
  const Window w = window_of(n);
  if (n.layout(0) == Layout::channels_last) return lower_channels_last(n, w);
  const int rank = static_cast<int>(w.rank());
  const ConvGradWeightsShape<Dim> shape = shape_of(n, w);
  const ConvGradWeightsOperands<Arg> operands = {n.input_arg(0), n.input_arg(1), n.output_arg(0)};
  if (n.elem(0) != ElemType::float32) {
    n.call(ConvGradWeightsNd<Dim, Arg>{{rank}, shape, operands}).macs(n.macs());
    return;
  }
  const Tile tile = choose_tile(n.target(), shape.in_c * product(w.kernel));
  const BufferId scratch = n.thread_scratch(
      ElemType::float32, conv_grad_weights_scratch(product(w.out), tile.panel), "panel");
  n.call(ConvGradWeights<Dim, Arg>{{rank, tile.rows, tile.panel},
                                   shape,
                                   {operands.x, operands.dy, operands.dw, write_arg(scratch)}})
      .macs(n.macs());
}

// Linear in both operands: each derivative is a convolution with this one's as weights.
void gradient(Gradient& n) {
  n.shape(0);
  n.shape(1);
  const ConvGeometry g = geometry_of(n, window_of(n));
  if (n.wants(0)) n.dx(0, conv_by_data(g, n.x(1), n.dy(), n.x(0)));
  if (n.wants(1)) n.dx(1, conv_like(g, n.x(0), n.dy(), n.x(1)));
}

constexpr Op rows[] = {{
    .name = "ConvGradWeights",
    .domain = "onnxc",
    .versions = "1",
    .inputs = "X:T dY:T",
    .outputs = "dW:T",
    .types = "T: floats",
    .attributes = "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints! pads:ints "
                  "strides:ints",
    .infer = infer,
    .lower = lower,
    .macs = macs,
    .layout = layout,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::conv_grad_weights
