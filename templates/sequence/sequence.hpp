// sequence.hpp - sequences of tensors.
#pragma once

#include <algorithm>
#include <iterator>

#include "templates/sequence/value.hpp"

namespace onnxc {

inline Status sequence_empty(Value& y) {
  return y.make_list() ? Status::ok : Status::out_of_memory;
}

// The index of a position among `count` elements; negative positions count from the end. -1
// outside.
inline std::int64_t sequence_place(std::int64_t position, std::int64_t count) {
  if (position < 0) position += count;
  return position >= 0 && position < count ? position : -1;
}

inline Status sequence_append_value(const Value& member, Value& y) {
  return y.append(member) ? Status::ok : Status::out_of_memory;
}

// x: a tensor of s.dims, put at the end of y.  s: rank, dims.
template <class S, class T>
Status sequence_append(S s, const T* x, Value& y) {
  Value member(y.heap());
  const Status status = box_value(s, x, member);
  return status != Status::ok ? status : sequence_append_value(member, y);
}

// y: x with `member` before *position, or at the end without a position.
template <class I>
Status sequence_insert_value(const Value& x, const Value& member, const I* position, Value& y) {
  const std::int64_t end = x.size();
  const std::int64_t place = position == nullptr ? end : sequence_place(*position, end + 1);
  // Position -1 is before the last member.
  const bool negative = position != nullptr && *position < 0;
  const std::int64_t at = negative ? sequence_place(*position, end) : place;
  if (at < 0) return Status::bad_index;
  y = x;
  return y.insert(at, member) ? Status::ok : Status::out_of_memory;
}

// As above for a tensor of s.dims.  s: rank, dims.
template <class S, class T, class I>
Status sequence_insert(S s, const Value& x, const T* tensor, const I* position, Value& y) {
  Value member(y.heap());
  const Status status = box_value(s, tensor, member);
  return status != Status::ok ? status : sequence_insert_value(x, member, position, y);
}

// y: x without the member at *position, or without the last one.
template <class I>
Status sequence_erase(const Value& x, const I* position, Value& y) {
  const std::int64_t at = sequence_place(position == nullptr ? -1 : *position, x.size());
  if (at < 0) return Status::bad_index;
  y = x;
  return y.erase(at) ? Status::ok : Status::out_of_memory;
}

template <class I>
Status sequence_at(const Value& x, const I* position, Value& y) {
  const std::int64_t at = sequence_place(*position, x.size());
  if (at < 0) return Status::bad_index;
  y = x.at(at);
  return Status::ok;
}

inline void sequence_length(const Value& x, std::int64_t* y) { *y = x.size(); }

// The extents of all members of x joined along s.axis, or, with s.stack, along a new axis there.
// s: rank (of the result), axis, stack.
template <class S>
Status concat_sequence_extents(S s, const Value& x, Index* extents) {
  if (x.size() == 0) return Status::bad_value;
  const Value first = x.at(0);
  const Index rank = s.stack ? s.rank - 1 : s.rank;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const Value member = x.at(i);
    if (member.rank() != rank) return Status::bad_shape;
    for (Index k = 0; k < rank; ++k)
      if ((s.stack || k != s.axis) && member.dim(k) != first.dim(k)) return Status::bad_shape;
  }
  for (Index k = 0; k < s.rank; ++k) {
    if (k != s.axis)
      extents[k] = static_cast<Index>(first.dim(s.stack && k > s.axis ? k - 1 : k));
    else if (s.stack)
      extents[k] = static_cast<Index>(x.size());
    else
      for (std::int64_t i = extents[k] = 0; i < x.size(); ++i)
        extents[k] += static_cast<Index>(x.at(i).dim(k));
  }
  return Status::ok;
}

// y: the members of x joined; [outer, extent, inner] with the axis in the middle.
// s: outer, extent, inner, axis, stack.
template <class S, class T>
void concat_sequence(S s, const Value& x, T* y) {
  Index at = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const Value member = x.at(i);
    const Index rows = s.stack ? 1 : static_cast<Index>(member.dim(s.axis));
    const T* from = member.data<T>();
    for (Index o = 0; o < s.outer; ++o, from += rows * s.inner)
      std::copy(from, from + rows * s.inner, y + (o * s.extent + at) * s.inner);
    at += rows;
  }
}

// Cuts x, [outer, extent, inner] around axis s.axis of s.dims, into parts: all of *sizes rows when
// s.equal (the last may be shorter), else sizes[i] rows. Without s.keep the axis, then of extent 1,
// is removed.  s: rank, dims, axis, outer, extent, inner, count (of sizes), equal, keep.
template <class S, class T, class I>
Status split_to_sequence(S s, const T* x, const I* sizes, Value& y) {
  if (!y.make_list()) return Status::out_of_memory;
  Extent dims[std::size(decltype(s.dims){}) + 1] = {};
  for (Index k = 0; k < s.rank; ++k)
    if (s.keep || k != s.axis) dims[s.keep || k < s.axis ? k : k - 1] = s.dims[k];
  const Index rank = s.keep ? s.rank : s.rank - 1;
  if (s.equal && *sizes <= 0) return Status::bad_value;
  Index at = 0;
  for (Index i = 0; s.equal ? at < s.extent : i < s.count; ++i) {
    const std::int64_t wanted = sizes[s.equal ? 0 : i];
    const Index left = s.extent - at;
    if (wanted < 0 || (!s.equal && wanted > left)) return Status::bad_value;
    const Index rows = wanted < left ? static_cast<Index>(wanted) : left;
    if (s.keep) dims[s.axis] = rows;
    Value part(y.heap());
    T* to = static_cast<T*>(part.make_tensor(rank, dims, Index{sizeof(T)}));
    if (to == nullptr || !y.append(part)) return Status::out_of_memory;
    for (Index o = 0; o < s.outer; ++o) {
      const T* const from = x + (o * s.extent + at) * s.inner;
      to = std::copy(from, from + rows * s.inner, to);
    }
    at += rows;
  }
  return at == s.extent ? Status::ok : Status::bad_value;
}

}  // namespace onnxc
