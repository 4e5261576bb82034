// image_shapes.hpp - shapes that kernels of this folder are given; what the members mean stands
// with the kernels.
#pragma once

#include "templates/member_list.hpp"

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
  N batch, classes, count, room;
  bool centred;
};

template <class N>
struct ResizeTableShape {
  N in, out, most_taps, filter, coordinates, nearest;
  bool antialias, exclude_outside, checked;
  float cubic_a, scale;
  N scale_at, roi_start, roi_end;
  float roi_from, roi_to;
};

template <class N>
struct ResizeScalesShape {
  N count;
  ListOf<N> in, out;
  N policy;
};

}  // namespace onnxc
