// convert.hpp - between onnxc_value and the types in the header of a generated model.
#pragma once

#include <cstring>
#include <deque>
#include <vector>

#include "unit.hpp"

namespace harness {

// Memory that lives as long as the program; nothing here moves.
inline std::vector<unsigned char>& keep(std::size_t bytes) {
  static std::deque<std::vector<unsigned char>> kept;
  kept.emplace_back(bytes + 1);
  return kept.back();
}

// On the wire a string tensor is the length of each string, then their bytes.
template <class String>
String* unpack_strings(const onnxc_value& v) {
  std::size_t count = 1;
  for (std::size_t k = 0; k < v.rank; ++k) count *= static_cast<std::size_t>(v.dims[k]);
  auto* const out = reinterpret_cast<String*>(keep(count * sizeof(String)).data());
  const auto* const sizes = static_cast<const unsigned char*>(v.data);
  const char* bytes = static_cast<const char*>(v.data) + count * sizeof(std::int64_t);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&out[i].size, sizes + i * sizeof(std::int64_t), sizeof(std::int64_t));
    // Each in memory of its own, so that sanitizers see a byte too far.
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

template <class Value, class String>
Value to_model(const onnxc_value& v, bool text) {
  Value out{};
  out.kind = static_cast<std::int32_t>(v.kind);
  if (v.kind == onnxc_value::tensor) {
    out.rank = static_cast<std::int64_t>(v.rank);
    out.dims = v.dims;
    out.data = text ? static_cast<const void*>(unpack_strings<String>(v)) : v.data;
  } else if (v.kind == onnxc_value::list) {
    auto* const items = reinterpret_cast<Value*>(keep(v.count * sizeof(Value)).data());
    for (std::size_t i = 0; i < v.count; ++i) items[i] = to_model<Value, String>(v.items[i], text);
    out.items = items;
    out.count = static_cast<std::int64_t>(v.count);
  }
  return out;
}

template <class String, class Value>
void from_model(const Value& m, std::size_t width, bool text, onnxc_value& v) {
  v = {};
  v.kind = static_cast<onnxc_value::kind_type>(m.kind);
  const auto count = static_cast<std::size_t>(m.count);
  if (v.kind == onnxc_value::tensor) {
    v.rank = static_cast<std::size_t>(m.rank);
    v.dims = const_cast<std::int64_t*>(m.dims);
    if (text) return pack_strings(static_cast<const String*>(m.data), count, v);
    v.data = const_cast<void*>(m.data);
    v.bytes = count * width;
  } else if (v.kind == onnxc_value::list) {
    v.items = reinterpret_cast<onnxc_value*>(keep(count * sizeof(onnxc_value)).data());
    v.count = count;
    for (std::size_t i = 0; i < count; ++i) from_model<String>(m.items[i], width, text, v.items[i]);
  }
}

}  // namespace harness
