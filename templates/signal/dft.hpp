// dft.hpp - the operator DFT: forward, inverse and one-sided transforms along an axis.
#pragma once

#include <cstdint>
#include <limits>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/signal/fft.hpp"

namespace onnxc {

// The shape of a transform along one axis of [outer, in, inner, parts]; parts: 1 real, 2 complex.
struct DftShape {
  Index outer, in, inner, parts, out, length, roots;
  bool inverse, onesided;
};

// One-sided spectra are completed by symmetry; the bins 0 and length / 2 of real signals are real.
template <class T, class C>
void dft_load(const DftShape& s, const T* x, FftData<C> to) {
  const bool mirrored = s.inverse && s.onesided;
  const Index half = s.length / 2;
  for (Index k = 0; k < s.length; ++k) {
    const bool mirror = mirrored && k > half;
    const bool real = mirrored && (k == 0 || 2 * k == s.length);
    const Index from = mirror ? s.length - k : k;
    for (Index i = 0; i < s.inner; ++i) {
      const T* const v = x + (from * s.inner + i) * s.parts;
      const C re = from < s.in ? static_cast<C>(v[0]) : C{};
      const C im = from < s.in && s.parts == 2 && !real ? static_cast<C>(v[1]) : C{};
      // With real and imaginary parts exchanged, the forward transform is the inverse one.
      const C turned = mirror ? -im : im;
      to.re[k * s.inner + i] = s.inverse ? turned : re;
      to.im[k * s.inner + i] = s.inverse ? re : turned;
    }
  }
}

template <class T, class C>
void dft_store(const DftShape& s, FftData<C> from, T* y) {
  const C scale = s.inverse ? static_cast<C>(1) / static_cast<C>(s.length) : static_cast<C>(1);
  for (Index k = 0; k < s.out * s.inner; ++k) {
    *y++ = static_cast<T>(from.re[k] * scale);
    if (!s.inverse || !s.onesided) *y++ = static_cast<T>(from.im[k] * scale);
  }
}

// work: [4 * length * inner].
template <class T, class C>
void dft_run(const DftShape& s, const T* x, const C* table, T* y, C* work) {
  const Index count = s.length * s.inner;
  const Index out_parts = s.inverse && s.onesided ? 1 : 2;
  for (Index o = 0; o < s.outer; ++o) {
    const FftData<C> a{work, work + count}, b{work + 2 * count, work + 3 * count};
    dft_load(s, x + o * s.in * s.inner * s.parts, a);
    const FftRoots<C> roots{table, table + s.roots, 1};
    const FftData<C> spectrum = fft(s.length, s.inner, roots, a, b);
    // The inverse transform of real data runs with real and imaginary parts exchanged.
    const FftData<C> upright =
        s.inverse ? FftData<C>{spectrum.im, spectrum.re} : FftData<C>{spectrum.re, spectrum.im};
    if (s.parts == 1) fft_make_hermitian(s.length, s.inner, upright);
    dft_store(s, upright, y + o * s.out * s.inner * out_parts);
  }
}

// The samples of a real signal, two by two as complex numbers.
template <class T, class C>
void dft_load_pairs(const DftShape& s, const T* x, FftData<C> to) {
  const auto sample = [&](Index k, Index i) {
    return k < s.in ? static_cast<C>(x[k * s.inner + i]) : C{};
  };
  for (Index k = 0; k < s.length / 2; ++k)
    for (Index i = 0; i < s.inner; ++i) {
      to.re[k * s.inner + i] = sample(2 * k, i);
      to.im[k * s.inner + i] = sample(2 * k + 1, i);
    }
}

// work: [length * inner], or twice as much if T is not C.
template <class T, class C>
void dft_of_real(const DftShape& s, const T* x, const C* table, T* y, C* work) {
  const Index half = s.length / 2;
  const C* const im = table + s.roots;
  for (Index o = 0; o < s.outer; ++o, y += s.out * s.inner * 2) {
    const FftBuffers<C> b = fft_buffers(half, s.inner, work, y);
    dft_load_pairs(s, x + o * s.in * s.inner, b.first);
    const FftData<C> z = fft(half, s.inner, FftRoots<C>{table, im, 2}, b.first, b.other);
    fft_store_real(s.length, s.inner, FftRoots<C>{table, im, 1}, z, s.out, y);
  }
}

// x: [outer, in, inner, parts], y: [outer, out, inner, 1 or 2], table: [2 * roots] of fft_roots,
// work: [4 * length * inner], or that of dft_of_real for real signals of an even length.  s: outer,
// in, inner, parts, out, length, roots (fft_roots_of_real of real signals, or length), inverse,
// onesided.
template <class S, class T, class C>
void dft(S s, const T* x, const C* table, T* y, C* work) {
  if (s.parts == 1 && !s.inverse && fft_halves(s.length))
    return dft_of_real(
        DftShape{s.outer, s.in, s.inner, 1, s.out, s.length, s.roots, false, s.onesided}, x, table,
        y, work);
  dft_run(
      DftShape{s.outer, s.in, s.inner, s.parts, s.out, s.length, s.roots, s.inverse, s.onesided}, x,
      table, y, work);
}

// The output shape of dft_axis.  s: rank, dims[rank], inverse, onesided.
template <class S, class I>
Status dft_extents(S s, const I* length, const std::int64_t* axis, Index* extents) {
  std::int64_t at = axis ? *axis : -2;
  if (at < -s.rank || at >= s.rank) return Status::bad_index;
  if (at < 0) at += s.rank;
  if (at == s.rank - 1) return Status::bad_index;
  for (Index i = 0; i < s.rank; ++i) extents[i] = s.dims[i];
  const bool real_result = s.inverse && s.onesided;
  const std::int64_t usual = real_result ? 2 * (s.dims[at] - 1) : s.dims[at];
  const std::int64_t n = length ? static_cast<std::int64_t>(*length) : usual;
  // Longer axes would overflow the size of work.
  if (n < 1 || n > (std::numeric_limits<Index>::max() >> 8)) return Status::bad_value;
  extents[at] = static_cast<Index>(s.onesided && !s.inverse ? n / 2 + 1 : n);
  extents[s.rank - 1] = real_result ? 1 : 2;
  return Status::ok;
}

// Axis and length are inputs (null: the standard's defaults). bad_shape if the output has another
// shape than out. x: [dims], y: [out].  s: rank, dims[rank], out[rank],
// capacity (elements of work), inverse, onesided.
template <class S, class T, class I, class C>
Status dft_axis(S s, const T* x, const I* length, const std::int64_t* axis, T* y, C* work) {
  const Index last = s.rank - 1;
  std::int64_t at = axis ? *axis : -2;
  if (at < -s.rank || at >= s.rank) return Status::bad_index;
  if (at < 0) at += s.rank;
  if (at == last) return Status::bad_index;
  DftShape d{1, s.dims[at], 1, s.dims[last], s.out[at], 0, 0, s.inverse, s.onesided};
  for (Index i = 0; i < last; ++i) {
    if (i < at) d.outer *= s.dims[i];
    if (i > at) d.inner *= s.dims[i];
    if (i != at && s.dims[i] != s.out[i]) return Status::bad_shape;
  }
  const std::int64_t usual = s.inverse && s.onesided ? 2 * (d.in - 1) : d.in;
  const std::int64_t n = length ? static_cast<std::int64_t>(*length) : usual;
  if (n < 1) return Status::bad_value;
  if ((s.onesided && !s.inverse ? n / 2 + 1 : n) != d.out) return Status::bad_shape;
  d.length = d.roots = static_cast<Index>(n);
  const Index needed = 2 * d.length + 4 * d.length * d.inner;
  if (needed > s.capacity) return Status::bad_shape;
  fft_roots(d.length, d.roots, work);
  dft_run(d, x, work, y, work + 2 * d.length);
  return Status::ok;
}

}  // namespace onnxc
