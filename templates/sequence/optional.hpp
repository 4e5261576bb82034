// optional.hpp - whether there is something.
#pragma once

#include "runtime_min/value.hpp"

namespace onnxc {

inline void has_element(const Value& x, bool* y) { *y = x.exists(); }
inline void clear_value(Value& y) { y.clear(); }

// The value inside an optional that has to have one.
inline Status get_element(const Value& x, Value& y) {
  if (!x.exists()) return Status::bad_value;
  y = x;
  return Status::ok;
}

}  // namespace onnxc
