// image_calls.hpp - shapes passed to the kernels of this folder; the members are documented with
// the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct AffineGridExtentsShape {
  N count, axes;
};

template <class N>
struct AffineGridShape {
  N batch;
  ListOf<N> out;
  bool align;
};

template <class N>
struct GridSampleShape {
  N batch, channels;
  ListOf<N> in;
  N positions, filter, padding;
  bool align;
};

template <class N>
struct NonMaxSuppressionShape {
  N batch, classes, count, capacity;
  bool centred;
};

template <class N>
struct ResizeTableShape {
  N in, out, max_taps, filter, coordinates, nearest;
  bool antialias, exclude_outside, checked;
  float cubic_a;
  N up, down, axis, roi_end;
  float roi_from, roi_to;
};

template <class N>
struct ResizeSizedExtentsShape {
  N count;
  ListOf<N> in;
  N policy;
};

template <class N>
struct ResizeScalesShape {
  N count;
  ListOf<N> in, out;
  N policy;
};

template <class N>
struct ResizeScaledExtentsShape {
  N count;
  ListOf<N> in;
};

// Of resize_axis and resize_axis_nearest.
template <class N>
struct ResizeAxisShape {
  N outer, in, out, inner, max_taps;
  float extrapolation;
};

template <class N>
struct ImageDecodeShape {
  N format;
};

template <class N>
struct ImageDecodeInShape {
  N format, capacity;
};

template <class N>
struct ImageSizeShape {
  N bytes;
};

}  // namespace onnxc
