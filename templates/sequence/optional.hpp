// optional.hpp - the value of an optional, and whether it has one.
#pragma once

#include "runtime_min/value.hpp"

namespace onnxc {

inline void has_element(const Value& x, bool* y) { *y = x.exists(); }
inline void clear_value(Value& y) { y.clear(); }

// The value of an optional; bad_value if it has none.
inline Status get_element(const Value& x, Value& y) {
  if (!x.exists()) return Status::bad_value;
  y = x;
  return Status::ok;
}

}  // namespace onnxc
