// onnxc::SoftmaxInt8: Softmax along the last axis between DequantizeLinear and QuantizeLinear of
// int8 or uint8.
#include <cmath>

#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::softmax_int8 {
namespace {

void infer(Infer& n) { n.output_like_input(n.attr_elem_type("to")); }

// exp(-i * step) * 2^31 for the difference i of two values; after them 2^places / scale.
Tensor exponents(double step, double scale, int places) {
  std::vector<std::uint32_t> numbers;
  for (int i = 0; i < 256; ++i)
    numbers.push_back(static_cast<std::uint32_t>(std::llround(std::exp(-i * step) * 0x1p31)));
  numbers.push_back(static_cast<std::uint32_t>(std::ldexp(1 / scale, places)));
  return Tensor::of<std::uint32_t>(ElemType::uint32, {257}, numbers);
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const double scale = n.attr_float("scale");
  const int places = 30 - std::ilogb(1 / scale);
  const std::int64_t most = n.out_elem(0) == ElemType::int8 ? 127 : 255;
  Call call = n.call(kSoftmaxInt8, SoftmaxInt8Shape<Dim>{product(x, 0, x.size() - 1), x.back(),
                                                         places, n.attr_int("zero"), most});
  call.divisible()
      .in(0)
      .read(n.constant(exponents(n.attr_float("step"), scale, places), "exponents"))
      .out(0)
      .may_share(0);
}

constexpr Op rows[] = {internal({
    .name = "SoftmaxInt8",
    .inputs = "X:T1",
    .outputs = "Y:T2",
    .types = "T1: int8 uint8; T2: int8 uint8",
    .attributes = "to:int! step:float! scale:float! zero:int!",
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::softmax_int8
