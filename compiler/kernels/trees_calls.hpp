// trees_calls.hpp - shapes that kernels of this folder are given; what the members mean stands with
// the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct TreeBranchesShape {
  N rows, columns, trees, targets, votes, aggregate;
};

template <class N>
struct TreeEnsembleShape {
  N rows, columns, used, stride, trees, least, most, targets;
  N compare, votes, aggregate;
  bool missing, members;
};

}  // namespace onnxc
