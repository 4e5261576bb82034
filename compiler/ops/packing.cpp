// Chooses tiles by target and shape, and packs weights for gemm.
#include "compiler/ops/packing.hpp"

#include <cstring>
#include <optional>

#include "compiler/support/checked.hpp"
#include "runtime_min/half.hpp"
#include "templates/matmul/gemm.hpp"
#include "templates/matmul/gemm_dequant.hpp"
#include "templates/matmul/gemm_f16_weights.hpp"

namespace onnxc::ops {

Tile choose_tile(const Target& target, const Dim& columns) {
  Tile tile{target.gemm_rows, target.panel};
  if (!columns.is_const()) return tile;
  const std::int64_t n = std::max<std::int64_t>(columns.value(), 1);
  const auto padded = [&](std::int64_t panel) { return (n + panel - 1) / panel * panel; };
  const int narrowest = std::min(4, target.panel);
  while (tile.panel / 2 >= narrowest) {
    const int half = tile.panel / 2;
    const bool wasteful = padded(tile.panel) * 8 > padded(half) * 9;
    if (!wasteful || (half < target.vector_floats && n > half)) break;
    tile.panel = half;
    if (half >= target.vector_floats && target.vector_floats > 1) tile.rows *= 2;
  }
  // Three vectors in a row where they waste less. With one vector the multipliers wait for
  // operands.
  if (target.vector_floats == 8 && target.panel == 16 && n > 16) {
    const std::int64_t now = padded(tile.panel) * 100 / (tile.panel > 8 ? 100 : 80);
    if (padded(24) * 105 < now * 100) return {4, 24};
  }
  if (target.vector_floats == 16 && target.panel == 32) {
    const auto cost = [&](std::int64_t panel, int percent) {
      return padded(panel) * 100 / percent;
    };
    const std::int64_t now = cost(tile.panel, tile.panel > 16 ? 100 : 70);
    if (n > 32 && cost(48, 100) * 50 < now * 49) return {9, 48};
    if (tile.panel == 16 && n > 16 && cost(32, 100) < now) return {target.gemm_rows, 32};
  }
  return tile;
}

// Few rows with four vectors each keep the multipliers as busy as many with two, and read the left
// rows half as often. Rows that begin a multiple of a page apart share one set of the first-level
// cache, which has room for eight at least: more push each other out in every step.
Tile choose_tile(const Target& target, const Dim& columns, const LeftRows& rows) {
  constexpr std::int64_t kPageFloats = 1024, kFewRows = 8, kManyRows = 40;
  const Tile tile = choose_tile(target, columns);
  // A dot product, whose weights need no columns of zeros next to them.
  if (columns == Dim(1) && rows.count == Dim(1)) return {tile.rows, 1};
  if (tile.rows != target.gemm_rows || tile.panel != 32 || !columns.is_const()) return tile;
  const bool collide = rows.step.is_const() && rows.step.value() % kPageFloats == 0;
  const std::int64_t count = rows.count.constant().value_or(kManyRows);
  if (columns.value() % 64 != 0 || count <= (collide ? kFewRows : kManyRows)) return tile;
  return {6, 64};
}

Tensor pack_gemm(const Tensor& b, std::int64_t k, std::int64_t n, bool transposed, float scale,
                 int panel) {
  Tensor packed;
  with_panel(panel, [&](auto width) {
    constexpr int NR = decltype(width)::value;
    checked_product(std::vector<std::int64_t>{k, checked_add(n, NR), 4});
    TensorBuilder out(ElemType::float32, {packed_gemm_size<NR>(k, n)});
    auto* data = out.data<float>();
    pack_gemm_b<NR>(b.as<float>().data(), k, n, transposed ? k : n, transposed, data);
    for (std::int64_t i = 0; scale != 1.0f && i < out.size(); ++i) data[i] *= scale;
    packed = out.take();
  });
  return packed;
}

namespace {

// Fewer weights than this fit in the first-level cache as float32, too.
constexpr std::int64_t kFewestCompressed = 16 * 1024;

// All elements as H; nullopt if H does not hold one of them exactly.
template <class H>
std::optional<Tensor> as_half_floats(const Tensor& t, ElemType elem) {
  TensorBuilder out(elem, t.dims());
  H* to = out.data<H>();
  for (const float v : t.as<float>()) {
    const H half(v);
    const float back = static_cast<float>(half);
    if (std::memcmp(&back, &v, sizeof v) != 0) return {};
    *to++ = half;
  }
  return out.take();
}

}  // namespace

std::int64_t dequant_scratch(const Dim& m, std::int64_t k, std::int64_t n, int panel) {
  // Above some number of rows the size stays the same.
  const std::int64_t many = std::int64_t{1} << 20;
  const std::int64_t rows = m.is_const() ? std::min(m.value(), many) : many;
  std::int64_t floats = 0;
  with_panel(panel, [&](auto width) { floats = widened_size<decltype(width)::value>(rows, k, n); });
  return floats;
}

Tensor compress_to_half(Tensor packed, const Target& target) {
  if (packed.size() < kFewestCompressed || target.vector_floats == 1) return packed;
  if (auto t = as_half_floats<bfloat16>(packed, ElemType::bfloat16)) return *std::move(t);
  if (target.widens_float16)
    if (auto t = as_half_floats<float16>(packed, ElemType::float16)) return *std::move(t);
  return packed;
}

namespace {

// Scratch for 16-bit weights converted to float32; with few rows the kernel reads the weights
// directly.
Arg half_scratch(Lower& n, const PackedProduct& p) {
  if (p.m.is_const() && p.m.value() <= kFewHalfFloatRows) return null_arg(ElemType::float32, true);
  return write_arg(n.thread_scratch(ElemType::float32,
                                    dequant_scratch(p.m, p.k.value(), p.n.value(), p.tile.panel)));
}

}  // namespace

void lower_packed_product(Lower& n, PackedProduct p) {
  const bool halves = p.w.elem() != ElemType::float32;
  const Arg w = read_arg(n.constant(std::move(p.w), "w"));
  const Arg x = n.input_arg(0), bias = p.bias >= 0 ? read_arg(p.bias) : null_arg();
  const Arg y = n.output_arg(0);
  const Dim macs = p.m * p.k * p.n;
  if (halves) {
    const Arg scratch = half_scratch(n, p);
    n.call(GemmF16WeightsCall<Dim, Arg>{
               p.tile, {p.m, p.k, p.n}, {x, w, bias, y, scratch, n.fused_body()}})
        .macs(macs);
    return;
  }
  n.call(GemmCall<Dim, Arg>{p.tile, {p.m, p.k, p.n, p.k, p.n}, {x, w, bias, y, n.fused_body()}})
      .macs(macs);
}

Call& add_tile(Call& call, Tile tile) {
  return call.template_arg(std::to_string(tile.rows)).template_arg(std::to_string(tile.panel));
}

Call& add_epilogue(Call& call, const Lower& n) {
  if (!n.node().body.empty()) call.epilogue();
  return call;
}

}  // namespace onnxc::ops
