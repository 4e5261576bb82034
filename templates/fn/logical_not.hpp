// logical_not.hpp - of a boolean.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

inline bool logical_not(bool x) { return !x; }

}  // namespace fn
}  // namespace onnxc
