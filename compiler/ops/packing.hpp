// Choice of register tiles and packing of weights for the float kernels.
#pragma once

#include "compiler/kernels/matmul_calls.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

using Tile = TileArguments;

// The tile for a product with `columns` columns: a narrower panel where the widest would waste
// much.
Tile choose_tile(const Target& target, const Dim& columns);

// The same for the left rows of one product, or of the lines of an image.
struct LeftRows {
  Dim count;
  Dim step;  // floats from one to the next
};
Tile choose_tile(const Target& target, const Dim& columns, const LeftRows& rows);

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
    case 24:
      return f(std::integral_constant<int, 24>{});
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

// b: float32 [k, n], or [n, k] when transposed, times `scale`; packed as gemm.hpp reads it.
Tensor pack_gemm(const Tensor& b, std::int64_t k, std::int64_t n, bool transposed, float scale,
                 int panel);

// Packed weights as float16 or bfloat16, if there are so many that memory bandwidth matters, all
// are exact in that type, and the target converts it fast; otherwise unchanged.
Tensor compress_to_half(Tensor packed, const Target& target);

// A product of input 0, with dense rows, and packed weights; `bias` is -1 where there is none.
struct PackedProduct {
  Dim m, k, n;
  Tile tile;
  Tensor w;  // from pack_gemm, possibly compressed
  BufferId bias = -1;
};
// Floats of scratch that gemm_dequant needs.
std::int64_t dequant_scratch(const Dim& m, std::int64_t k, std::int64_t n, int panel);

// The call that computes output 0.
void lower_packed_product(Lower& n, PackedProduct p);

Call& add_tile(Call& call, Tile tile);
// The fused body, if there is one; the fast kernels default to none.
Call& add_epilogue(Call& call, const Lower& n);

}  // namespace onnxc::ops
