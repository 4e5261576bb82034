// grouped_tokens.hpp - where the tokens of a call are in their sequences and caches, and rotary
// embedding by their positions.
#pragma once

#include <cstdint>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// Turns pairs of the first `rotated` of `width` elements by the angles whose cosines and sines are
// given, [rotated / 2] each.
template <class T, class U>
void rotate_head(const T* x, const T* cosines, const T* sines, Index width, Index rotated,
                 bool interleaved, U* y) {
  using A = compute_t<T>;
  const Index half = rotated / 2;
  for (Index j = 0; j < half; ++j) {
    const Index first = interleaved ? 2 * j : j, second = first + (interleaved ? 1 : half);
    const A c = static_cast<A>(cosines[j]), w = static_cast<A>(sines[j]);
    const A p = static_cast<A>(x[first]), r = static_cast<A>(x[second]);
    y[first] = static_cast<U>(c * p - w * r);
    y[second] = static_cast<U>(w * p + c * r);
  }
  for (Index j = rotated; j < width; ++j) y[j] = static_cast<U>(x[j]);
}

// x, y: the strides batch_stride, head_stride, position_stride. ids: one position each, or the
// first one's where `one_id`. s: batch, heads, length, width, rotated, positions, interleaved,
// one_id, batch_stride, head_stride, position_stride.
template <class S, class T>
Status rotary_positions(S s, const T* x, const std::int64_t* ids, const T* cosines, const T* sines,
                        T* y) {
  const Index half = s.rotated / 2;
  for (Index b = 0; b < s.batch; ++b) {
    for (Index i = 0; i < s.length; ++i) {
      const std::int64_t id = s.one_id ? ids[0] : ids[b * s.length + i];
      if (id < 0 || id >= s.positions) return Status::bad_index;
      const Index row = static_cast<Index>(id) + (s.one_id ? i : 0);
      if (row >= s.positions) return Status::bad_index;
      for (Index h = 0; h < s.heads; ++h) {
        const Index at = b * s.batch_stride + h * s.head_stride + i * s.position_stride;
        rotate_head(x + at, cosines + row * half, sines + row * half, s.width, s.rotated,
                    s.interleaved, y + at);
      }
    }
  }
  return Status::ok;
}

// The positions of the new tokens of every sequence: the last key [batch] and the total length as
// the operator gets them, tables of angles, and the rows of them that the tokens take, or null.
template <class T>
struct GroupedTokens {
  const std::int32_t *last_key, *total;
  const T *cosines, *sines;
  const std::int64_t* ids;
};
template <class T>
GroupedTokens(const std::int32_t*, const std::int32_t*, const T*, const T*, const std::int64_t*)
    -> GroupedTokens<T>;

// A sequence: its tokens before this run, how many of these its cache holds, and how many of the
// new ones count.
struct GroupedPlace {
  Index before, rows, fresh;
  constexpr bool fits() const { return before >= 0; }
  constexpr Index keys() const { return rows + fresh; }
};

// Rows that a cache of `past` rows holds of `tokens`. One that keeps a window fills up, then starts
// again with the window, so that most runs move nothing.
template <class S>
constexpr Index kept_rows(const S& s, Index tokens) {
  if (s.cache_window == 0 || tokens <= s.past) return tokens;
  return s.cache_window + (tokens - s.cache_window) % (s.past - s.cache_window + 1);
}

// The place of sequence b; it does not fit if its lengths contradict each other. In the first run,
// whose queries are all there is, there are no keys before. s: length, past, capacity,
// cache_window.
template <class S>
GroupedPlace grouped_place(const S& s, const std::int32_t* last_key, const std::int32_t* total,
                           Index b) {
  const GroupedPlace bad = {-1, 0, 0};
  if (last_key[b] < -1 || *total < 0 || (s.cache_window > 0 && s.cache_window > s.past)) return bad;
  const Index keys = static_cast<Index>(last_key[b]) + 1;
  if (s.cache_window == 0 && (keys > s.capacity || static_cast<Index>(*total) > s.capacity))
    return bad;
  if (static_cast<Index>(*total) == s.length)
    return keys <= s.length && s.length <= s.capacity ? GroupedPlace{0, 0, keys} : bad;
  const Index before = keys - s.length;
  if (before < 0 || kept_rows(s, before) > s.past) return bad;
  return {before, kept_rows(s, before), s.length};
}

// The row of the table of angles for position i of sequence b, -1 outside of it.
template <class S>
Index angle_row(const S& s, const std::int64_t* ids, Index before, bool first_run, Index b,
                Index i) {
  std::int64_t id = before + i;
  if (ids != nullptr) id = first_run ? ids[0] + i : ids[b * s.length + i];
  return id >= 0 && id < s.positions ? static_cast<Index>(id) : -1;
}

// The larger of the rows there were and the total length. s: past.
template <class S>
Status grouped_extents(S s, const std::int32_t* total, Index* extents) {
  if (*total < 0) return Status::bad_value;
  for (Index i = 0; i < s.reports; ++i)
    extents[i] = static_cast<Index>(*total) > s.past ? static_cast<Index>(*total) : s.past;
  return Status::ok;
}

// How many keys each sequence has, and the position of its first query among them: lengths,
// positions [batch]. s: batch, length, past, capacity, cache_window.
template <class S>
Status grouped_lengths(S s, const std::int32_t* last_key, const std::int32_t* total,
                       std::int64_t* lengths, std::int64_t* positions) {
  for (Index b = 0; b < s.batch; ++b) {
    const GroupedPlace place = grouped_place(s, last_key, total, b);
    if (!place.fits()) return Status::bad_value;
    lengths[b] = place.keys();
    positions[b] = place.rows;
  }
  return Status::ok;
}

// The queries rotated by the angles of their positions, y: [batch, length, heads, width]. x: its
// heads lie `width` apart. s: batch, heads, length, past, capacity, cache_window, width,
// batch_stride, position_stride, rotated, positions, interleaved.
template <class S, class T>
Status grouped_queries(S s, const T* x, GroupedTokens<T> tokens, T* y) {
  const Index half = s.rotated / 2;
  for (Index b = 0; b < s.batch; ++b) {
    const GroupedPlace place = grouped_place(s, tokens.last_key, tokens.total, b);
    if (!place.fits()) return Status::bad_value;
    const bool first_run = static_cast<Index>(*tokens.total) == s.length;
    for (Index i = 0; i < s.length; ++i) {
      const Index row = angle_row(s, tokens.ids, place.before, first_run, b, i);
      if (row < 0) return Status::bad_index;
      for (Index h = 0; h < s.heads; ++h, y += s.width)
        rotate_head(x + b * s.batch_stride + i * s.position_stride + h * s.width,
                    tokens.cosines + row * half, tokens.sines + row * half, s.width, s.rotated,
                    s.interleaved, y);
    }
  }
  return Status::ok;
}

}  // namespace onnxc
