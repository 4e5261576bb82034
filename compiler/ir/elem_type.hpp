// Element types of ONNX tensors, numbered as in TensorProto.DataType.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace onnxc {

enum class ElemType : std::uint8_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8e4m3fn = 17,
  float8e4m3fnuz = 18,
  float8e5m2 = 19,
  float8e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4e2m1 = 23,
  float8e8m0 = 24,
  uint2 = 25,
  int2 = 26,
};
inline constexpr int kElemTypeCount = 27;

// Facts about one element type. `bytes` is the size of one element in memory here and in generated
// code: the 2- and 4-bit types take one byte each, and strings have no fixed size (0).
struct ElemTypeInfo {
  std::string_view onnx_name;   // "float", as in tensor(float)
  std::string_view short_name;  // "f32", used by the text form of the IR
  std::string_view cpp_name;    // "float", used by generated code
  std::size_t bytes;
  int bits;  // width of the ONNX encoding in raw_data
};
const ElemTypeInfo& info(ElemType type);

inline std::size_t elem_bytes(ElemType type) { return info(type).bytes; }
// The type in generated code, where an element of a string tensor is a Text (runtime_min/text.hpp).
inline std::size_t storage_bytes(ElemType type) {
  return type == ElemType::string ? 16 : info(type).bytes;
}

// Accepts both spellings; ElemType::undefined for an unknown name.
ElemType elem_type_from_name(std::string_view name);

bool is_float(ElemType type);  // every floating-point format, 4 to 64 bits
bool is_complex(ElemType type);
bool is_integer(ElemType type);  // signed and unsigned, without bool
bool is_signed_integer(ElemType type);

// A set of element types.
using TypeMask = std::uint32_t;
constexpr TypeMask mask_of(ElemType type) { return TypeMask{1} << static_cast<unsigned>(type); }
inline bool contains(TypeMask mask, ElemType type) { return (mask & mask_of(type)) != 0; }

}  // namespace onnxc
