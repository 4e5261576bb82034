#include "compiler/ops/packing.hpp"

#include "compiler/support/checked.hpp"
#include "templates/gemm.hpp"
#include "templates/gemm_dynamic.hpp"

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
    if (half >= target.vector_floats) tile.rows *= 2;
  }
  // Three vectors a row where they fit better. One vector keeps the multipliers waiting for
  // operands.
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

std::int64_t dynamic_scratch(std::int64_t m, std::int64_t k, std::int64_t n, int panel) {
  struct Extents {
    Index m, k, n;
  };
  std::int64_t floats = 0;
  with_panel(panel, [&](auto width) {
    floats = gemm_dynamic_scratch<decltype(width)::value>(Extents{m, k, n});
  });
  return floats;
}

Call& add_tile(Call& call, Tile tile) {
  return call.template_arg(std::to_string(tile.rows)).template_arg(std::to_string(tile.panel));
}

Call& add_epilogue(Call& call, const Lower& n) {
  if (!n.node().body.empty()) call.epilogue();
  return call;
}

}  // namespace onnxc::ops
