// stft.hpp - short-time Fourier transform: spectra of overlapping frames of a signal.
#pragma once

#include <cstdint>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/signal/fft.hpp"

namespace onnxc {

// The counts of frames and bins of stft.  s: samples, window, onesided.
template <class S, class I>
Status stft_extents(S s, const I* step, const I* length, Index* extents) {
  const std::int64_t n = length         ? static_cast<std::int64_t>(*length)
                         : s.window < 0 ? s.samples
                                        : s.window;
  if (n < 1 || n > s.samples || *step < 1) return Status::bad_value;
  extents[0] = static_cast<Index>((s.samples - n) / *step + 1);
  extents[1] = static_cast<Index>(s.onesided ? n / 2 + 1 : n);
  return Status::ok;
}

// The frames of stft, `length` samples each, `hop` apart.
struct StftFrames {
  Index batch, samples, parts, frames, bins, hop, length, roots;
  Index used;  // samples of a frame that the window does not make zero
};

// The spectrum of one frame; sample(k) is a sample times the window.
template <class F, class T, class C>
void stft_of_real(Index n, Index bins, F sample, FftRoots<C> roots, T* y, C* work) {
  const Index half = n / 2;
  const FftBuffers<C> b = fft_buffers(half, Index{1}, work, y);
  for (Index k = 0; k < half; ++k) {
    b.first.re[k] = sample(2 * k);
    b.first.im[k] = sample(2 * k + 1);
  }
  const FftRoots<C> of_half{roots.re, roots.im, 2};
  const FftData<C> z = fft(half, Index{1}, of_half, b.first, b.other);
  fft_store_real(n, Index{1}, roots, z, bins, y);
}

// table: [2 * roots] of fft_roots, work: [4 * length], for real signals of an even length
// [length], or twice that if T is not C.
template <class T, class C>
void stft_run(const StftFrames& s, const T* x, const T* window, const C* table, T* y, C* work) {
  const Index n = s.length;
  const FftRoots<C> roots{table, table + s.roots, 1};
  for (Index b = 0; b < s.batch; ++b)
    for (Index f = 0; f < s.frames; ++f, y += 2 * s.bins) {
      const T* const frame = x + (b * s.samples + f * s.hop) * s.parts;
      const auto weight = [&](Index k) {
        return k >= s.used ? C{} : window ? static_cast<C>(window[k]) : C{1};
      };
      if (s.parts == 1 && fft_halves(n)) {
        const auto sample = [&](Index k) { return static_cast<C>(frame[k]) * weight(k); };
        stft_of_real(n, s.bins, sample, roots, y, work);
        continue;
      }
      const FftData<C> one{work, work + n}, other{work + 2 * n, work + 3 * n};
      for (Index k = 0; k < n; ++k) {
        one.re[k] = static_cast<C>(frame[k * s.parts]) * weight(k);
        one.im[k] = s.parts == 2 ? static_cast<C>(frame[k * s.parts + 1]) * weight(k) : C{};
      }
      const FftData<C> spectrum = fft(n, Index{1}, roots, one, other);
      if (s.parts == 1) fft_make_hermitian(n, Index{1}, spectrum);
      for (Index k = 0; k < s.bins; ++k) {
        y[2 * k] = static_cast<T>(spectrum.re[k]);
        y[2 * k + 1] = static_cast<T>(spectrum.im[k]);
      }
    }
}

// x: [batch, samples, parts], step: [1], window: [window] or null, length: [1] or null, y: [batch,
// frames, bins, 2], work: [6 * longest].  s: batch, samples, parts, window (its length, -1 if there
// is none), frames, bins, longest, onesided.
template <class S, class T, class I, class C>
Status stft(S s, const T* x, const I* step, const T* window, const I* length, T* y, C* work) {
  const std::int64_t given = length         ? static_cast<std::int64_t>(*length)
                             : s.window < 0 ? s.samples
                                            : s.window;
  if (given < 1 || *step < 1 || given > s.longest || given > s.samples) return Status::bad_value;
  const Index n = static_cast<Index>(given), hop = static_cast<Index>(*step);
  if ((s.onesided ? n / 2 + 1 : n) != s.bins || (s.samples - n) / hop + 1 != s.frames)
    return Status::bad_shape;
  const Index used = s.window >= 0 && s.window < n ? s.window : n;
  fft_roots(n, n, work);
  stft_run(StftFrames{s.batch, s.samples, s.parts, s.frames, s.bins, hop, n, n, used}, x, window,
           work, y, work + 2 * n);
  return Status::ok;
}

// The same where step and length are constants, and so the roots of unity. table: [2 * roots] of
// fft_roots, work: that of stft_run.  s: batch, samples, parts, frames, bins, hop, length, roots
// (fft_roots_of_real of real signals, or length), used.
template <class S, class T, class C>
void stft_by_table(S s, const T* x, const T* window, const C* table, T* y, C* work) {
  stft_run(
      StftFrames{s.batch, s.samples, s.parts, s.frames, s.bins, s.hop, s.length, s.roots, s.used},
      x, window, table, y, work);
}

}  // namespace onnxc
