// pooling_calls.hpp - shapes and calls passed to the kernels of this folder; the members are
// documented with the kernels.
#pragma once

#include <optional>

#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

// Pools [batch, in_h, in_w, channels] to [batch, out_h, out_w, channels].
template <class N>
struct PoolShape : ImageWindow<N> {
  N batch, channels;
  N ldx, ldy;  // floats from one pixel of x or y to the next

  using Members =
      Joined<MemberList<&PoolShape::batch, &PoolShape::channels>, typename ImageWindow<N>::Members,
             MemberList<&PoolShape::ldx, &PoolShape::ldy>>;
};

template <class N>
struct AveragePoolShape : PoolShape<N> {
  N pad_bottom, pad_right;
  bool count_include_pad;  // whether pads count in the divisor

  using Members = Joined<typename PoolShape<N>::Members,
                         MemberList<&AveragePoolShape::pad_bottom, &AveragePoolShape::pad_right,
                                    &AveragePoolShape::count_include_pad>>;
};

template <class A>
struct PoolOperandList {
  A x, y;
  std::optional<A> epilogue;
};

template <class N, class A>
struct MaxPool2dNhwc {
  static constexpr const char* kernel = "max_pool2d_nhwc";
  static constexpr const char* line_buffered = "max_pool2d_nhwc_line_buffered";
  PoolShape<N> shape;
  PoolOperandList<A> operands;
};

// max_pool2d_grad_nhwc.hpp; ldy: of dx.
template <class N, class A>
struct MaxPool2dGradNhwc {
  static constexpr const char* kernel = "max_pool2d_grad_nhwc";
  struct Operands {
    A dy, x, dx;
    std::optional<A> epilogue;
  };
  PoolShape<N> shape;
  Operands operands;
};

template <class N, class A>
struct AveragePool2dNhwc {
  static constexpr const char* kernel = "average_pool2d_nhwc";
  AveragePoolShape<N> shape;
  PoolOperandList<A> operands;
};

// Pools [batch, in_h, in_w, channels] to [batch, out_h, out_w, channels].
template <class N>
struct Int8PoolShape : ImageWindow<N> {
  N batch, channels;

  using Members = Joined<MemberList<&Int8PoolShape::batch, &Int8PoolShape::channels>,
                         typename ImageWindow<N>::Members>;
};

template <class N, class A>
struct MaxPool2dInt8Nhwc {
  static constexpr const char* kernel = "max_pool2d_int8_nhwc";
  static constexpr const char* line_buffered = "max_pool2d_int8_nhwc_line_buffered";
  struct Operands {
    A x, y;
  };
  Int8PoolShape<N> shape;
  Operands operands;
};

template <class N>
struct Int8AveragePoolShape : Int8PoolShape<N> {
  N pad_bottom, pad_right;
  bool count_include_pad;  // as for AveragePoolShape
  N zero;                  // zero point of x
  float step;              // its scale

  using Members =
      Joined<typename Int8PoolShape<N>::Members,
             MemberList<&Int8AveragePoolShape::pad_bottom, &Int8AveragePoolShape::pad_right,
                        &Int8AveragePoolShape::count_include_pad, &Int8AveragePoolShape::zero,
                        &Int8AveragePoolShape::step>>;
};

template <class N, class A>
struct AveragePool2dInt8Nhwc {
  static constexpr const char* kernel = "average_pool2d_int8_nhwc";
  Int8AveragePoolShape<N> shape;
  PoolOperandList<A> operands;
};

template <class N>
struct MaxRoiPoolShape {
  N batch, channels, height, width, count, out_h, out_w;
  float scale;
};

template <class N>
struct MaxUnpoolShape {
  N count;
  ListOf<N> grid, out;
};

template <class N>
struct RoiAlignShape {
  N batch, channels, height, width, count, out_h, out_w, samples;
  float scale;
  bool half_pixel, largest;
};

template <class N>
struct PoolNdShape {
  N batch, channels;
  NdWindow<N> window;
  bool channels_last;
};

template <class N>
struct AveragePoolNdShape {
  PoolNdShape<N> pool;
  bool count_pad;
};

template <class N>
struct MaxPoolNdShape {
  PoolNdShape<N> pool;
  bool column_order;
};

template <class N>
struct LpPoolNdShape {
  PoolNdShape<N> pool;
  N p;
};

// Of global_average_pool and global_max_pool.
template <class N>
struct GlobalPoolShape {
  N batch, channels, positions;
  bool channels_last;
};

template <class N>
struct GlobalInt8PoolShape {
  GlobalPoolShape<N> pool;
  N zero;      // zero point of x
  float step;  // its scale
};

template <class A>
struct GlobalPoolOperands {
  A x, y, epilogue;
};

template <class N, class A>
struct GlobalAveragePool {
  static constexpr const char* kernel = "global_average_pool";
  static constexpr const char* line_buffered = "global_average_pool_line_buffered";
  GlobalPoolShape<N> shape;
  GlobalPoolOperands<A> operands;
};

template <class N, class A>
struct GlobalAveragePoolInt8 {
  static constexpr const char* kernel = "global_average_pool_int8";
  static constexpr const char* line_buffered = "global_average_pool_int8_line_buffered";
  GlobalInt8PoolShape<N> shape;
  GlobalPoolOperands<A> operands;
};

// line_buffered_layers.hpp: the rows of an image of which the mean is taken.
template <class N>
struct PooledRowsShape : ImageWindow<N> {
  N channels;

  using Members = Joined<typename ImageWindow<N>::Members, MemberList<&PooledRowsShape::channels>>;
};

template <class N>
struct PooledInt8RowsShape : PooledRowsShape<N> {
  N zero;      // as for GlobalInt8PoolShape
  float step;  // likewise

  using Members = Joined<typename PooledRowsShape<N>::Members,
                         MemberList<&PooledInt8RowsShape::zero, &PooledInt8RowsShape::step>>;
};

template <class N>
struct GlobalLpPoolShape {
  GlobalPoolShape<N> pool;
  N p;
};

}  // namespace onnxc
