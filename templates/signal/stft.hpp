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
  C* const data = work + 2 * n;
  fft_roots(n, work);
  for (Index b = 0; b < s.batch; ++b)
    for (Index f = 0; f < s.frames; ++f) {
      const FftData<C> one{data, data + n}, other{data + 2 * n, data + 3 * n};
      const T* const frame = x + (b * s.samples + f * hop) * s.parts;
      for (Index k = 0; k < n; ++k) {
        const C weight = k >= used ? C{} : window ? static_cast<C>(window[k]) : C{1};
        one.re[k] = static_cast<C>(frame[k * s.parts]) * weight;
        one.im[k] = s.parts == 2 ? static_cast<C>(frame[k * s.parts + 1]) * weight : C{};
      }
      const FftData<C> spectrum = fft(n, 1, work, one, other);
      if (s.parts == 1) fft_make_hermitian(n, Index{1}, spectrum);
      for (Index k = 0; k < s.bins; ++k) {
        *y++ = static_cast<T>(spectrum.re[k]);
        *y++ = static_cast<T>(spectrum.im[k]);
      }
    }
  return Status::ok;
}

}  // namespace onnxc
