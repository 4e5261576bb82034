// trees_calls.hpp - shapes passed to the kernels of this folder; the members are documented with
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
