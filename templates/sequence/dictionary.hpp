// dictionary.hpp - maps from keys to numbers or strings; as a Value, a list of keys and values.
#pragma once

#include "templates/fn/cast.hpp"
#include "templates/sequence/value.hpp"
#include "templates/text/cast_text.hpp"

namespace onnxc {

// y: [places], the value of each key of x at its position in the vocabulary, *nothing elsewhere;
// keys outside the vocabulary are left out. keys: [places], sorted; places: their positions in y.
// s: places.
template <class S, class K, class T>
void dict_vectorizer(S s, const Value& x, const K* keys, const std::int32_t* places, T* y) {
  for (Index i = 0; i < s.places; ++i) y[i] = T{};
  const Value given = x.at(0), values = x.at(1);
  const K* const key = given.data<K>();
  for (std::int64_t i = 0; i < given.size(); ++i) {
    Index low = 0, high = s.places;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (keys[middle] < key[i])
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < s.places && keys[low] == key[i]; ++low) y[places[low]] = values.data<T>()[i];
  }
}

template <class T>
bool cast_map_value(const T& from, T& to, char*&) {
  to = from;
  return true;
}
inline bool cast_map_value(float from, std::int64_t& to, char*&) {
  to = fn::cast<std::int64_t>(from);
  return true;
}
inline bool cast_map_value(float from, Text& to, char*& bytes) {
  char* const end = write_number(bytes, from);
  to = {bytes, end - bytes};
  bytes = end;
  return true;
}
template <class T>
bool cast_map_value(const Text& from, T& to, char*&) {
  return read_number(from, to);
}
inline bool cast_map_value(const Text& from, Text& to, char*&) {
  to = from;
  return true;
}

// The extents of cast_map when the length is dynamic.
inline Status cast_map_extents(const Value& x, Index* extents) {
  extents[0] = 1;
  extents[1] = static_cast<Index>(x.at(0).size());
  return Status::ok;
}

// y: [length], the values of x as another type: in the order of their keys, or, if s.sparse, at the
// indices that are their keys, with *nothing elsewhere. FROM is the type of the values of x.
// s: length, sparse.
template <class FROM, class S, class T>
Status cast_map(S s, const Value& x, const T* nothing, T* y, Heap& heap) {
  const Value keys = x.at(0), values = x.at(1);
  const std::int64_t count = keys.size();
  const auto* const key = keys.data<std::int64_t>();
  char* bytes = nullptr;
  if (std::is_same<T, Text>::value && !std::is_same<FROM, Text>::value) {
    bytes = static_cast<char*>(heap.allocate(Extent(count) * kLongestNumber));
    if (bytes == nullptr) return Status::out_of_memory;
  }
  ScratchBlock<std::int64_t> order(heap);
  if (!order.resize(count)) return Status::out_of_memory;
  for (std::int64_t i = 0; i < count; ++i) order.data()[i] = i;
  std::sort(order.data(), order.data() + count,
            [&](std::int64_t a, std::int64_t b) { return key[a] < key[b]; });
  for (Index i = 0; i < s.length && s.sparse; ++i) y[i] = *nothing;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t i = order.data()[k], place = s.sparse ? key[i] : k;
    if (place < 0 || place >= s.length) return Status::bad_index;
    if (!cast_map_value(values.data<FROM>()[i], y[place], bytes)) return Status::bad_value;
  }
  return Status::ok;
}

// y: a map from keys to each row of x.  s: rows, keys.
template <class S, class K>
Status zip_map(S s, const float* x, const K* keys, Value& y) {
  const Extent dims[] = {s.keys};
  Value names(y.heap()), values(y.heap()), map(y.heap());
  if (!y.make_list() || names.make_tensor(1, dims, Index{sizeof(K)}, keys) == nullptr)
    return Status::out_of_memory;
  for (Index r = 0; r < s.rows; ++r, x += s.keys) {
    auto* const row = static_cast<float*>(values.make_tensor(1, dims, Index{sizeof(float)}));
    if (row == nullptr) return Status::out_of_memory;
    std::copy(x, x + s.keys, row);
    if (!map.make_list() || !map.append(names) || !map.append(values) || !y.append(map))
      return Status::out_of_memory;
  }
  return Status::ok;
}

}  // namespace onnxc
