// fft.hpp - the discrete Fourier transform of any length, along an axis of many columns.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/turn.hpp"

namespace onnxc {

// Complex numbers as two arrays, so that loops over columns vectorise.
template <class C>
struct FftData {
  C *re, *im;
};

// table: [2 * n], the n-th roots of unity e^(-2 pi i k / n), real parts first.
template <class C>
void fft_roots(Index n, C* table) {
  for (Index k = 0; k < n; ++k) {
    const Turn<C> t = turn<C>(k, n);
    table[k] = t.cos;
    table[n + k] = -t.sin;
  }
}

// One pass of a Stockham transform: joins every `radix` blocks. `n` is the whole length, `columns`
// the innermost extent, `done` the product of the radices before.
template <class C>
void fft_pass(Index n, Index columns, Index done, Index radix, const C* table, FftData<C> x,
              FftData<C> y) {
  const Index block = n / done / radix, stride = columns * done;
  for (Index q = 0; q < block; ++q)
    for (Index u = 0; u < radix; ++u) {
      const Index to = stride * (radix * q + u), twist = q * u * done;
      for (Index c = 0; c < stride; ++c) y.re[to + c] = y.im[to + c] = C{};
      for (Index r = 0; r < radix; ++r) {
        const Index root = (twist + r * u % radix * (n / radix)) % n;
        const C a = table[root], b = table[n + root];
        const C* const re = x.re + stride * (q + block * r);
        const C* const im = x.im + stride * (q + block * r);
        for (Index c = 0; c < stride; ++c) {
          y.re[to + c] += re[c] * a - im[c] * b;
          y.im[to + c] += re[c] * b + im[c] * a;
        }
      }
    }
}

// The same for a radix of 2, with one product for two results.
template <class C>
void fft_pass2(Index n, Index columns, Index done, const C* table, FftData<C> x, FftData<C> y) {
  const Index block = n / done / 2, stride = columns * done;
  for (Index q = 0; q < block; ++q) {
    const C a = table[q * done], b = table[n + q * done];
    const Index left = stride * q, right = stride * (q + block), to = 2 * stride * q;
    for (Index c = 0; c < stride; ++c) {
      const C re = x.re[left + c] - x.re[right + c], im = x.im[left + c] - x.im[right + c];
      y.re[to + c] = x.re[left + c] + x.re[right + c];
      y.im[to + c] = x.im[left + c] + x.im[right + c];
      y.re[to + stride + c] = re * a - im * b;
      y.im[to + stride + c] = re * b + im * a;
    }
  }
}

// The next radix: odd primes first, so that the factors of two meet twiddle factors last and the
// bin n / 2 of a real signal, a plain alternating sum, takes no rounded products.
inline Index fft_radix(Index rest) {
  while (rest % 2 == 0) rest /= 2;
  if (rest == 1) return 2;
  Index radix = 3;
  while (rest % radix != 0) radix = radix * radix > rest ? rest : radix + 2;
  return radix;
}

// Transforms x: [n, columns]; `other` is memory of the same size. Returns which of them holds the
// result.
template <class C>
FftData<C> fft(Index n, Index columns, const C* table, FftData<C> x, FftData<C> other) {
  for (Index done = 1; done < n;) {
    const Index radix = fft_radix(n / done);
    if (radix == 2)
      fft_pass2(n, columns, done, table, x, other);
    else
      fft_pass(n, columns, done, radix, table, x, other);
    const FftData<C> swapped = x;
    x = other;
    other = swapped;
    done *= radix;
  }
  return x;
}

}  // namespace onnxc
