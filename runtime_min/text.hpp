// text.hpp - elements of string tensors: bytes in UTF-8 that live elsewhere.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"

namespace onnxc {

// Any bytes, zeros included. They belong to the weights, to the caller's inputs or to the heap of
// the call. The same layout as <name>_string in the header of a model.
struct alignas(8) Text {
  const char* data = nullptr;
  alignas(8) std::int64_t size = 0;

  friend bool operator==(const Text& a, const Text& b) {
    return a.size == b.size &&
           (a.size <= 0 || std::memcmp(a.data, b.data, static_cast<std::size_t>(a.size)) == 0);
  }
  friend bool operator!=(const Text& a, const Text& b) { return !(a == b); }
  // In the order of bytes, which for UTF-8 is that of code points.
  friend bool operator<(const Text& a, const Text& b) {
    const std::int64_t shorter = a.size < b.size ? a.size : b.size;
    const int order =
        shorter <= 0 ? 0 : std::memcmp(a.data, b.data, static_cast<std::size_t>(shorter));
    return order != 0 ? order < 0 : a.size < b.size;
  }
};
static_assert(sizeof(Text) == 16, "the memory plan relies on it");

// A string constant.
template <std::size_t N>
constexpr Text text(const char (&literal)[N]) {
  return {literal, static_cast<std::int64_t>(N - 1)};
}

}  // namespace onnxc
