// movement_calls.hpp - shapes and calls passed to the kernels of this folder; the members are
// documented with the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

// x: [batch, rows, cols], y: [batch, cols, rows].
template <class N>
struct ReorderShape {
  N batch, rows, cols;
};

template <class A>
struct ReorderOperands {
  A x, y;
};

template <class N, class A>
struct Reorder {
  static constexpr const char* kernel = "reorder";
  static constexpr const char* line_buffered = "reorder_line_buffered";
  ReorderShape<N> shape;
  ReorderOperands<A> operands;
};

template <class N>
struct ExtentsShape {
  N count;
  ListOf<N> values;
};

template <class N>
struct AppendSliceShape {
  N rank;
  ListOf<N> dims, known;
};

template <class N>
struct GatherShape {
  N outer, extent, inner, count;
};

template <class N>
struct CenterCropPadShape {
  ListOf<N> in, out;
};

// Of expand_extents, squeeze_extents and unsqueeze_extents.
template <class N>
struct ExpandExtentsShape {
  N rank;
  ListOf<N> from;
  N count, out_rank;
};

template <class N>
struct EyeShape {
  N rows, cols, diagonal;
};

template <class N>
struct NonzeroExtentsShape {
  N size;
};

template <class N>
struct NonzeroShape {
  N rank;
  ListOf<N> dims;
  N size, found;
};

template <class N>
struct CompressExtentsShape {
  N count, extent;
};

template <class N>
struct CompressShape {
  N outer, extent, inner, count, found;
};

template <class N>
struct OneHotShape {
  N outer, depth, inner;
};

template <class N>
struct PadExtentsShape {
  ListOf<N> source;
  N count;
};

template <class N>
struct PadWidthsShape {
  ListOf<N> source, dims;
  N count;
};

template <class N>
struct PadShape {
  ListOf<N> dims, extent, before, from, inner;
  N from_offset;
};

template <class N>
struct ReshapeExtentsShape {
  N rank;
  ListOf<N> from;
  N count, out_rank;
  bool zero_copies;
};

template <class N>
struct ReverseSequenceShape {
  N first, second, inner;
  bool batch_first;
};

template <class N>
struct SliceExtentsShape {
  ListOf<N> dims;
  N count;
};

template <class N>
struct SliceBoundsShape {
  ListOf<N> dims, out;
  N count;
};

template <class N>
struct TileExtentsShape {
  N rank;
  ListOf<N> from;
  N count;
};

template <class N>
struct TileAxisExtentsShape {
  N rank;
  ListOf<N> from;
};

template <class N>
struct TriluShape {
  N batch, rows, cols;
  bool upper;
};

template <class N>
struct IndexTuples {
  N count, inner;
  ListOf<N> extents, strides;
};

template <class N>
struct GatherNdShape {
  N batch, batch_size;
  IndexTuples<N> tuples;
};

template <class N>
struct ScatterNdShape {
  N size;
  IndexTuples<N> tuples;
};

template <class N>
struct GatherElementsShape {
  ListOf<N> dims, strides;
  N axis, extent, count;
};

template <class N>
struct ScatterElementsShape {
  GatherElementsShape<N> indices;
  N size;
};

template <class N>
struct TransposeShape {
  ListOf<N> dims, from, to;
};

template <class N>
struct StridedCopyShape {
  ListOf<N> dims, from, to;
  N from_offset, to_offset;
};

// Of take_slice and put_slice.
template <class N>
struct SliceOfAxisShape {
  N outer, extent, inner;
  bool reverse;
};

template <class N>
struct GivenExtentsShape {
  N count, rank, most, total;
};

}  // namespace onnxc
