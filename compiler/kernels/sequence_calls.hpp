// sequence_calls.hpp - shapes passed to the kernels of this folder; the members are documented with
// the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct ConcatSequenceExtentsShape {
  N rank, axis;
  bool stack;
};

template <class N>
struct ConcatSequenceShape {
  N outer, extent, inner, axis;
  bool stack;
};

// Of box_value and sequence_append.
template <class N>
struct TensorDimsShape {
  N rank;
  ListOf<N> dims;
};

template <class N>
struct ValueExtentsShape {
  N rank;
};

template <class N>
struct CastMapShape {
  N length;
  bool sparse;
};

template <class N>
struct DictVectorizerShape {
  N places;
};

template <class N>
struct ZipMapShape {
  N rows, keys;
};

template <class N>
struct SplitToSequenceShape {
  N rank;
  ListOf<N> dims;
  N axis, outer, extent, inner, count;
  bool equal, keep;
};

}  // namespace onnxc
