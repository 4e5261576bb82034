// fft.hpp - the discrete Fourier transform of any length, along an axis of many columns:
// mixed-radix Stockham passes (no bit reversal); a prime factor p costs p operations per element.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/signal/sincos_2pi.hpp"

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
    const SinCos<C> t = sincos_2pi<C>(k, n);
    table[k] = t.cos;
    table[n + k] = -t.sin;
  }
}

// to[at] = (re, im) * e^(-2 pi i part / n), a twiddle factor.
template <class C>
void fft_twiddle(const C* table, Index n, Index part, C re, C im, FftData<C> to, Index at) {
  const C a = table[part], b = table[n + part];
  to.re[at] = re * a - im * b;
  to.im[at] = re * b + im * a;
}

// Replaces x[r] by x[r] + x[radix - r], and x[radix - r] by the difference: roots of unity come in
// conjugate pairs, so that sum and difference serve two results each.
template <class C>
void fft_fold(Index radix, Index step, Index stride, C* x) {
  for (Index r = 1; 2 * r < radix; ++r) {
    C *const left = x + r * step, *const right = x + (radix - r) * step;
    for (Index c = 0; c < stride; ++c) {
      const C sum = left[c] + right[c];
      right[c] = left[c] - right[c];
      left[c] = sum;
    }
  }
}

// One pass of a Stockham transform: joins every `radix` blocks, an odd number. `n` is the whole
// length, `columns` the innermost extent, `done` the product of the radices before. Destroys x.
template <class C>
void fft_pass(Index n, Index columns, Index done, Index radix, const C* table, FftData<C> x,
              FftData<C> y) {
  const Index block = n / done / radix, stride = columns * done, step = stride * block;
  for (Index q = 0; q < block; ++q) {
    const FftData<C> in{x.re + stride * q, x.im + stride * q};
    const FftData<C> out{y.re + stride * radix * q, y.im + stride * radix * q};
    fft_fold(radix, step, stride, in.re);
    fft_fold(radix, step, stride, in.im);
    for (Index u = 0; 2 * u < radix; ++u)
      for (Index c = 0; c < stride; ++c) {
        C even_re = in.re[c], even_im = in.im[c], odd_re{}, odd_im{};
        for (Index r = 1; 2 * r < radix; ++r) {
          const Index root = r * u % radix * (n / radix);
          const C cos = table[root], sin = table[n + root];
          even_re += cos * in.re[r * step + c];
          even_im += cos * in.im[r * step + c];
          odd_re -= sin * in.im[(radix - r) * step + c];
          odd_im += sin * in.re[(radix - r) * step + c];
        }
        fft_twiddle(table, n, q * u * done, even_re + odd_re, even_im + odd_im, out,
                    u * stride + c);
        if (u == 0) continue;
        fft_twiddle(table, n, q * (radix - u) * done, even_re - odd_re, even_im - odd_im, out,
                    (radix - u) * stride + c);
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

// The next radix: twos first, then odd primes.
inline Index fft_radix(Index rest) {
  if (rest % 2 == 0) return 2;
  Index radix = 3;
  while (rest % radix != 0) radix = radix * radix > rest ? rest : radix + 2;
  return radix;
}

// Transforms x: [n, columns]; `other` is memory of the same size. Returns which of them holds the
// result, the other one being destroyed.
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

// Makes the spectrum of a real signal exactly Hermitian, despite rounding.
// spectrum: [n, columns] of a signal without imaginary part.
template <class C>
void fft_make_hermitian(Index n, Index columns, FftData<C> spectrum) {
  for (Index k = 0; 2 * k <= n; ++k)
    for (Index c = 0; c < columns; ++c) {
      const Index at = k * columns + c, twin = (n - k) * columns + c;
      if (k == 0 || 2 * k == n) spectrum.im[at] = C{};
      if (k == 0) continue;
      spectrum.re[twin] = spectrum.re[at];
      spectrum.im[twin] = -spectrum.im[at];
    }
}

}  // namespace onnxc
