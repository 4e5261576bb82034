// signal_calls.hpp - shapes passed to the kernels of this folder; the members are documented with
// the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct CosineWindowShape {
  N size;
  bool periodic;
};

template <class N>
struct DftExtentsShape {
  N rank;
  ListOf<N> dims;
  bool inverse, onesided;
};

template <class N>
struct DftAxisShape {
  N rank;
  ListOf<N> dims, out;
  N capacity;
  bool inverse, onesided;
};

template <class N>
struct DftShape {
  N outer, in, inner, parts, out, length, roots;
  bool inverse, onesided;
};

template <class N>
struct MelWeightsShape {
  N bins, bands;
};

template <class N>
struct StftExtentsShape {
  N samples, window;
  bool onesided;
};

template <class N>
struct StftShape {
  N batch, samples, parts, window, frames, bins, longest;
  bool onesided;
};

template <class N>
struct StftByTableShape {
  N batch, samples, parts, frames, bins, hop, length, roots, used;
};

}  // namespace onnxc
