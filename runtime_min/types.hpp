// types.hpp - the few names every kernel uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace onnxc {

// Extents, strides and linear offsets. Signed, as wide as a pointer.
using Index = std::ptrdiff_t;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// The status that a generated function returns; the C header of a model repeats the values under
// its own prefix.
enum class Status : int {
  ok = 0,
  bad_argument = 1,    // a null pointer or a misaligned arena
  bad_shape = 2,       // a run-time size breaks a declared bound or relation
  bad_index = 3,       // an index points outside its tensor
  out_of_memory = 4,   // the caller's allocator returned null
  bad_value = 5,       // a run-time value outside what the operator allows
  too_small = 6,       // an output's memory; its extents say what it takes
  device_failed = 10,  // a function that reaches another device
};

// Wrapping integer arithmetic happens in the unsigned type of at least int's width, so that neither
// overflow nor the promotion of small types is undefined.
template <class T>
using wrap_t = std::make_unsigned_t<std::conditional_t<(sizeof(T) < sizeof(int)), int, T>>;

// The type in which element-wise functions see an element: float for the narrow floats of
// half.hpp, which specialise this, else the type itself.
template <class T>
struct compute {
  using type = T;
};
template <class T>
using compute_t = typename compute<T>::type;

}  // namespace onnxc
