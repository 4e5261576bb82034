// ConvTranspose: the transpose of a convolution, over any number of spatial axes.
// onnxc::ConvTransposeInt8: of 8-bit integers, ungrouped, with constant weights whose zero points
// are subtracted already; the int32 sums are converted to float32.
#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/ops/convolution/conv_gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/int8_weights.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/packing.hpp"
#include "compiler/ops/window.hpp"
#include "compiler/ops/window_axes.hpp"

namespace onnxc::ops::conv_transpose {
namespace {

using Ints = std::vector<std::int64_t>;

Ints output_padding(const NodeView& n, std::size_t rank) {
  const Ints* given = n.find_ints("output_padding");
  if (!given) return Ints(rank, 0);
  n.require(given->size() == rank, "attribute \"output_padding\"", "has {} entries, needs {}",
            given->size(), rank);
  for (std::int64_t v : *given)
    n.require(v >= 0 && v < (std::int64_t{1} << 31), "attribute \"output_padding\"",
              "{} is negative or huge", v);
  return *given;
}

// Some exporters list batch and channels, too.
std::optional<Ints> output_shape(const NodeView& n, std::size_t rank) {
  const Ints* given = n.find_ints("output_shape");
  if (!given || given->empty()) return std::nullopt;
  const std::string field = "attribute \"output_shape\"";
  n.require(given->size() == rank || given->size() == rank + 2, field, "has {} entries, needs {}",
            given->size(), rank);
  const Ints s(given->end() - static_cast<std::ptrdiff_t>(rank), given->end());
  for (std::int64_t v : s)
    n.require(v >= 1 && v < (std::int64_t{1} << 31), field, "{} is not positive", v);
  return s;
}

// Strides, dilations and explicit pads, without the check that the kernel fits the data.
Convolution read(const NodeView& n) {
  const Shape& x = *n.input(0).shape;
  const Shape& w = *n.input(1).shape;
  n.require(x.size() >= 3, input_field(0, "X"), "rank {}, needs at least 3", x.size());
  n.require(w.size() == x.size(), input_field(1, "W"), "rank {}, needs {} like X", w.size(),
            x.size());
  Convolution c;
  c.group = n.attr_int("group");
  n.require(c.group >= 1 && c.group < (std::int64_t{1} << 31), "attribute \"group\"",
            "{} is not positive", c.group);
  n.require(!w[0].is_const() || w[0].value() % c.group == 0, "attribute \"group\"",
            "{} does not divide the {} input channels", c.group, w[0].to_string());
  n.require(!x[1].is_const() || !w[0].is_const() || x[1] == w[0], input_field(1, "W"),
            "takes {} channels, X has {}", w[0].to_string(), x[1].to_string());
  n.same(x[1], w[0], input_field(1, "W"));
  c.batch = x[0];
  c.in_channels = Dim::floor_div(w[0], c.group);
  n.same(c.in_channels * Dim(c.group), w[0], "attribute \"group\"");
  c.out_channels = w[1];
  require_vector(n, 2, "B", w[1] * Dim(c.group));
  const Shape kernel = spatial(w);
  const Shape given = read_kernel_shape(n, kernel.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    n.require(!kernel[i].is_const() || kernel[i] == given[i], "attribute \"kernel_shape\"",
              "says {} for axis {}, W has {}", given[i].value(), i, kernel[i].to_string());
    n.same(kernel[i], given[i], "attribute \"kernel_shape\"");
  }
  Window& v = c.window;
  v = read_transposed_window(n, x, kernel);
  const std::size_t rank = kernel.size();
  const Ints extra = output_padding(n, rank);
  for (std::size_t i = 0; i < rank; ++i)
    n.require(extra[i] < std::max(v.stride[i], v.dilation[i]), "attribute \"output_padding\"",
              "{} for axis {} is below neither its stride {} nor its dilation {}", extra[i], i,
              v.stride[i], v.dilation[i]);
  const auto wanted = output_shape(n, rank);
  const std::string& mode = n.attr_string("auto_pad");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  for (std::size_t i = 0; i < rank; ++i) {
    const Dim reach = (kernel[i] - Dim(1)) * Dim(v.dilation[i]) + Dim(1);
    const Dim whole = (v.in[i] - Dim(1)) * Dim(v.stride[i]) + reach + Dim(extra[i]);
    if (wanted || same) {
      v.out.push_back(wanted ? Dim((*wanted)[i]) : v.in[i] * Dim(v.stride[i]));
      const Dim total = Dim::max(whole - v.out[i], Dim(0)), half = Dim::floor_div(total, Dim(2));
      v.pad_begin[i] = mode == "SAME_UPPER" ? half : total - half;
      v.pad_end[i] = total - v.pad_begin[i];
      continue;
    }
    v.out.push_back(whole - v.pad_begin[i] - v.pad_end[i]);
    n.require(!v.out[i].is_const() || v.out[i].value() >= 1 || v.in[i].is(0), "attribute \"pads\"",
              "leaves {} positions of axis {}", v.out[i].to_string(), i);
    v.out[i] = Dim::max(v.out[i], Dim(0));
  }
  return c;
}

void infer(Infer& n) {
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, n.elem(0), std::nullopt);
  n.output(0, n.elem(0), read(n).out_shape());
}

LayoutRule layout(const Node& node) {
  const Value &x = *node.inputs[0], &w = *node.inputs[1];
  const Attribute* group = node.find("group");
  const bool fast = x.type.elem == ElemType::float32 && w.constant &&
                    (!group || std::get<std::int64_t>(*group) == 1);
  return {.accepts = fast, .prefers = fast};
}

void infer_int8(Infer& n) { n.output(0, ElemType::float32, read(n).out_shape()); }

LayoutRule layout_int8(const Node&) { return {.accepts = true, .prefers = true}; }

// [in_c, out_c, taps] -> [taps, out_c, in_c]: a row for each product of an input pixel.
Tensor product_rows(const Tensor& w) {
  const std::int64_t in_c = w.dims()[0], out_c = w.dims()[1];
  const std::int64_t taps = w.size() == 0 ? 0 : w.size() / (in_c * out_c);
  TensorBuilder b(ElemType::int8, {taps * out_c, in_c});
  auto* to = b.data<std::int8_t>();
  const auto from = w.as<std::int8_t>();
  for (std::int64_t t = 0; t < taps; ++t)
    for (std::int64_t m = 0; m < out_c; ++m)
      for (std::int64_t i = 0; i < in_c; ++i)
        *to++ = from[static_cast<std::size_t>((i * out_c + m) * taps + t)];
  return b.take();
}

void lower_int8(Lower& n) {
  const Convolution c = read(n);
  const Dim rows = c.batch * product(c.window.in),
            columns = product(c.window.kernel) * c.out_channels;
  const Tensor w = product_rows(*n.constant(1));
  const auto rest = n.constant(3) ? std::optional(product_rows(*n.constant(3))) : std::nullopt;
  const BufferId products = n.scratch(ElemType::int32, rows * columns, "products");
  lower_int8_convolution(n, pointwise(rows, c.in_channels, columns),
                         {&w, rest ? &*rest : nullptr, nullptr}, zero_point_of(n, "x_zero", 4),
                         {write_arg(products), {}});
  n.call(GatherTapsInt8<Dim, Arg>{
      {image_window(c.window), c.batch, c.out_channels},
      {read_arg(products), n.has_input(2) ? n.input_arg(2) : null_arg(ElemType::int32),
       n.output_arg(0), n.fused_body()}});
}

// [in_c, out_c, taps] -> [in_c, taps, out_c].
Tensor taps_first(const Tensor& w, std::int64_t in_c, std::int64_t out_c, std::int64_t taps) {
  TensorBuilder b(ElemType::float32, {in_c, taps * out_c});
  const auto from = w.as<float>();
  std::size_t at = 0;
  for (std::int64_t i = 0; i < in_c; ++i)
    for (std::int64_t t = 0; t < taps; ++t)
      for (std::int64_t m = 0; m < out_c; ++m)
        b.data<float>()[at++] = from[static_cast<std::size_t>((i * out_c + m) * taps + t)];
  return b.take();
}

void lower_channels_last(Lower& n, const Convolution& c) {
  const Dim taps = product(c.window.kernel), columns = taps * c.out_channels;
  const Dim rows = c.batch * product(c.window.in);
  const Tile tile = choose_tile(n.target(), columns);
  const std::int64_t k = c.in_channels.value();
  const Tensor b = taps_first(*n.constant(1), k, c.out_channels.value(), taps.value());
  const BufferId w = n.constant(pack_gemm(b, k, columns.value(), false, 1.0f, tile.panel), "w");
  const BufferId products = n.scratch(ElemType::float32, rows * columns, "products");
  const Dim depth = c.in_channels;
  n.call(GemmCall<Dim, Arg>{tile,
                            {rows, depth, columns, depth, columns},
                            {n.input_arg(0), read_arg(w), null_arg(), write_arg(products), {}}})
      .macs(n.macs());
  Call call =
      n.call("gather_taps", GatherTapsShape<Dim>{c.batch, c.out_channels, nd_window(c.window)});
  call.template_arg(std::to_string(c.window.rank()));
  call.read(products).in(2).out(0);
  add_epilogue(call, n);
}

void lower(Lower& n) {
  const Convolution c = read(n);
  if (n.channels_last()) return lower_channels_last(n, c);
  Call call =
      n.call("conv_transpose_nd", ConvTransposeNdShape<Dim>{c.batch, c.group, c.in_channels,
                                                            c.out_channels, nd_window(c.window)});
  call.template_arg(std::to_string(c.window.rank()));
  call.in({0, 1}).in(2, n.elem(0)).out(0).epilogue().macs(n.macs());
}

// The convolution that this is the transpose of takes y to x.
ConvGeometry convolution_of(const NodeView& n) {
  Window w = read(n).window;
  std::swap(w.in, w.out);
  const auto is_symbol = [](const Dim& d) { return !d.is_const(); };
  n.require_known(std::none_of(w.pad_begin.begin(), w.pad_begin.end(), is_symbol) &&
                      std::none_of(w.pad_end.begin(), w.pad_end.end(), is_symbol),
                  "attribute \"output_shape\"",
                  "the gradient needs extents of X known at compile time");
  return geometry_of(n, w);
}

void gradient(Gradient& n) {
  n.shape(0);
  n.shape(1);
  const ConvGeometry g = convolution_of(n);
  if (n.wants(0)) n.dx(0, conv_like(g, n.dy(), n.x(1), n.x(0)));
  if (n.wants(1)) n.dx(1, conv_by_weights(g, n.dy(), n.x(0)));
  if (n.wants(2)) n.dx(2, sum_but_channels(n.dy()));
}

constexpr Op rows[] = {
    {
        .name = "ConvTranspose",
        .versions = "1 11 22",
        .inputs = "X:T W:T B:T?",
        .outputs = "Y:T",
        .types = "T: floats",
        .attributes = "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints "
                      "output_padding:ints output_shape:ints pads:ints strides:ints",
        .infer = infer,
        .axes = axes_transposed_convolution,
        .lower = lower,
        .macs = transposed_convolution_macs,
        .layout = layout,
        .epilogue = Epilogue::channel_is_axis_1,
        .gradient = gradient,
    },
    internal({
        .name = "ConvTransposeInt8",
        .inputs = "X:T1 W:int8 B:int32? R:int8?",
        .outputs = "Y:T2",
        .types = "T1: int8 uint8; T2: float int8 uint8",
        .attributes = "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints "
                      "output_padding:ints output_shape:ints pads:ints strides:ints x_zero:int=0",
        .infer = infer_int8,
        .lower = lower_int8,
        .macs = transposed_convolution_macs,
        .layout = layout_int8,
        .epilogue = Epilogue::channel_is_axis_1,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::conv_transpose
