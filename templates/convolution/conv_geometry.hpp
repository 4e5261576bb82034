// conv_geometry.hpp - which taps of a window are inside the input, for convolution and pooling.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// One axis of a convolution.
struct ConvAxis {
  Index in, out, taps, stride, dilation, pad;
};

// The taps that fall inside the input.
struct TapRange {
  Index first, count;
};

constexpr TapRange tap_range(const ConvAxis& a, Index out) {
  const Index start = out * a.stride - a.pad;
  const Index first = start < 0 ? (a.dilation - 1 - start) / a.dilation : 0;
  const Index reach = a.in > start ? (a.in - start + a.dilation - 1) / a.dilation : 0;
  const Index end = reach < a.taps ? reach : a.taps;
  return {first, end > first ? end - first : 0};
}

// Which of the rows of image n are among `rows`, which are numbered through all images; perhaps
// none.
constexpr Span rows_of_image(Span rows, Index n, Index height) {
  const Index begin = rows.begin - n * height, end = rows.end - n * height;
  return {begin > 0 ? begin : 0, end < height ? end : height};
}

// Outputs whose whole window is inside the input.
constexpr Span interior(const ConvAxis& a) {
  const Index begin = a.pad > 0 ? (a.pad + a.stride - 1) / a.stride : 0;
  const Index last_start = a.in - 1 - (a.taps - 1) * a.dilation + a.pad;
  const Index fitting = last_start < 0 ? 0 : last_start / a.stride + 1;
  const Index end = fitting < a.out ? fitting : a.out;
  return begin < end ? Span{begin, end} : Span{0, 0};
}

template <class S>
constexpr ConvAxis vertical_axis(const S& s) {
  return {s.in_h, s.out_h, s.k_h, s.stride_h, s.dilation_h, s.pad_top};
}

template <class S>
constexpr ConvAxis horizontal_axis(const S& s) {
  return {s.in_w, s.out_w, s.k_w, s.stride_w, s.dilation_w, s.pad_left};
}

// The taps of one output that are inside the image, and where the first tap of all reads: outside
// of the image perhaps.
struct WindowTaps {
  TapRange v, h;
  Index first;

  bool inside(Index i, Index j) const {
    return v.first <= i && i < v.first + v.count && h.first <= j && j < h.first + h.count;
  }
};

template <class S>
constexpr WindowTaps window_taps(const S& s, Index oh, Index ow) {
  const Index row = oh * s.stride_h - s.pad_top, column = ow * s.stride_w - s.pad_left;
  return {tap_range(vertical_axis(s), oh), tap_range(horizontal_axis(s), ow),
          (row * s.in_w + column) * s.in_c};
}

// An axis with the members that S fixes, -1 for the others.
template <class S>
constexpr ConvAxis fixed_vertical_axis() {
  return {fixed_extent(&S::in_h),     fixed_extent(&S::out_h),      fixed_extent(&S::k_h),
          fixed_extent(&S::stride_h), fixed_extent(&S::dilation_h), fixed_extent(&S::pad_top)};
}

template <class S>
constexpr ConvAxis fixed_horizontal_axis() {
  return {fixed_extent(&S::in_w),     fixed_extent(&S::out_w),      fixed_extent(&S::k_w),
          fixed_extent(&S::stride_w), fixed_extent(&S::dilation_w), fixed_extent(&S::pad_left)};
}

// The size of the interior, or -1 where a member is not fixed.
constexpr Index fixed_interior(const ConvAxis& a) {
  const bool open =
      a.in < 0 || a.out < 0 || a.taps < 0 || a.stride < 0 || a.dilation < 0 || a.pad < 0;
  return open ? -1 : interior(a).size();
}

// The interior extents as constants if S fixes all that they depend on, otherwise -1.
template <class S>
constexpr Index fixed_interior_height() {
  return fixed_interior(fixed_vertical_axis<S>());
}

template <class S>
constexpr Index fixed_interior_width() {
  return fixed_interior(fixed_horizontal_axis<S>());
}

}  // namespace onnxc
