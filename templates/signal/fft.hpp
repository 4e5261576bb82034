// fft.hpp - the discrete Fourier transform of any length, along an axis of many columns:
// mixed-radix Stockham passes (no bit reversal); a prime factor p costs p operations per element.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/types.hpp"
#include "templates/signal/sincos_2pi.hpp"

namespace onnxc {

// Complex numbers as two arrays, so that loops over columns vectorise.
template <class C>
struct FftData {
  C *re, *im;
};

// table: [2 * count], the first n-th roots of unity e^(-2 pi i k / n), real parts first.
template <class C>
void fft_roots(Index n, Index count, C* table) {
  for (Index k = 0; k < count; ++k) {
    const SinCos<C> t = sincos_2pi<C>(k, n);
    table[k] = t.cos;
    table[count + k] = -t.sin;
  }
}

// The roots of unity of a transform, in a table of fft_roots of as many or a multiple of it.
template <class C>
struct FftRoots {
  const C *re, *im;
  Index step;  // from one root to the next
};

// to[at] = (re, im) * e^(-2 pi i part / n), a twiddle factor.
template <class C>
void fft_twiddle(FftRoots<C> roots, Index part, C re, C im, FftData<C> to, Index at) {
  const C a = roots.re[part * roots.step], b = roots.im[part * roots.step];
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
void fft_pass(Index n, Index columns, Index done, Index radix, FftRoots<C> roots, FftData<C> x,
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
          const Index root = r * u % radix * (n / radix) * roots.step;
          const C cos = roots.re[root], sin = roots.im[root];
          even_re += cos * in.re[r * step + c];
          even_im += cos * in.im[r * step + c];
          odd_re -= sin * in.im[(radix - r) * step + c];
          odd_im += sin * in.re[(radix - r) * step + c];
        }
        fft_twiddle(roots, q * u * done, even_re + odd_re, even_im + odd_im, out, u * stride + c);
        if (u == 0) continue;
        fft_twiddle(roots, q * (radix - u) * done, even_re - odd_re, even_im - odd_im, out,
                    (radix - u) * stride + c);
      }
  }
}

// The same for a radix of 2, with one product for two results.
template <class C>
void fft_pass2(Index n, Index columns, Index done, FftRoots<C> roots, FftData<C> x, FftData<C> y) {
  const Index block = n / done / 2, stride = columns * done;
  for (Index q = 0; q < block; ++q) {
    const C a = roots.re[q * done * roots.step], b = roots.im[q * done * roots.step];
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
FftData<C> fft(Index n, Index columns, FftRoots<C> roots, FftData<C> x, FftData<C> other) {
  for (Index done = 1; done < n;) {
    const Index radix = fft_radix(n / done);
    if (radix == 2)
      fft_pass2(n, columns, done, roots, x, other);
    else
      fft_pass(n, columns, done, radix, roots, x, other);
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

// Whether a transform of a real signal of this length is one of half as many complex numbers.
inline bool fft_halves(Index n) { return n % 2 == 0; }

// How many of the roots such a transform reads.
inline Index fft_roots_of_real(Index n) {
  const Index half = n / 2;
  return fft_halves(n) && (half & (half - 1)) == 0 ? half : n;
}

// Where the transform of half as many complex numbers begins, and the other memory that it takes.
template <class C>
struct FftBuffers {
  FftData<C> first, other;
};

// For a transform of [half, columns] that ends in `work`. One of the two is the memory of the
// result, y, if that has the type of the work.
template <class C, class T>
FftBuffers<C> fft_buffers(Index half, Index columns, C* work, T* y) {
  const Index count = half * columns;
  FftBuffers<C> b{{work, work + count}, {}};
  if constexpr (std::is_same_v<C, T>)
    b.other = {y, y + count};
  else
    b.other = {work + 2 * count, work + 3 * count};
  bool ends_first = true;
  for (Index done = 1; done < half; done *= fft_radix(half / done)) ends_first = !ends_first;
  return ends_first ? b : FftBuffers<C>{b.other, b.first};
}

// The spectrum of a real signal of an even length n, from the transform of the complex numbers
// x[2 k] + i x[2 k + 1]: their spectrum is that of the even samples plus i times that of the odd
// ones. z: [n / 2, columns], roots: of n, y: [bins, columns, 2].
template <class C, class T>
void fft_store_real(Index n, Index columns, FftRoots<C> roots, FftData<C> z, Index bins, T* y) {
  const Index half = n / 2;
  const auto put = [&](Index k, Index c, C re, C im) {
    T* const to = y + (k * columns + c) * 2;
    to[0] = static_cast<T>(re);
    to[1] = static_cast<T>(im);
    if (bins <= half + 1 || k == 0 || k == half) return;
    T* const twin = y + ((n - k) * columns + c) * 2;
    twin[0] = static_cast<T>(re);
    twin[1] = static_cast<T>(-im);
  };
  for (Index c = 0; c < columns; ++c) {
    put(0, c, z.re[c] + z.im[c], C{});
    put(half, c, z.re[c] - z.im[c], C{});
  }
  for (Index k = 1; 2 * k <= half; ++k) {
    const C cos = roots.re[k] / 2, sin = roots.im[k] / 2;
    for (Index c = 0; c < columns; ++c) {
      const Index a = k * columns + c, b = (half - k) * columns + c;
      const C even_re = (z.re[a] + z.re[b]) / 2, even_im = (z.im[a] - z.im[b]) / 2;
      const C odd_re = z.im[a] + z.im[b], odd_im = z.re[b] - z.re[a];
      const C re = odd_re * cos - odd_im * sin, im = odd_im * cos + odd_re * sin;
      put(k, c, even_re + re, even_im + im);
      if (k != half - k) put(half - k, c, even_re - re, im - even_im);
    }
  }
}

}  // namespace onnxc
