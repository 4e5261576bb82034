// Packs int8 weights and calls the int8 convolution kernels.
#include "compiler/ops/int8_weights.hpp"

#include <algorithm>

#include "compiler/kernels/shape_struct.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/int8_pairs.hpp"
#include "compiler/ops/packing.hpp"
#include "compiler/support/checked.hpp"
#include "templates/convolution/conv2d_int8_nhwc.hpp"
#include "templates/convolution/depthwise_conv2d_int8_nhwc.hpp"
#include "templates/convolution/depthwise_conv2d_int8_taps_nhwc.hpp"

namespace onnxc::ops {
namespace {

bool is_depthwise(const Convolution& c) {
  return c.group > 1 && c.in_channels.is(1) && c.out_channels.is(1);
}

// Whether the kernel has to copy an image before it reads it.
bool copies(const Lower& n, const Convolution& c, const Int8ConvShape<Index>& s) {
  if (n.elem(0) == ElemType::int8) return true;
  for (std::size_t i = 0; i < c.window.rank(); ++i)
    if (!c.window.pad_begin[i].is(0) || !c.window.pad_end[i].is(0)) return true;
  if (is_depthwise(c)) return false;
  return (merges_taps(s) ? s.k_w * s.in_c : s.in_c / s.group) % 4 != 0;
}

// Pads each group of `columns` values with zeros to whole panels.
Tensor in_panels(const std::vector<std::int32_t>& values, std::int64_t columns, int panel) {
  const auto count = static_cast<std::int64_t>(values.size());
  const std::int64_t groups = columns > 0 ? count / columns : 0;
  const std::int64_t padded = (columns + panel - 1) / panel * panel;
  TensorBuilder out(ElemType::int32, {groups * padded});
  auto* data = out.data<std::int32_t>();
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t j = 0; j < padded; ++j)
      *data++ = j < columns ? values[static_cast<std::size_t>(g * columns + j)] : 0;
  return out.take();
}

Tensor pack_depthwise(const Int8Weights& w, const Int8ConvShape<Index>& s, bool taps) {
  const std::int64_t size = taps ? depthwise_taps_size(s) : depthwise_set_size(s);
  TensorBuilder out(ElemType::int8, {w.rest ? 2 * size : size});
  auto* packed = out.data<std::int8_t>();
  for (const Tensor* set : {w.rows, w.rest}) {
    if (set == nullptr) break;
    const std::int8_t* const from = set->as<std::int8_t>().data();
    taps ? pack_depthwise_int8_taps(s, from, packed) : pack_depthwise_int8(s, from, packed);
    packed += size;
  }
  return out.take();
}

// Scratch for a copy of one image, if the kernel makes one.
template <class S>
Arg image_scratch(Lower& n, const S& shape) {
  if (!shape.copies) return null_arg(ElemType::uint8, true);
  return write_arg(n.thread_scratch(ElemType::uint8, bordered_size(shape)));
}

// The row sums of w + rest. They wrap like the kernel's accumulators.
std::vector<std::int32_t> row_sums(const Int8Weights& w) {
  const auto rows = static_cast<std::size_t>(w.rows->dims()[0]);
  const std::size_t length = rows == 0 ? 0 : static_cast<std::size_t>(w.rows->size()) / rows;
  std::vector<std::int32_t> sums(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    std::int64_t sum = 0;
    for (std::size_t j = i * length; j < (i + 1) * length; ++j) {
      sum += w.rows->as<std::int8_t>()[j];
      if (w.rest) sum += w.rest->as<std::int8_t>()[j];
    }
    sums[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
  }
  return sums;
}

// The initial accumulators: bias - zero * row sum, which makes the result that of (x - zero) * w.
std::vector<std::int32_t> initial_sums(const Int8Weights& w, std::int64_t zero) {
  std::vector<std::int32_t> start = row_sums(w);
  for (std::size_t i = 0; i < start.size(); ++i) {
    const std::int64_t from = w.bias ? w.bias->as<std::int32_t>()[i] : 0;
    start[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(from - zero * start[i]));
  }
  return start;
}

// A call of K, or of the kernel Zero if borders are filled with a run-time zero point.
template <template <class, class> class K, template <class, class> class Zero, class Operands>
Call call_int8(Lower& n, const ZeroPoint& zero, bool has_borders, const auto& shape,
               const Operands& operands, auto... tile) {
  if (!zero.input || !has_borders) return n.call(K<Dim, Arg>{tile..., shape, operands});
  return n.call(Zero<Dim, Arg>{tile..., shape, {n.input_arg(*zero.input), operands}});
}

// Whether fn::requantize can multiply by these scales.
bool requantizes_by(const Tensor& scales) {
  const auto numbers = scales.as<float>();
  return scales.elem() == ElemType::float32 &&
         std::all_of(numbers.begin(), numbers.end(),
                     [](float v) { return v >= 0x1p-22f && v <= 0.5f; });
}

Tensor pack_depthwise_pairs(const Int8Weights& w, const Int8ConvShape<Index>& s) {
  TensorBuilder out(ElemType::int16, {tap_words<PairProduct>(s) * s.k_w * s.in_c * 2});
  pack_depthwise_int8_pairs(s, w.rows->as<std::int8_t>().data(),
                            w.rest ? w.rest->as<std::int8_t>().data() : nullptr,
                            out.data<std::int16_t>());
  return out.take();
}

// The call of the depthwise kernel for the weights that the target has.
Call call_depthwise(Lower& n, const ZeroPoint& zero, bool has_borders,
                    const Int8DepthwiseShape<Dim>& shape,
                    const Int8DepthwiseOperands<Arg>& operands, bool pairs, bool taps) {
  if (pairs)
    return call_int8<DepthwiseConv2dInt8PairsNhwc, DepthwiseConv2dInt8PairsNhwcZero>(
        n, zero, has_borders, shape, operands);
  if (taps)
    return call_int8<DepthwiseConv2dInt8TapsNhwc, DepthwiseConv2dInt8TapsNhwcZero>(
        n, zero, has_borders, shape, operands);
  return call_int8<DepthwiseConv2dInt8Nhwc, DepthwiseConv2dInt8NhwcZero>(n, zero, has_borders,
                                                                         shape, operands);
}

void lower_depthwise(Lower& n, const Convolution& c, const Int8Weights& w, const ZeroPoint& zero,
                     const Int8Result& result) {
  const Int8ConvShape<Index> packing = packing_shape(c);
  // Microcontrollers without vectors read images in place.
  const Target& target = n.target();
  const bool pairs = widens_bytes(n), taps = target.small_memory && target.vector_floats == 1,
             has_borders = copies(n, c, packing);
  const Int8DepthwiseShape<Dim> shape = {conv_extents(c), zero.unsigned_value, has_borders && !taps,
                                         w.rest && !pairs ? 2 : 1};
  const BufferId start = initial_sum_panels(n, w, zero, packing.out_c, 1, 0);
  Tensor packed = pairs ? pack_depthwise_pairs(w, packing) : pack_depthwise(w, packing, taps);
  const Int8DepthwiseOperands<Arg> operands = {
      n.input_arg(0),          read_arg(n.constant(std::move(packed), "w")),
      read_arg(start),         result.y,
      image_scratch(n, shape), result.epilogue};
  call_depthwise(n, zero, has_borders, shape, operands, pairs, taps).macs(n.macs());
}

}  // namespace

std::optional<Arg> int8_epilogue(Lower& n) {
  std::optional<Arg> body = n.fused_body();
  if (!body || n.target().vector_floats > 1) return body;
  auto& f = std::get<Lambda>(body->value);
  if (f.calls.size() != 2 || f.calls[0].fn.name != "mul" || f.calls[1].fn.name != "quantize" ||
      !requantizes_by(n.program().at(f.captures[0].buffer).constant))
    return body;
  ScalarFn& quantize = f.calls[1].fn;
  std::vector<Literal> limits;
  for (std::size_t i = 2; i < quantize.literals.size(); ++i)
    limits.push_back(int_literal(static_cast<std::int64_t>(quantize.literals[i].real)));
  if (quantize.literals[0].real != 1 || quantize.literals[1].real != 1) return body;
  f.vectorises = false;
  f.calls = {{{"requantize", limits, f.vectorises}, f.calls[0].operands}};
  return body;
}

std::optional<SplitWeights> without_zero_points(const Tensor& w, const Tensor* zero) {
  const std::vector<std::int64_t> numbers = w.to_int64s();
  const std::int64_t length = zero && zero->size() > 1 ? w.size() / zero->size() : w.size();
  std::vector<std::int8_t> first, rest;
  bool wide = false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double z = zero ? zero->number(static_cast<std::int64_t>(i) / length) : 0;
    const std::int64_t v = numbers[i] - static_cast<std::int64_t>(z);
    if (v > 2 * 127) return {};
    first.push_back(static_cast<std::int8_t>(std::clamp<std::int64_t>(v, -128, 127)));
    rest.push_back(static_cast<std::int8_t>(v - first.back()));
    wide = wide || rest.back() != 0;
  }
  SplitWeights split{Tensor::of<std::int8_t>(ElemType::int8, w.dims(), first), {}};
  if (wide) split.rest = Tensor::of<std::int8_t>(ElemType::int8, w.dims(), rest);
  return split;
}

