// Chooses and calls the Winograd kernel for 8-bit integers.
#include "compiler/ops/int8_winograd.hpp"

#include <cstdlib>

#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/kernels/shape_struct.hpp"
#include "compiler/ops/packing.hpp"
#include "compiler/support/checked.hpp"
#include "templates/convolution/conv2d_winograd_int8_nhwc.hpp"

namespace onnxc::ops {
namespace {

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

bool is_plain_3x3(const Convolution& c) {
  const Window& w = c.window;
  if (w.rank() != 2 || c.group != 1 || !c.batch.is_const()) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!w.kernel[i].is(3) || w.stride[i] != 1 || w.dilation[i] != 1) return false;
    if (!w.in[i].is_const() || !w.out[i].is_const()) return false;
  }
  return true;
}

// In instructions for a tile of two by two outputs. Directly these take 36 multiplications of
// channels, whose bytes become 16-bit integers on the way; the transforms cost as much as they load
// and store.
bool int8_winograd_pays(const Convolution& c, int lanes) {
  const auto in_c = static_cast<double>(c.in_channels.value());
  const auto out_c = static_cast<double>(c.out_channels.value());
  if (in_c < 2 * lanes || out_c < lanes) return false;
  const std::int64_t height = c.window.out[0].value(), width = c.window.out[1].value();
  const double tiles = static_cast<double>(((height + 1) / 2) * ((width + 1) / 2));
  const double direct = static_cast<double>(height * width) * 9 * in_c * out_c * 1.4;
  const double fast = tiles * (16 * in_c * out_c + 60 * in_c + 80 * out_c);
  return fast < direct;
}

int panel_for(const Target& target, std::int64_t columns) {
  const int widest = 2 * target.vector_floats;
  return columns > target.vector_floats ? widest : target.vector_floats;
}

struct WinogradOfBytes {
  Tensor w, start;
  std::int64_t inputs = 0, sums = 0;  // integers of scratch
};

WinogradOfBytes pack_bytes(const Int8Weights& w, const WinogradInt8Shape<Index>& s, int panel) {
  WinogradOfBytes packed;
  with_panel(panel, [&](auto width) {
    constexpr int NR = decltype(width)::value;
    checked_product(std::vector<std::int64_t>{checked_add(s.out_c, NR), s.in_c + 1, 64});
    TensorBuilder to(ElemType::int16, {packed_winograd_int8_size<NR>(s.out_c, s.in_c)});
    pack_winograd_int8<NR>(w.rows->as<std::int8_t>().data(),
                           w.rest ? w.rest->as<std::int8_t>().data() : nullptr, s.out_c, s.in_c,
                           to.data<std::int16_t>());
    TensorBuilder start(ElemType::int32, {winograd_columns<NR>(s.out_c)});
    for (std::int64_t i = 0; i < start.size(); ++i)
      start.data<std::int32_t>()[i] =
          w.bias && i < s.out_c ? w.bias->as<std::int32_t>()[static_cast<std::size_t>(i)] : 0;
    packed = {to.take(), start.take(), winograd_int8_inputs<NR>(s), winograd_int8_sums<NR>(s)};
  });
  return packed;
}

}  // namespace

bool lower_int8_winograd(Lower& n, const Convolution& c, const Int8Weights& w,
                         const ZeroPoint& zero) {
  const Target& target = n.target();
  if (!target.sums_pairs || target.small_memory || n.options().optimize_size) return false;
  if (zero.input || !is_plain_3x3(c) || !int8_winograd_pays(c, target.vector_floats) ||
      !sums_fit(w))
    return false;
  WinogradInt8Shape<Dim> shape;
  static_cast<ConvExtents<Dim>&>(shape) = conv_extents(c);
  shape.zero = zero.unsigned_value;
  const int panel = panel_for(target, c.out_channels.value());
  WinogradOfBytes packed = pack_bytes(w, numbers(shape), panel);
  const WinogradInt8Operands<Arg> operands = {
      n.input_arg(0),
      read_arg(n.constant(std::move(packed.w), "w")),
      read_arg(n.constant(std::move(packed.start), "start")),
      n.output_arg(0),
      write_arg(n.thread_scratch(ElemType::int16, packed.inputs, "inputs")),
      write_arg(n.thread_scratch(ElemType::int32, packed.sums, "sums")),
      n.fused_body()};
  n.call(Conv2dWinogradInt8Nhwc<Dim, Arg>{{panel}, shape, operands}).macs(n.macs());
  return true;
}

}  // namespace onnxc::ops
