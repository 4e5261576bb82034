// The C++ types of element types, and lists of them.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/ir/elem_type.hpp"
#include "runtime_min/half.hpp"
#include "runtime_min/int_small.hpp"
#include "runtime_min/minifloat.hpp"

namespace onnxc::ops {

// The element type of a value.
constexpr ElemType elem_type_of(float) { return ElemType::float32; }
constexpr ElemType elem_type_of(double) { return ElemType::float64; }
constexpr ElemType elem_type_of(float16) { return ElemType::float16; }
constexpr ElemType elem_type_of(bfloat16) { return ElemType::bfloat16; }
constexpr ElemType elem_type_of(std::int8_t) { return ElemType::int8; }
constexpr ElemType elem_type_of(std::int16_t) { return ElemType::int16; }
constexpr ElemType elem_type_of(std::int32_t) { return ElemType::int32; }
constexpr ElemType elem_type_of(std::int64_t) { return ElemType::int64; }
constexpr ElemType elem_type_of(std::uint8_t) { return ElemType::uint8; }
constexpr ElemType elem_type_of(std::uint16_t) { return ElemType::uint16; }
constexpr ElemType elem_type_of(std::uint32_t) { return ElemType::uint32; }
constexpr ElemType elem_type_of(std::uint64_t) { return ElemType::uint64; }
constexpr ElemType elem_type_of(bool) { return ElemType::boolean; }
constexpr ElemType elem_type_of(float8e4m3fn) { return ElemType::float8e4m3fn; }
constexpr ElemType elem_type_of(float8e4m3fnuz) { return ElemType::float8e4m3fnuz; }
constexpr ElemType elem_type_of(float8e5m2) { return ElemType::float8e5m2; }
constexpr ElemType elem_type_of(float8e5m2fnuz) { return ElemType::float8e5m2fnuz; }
constexpr ElemType elem_type_of(float8e8m0) { return ElemType::float8e8m0; }
constexpr ElemType elem_type_of(float4e2m1) { return ElemType::float4e2m1; }
constexpr ElemType elem_type_of(int4) { return ElemType::int4; }
constexpr ElemType elem_type_of(uint4) { return ElemType::uint4; }
constexpr ElemType elem_type_of(int2) { return ElemType::int2; }
constexpr ElemType elem_type_of(uint2) { return ElemType::uint2; }

template <class... T>
struct TypeList {
  std::string_view row = "";  // as in the row of an operator: "T: floats"
};
template <class... A, class... B>
constexpr TypeList<A..., B...> join(TypeList<A...>, TypeList<B...>, std::string_view row = "") {
  return {row};
}

inline constexpr TypeList<float, double, float16, bfloat16> kFloats{"T: floats"};
inline constexpr TypeList<std::int8_t, std::int16_t, std::int32_t, std::int64_t> kSigned{
    "T: signed"};
inline constexpr TypeList<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t> kUnsigned{
    "T: unsigned"};
inline constexpr auto kIntegers = join(kSigned, kUnsigned, "T: integers");
inline constexpr auto kNumeric = join(kFloats, kIntegers, "T: numeric");
inline constexpr auto kFloatsAndSigned = join(kFloats, kSigned, "T: floats signed");
inline constexpr TypeList<bool> kBool{"T: bool"};
inline constexpr TypeList<float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz> kFloat8{
    "T: float8"};
inline constexpr auto kEightBitsAndLess =
    join(kFloat8, TypeList<float8e8m0, float4e2m1, int4, uint4, int2, uint2>{}, "T: small");

// Calls f with a value of the C++ type if the list contains it, else returns false.
template <class... T, class F>
bool with_type(ElemType elem, TypeList<T...>, F f) {
  return (... || (elem == elem_type_of(T{}) && (f(T{}), true)));
}
// float, double, float16 and bfloat16.
template <class F>
bool with_real(ElemType elem, F f) {
  return with_type(elem, kFloats, f);
}
// The floating-point types above and the 8- to 64-bit integers.
template <class F>
bool with_number(ElemType elem, F f) {
  return with_type(elem, kNumeric, f);
}
// Every type but strings and complex numbers.
template <class F>
bool with_any(ElemType elem, F f) {
  return with_type(elem, join(join(kNumeric, kBool), kEightBitsAndLess), f);
}
// float, double, bool and the 8- to 64-bit integers: the types of C++ itself.
template <class F>
bool with_plain_type(ElemType elem, F f) {
  return with_type(elem, join(join(TypeList<float, double>{}, kIntegers), kBool), f);
}

}  // namespace onnxc::ops
