// lookup_bytes.hpp - functions of one quantised value: a table has the result of each.
#pragma once

#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/flash.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// y[i] = table[x[i] as an unsigned byte]. x, y: [count], the same memory or not overlapping. table:
// [256].  s: count. Divisible.
template <class S, class X, class Y>
void lookup_bytes(S s, const X* x, const Y* table, Y* y) {
  static_assert(sizeof(X) == 1 && sizeof(Y) == 1);
  const Span own = chunk_range(s, s.count);
#if defined(__ARM_FEATURE_MVE)
  const X* from = x + own.begin;
  Y* to = y + own.begin;
  asm volatile(
      "wlstp.8 lr, %[count], 2f\n"
      "1:\n\t"
      "vldrb.u8 q0, [%[from]], #16\n\t"
      "vldrb.u8 q1, [%[table], q0]\n\t"
      "vstrb.8 q1, [%[to]], #16\n\t"
      "letp lr, 1b\n"
      "2:"
      : [from] "+r"(from), [to] "+r"(to)
      : [count] "r"(own.size()), [table] "r"(table)
      : "lr", "q0", "q1", "cc", "memory");
#else
  for (Index i = own.begin; i < own.end; ++i)
    y[i] = constant_at(table + static_cast<std::uint8_t>(x[i]));
#endif
}

}  // namespace onnxc
