// memory.hpp - typed views of the arena and of the weights.
#pragma once

#include <initializer_list>

#include "runtime_min/extent.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// The object of type T at a byte offset. The memory plan aligns offsets.
template <class T>
inline T* at(void* arena, Index offset) {
  return reinterpret_cast<T*>(static_cast<unsigned char*>(arena) + offset);
}

template <class T>
inline const T* weight(const void* weights, Index offset) {
  return reinterpret_cast<const T*>(static_cast<const unsigned char*>(weights) + offset);
}

// Part of a tensor, or a tensor under another shape.
template <class T, class U>
inline T* view(U* tensor, Index offset) {
  using Byte = std::conditional_t<std::is_const<T>::value, const unsigned char, unsigned char>;
  return reinterpret_cast<T*>(reinterpret_cast<Byte*>(tensor) + offset);
}

// An optional tensor that was left out; typed, so that kernels can deduce their element type.
template <class T>
constexpr T* none = nullptr;

// Reports the extents of an output to the caller; returns whether its memory has room for them.
inline bool open_output(const void* data, std::size_t capacity, std::int64_t* dims,
                        std::initializer_list<Extent> extents) {
  Extent count = 1;
  for (const Extent extent : extents) {
    if (dims != nullptr) *dims++ = extent.value();
    count = count * extent;
  }
  return count == 0 || (data != nullptr && static_cast<std::uint64_t>(count.value()) <= capacity);
}

inline bool aligned(const void* p, std::size_t alignment) {
  return p != nullptr && reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

}  // namespace onnxc