PackedInt8 pack_int8(const Int8Weights& w, Int8ConvShape<Index>& s, int panel) {
  PackedInt8 packed;
  with_panel(panel, [&](auto width) {
    constexpr int NR = decltype(width)::value;
    checked_product(
        std::vector<std::int64_t>{checked_mul(s.group, NR) + s.out_c, s.in_c + 4, s.k_h, s.k_w, 8});
    const std::int8_t* rest = w.rest ? w.rest->as<std::int8_t>().data() : nullptr;
    if (rest) s.residual_words = residual_words<NR>(s, rest);
    TensorBuilder out(ElemType::int8, {int8_panels<NR>(s) * int8_panel_size<NR>(s)});
    TensorBuilder residual_places(ElemType::int32, {int8_panels<NR>(s) * s.residual_words * 3});
    pack_conv2d_int8<NR>(s, w.rows->as<std::int8_t>().data(), rest, out.data<std::int8_t>(),
                         residual_places.data<std::int32_t>());
    packed = {out.take(), residual_places.take()};
  });
  return packed;
}

int choose_int8_panel(const Target& target, std::int64_t columns) {
  const int lanes = target.vector_floats;
  if (target.sums_bytes) return 1;
  // Three vectors where panels of two would have a tenth more columns.
  const auto padded = [&](std::int64_t panel) { return (columns + panel - 1) / panel * panel; };
  if (lanes == 16 && columns > 32 && padded(32) * 10 >= padded(48) * 11) return 48;
  const int widest = lanes >= 16 ? 32 : lanes >= 8 ? 16 : lanes >= 4 ? 8 : 4;
  int panel = 4;
  while (panel < widest && panel < columns) panel *= 2;
  return panel;
}

