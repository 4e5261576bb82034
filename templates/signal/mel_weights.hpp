// mel_weights.hpp - triangular filters, evenly spaced on the mel scale, over the bins of a
// spectrum.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/math.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

template <class C>
inline C mel_log(C x) {
  if constexpr (std::is_same_v<C, float>)
    return math::log(x);
  else
    return std::log(x);
}
template <class C>
inline C mel_exp(C x) {
  if constexpr (std::is_same_v<C, float>)
    return math::exp(x);
  else
    return std::exp(x);
}

// The shape of the matrix.
template <class I>
Status mel_extents(const I* mels, const I* dft_length, Index* extents) {
  if (*mels < 0 || *dft_length < 0) return Status::bad_shape;
  extents[0] = static_cast<Index>(*dft_length / 2 + 1);
  extents[1] = static_cast<Index>(*mels);
  return Status::ok;
}

// mels, dft_length, sample_rate, low, high: [1]; y: [bins, bands].  s: bins, bands.
template <class S, class I, class F, class T>
Status mel_weights(S s, const I* mels, const I* dft_length, const I* sample_rate, const F* low,
                   const F* high, T* y) {
  using C = compute_t<F>;
  using W = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const C lower = static_cast<C>(*low), upper = static_cast<C>(*high);
  if (*mels != s.bands || *dft_length < 0 || *dft_length / 2 + 1 != s.bins)
    return Status::bad_shape;
  if (*sample_rate <= 0 || !(lower >= 0) || !(upper >= lower)) return Status::bad_value;
  // mel(f) is a multiple of log(1 + f / 700): even steps of one are even steps of the other.
  const C first = mel_log(1 + lower / 700), last = mel_log(1 + upper / 700);
  const C steps = static_cast<C>(s.bands + 2);
  const C per_hertz = (static_cast<C>(*dft_length) + 1) / static_cast<C>(*sample_rate);
  const auto edge = [&](Index i) -> Index {
    const C at = static_cast<C>(i);
    const C hertz = 700 * (mel_exp((first * (steps - at) + last * at) / steps) - 1);
    const C bin = hertz * per_hertz;
    return bin > 0 ? (bin < static_cast<C>(s.bins) + 1 ? static_cast<Index>(bin) : s.bins + 1) : 0;
  };
  for (Index i = 0; i < s.bins * s.bands; ++i) y[i] = static_cast<T>(static_cast<W>(0));
  for (Index i = 0; i < s.bands; ++i) {
    const Index left = edge(i), center = edge(i + 1), right = edge(i + 2);
    if (center >= s.bins || right > s.bins) return Status::bad_value;
    const auto weight = [&](Index j, Index part, Index whole) {
      y[j * s.bands + i] = static_cast<T>(static_cast<W>(part) / static_cast<W>(whole));
    };
    for (Index j = left; j < center; ++j) weight(j, j - left, center - left);
    weight(center, 1, 1);
    for (Index j = center + 1; j < right; ++j) weight(j, right - j, right - center);
  }
  return Status::ok;
}

}  // namespace onnxc
