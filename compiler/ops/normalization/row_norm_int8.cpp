// onnxc::LayerNormInt8 and onnxc::RmsNormInt8: LayerNormalization and RMSNormalization of rows of
// `size` elements between DequantizeLinear and QuantizeLinear of int8 or uint8. Scale, Bias and
// Epsilon are the operands in fixed point that the kernels take.
#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::row_norm_int8 {
namespace {

void infer(Infer& n) { n.output_like_input(n.attr_elem_type("to")); }

void lower_rows(Lower& n, KernelName kernel) {
  const Dim size = n.constant(1)->size();
  const bool has_sign = n.out_elem(0) == ElemType::int8;
  const RowNormInt8Shape<Dim> shape = {product(n.shape(0)) / size, size,
                                       n.attr_int("zero"),         n.attr_int("bits"),
                                       n.attr_int("places"),       has_sign ? -128 : 0,
                                       has_sign ? 127 : 255};
  n.call(kernel, shape).divisible().in({0, 1, 2, 3}).out(0).may_share(0);
}
void lower_centred(Lower& n) { lower_rows(n, kLayerNormInt8); }
void lower_plain(Lower& n) { lower_rows(n, kRmsNormInt8); }

constexpr Op row(std::string_view name, void (*lower)(Lower&)) {
  return internal({
      .name = name,
      .inputs = "X:T1 Scale:int32 Bias:int32 Epsilon:uint32",
      .outputs = "Y:T2",
      .types = "T1: int8 uint8; T2: int8 uint8",
      .attributes = "to:int! zero:int=0 bits:int! places:int!",
      .infer = infer,
      .lower = lower,
  });
}

constexpr Op rows[] = {row("LayerNormInt8", lower_centred), row("RmsNormInt8", lower_plain)};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::row_norm_int8
