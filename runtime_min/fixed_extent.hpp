// fixed_extent.hpp - members of a shape struct as constants, where the struct fixes them at compile
// time.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

// fixed_extent(&S::m) is S::m if that is static, otherwise -1.
constexpr Index fixed_extent(const Index* constant) { return *constant; }
template <class S, class Member>
constexpr Index fixed_extent(Member S::*) {
  return -1;
}

}  // namespace onnxc
