// movement_shapes.hpp - shapes that kernels of this folder are given; what the members mean stands
// with the kernels.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

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

}  // namespace onnxc
