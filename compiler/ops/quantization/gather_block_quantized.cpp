// com.microsoft GatherBlockQuantized: gathers from a table of 4- or 8-bit values, dequantised in
// blocks that share a scale and a zero point.
#include "compiler/kernels/quantization_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::gather_block_quantized {
namespace {

struct Sizes {
  Dim rows, lines, width;
  std::int64_t block = 0, bits = 4;
};

void need_blocks(const NodeView& n, std::size_t input, const char* name, const Dim& last) {
  if (!n.has_input(input) || !n.input(input).has_rank()) return;
  const Shape &x = *n.input(0).shape, &other = *n.input(input).shape;
  const std::string field = input_field(input, name);
  n.require(other.size() == x.size(), field, "rank {}, needs {}", other.size(), x.size());
  for (std::size_t i = 0; i + 1 < x.size(); ++i) n.same(other[i], x[i], field);
  n.same(other.back(), last, field);
}

Sizes read(const NodeView& n) {
  const Shape& x = *n.input(0).shape;
  n.require(x.size() >= 2, input_field(0, "data"), "rank {}, needs at least 2", x.size());
  Sizes s;
  s.block = n.attr_int("block_size");
  s.bits = n.attr_int("bits");
  n.require(s.block >= 16 && s.block <= (std::int64_t{1} << 40) && (s.block & (s.block - 1)) == 0,
            "attribute \"block_size\"", "{} is no power of two from 16 on", s.block);
  n.require(s.bits == 4 || s.bits == 8, "attribute \"bits\"", "{} is neither 4 nor 8", s.bits);
  const bool packed = n.input(0).elem == ElemType::uint8;
  n.require(packed || s.bits == 4, "attribute \"bits\"", "{} for elements of 4 bits", s.bits);
  if (n.axis(n.attr_int("gather_axis"), x.size(), "attribute \"gather_axis\"") != 0)
    n.unsupported("attribute \"gather_axis\"", "only the first axis is supported");
  if (n.axis(n.attr_int("quantize_axis"), x.size(), "attribute \"quantize_axis\"") + 1 != x.size())
    n.unsupported("attribute \"quantize_axis\"", "only the last axis is supported");
  const std::int64_t per_byte = packed ? 8 / s.bits : 1;
  s.rows = x[0];
  s.lines = product(x, 1, x.size() - 1);
  s.width = x.back() * per_byte;
  const Dim blocks = Dim::ceil_div(s.width, s.block);
  need_blocks(n, 2, "scales", blocks);
  need_blocks(n, 3, "zero_points", Dim::ceil_div(blocks, per_byte));
  return s;
}

void infer(Infer& n) {
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, n.elem(2), std::nullopt);
  const Sizes s = read(n);
  Shape y = n.shape(1);
  y.insert(y.end(), n.shape(0).begin() + 1, n.shape(0).end());
  y.back() = s.width;
  n.output(0, n.elem(2), y);
}

void lower(Lower& n) {
  const Sizes s = read(n);
  Call call = n.call("gather_blocks", GatherBlocksShape<Dim>{product(n.shape(1)), s.rows, s.lines,
                                                             s.width, s.block});
  call.template_arg(std::to_string(s.bits)).in({0, 1, 2}).in(3, n.elem(0)).out(0);
}

constexpr Op rows[] = {contrib({
    .name = "GatherBlockQuantized",
    .inputs = "data:T1 indices:Tind scales:T2 zero_points:T1?",
    .outputs = "output:T2",
    .types = "T1: int4 uint4 uint8; T2: float float16 bfloat16; Tind: int32 int64",
    .attributes = "bits:int=4 block_size:int=128 gather_axis:int=0 quantize_axis:int=1",
    .limits = "other axes than the first to gather along and the last in blocks",
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gather_block_quantized