BufferId initial_sum_panels(Lower& n, const Int8Weights& w, const ZeroPoint& zero,
                            std::int64_t columns, int panel, std::int64_t offset) {
  if (!zero.input)
    return n.constant(in_panels(initial_sums(w, zero.unsigned_value - offset), columns, panel),
                      "start");
  // With a zero point from an input they are computed at run time.
  const WeightSums sums = weight_sum_panels(n, w, columns, panel, offset);
  const BufferId start = n.scratch(ElemType::int32, sums.count, "start");
  Call call = n.call("int8_bias", CountShape<Dim>{sums.count});
  call.in(*zero.input).read(sums.sums);
  sums.bias < 0 ? call.null(ElemType::int32) : call.read(sums.bias);
  call.write(start);
  return start;
}

WeightSums weight_sum_panels(Lower& n, const Int8Weights& w, std::int64_t columns, int panel,
                             std::int64_t offset) {
  Tensor sums = in_panels(row_sums(w), columns, panel);
  WeightSums all{-1, -1, sums.size()};
  all.sums = n.constant(std::move(sums), "sums");
  if (w.bias || offset != 0)
    all.bias = n.constant(in_panels(initial_sums(w, -offset), columns, panel), "bias");
  return all;
}

Int8ConvShape<Index> packing_shape(const Convolution& c) {
  const Window& w = c.window;
  Int8ConvShape<Index> s{};
  s.in_c = c.in_channels.value() * c.group;
  s.out_c = c.out_channels.value() * c.group;
  s.group = c.group;
  s.k_h = w.rank() == 2 ? w.kernel[0].value() : 1;
  s.k_w = w.kernel.back().value();
  s.dilation_w = w.dilation.back();
  return s;
}

