// scatter_op.hpp - how a scattered update is combined with the element there.
#pragma once

#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/fn/arithmetic.hpp"
#include "templates/fn/selection.hpp"

namespace onnxc {

enum class ScatterOp { set, add, mul, max, min };

template <ScatterOp kOp, class T>
inline void scatter_one(T& target, T update) {
  if constexpr (kOp == ScatterOp::set) {
    target = update;
  } else if constexpr (std::is_same_v<T, bool>) {
    // Sums and maxima of booleans are "or", products and minima "and".
    target =
        kOp == ScatterOp::add || kOp == ScatterOp::max ? (target || update) : (target && update);
  } else {
    using C = compute_t<T>;
    const C a = static_cast<C>(target), b = static_cast<C>(update);
    if constexpr (kOp == ScatterOp::add)
      target = static_cast<T>(fn::add(a, b));
    else if constexpr (kOp == ScatterOp::mul)
      target = static_cast<T>(fn::mul(a, b));
    else if constexpr (kOp == ScatterOp::max)
      target = static_cast<T>(fn::max(a, b));
    else
      target = static_cast<T>(fn::min(a, b));
  }
}

}  // namespace onnxc
