// The table of element types.
#include "compiler/ir/elem_type.hpp"

#include <array>

namespace onnxc {
namespace {

constexpr std::array<ElemTypeInfo, kElemTypeCount> kInfo = {{
    {"undefined", "undefined", "void", 0, 0},
    {"float", "f32", "float", 4, 32},
    {"uint8", "u8", "std::uint8_t", 1, 8},
    {"int8", "i8", "std::int8_t", 1, 8},
    {"uint16", "u16", "std::uint16_t", 2, 16},
    {"int16", "i16", "std::int16_t", 2, 16},
    {"int32", "i32", "std::int32_t", 4, 32},
    {"int64", "i64", "std::int64_t", 8, 64},
    {"string", "str", "Text", 0, 0},
    {"bool", "bool", "bool", 1, 8},
    {"float16", "f16", "float16", 2, 16},
    {"double", "f64", "double", 8, 64},
    {"uint32", "u32", "std::uint32_t", 4, 32},
    {"uint64", "u64", "std::uint64_t", 8, 64},
    {"complex64", "c64", "complex64", 8, 64},
    {"complex128", "c128", "complex128", 16, 128},
    {"bfloat16", "bf16", "bfloat16", 2, 16},
    {"float8e4m3fn", "f8e4m3fn", "float8e4m3fn", 1, 8},
    {"float8e4m3fnuz", "f8e4m3fnuz", "float8e4m3fnuz", 1, 8},
    {"float8e5m2", "f8e5m2", "float8e5m2", 1, 8},
    {"float8e5m2fnuz", "f8e5m2fnuz", "float8e5m2fnuz", 1, 8},
    {"uint4", "u4", "uint4", 1, 4},
    {"int4", "i4", "int4", 1, 4},
    {"float4e2m1", "f4e2m1", "float4e2m1", 1, 4},
    {"float8e8m0", "f8e8m0", "float8e8m0", 1, 8},
    {"uint2", "u2", "uint2", 1, 2},
    {"int2", "i2", "int2", 1, 2},
}};

constexpr TypeMask kFloats = mask_of(ElemType::float32) | mask_of(ElemType::float16) |
                             mask_of(ElemType::float64) | mask_of(ElemType::bfloat16) |
                             mask_of(ElemType::float8e4m3fn) | mask_of(ElemType::float8e4m3fnuz) |
                             mask_of(ElemType::float8e5m2) | mask_of(ElemType::float8e5m2fnuz) |
                             mask_of(ElemType::float4e2m1) | mask_of(ElemType::float8e8m0);
constexpr TypeMask kSigned = mask_of(ElemType::int8) | mask_of(ElemType::int16) |
                             mask_of(ElemType::int32) | mask_of(ElemType::int64) |
                             mask_of(ElemType::int4) | mask_of(ElemType::int2);
constexpr TypeMask kUnsigned = mask_of(ElemType::uint8) | mask_of(ElemType::uint16) |
                               mask_of(ElemType::uint32) | mask_of(ElemType::uint64) |
                               mask_of(ElemType::uint4) | mask_of(ElemType::uint2);

}  // namespace

const ElemTypeInfo& info(ElemType type) { return kInfo[static_cast<std::size_t>(type)]; }

ElemType elem_type_from_name(std::string_view name) {
  for (std::size_t i = 1; i < kInfo.size(); ++i)
    if (kInfo[i].onnx_name == name || kInfo[i].short_name == name) return static_cast<ElemType>(i);
  return ElemType::undefined;
}

bool is_float(ElemType type) { return contains(kFloats, type); }
bool is_complex(ElemType type) {
  return type == ElemType::complex64 || type == ElemType::complex128;
}
bool is_integer(ElemType type) { return contains(kSigned | kUnsigned, type); }
bool is_signed_integer(ElemType type) { return contains(kSigned, type); }

}  // namespace onnxc
