// Choosing register tiles and packing weights for the float kernels.
#pragma once

#include "compiler/ops/fold.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// MR and NR of gemm.hpp.
struct Tile {
  int rows = 4, panel = 8;
};

// For a product with so many columns: narrower panels where the widest would waste much.
Tile choose_tile(const Target& target, const Dim& columns);

// Calls f with the panel width as an integral_constant.
template <class F>
void with_panel(int panel, F f) {
  switch (panel) {
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 2:
      return f(std::integral_constant<int, 2>{});
    case 4:
      return f(std::integral_constant<int, 4>{});
    case 8:
      return f(std::integral_constant<int, 8>{});
    case 16:
      return f(std::integral_constant<int, 16>{});
    case 32:
      return f(std::integral_constant<int, 32>{});
    case 48:
      return f(std::integral_constant<int, 48>{});
    case 64:
      return f(std::integral_constant<int, 64>{});
    default:
      throw std::logic_error("no kernels for this panel width");
  }
}

// b: float32 [k, n], or [n, k] when transposed, times `scale`; as gemm.hpp wants it.
Tensor pack_gemm(const Tensor& b, std::int64_t k, std::int64_t n, bool transposed, float scale,
                 int panel);

// Floats of scratch that gemm_dynamic needs.
std::int64_t dynamic_scratch(std::int64_t m, std::int64_t k, std::int64_t n, int panel);

Call& add_tile(Call& call, Tile tile);
// The fused body, if there is one; the fast kernels default to none.
Call& add_epilogue(Call& call, const Lower& n);

}  // namespace onnxc::ops
