// Elements of tensors in ONNX's textual syntax. Extensions: all floats are written as numbers, 0x
// gives the bits of one, and many elements may be random, all equal, or in a file of their bytes.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <span>

#include "compiler/onnx/text/onnx_text.hpp"
#include "compiler/support/checked.hpp"
#include "runtime_min/half.hpp"
#include "runtime_min/int_small.hpp"
#include "runtime_min/minifloat.hpp"

namespace onnxc::reader {
namespace {

using Bytes = std::vector<std::byte>;

// Calls f with a value of the C++ type that holds an element; complex numbers are two elements.
template <class F>
void with_type(OnnxText& in, ElemType elem, F f) {
  switch (elem) {
    case ElemType::float32:
    case ElemType::complex64:
      return f(float{});
    case ElemType::float64:
    case ElemType::complex128:
      return f(double{});
    case ElemType::float16:
      return f(float16{});
    case ElemType::bfloat16:
      return f(bfloat16{});
    case ElemType::float8e4m3fn:
      return f(float8e4m3fn{});
    case ElemType::float8e4m3fnuz:
      return f(float8e4m3fnuz{});
    case ElemType::float8e5m2:
      return f(float8e5m2{});
    case ElemType::float8e5m2fnuz:
      return f(float8e5m2fnuz{});
    case ElemType::float8e8m0:
      return f(float8e8m0{});
    case ElemType::float4e2m1:
      return f(float4e2m1{});
    case ElemType::int2:
      return f(int2{});
    case ElemType::uint2:
      return f(uint2{});
    case ElemType::int4:
      return f(int4{});
    case ElemType::uint4:
      return f(uint4{});
    case ElemType::boolean:
      return f(bool{});
    case ElemType::int8:
      return f(std::int8_t{});
    case ElemType::uint8:
      return f(std::uint8_t{});
    case ElemType::int16:
      return f(std::int16_t{});
    case ElemType::uint16:
      return f(std::uint16_t{});
    case ElemType::int32:
      return f(std::int32_t{});
    case ElemType::uint32:
      return f(std::uint32_t{});
    case ElemType::int64:
      return f(std::int64_t{});
    case ElemType::uint64:
      return f(std::uint64_t{});
    default:
      in.fail(fmt::format("{} has no numbers", info(elem).onnx_name));
  }
}

template <class T>
concept SmallInteger = requires {
  T::kHighest;
};
template <class T>
concept Integer = std::is_integral_v<T> || SmallInteger<T>;

template <class T>
void append(Bytes& bytes, T value) {
  const auto view = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), view.begin(), view.end());
}

template <class T, class... Base>
T parsed(OnnxText& in, std::string_view text, Base... base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc{} || end != text.data() + text.size())
    in.fail(fmt::format("bad number {}", text));
  return value;
}

template <Integer T, class Wide>
T narrowed(OnnxText& in, Wide value) {
  Wide low = 0, high = 0;
  if constexpr (SmallInteger<T>) {
    low = T::kLowest;
    high = T::kHighest;
  } else {
    low = static_cast<Wide>(std::numeric_limits<T>::lowest());
    high = static_cast<Wide>(std::numeric_limits<T>::max());
  }
  if (value < low || value > high) in.fail(fmt::format("{} is out of range", value));
  return static_cast<T>(value);
}

// One number; a float may also be 0x and its bits.
template <class T>
T read_number(OnnxText& in) {
  const std::string text = in.number();
  if constexpr (Integer<T>) {
    using Wide = std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>;
    return narrowed<T>(in, parsed<Wide>(in, text));
  } else {
    using Bits = std::conditional_t<
        sizeof(T) == 8, std::uint64_t,
        std::conditional_t<sizeof(T) == 4, std::uint32_t,
                           std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
    if (text.starts_with("0x"))
      return std::bit_cast<T>(parsed<Bits>(in, std::string_view(text).substr(2), 16));
    if constexpr (std::is_same_v<T, float>)
      return parsed<float>(in, text);
    else
      return static_cast<T>(parsed<double>(in, text));
  }
}

// ---- all elements at once -----------------------------------------------------------------------

template <class Next>
void append_many(OnnxText& in, ElemType elem, std::size_t count, Bytes& bytes, Next next) {
  with_type(in, elem, [&](auto zero) {
    for (std::size_t i = 0; i < count; ++i) append(bytes, next(zero));
  });
}

// "(seed, low, high)" with numbers of this type.
template <class T>
struct Range {
  explicit Range(OnnxText& in) {
    in.expect("(");
    random.seed(parsed<std::uint32_t>(in, in.number()));
    in.expect(",");
    low = parsed<T>(in, in.number());
    in.expect(",");
    high = parsed<T>(in, in.number());
    in.expect(")");
    if (!(low < high)) in.fail("the range is empty");
  }
  std::mt19937 random;
  T low, high;
};

