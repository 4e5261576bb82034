// probe.hpp - the callback of --probe that drivers pass to generated code: it appends each tensor
// to a file, when one is open.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace harness {

inline std::FILE*& probe_file() {
  static std::FILE* file = nullptr;
  return file;
}

// The bytes of an element, by ONNX's number of its type, as generated code stores it.
inline std::size_t element_bytes(std::int32_t type) {
  switch (type) {
    case 1:
    case 6:
    case 12:
      return 4;  // float, int32, uint32
    case 7:
    case 11:
    case 13:
    case 14:
      return 8;  // int64, double, uint64, complex64
    case 4:
    case 5:
    case 10:
    case 16:
      return 2;  // uint16, int16, float16, bfloat16
    case 15:
      return 16;  // complex128
    default:
      return 1;
  }
}

inline void put(const void* data, std::size_t bytes) { std::fwrite(data, 1, bytes, probe_file()); }
inline void put_number(std::uint64_t n) { put(&n, sizeof n); }

// Name, type, rank, dimensions, elements.
inline void record(void*, const char* name, std::int32_t type, const void* data,
                   const std::int64_t* dims, std::int32_t rank) {
  if (probe_file() == nullptr) return;
  const std::size_t length = std::strlen(name);
  put_number(length);
  put(name, length);
  put_number(static_cast<std::uint64_t>(type));
  put_number(static_cast<std::uint64_t>(rank));
  std::size_t count = 1;
  for (std::int32_t i = 0; i < rank; ++i) {
    put_number(static_cast<std::uint64_t>(dims[i]));
    count *= static_cast<std::size_t>(dims[i]);
  }
  put(data, count * element_bytes(type));
}

}  // namespace harness
