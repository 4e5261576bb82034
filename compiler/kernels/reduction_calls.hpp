// reduction_calls.hpp - shapes passed to the kernels of this folder; the members are documented
// with the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct ArgReduceShape {
  N outer, extent, inner;
  bool largest, last;
};

template <class N>
struct CumulativeAxisShape {
  N rank;
  ListOf<N> dims;
  bool exclusive, reverse;
};

template <class N>
struct CumulativeShape {
  N outer, extent, inner;
  bool exclusive, reverse;
};

template <class N>
struct ReduceExtentsShape {
  ListOf<N> dims;
  N axis_count;
  bool keep, noop;
  N out_rank;
};

template <class N>
struct ReduceAxesShape {
  ListOf<N> dims;
  N axis_count;
  bool keep, noop;
  N out_rank;
  ListOf<N> out;
};

template <class N>
struct ReduceShape {
  ListOf<N> kept, kept_strides, reduced, reduced_strides;
  N count;
};

template <class N>
struct TopKShape {
  N outer, extent, inner, k;
  bool largest;
};

template <class N>
struct UniqueGroupsShape {
  N outer, extent, inner, reports;
};

template <class N>
struct UniqueShape {
  N outer, extent, inner, found;
  bool sorted;
};

}  // namespace onnxc
