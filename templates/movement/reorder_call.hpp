// reorder_call.hpp - shapes and operands of reorder.hpp.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

// x: [batch, rows, cols], y: [batch, cols, rows].
template <class N>
struct ReorderShape {
  N batch, rows, cols;

  using Members = MemberList<&ReorderShape::batch, &ReorderShape::rows, &ReorderShape::cols>;
};

template <class A>
struct ReorderOperands {
  A x, y;

  using Members = MemberList<&ReorderOperands::x, &ReorderOperands::y>;
};

template <class N, class A>
struct Reorder {
  static constexpr const char* kernel = "reorder";
  static constexpr const char* header = "reorder";
  static constexpr bool divisible = true;
  ReorderShape<N> shape;
  ReorderOperands<A> operands;
};

}  // namespace onnxc
