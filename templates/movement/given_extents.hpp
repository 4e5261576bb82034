// given_extents.hpp - extents read from an input tensor.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// A value of any type as an extent, truncated; -1 if it cannot be one.
template <class I>
Index to_extent(I number) {
  const auto v = static_cast<compute_t<I>>(number);
  using C = std::decay_t<decltype(v)>;
  if (!(v >= C{})) return -1;
  if constexpr (std::is_integral_v<C>) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
    return static_cast<std::uint64_t>(v) > most ? -1 : static_cast<Index>(v);
  } else {
    // 2^30 is exact in every floating type that reaches it.
    return v < static_cast<C>(1 << 30) ? static_cast<Index>(v) : -1;
  }
}

// given: [count], extents: [rank]. None may exceed `most`, unless that is negative; with total >= 0
// they have to add up to it.
// s: count, rank, most, total.
template <class S, class I>
Status given_extents(S s, const I* given, Index* extents) {
  if (s.count != s.rank) return Status::bad_shape;
  Index left = s.total;
  for (Index i = 0; i < s.rank; ++i) {
    extents[i] = to_extent(given[i]);
    if (extents[i] < 0 || (s.most >= 0 && extents[i] > s.most)) return Status::bad_shape;
    if (s.total < 0) continue;
    if (extents[i] > left) return Status::bad_shape;
    left -= extents[i];
  }
  return s.total < 0 || left == 0 ? Status::ok : Status::bad_shape;
}

}  // namespace onnxc
