// onnxc::MatMulBytes: matrices of 8-bit numbers less their zero point times one of constant
// weights, [columns, depth], whose zero points are taken off already; sums in 32 bits, as floats.
#include "compiler/ops/byte_weights.hpp"
#include "compiler/ops/infer.hpp"

namespace onnxc::ops::mat_mul_bytes {
namespace {

constexpr std::size_t kZero = 4;

void infer(Infer& n) {
  Shape out = n.shape(0);
  out.back() = n.shape(1)[0];
  n.output(0, ElemType::float32, out);
}

// The zero point comes with the run: so do the numbers that the sums start from.
BufferId start_of_run(Lower& n, const ByteWeightInputs& w) {
  Tensor sums = padded_start(n, row_sums(w));
  const std::int64_t count = sums.size();
  const BufferId start = n.scratch(ElemType::int32, count, "start");
  Call call = n.call("byte_start");
  call.dim("count", count).in(kZero).read(n.constant(std::move(sums), "sums"));
  if (w.bias) {
    const auto bias = w.bias->as<std::int32_t>();
    call.read(n.constant(padded_start(n, {bias.begin(), bias.end()}), "bias"));
  } else {
    call.null(ElemType::int32);
  }
  call.write(start);
  return start;
}

void lower(Lower& n) {
  const ByteWeightInputs w{n.constant(1), n.constant(3), n.constant(2)};
  const Shape& a = n.shape(0);
  const Convolution c = pointwise(product(a, 0, a.size() - 1), a.back(), n.shape(1)[0]);
  const BufferId start = n.has_input(kZero) ? start_of_run(n, w) : -1;
  lower_byte_convolution(n, c, w, unsigned_zero(n.elem(0), n.attr_int("a_zero")), start);
}

constexpr Op rows[] = {{
    .name = "MatMulBytes",
    .domain = "onnxc",
    .versions = "1",
    .inputs = "A:T1 W:int8 B:int32? R:int8? Z:T1?",
    .outputs = "Y:T2",
    .types = "T1: int8 uint8; T2: float int8 uint8",
    .attributes = "a_zero:int=0",
    .infer = infer,
    .lower = lower,
    .epilogue = Epilogue::channel_is_last_axis,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mat_mul_bytes
