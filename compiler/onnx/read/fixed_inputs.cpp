// Reads the numbers that --fix-input gives to an input.
#include "compiler/onnx/read/fixed_inputs.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <type_traits>
#include <vector>

#include "compiler/ops/fold.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::reader {
namespace {

[[noreturn]] void fail(const std::string& message) { throw OpError("bad-input", "", message); }

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

template <class T>
T number_of(std::string_view word) {
  if constexpr (std::is_same_v<T, bool>) {
    if (word == "true" || word == "1") return true;
    if (word != "false" && word != "0") fail(fmt::format("'{}' is neither true nor false", word));
    return false;
  } else {
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
      fail(fmt::format("'{}' is no number of its type", word));
    return value;
  }
}

std::vector<std::int64_t> dims_for(const Type& type, std::size_t words) {
  std::vector<std::int64_t> dims;
  if (!type.has_rank()) fail("has no known rank, as a constant needs");
  for (const Dim& d : *type.shape) {
    const bool listed = !d.is_const() && type.rank() == 1;
    if (!d.is_const() && !listed) fail("has open sizes, which --dim can fix");
    dims.push_back(listed ? static_cast<std::int64_t>(words) : d.value());
  }
  return dims;
}

template <class T>
Tensor read(std::string_view text, const Type& type) {
  const std::vector<std::string_view> words = words_of(text);
  const std::vector<std::int64_t> dims = dims_for(type, words.size());
  std::int64_t count = 1;
  for (std::int64_t d : dims) count = checked_mul(count, d);
  if (words.size() != 1 && static_cast<std::int64_t>(words.size()) != count)
    fail(fmt::format("{} numbers for {} elements", words.size(), count));
  checked_mul(count, static_cast<std::int64_t>(sizeof(T)));
  ops::TensorBuilder elements(type.elem, dims);
  T* const to = elements.data<T>();
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = number_of<T>(words[words.size() == 1 ? 0 : static_cast<std::size_t>(i)]);
  return elements.take();
}

}  // namespace

Tensor fixed_input(const std::string& text, const Type& type) {
  if (type.kind != Type::Kind::tensor) fail("is no tensor");
  switch (type.elem) {
    case ElemType::boolean:
      return read<bool>(text, type);
    case ElemType::int32:
      return read<std::int32_t>(text, type);
    case ElemType::int64:
      return read<std::int64_t>(text, type);
    case ElemType::float32:
      return read<float>(text, type);
    case ElemType::float64:
      return read<double>(text, type);
    default:
      fail(
          fmt::format("has the element type {}; bool, int32, int64, float and double are supported",
                      info(type.elem).onnx_name));
  }
}

}  // namespace onnxc::reader