ConvExtents<Dim> conv_extents(const Convolution& c) {
  return {image_window(c.window), c.batch, c.in_channels * Dim(c.group),
          c.out_channels * Dim(c.group), c.group};
}

ZeroPoint zero_point_of(const Lower& n, const std::string& attribute, std::size_t i) {
  if (n.has_input(i)) return {0, i};
  return {n.attr_int(attribute) + (n.elem(0) == ElemType::int8 ? 128 : 0), {}};
}

Convolution pointwise(const Dim& rows, const Dim& depth, const Dim& columns) {
  Convolution c;
  c.batch = 1;
  c.in_channels = depth;
  c.out_channels = columns;
  c.window = {{rows}, {rows}, {Dim(1)}, {1}, {1}, {Dim(0)}, {Dim(0)}};
  return c;
}

void lower_int8_convolution(Lower& n, const Convolution& c, const Int8Weights& w,
                            const ZeroPoint& zero) {
  lower_int8_convolution(n, c, w, zero, {n.output_arg(0), int8_epilogue(n)});
}

void lower_int8_convolution(Lower& n, const Convolution& c, const Int8Weights& w,
                            const ZeroPoint& zero, const Int8Result& result) {
  if (is_depthwise(c)) return lower_depthwise(n, c, w, zero, result);
  if (lower_int8_pairs(n, c, w, zero, result)) return;
  Int8ConvShape<Index> packing = packing_shape(c);
  const int panel = choose_int8_panel(n.target(), packing.out_c / c.group);
  PackedInt8 packed = pack_int8(w, packing, panel);
  const BufferId start = initial_sum_panels(n, w, zero, packing.out_c / c.group, panel,
                                            panel == 1 ? 128 : 0);  // see int8_tile.hpp
  const Int8ConvShape<Dim> shape = {conv_extents(c), zero.unsigned_value, copies(n, c, packing),
                                    packing.residual_words};
  Int8ConvOperands<Arg> operands;
  operands.x = n.input_arg(0);
  operands.w = read_arg(n.constant(std::move(packed.w), "w"));
  operands.start = read_arg(start);
  operands.residual_places =
      packing.residual_words > 0
          ? read_arg(n.constant(std::move(packed.residual_places), "residual_places"))
          : null_arg(ElemType::int32);
  operands.y = result.y;
  operands.scratch = image_scratch(n, shape);
  operands.epilogue = result.epilogue;
  call_int8<Conv2dInt8Nhwc, Conv2dInt8NhwcZero>(n, zero, shape.copies, shape, operands,
                                                PanelArgument{panel})
      .macs(n.macs());
}

}  // namespace onnxc::ops
