// logical_xor.hpp - of two booleans.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

inline bool logical_xor(bool a, bool b) { return a != b; }

}  // namespace fn
}  // namespace onnxc
