// random.hpp - random numbers from a counter: element i depends on the seed and i alone.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/math.hpp"
#include "runtime_min/types.hpp"
#include "templates/signal/sincos_2pi.hpp"

namespace onnxc {

struct RandomWords {
  std::uint32_t a, b, c, d;
};

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011).
inline RandomWords random_words(std::uint64_t counter, std::uint32_t seed, std::uint32_t stream,
                                std::uint32_t draw = 0) {
  RandomWords x{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                draw, 0};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53u} * x.a, q = std::uint64_t{0xCD9E8D57u} * x.c;
    x = {static_cast<std::uint32_t>(q >> 32) ^ x.b ^ seed, static_cast<std::uint32_t>(q),
         static_cast<std::uint32_t>(p >> 32) ^ x.d ^ stream, static_cast<std::uint32_t>(p)};
    seed += 0x9E3779B9u;
    stream += 0xBB67AE85u;
  }
  return x;
}

// The member `draw` of a shape: a run number that gives other values. Without it, 0.
template <class S>
inline auto draw_of(const S& s, int) -> decltype(static_cast<std::uint32_t>(s.draw)) {
  return static_cast<std::uint32_t>(s.draw);
}
template <class S>
inline std::uint32_t draw_of(const S&, long) {
  return 0;
}

// Two uniform values in [0, 1), with as many bits as the significand has.
template <class C>
struct RandomPair {
  C u, v;
};
template <class S, class C>
inline RandomPair<C> random_pair(S s, Index i) {
  const RandomWords w = random_words(static_cast<std::uint64_t>(i), to_bits(s.seed),
                                     static_cast<std::uint32_t>(s.stream), draw_of(s, 0));
  if constexpr (std::is_same_v<C, double>) {
    const std::uint64_t u = (std::uint64_t{w.a} << 32 | w.b) >> 11;
    const std::uint64_t v = (std::uint64_t{w.c} << 32 | w.d) >> 11;
    return {static_cast<double>(u) * 0x1p-53, static_cast<double>(v) * 0x1p-53};
  } else {
    return {static_cast<float>(w.a >> 8) * 0x1p-24f, static_cast<float>(w.c >> 8) * 0x1p-24f};
  }
}

// y: [count], in [low, high).  s: count, low, high, seed, stream.
template <class S, class T>
void random_uniform(S s, T* y) {
  using C = compute_t<T>;
  for (Index i = 0; i < s.count; ++i) {
    const C low = static_cast<C>(s.low), high = static_cast<C>(s.high);
    y[i] = static_cast<T>(low + (high - low) * random_pair<S, C>(s, i).u);
  }
}

// y: [count], by the Box-Muller transform.  s: count, mean, scale, seed, stream.
template <class S, class T>
void random_normal(S s, T* y) {
  using C = compute_t<T>;
  for (Index i = 0; i < s.count; ++i) {
    const RandomPair<C> p = random_pair<S, C>(s, i);
    C log;
    if constexpr (std::is_same_v<C, double>)
      log = std::log(1 - p.u);
    else
      log = math::log(1 - p.u);
    const std::int64_t whole = std::int64_t{1} << 30;
    const C radius = std::sqrt(-2 * log);
    const C wave = sincos_2pi<C>(static_cast<std::int64_t>(p.v * static_cast<C>(whole)), whole).cos;
    y[i] = static_cast<T>(static_cast<C>(s.mean) + static_cast<C>(s.scale) * (radius * wave));
  }
}

// p: [count], probabilities of a one; y: [count].  s: count, seed, stream.
template <class S, class T, class U>
void bernoulli(S s, const T* p, U* y) {
  using C = compute_t<T>;
  for (Index i = 0; i < s.count; ++i) {
    const bool one = random_pair<S, C>(s, i).u < static_cast<C>(p[i]);
    if constexpr (std::is_integral_v<U>)
      y[i] = static_cast<U>(one);
    else
      y[i] = static_cast<U>(one ? 1.0f : 0.0f);
  }
}

// x: [batch, classes], unnormalized log-probabilities; y: [batch, samples], classes.
// s: batch, classes, samples, seed, stream.
template <class S, class T, class U>
void multinomial(S s, const T* x, U* y) {
  using C = compute_t<T>;
  const auto exp = [](C v) -> C {
    if constexpr (std::is_same_v<C, double>)
      return std::exp(v);
    else
      return math::exp(v);
  };
  for (Index b = 0; b < s.batch; ++b, x += s.classes) {
    C top = static_cast<C>(x[0]), sum = 0;
    for (Index k = 1; k < s.classes; ++k)
      if (static_cast<C>(x[k]) > top) top = static_cast<C>(x[k]);
    for (Index k = 0; k < s.classes; ++k) sum += exp(static_cast<C>(x[k]) - top);
    for (Index i = 0; i < s.samples; ++i) {
      const C at = random_pair<S, C>(s, b * s.samples + i).u * sum;
      Index chosen = 0;
      C below = exp(static_cast<C>(x[0]) - top);
      while (chosen + 1 < s.classes && !(at < below))
        below += exp(static_cast<C>(x[++chosen]) - top);
      *y++ = static_cast<U>(chosen);
    }
  }
}

}  // namespace onnxc
