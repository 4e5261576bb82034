// copy.hpp - copies elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// x, y: [count], not overlapping unless equal.  s: count. Divisible.
template <class S, class T>
void copy(S s, const T* x, T* y) {
  // More than memory holds. Where Index has 32 bits, GCC 12 warns that a copy might be so long.
  constexpr std::size_t kMaxCount = PTRDIFF_MAX / sizeof(T);
  const Span own = chunk_range(s, s.count, 64);
  if (own.size() < 0 || static_cast<std::size_t>(own.size()) > kMaxCount) return;
  for (Index i = own.begin; i < own.end; ++i) y[i] = x[i];
}

}  // namespace onnxc
