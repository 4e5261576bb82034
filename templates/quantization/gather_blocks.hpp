// gather_blocks.hpp - rows of a table of quantised values, gathered and dequantised.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/int_small.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/matmul_nbits.hpp"

namespace onnxc {

// Element i: of packed bytes, or of a type of its own.
template <int kBits, class X>
inline int block_number(const X* x, Index i) {
  if constexpr (std::is_same_v<X, std::uint8_t>) {
    return packed_number<kBits>(x, i);
  } else {
    return static_cast<int>(static_cast<compute_t<X>>(x[i]));
  }
}

// x: [rows, lines, width], packed along the width where X is a byte; scales and zeros (or null):
// [rows, lines, blocks of the width], zeros packed like x; ids: [count], from the end when
// negative; y: [count, lines, width]. s: count, rows, lines, width, block.
template <int kBits, class S, class X, class I, class Y>
Status gather_blocks(S s, const X* x, const I* ids, const Y* scales, const X* zeros, Y* y) {
  constexpr bool packed = std::is_same_v<X, std::uint8_t>;
  constexpr Index per_byte = packed ? 8 / kBits : 1;
  constexpr int middle = packed ? 1 << (kBits - 1) : 0;
  const Index blocks = (s.width + s.block - 1) / s.block;
  const Index line_bytes = (s.width + per_byte - 1) / per_byte;
  const Index zero_bytes = (blocks + per_byte - 1) / per_byte;
  for (Index i = 0; i < s.count; ++i) {
    const auto id = static_cast<std::int64_t>(ids[i]);
    if (id < -s.rows || id >= s.rows) return Status::bad_index;
    const Index row = static_cast<Index>(id < 0 ? id + s.rows : id);
    for (Index line = row * s.lines; line < (row + 1) * s.lines; ++line) {
      for (Index j = 0; j < s.width; ++j) {
        const Index block = j / s.block;
        const int zero =
            zeros != nullptr ? block_number<kBits>(zeros + line * zero_bytes, block) : middle;
        const int q = block_number<kBits>(x + line * line_bytes, j) - zero;
        const auto scale = static_cast<float>(scales[line * blocks + block]);
        *y++ = static_cast<Y>(static_cast<float>(q) * scale);
      }
    }
  }
  return Status::ok;
}

}  // namespace onnxc
