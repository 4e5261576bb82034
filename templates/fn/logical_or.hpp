// logical_or.hpp - of two booleans.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

inline bool logical_or(bool a, bool b) { return a || b; }

}  // namespace fn
}  // namespace onnxc
