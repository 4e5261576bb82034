// logical.hpp - and, or, exclusive or and complement of booleans.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

inline bool logical_and(bool a, bool b) { return a && b; }

inline bool logical_or(bool a, bool b) { return a || b; }

inline bool logical_xor(bool a, bool b) { return a != b; }

inline bool logical_not(bool x) { return !x; }

}  // namespace fn
}  // namespace onnxc
