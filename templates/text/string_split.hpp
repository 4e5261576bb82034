// string_split.hpp - splits strings at a delimiter or at white space.
#pragma once

#include <cstring>

#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"

namespace onnxc {

namespace string_split_detail {

inline const char* skip_space(const char* p, const char* end) {
  while (p < end) {
    const CodePoint c = code_point_at(p, end);
    if (!is_white_space(c.value)) break;
    p += c.bytes;
  }
  return p;
}

inline const char* find_space(const char* p, const char* end) {
  while (p < end) {
    const CodePoint c = code_point_at(p, end);
    if (is_white_space(c.value)) break;
    p += c.bytes;
  }
  return p;
}

// Null when it is not there.
inline const char* find(const char* p, const char* end, const Text& delimiter) {
  for (; end - p >= delimiter.size; ++p) {
    p = static_cast<const char*>(
        std::memchr(p, delimiter.data[0], static_cast<std::size_t>(end - p - delimiter.size + 1)));
    if (p == nullptr) return nullptr;
    if (Text{p, delimiter.size} == delimiter) return p;
  }
  return nullptr;
}

// Calls f for each part and returns their number. The part after the last of max_splits splits
// (negative: no such limit) keeps what else it holds.
template <class F>
std::int64_t split(const Text& x, const Text& delimiter, Index max_splits, F f) {
  const char* p = x.data;
  const char* const end = p + x.size;
  const bool at_space = delimiter.size == 0;
  std::int64_t count = 0;
  for (;;) {
    if (at_space) p = skip_space(p, end);
    if (at_space && p == end) return count;
    const char* stop = nullptr;
    if (max_splits < 0 || count < max_splits)
      stop = at_space ? find_space(p, end) : find(p, end, delimiter);
    f(count++, Text{p, (stop != nullptr ? stop : end) - p});
    if (stop == nullptr) return count;
    p = stop + delimiter.size;
  }
}

}  // namespace string_split_detail

// The most parts that any of x: [count] has.  s: count, max_splits.
template <class S>
void string_split_extents(S s, const Text* x, const Text* delimiter, Index* extents) {
  extents[0] = 0;
  for (Index i = 0; i < s.count; ++i) {
    const std::int64_t parts =
        string_split_detail::split(x[i], *delimiter, s.max_splits, [](std::int64_t, Text) {});
    if (parts > extents[0]) extents[0] = static_cast<Index>(parts);
  }
}

// x: [count], y: [count, width] parts with empty strings after them, counts: [count]. Either result
// may be null. An empty delimiter is any white space.  s: count, width, max_splits.
template <class S>
void string_split(S s, const Text* x, const Text* delimiter, Text* y, std::int64_t* counts) {
  for (Index i = 0; i < s.count; ++i) {
    Text* const row = y != nullptr ? y + i * s.width : nullptr;
    const std::int64_t parts =
        string_split_detail::split(x[i], *delimiter, s.max_splits, [&](std::int64_t at, Text part) {
          if (row != nullptr) row[at] = part;
        });
    for (std::int64_t k = parts; row != nullptr && k < s.width; ++k) row[k] = Text{};
    if (counts != nullptr) counts[i] = parts;
  }
}

}  // namespace onnxc
