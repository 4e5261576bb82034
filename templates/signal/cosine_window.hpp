// cosine_window.hpp - the Hann, Hamming and Blackman windows.
#pragma once

#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/signal/sincos_2pi.hpp"

namespace onnxc {

enum class CosineWindow { hann, hamming, blackman };

// y: [size].  s: size, periodic.
template <CosineWindow kWindow, class S, class T>
void cosine_window(S s, T* y) {
  using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const Index span = s.periodic ? s.size : s.size - 1;
  for (Index i = 0; i < s.size; ++i) {
    // A symmetric window of one point has no span; it lets the point pass.
    if (span == 0) {
      y[i] = static_cast<T>(static_cast<C>(1));
      continue;
    }
    // The square of the half angle's sine is (1 - cos) / 2 without the cancellation near the ends.
    const C half = sincos_2pi<C>(i, 2 * span).sin, cos = sincos_2pi<C>(i, span).cos;
    C w = half * half;
    if constexpr (kWindow == CosineWindow::hamming)
      w = static_cast<C>(4) / 46 + w * (static_cast<C>(42) / 46);
    if constexpr (kWindow == CosineWindow::blackman) w = w * (static_cast<C>(68) - 32 * cos) / 100;
    y[i] = static_cast<T>(w);
  }
}

}  // namespace onnxc
