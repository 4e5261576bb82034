// convert.hpp - conversion between onnxc_value and the types in the header of a generated model.
#pragma once

#include <cstring>
#include <deque>
#include <vector>

#include "unit.hpp"

namespace harness {

// What the conversions of one run have made; addresses do not change.
inline std::deque<std::vector<unsigned char>>& kept() {
  static std::deque<std::vector<unsigned char>> all;
  return all;
}
inline std::vector<unsigned char>& keep(std::size_t bytes) {
  kept().emplace_back(bytes + 1);
  return kept().back();
}

// In files a string tensor is the length of each string, then their bytes.
template <class String>
String* unpack_strings(const onnxc_value& v) {
  std::size_t count = 1;
  for (std::size_t k = 0; k < v.rank; ++k) count *= static_cast<std::size_t>(v.dims[k]);
  auto* const out = reinterpret_cast<String*>(keep(count * sizeof(String)).data());
  const auto* const sizes = static_cast<const unsigned char*>(v.data);
  const char* bytes = static_cast<const char*>(v.data) + count * sizeof(std::int64_t);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&out[i].size, sizes + i * sizeof(std::int64_t), sizeof(std::int64_t));
    // Each in memory of its own, so that sanitizers see an overrun by one byte.
    auto& own = keep(static_cast<std::size_t>(out[i].size));
    std::memcpy(own.data(), bytes, static_cast<std::size_t>(out[i].size));
    out[i].data = reinterpret_cast<const char*>(own.data());
    bytes += out[i].size;
  }
  return out;
}

template <class String>
void pack_strings(const String* strings, std::size_t count, onnxc_value& v) {
  std::size_t bytes = count * sizeof(std::int64_t);
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<std::size_t>(strings[i].size);
  unsigned char* to = keep(bytes).data();
  v.data = to;
  v.bytes = bytes;
  for (std::size_t i = 0; i < count; ++i, to += sizeof(std::int64_t))
    std::memcpy(to, &strings[i].size, sizeof(std::int64_t));
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = static_cast<std::size_t>(strings[i].size);
    if (size > 0) std::memcpy(to, strings[i].data, size);
    to += size;
  }
}

// Which tensors of a value hold strings, and the width of the others.
struct Elements {
  std::size_t width;
  bool text;
  std::size_t key_width;
  bool key_text;

  // For member i of a value of that kind.
  Elements of(onnxc_value::kind_type kind, std::size_t i) const {
    return kind == onnxc_value::map && i == 0 ? Elements{key_width, key_text, 0, false} : *this;
  }
};

template <class Value, class String>
Value to_model(const onnxc_value& v, const Elements& e) {
  Value out{};
  out.kind = static_cast<std::int32_t>(v.kind);
  if (v.kind == onnxc_value::tensor) {
    out.rank = static_cast<std::int64_t>(v.rank);
    out.dims = v.dims;
    out.data = e.text ? static_cast<const void*>(unpack_strings<String>(v)) : v.data;
  } else if (v.kind != onnxc_value::nothing) {
    auto* const items = reinterpret_cast<Value*>(keep(v.count * sizeof(Value)).data());
    for (std::size_t i = 0; i < v.count; ++i)
      items[i] = to_model<Value, String>(v.items[i], e.of(v.kind, i));
    out.items = items;
    out.count = static_cast<std::int64_t>(v.count);
  }
  return out;
}

template <class String, class Value>
void from_model(const Value& m, const Elements& e, onnxc_value& v) {
  v = {};
  v.kind = static_cast<onnxc_value::kind_type>(m.kind);
  const auto count = static_cast<std::size_t>(m.count);
  if (v.kind == onnxc_value::tensor) {
    v.rank = static_cast<std::size_t>(m.rank);
    v.dims = const_cast<std::int64_t*>(m.dims);
    if (e.text) return pack_strings(static_cast<const String*>(m.data), count, v);
    v.data = const_cast<void*>(m.data);
    v.bytes = count * e.width;
  } else if (v.kind != onnxc_value::nothing) {
    v.items = reinterpret_cast<onnxc_value*>(keep(count * sizeof(onnxc_value)).data());
    v.count = count;
    for (std::size_t i = 0; i < count; ++i)
      from_model<String>(m.items[i], e.of(v.kind, i), v.items[i]);
  }
}

}  // namespace harness
