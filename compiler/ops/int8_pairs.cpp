// Widens int8 weights to 16 bits, directly or transformed, and calls their kernels.
#include "compiler/ops/int8_pairs.hpp"

#include <cstdlib>

#include "compiler/kernels/convolution_int8_calls.hpp"
#include "compiler/kernels/shape_struct.hpp"
#include "compiler/ops/packing.hpp"
#include "compiler/support/checked.hpp"
#include "templates/convolution/conv2d_int8_pairs_nhwc.hpp"
#include "templates/convolution/conv2d_winograd_int8_nhwc.hpp"

namespace onnxc::ops {
namespace {

// The kernels take inputs less their zero point, so sums start from the bias.
const ZeroPoint kNoZeroPoint = {};

// Four times a sum fits in 32 bits, whatever the image is.
bool sums_fit(const Int8Weights& w) {
  constexpr std::int64_t kInputs = 255, kLimit = std::int64_t{1} << 31;
  const std::int64_t rows = w.rows->dims()[0], length = w.rows->size() / rows;
  for (std::int64_t o = 0; o < rows; ++o) {
    std::int64_t sum = 0;
    for (std::int64_t i = o * length; i < (o + 1) * length; ++i)
      sum += std::abs(w.rows->as<std::int8_t>()[i] + (w.rest ? w.rest->as<std::int8_t>()[i] : 0));
    if (4 * kInputs * sum >= kLimit) return false;
  }
  return true;
}

bool has_fixed_sizes(const Convolution& c) { return c.batch.is_const() && c.has_fixed_images(); }

// Counts multiplications: the transforms cost as much as they load and store.
bool int8_winograd_pays(const Convolution& c, int lanes) {
  if (!c.is_plain_3x3()) return false;
  const auto in_c = static_cast<double>(c.in_channels.value());
  const auto out_c = static_cast<double>(c.out_channels.value());
  if (in_c < 2 * lanes || out_c < lanes) return false;
  const double tile = 16 * in_c * out_c + 60 * in_c + 80 * out_c, pixel = 9 * in_c * out_c * 1.4;
  if (!c.has_fixed_images()) return tile < 4 * pixel;
  const std::int64_t height = c.window.out[0].value(), width = c.window.out[1].value();
  const double tiles = static_cast<double>(((height + 1) / 2) * ((width + 1) / 2));
  return tiles * tile < static_cast<double>(height * width) * pixel;
}

// One tap with all channels: of a matrix product, too, whose scratch depends on no size.
bool is_one_tap(const Convolution& c) {
  if (c.group != 1) return false;
  for (std::size_t i = 0; i < c.window.rank(); ++i) {
    const bool pads = !c.window.pad_begin[i].is(0) || !c.window.pad_end[i].is(0);
    if (!c.window.kernel[i].is(1) || c.window.stride[i] != 1 || pads) return false;
  }
  return true;
}

// Widened weights are twice as many bytes: a product of few rows has to read them, too.
bool widening_pays(const Convolution& c) {
  constexpr std::int64_t kFewRows = 4;
  if (c.in_channels.is(0) || c.out_channels.is(0)) return false;
  if (!has_fixed_sizes(c)) return true;
  std::int64_t pixels = c.batch.value();
  for (const Dim& d : c.window.out) pixels *= d.value();
  return pixels > kFewRows;
}

const std::int8_t* rest_of(const Int8Weights& w) {
  return w.rest ? w.rest->as<std::int8_t>().data() : nullptr;
}

Int8PairsShape<Dim> shape_of(const Convolution& c, const ZeroPoint& zero) {
  Int8PairsShape<Dim> shape;
  static_cast<ConvExtents<Dim>&>(shape) = conv_extents(c);
  shape.zero = zero.unsigned_value;
  return shape;
}

// Integers of scratch of the direct kernel.
Dim widened_integers(const Convolution& c, Int8PairsShape<Dim> shape) {
  // No size of an image matters where each pixel is read for itself.
  if (is_one_tap(c)) shape.in_h = shape.out_h = shape.in_w = shape.out_w = 1;
  if (is_one_tap(c) || c.has_fixed_images()) {
    shape.batch = 1;
    return int8_pairs_scratch(numbers(shape));
  }
  return most_int8_pairs_scratch(shape);
}

void lower_winograd(Lower& n, const Convolution& c, const Int8Weights& w, const ZeroPoint& zero,
                    const Int8Result& result) {
  const Int8PairsShape<Dim> shape = shape_of(c, zero);
  const std::int64_t in_c = c.in_channels.value(), out_c = c.out_channels.value();
  const int panel = choose_int8_panel(n.target(), out_c);
  WinogradInt8Operands<Arg> operands;
  with_panel(panel, [&](auto width) {
    constexpr int NR = decltype(width)::value;
    checked_product(std::vector<std::int64_t>{checked_add(out_c, NR), in_c + 1, 64});
    TensorBuilder packed(ElemType::int16, {packed_winograd_int8_size<NR>(out_c, in_c)});
    pack_winograd_int8<NR>(w.rows->as<std::int8_t>().data(), rest_of(w), out_c, in_c,
                           packed.data<std::int16_t>());
    const std::int64_t tiles = has_fixed_sizes(c) ? winograd_int8_block<NR>(numbers(shape))
                                                  : most_winograd_int8_tiles<NR>(in_c, out_c);
    operands.w = read_arg(n.constant(packed.take(), "w"));
    operands.inputs =
        write_arg(n.thread_scratch(ElemType::int16, winograd_int8_inputs(tiles, in_c), "inputs"));
    operands.sums =
        write_arg(n.thread_scratch(ElemType::int32, winograd_int8_sums<NR>(tiles, out_c), "sums"));
  });
  operands.x = n.input_arg(0);
  operands.start = read_arg(initial_sum_panels(n, w, kNoZeroPoint, out_c, panel, 0));
  operands.y = result.y;
  operands.epilogue = result.epilogue;
  n.call(Conv2dWinogradInt8Nhwc<Dim, Arg>{{panel}, shape, operands}).macs(n.macs());
}

void lower_widened(Lower& n, const Convolution& c, const Int8Weights& w, const ZeroPoint& zero,
                   const Int8Result& result) {
  const Int8PairsShape<Dim> shape = shape_of(c, zero);
  const Int8ConvShape<Index> s = packing_shape(c);
  const std::int64_t columns = s.out_c / s.group;
  const int panel = choose_int8_panel(n.target(), columns);
  Int8PairsOperands<Arg> operands;
  with_panel(panel, [&](auto width) {
    constexpr int NR = decltype(width)::value;
    checked_product(
        std::vector<std::int64_t>{checked_mul(s.group, NR) + s.out_c, s.in_c + 2, s.k_h, s.k_w, 8});
    TensorBuilder packed(ElemType::int16, {int8_panels<NR>(s) * int8_pairs_panel_size<NR>(s)});
    pack_conv2d_int8_pairs<NR>(s, w.rows->as<std::int8_t>().data(), rest_of(w),
                               packed.data<std::int16_t>());
    operands.w = read_arg(n.constant(packed.take(), "w"));
  });
  operands.x = n.input_arg(0);
  operands.start = read_arg(initial_sum_panels(n, w, kNoZeroPoint, columns, panel, 0));
  operands.y = result.y;
  operands.scratch = write_arg(n.thread_scratch(ElemType::int16, widened_integers(c, shape)));
  operands.epilogue = result.epilogue;
  Call call = zero.input ? n.call(Conv2dInt8PairsNhwcZero<Dim, Arg>{
                               {panel}, shape, {n.input_arg(*zero.input), operands}})
                         : n.call(Conv2dInt8PairsNhwc<Dim, Arg>{{panel}, shape, operands});
  call.macs(n.macs());
}

}  // namespace

bool widens_bytes(const Lower& n) {
  return n.target().sums_pairs && !n.options().small_memory && !n.options().optimize_size;
}

bool lower_int8_pairs(Lower& n, const Convolution& c, const Int8Weights& w, const ZeroPoint& zero,
                      const Int8Result& result) {
  if (!widens_bytes(n)) return false;
  if (!zero.input && int8_winograd_pays(c, n.target().vector_floats) && sums_fit(w)) {
    lower_winograd(n, c, w, zero, result);
    return true;
  }
  if (!widening_pays(c)) return false;
  lower_widened(n, c, w, zero, result);
  return true;
}

}  // namespace onnxc::ops