// As numpy.random.RandomState(seed).uniform(low, high, dims), rounded to float32.
void append_uniform(OnnxText& in, ElemType elem, std::size_t count, Bytes& bytes) {
  Range<double> r(in);
  append_many(in, elem, count, bytes, [&](auto zero) {
    using T = decltype(zero);
    const auto upper = static_cast<double>(r.random() >> 5);
    const auto lower = static_cast<double>(r.random() >> 6);
    const double x = (upper * 67108864.0 + lower) / 9007199254740992.0;  // 53 bits, below 1
    if constexpr (Integer<T>)
      in.fail("uniform is for floats");
    else
      return static_cast<T>(static_cast<float>(r.low + (r.high - r.low) * x));
    return zero;
  });
}

// As numpy.random.RandomState(seed).randint(low, high, dims): `high` is left out.
void append_integers(OnnxText& in, ElemType elem, std::size_t count, Bytes& bytes) {
  Range<std::int64_t> r(in);
  const auto span = static_cast<std::uint64_t>(r.high) - static_cast<std::uint64_t>(r.low) - 1;
  if (span > 0xfffffffe) in.fail("the range is too large");
  const std::uint64_t mask = std::bit_ceil(span + 1) - 1;
  append_many(in, elem, count, bytes, [&](auto zero) {
    using T = decltype(zero);
    std::uint64_t x = r.random() & mask;
    while (x > span) x = r.random() & mask;
    if constexpr (Integer<T>)
      return narrowed<T>(in, r.low + static_cast<std::int64_t>(x));
    else
      in.fail("integers is for integers");
    return zero;
  });
}

// "(0)": the value of every element.
void append_full(OnnxText& in, ElemType elem, std::size_t count, Bytes& bytes) {
  in.expect("(");
  with_type(in, elem, [&](auto zero) {
    const auto value = read_number<decltype(zero)>(in);
    for (std::size_t i = 0; i < count; ++i) append(bytes, value);
  });
  in.expect(")");
}

// "(NAME, OFFSET)": `size` bytes of a side file, the elements as they are in memory: little-endian,
// 2- and 4-bit types with one byte each.
void read_side_file(OnnxText& in, std::size_t size, Bytes& bytes) {
  in.expect("(");
  const std::string name = in.word();
  in.expect(",");
  const auto offset = parsed<std::uint64_t>(in, in.number());
  in.expect(")");
  const std::filesystem::path path = in.folder / name;
  std::error_code error;
  const std::uint64_t length = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) in.fail(fmt::format("cannot read the side file {}", path.string()));
  if (offset > length || size > length - offset)
    in.fail(fmt::format("{} has {} bytes, the elements need {} from byte {} on", path.string(),
                        length, size, offset));
  bytes.resize(size);
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!file) in.fail(fmt::format("cannot read the side file {}", path.string()));
}

void append_list(OnnxText& in, ElemType elem, Bytes& bytes) {
  with_type(in, elem, [&](auto zero) {
    read_list(in, "{", "}", [&] { append(bytes, read_number<decltype(zero)>(in)); });
  });
}

std::size_t count_of(OnnxText& in, const std::vector<std::int64_t>& dims) {
  try {
    const std::int64_t count = checked_product(dims);
    if (count > std::int64_t{1} << 28) in.fail("too many elements for a text");
    return static_cast<std::size_t>(count);
  } catch (const OverflowError& e) {
    in.fail(e.what());
  }
}

Tensor read_strings(OnnxText& in, std::vector<std::int64_t> dims) {
  std::vector<std::string> strings;
  read_list(in, "{", "}", [&] { strings.push_back(in.string_literal()); });
  if (strings.size() != count_of(in, dims))
    in.fail(fmt::format("{} strings for {} elements", strings.size(), count_of(in, dims)));
  return {std::move(dims), std::move(strings)};
}

}  // namespace

Tensor read_elements(OnnxText& in, ElemType elem, std::vector<std::int64_t> dims) {
  if (elem == ElemType::string) return read_strings(in, std::move(dims));
  const std::size_t count = count_of(in, dims), numbers = is_complex(elem) ? 2 * count : count;
  Bytes bytes;
  if (in.accept_word("uniform"))
    append_uniform(in, elem, numbers, bytes);
  else if (in.accept_word("integers"))
    append_integers(in, elem, numbers, bytes);
  else if (in.accept_word("full"))
    append_full(in, elem, numbers, bytes);
  else if (in.accept_word("file"))
    read_side_file(in, count * elem_bytes(elem), bytes);
  else
    append_list(in, elem, bytes);
  if (bytes.size() != count * elem_bytes(elem))
    in.fail(fmt::format("{} bytes for {} elements", bytes.size(), count));
  return {elem, std::move(dims), Blob::owned(std::move(bytes))};
}

Tensor read_element(OnnxText& in, ElemType elem) {
  if (elem == ElemType::string) return {{}, std::vector<std::string>{in.string_literal()}};
  Bytes bytes;
  with_type(in, elem, [&](auto zero) { append(bytes, read_number<decltype(zero)>(in)); });
  return {elem, {}, Blob::owned(std::move(bytes))};
}

}  // namespace onnxc::reader
