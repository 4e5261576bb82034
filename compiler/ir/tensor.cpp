// Construction, comparison and element access of constant tensors.
#include "compiler/ir/tensor.hpp"

#include <cstring>
#include <stdexcept>

#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// Calls f with a value of the integer type of `elem`; false if it is not an integer type.
template <class F>
bool with_integer(ElemType elem, F f) {
  switch (elem) {
    case ElemType::uint2:
    case ElemType::uint4:
    case ElemType::uint8:
    case ElemType::boolean:
      return f(std::uint8_t{}), true;
    case ElemType::int2:
    case ElemType::int4:
    case ElemType::int8:
      return f(std::int8_t{}), true;
    case ElemType::uint16:
      return f(std::uint16_t{}), true;
    case ElemType::int16:
      return f(std::int16_t{}), true;
    case ElemType::uint32:
      return f(std::uint32_t{}), true;
    case ElemType::int32:
      return f(std::int32_t{}), true;
    case ElemType::uint64:
      return f(std::uint64_t{}), true;
    case ElemType::int64:
      return f(std::int64_t{}), true;
    default:
      return false;
  }
}

}  // namespace

std::shared_ptr<const Blob> Blob::owned(std::vector<std::byte> bytes) {
  auto blob = std::make_shared<Blob>();
  blob->storage_ = std::move(bytes);
  blob->view_ = blob->storage_;
  return blob;
}

std::shared_ptr<const Blob> Blob::view(std::span<const std::byte> view,
                                       std::shared_ptr<const void> keeper) {
  auto blob = std::make_shared<Blob>();
  blob->keeper_ = std::move(keeper);
  blob->view_ = view;
  return blob;
}

Tensor::Tensor(ElemType elem, std::vector<std::int64_t> dims, std::shared_ptr<const Blob> data)
    : elem_(elem), dims_(std::move(dims)), size_(checked_product(dims_)), data_(std::move(data)) {
  if (static_cast<std::size_t>(size_) * elem_bytes(elem) != data_->bytes().size())
    throw std::logic_error("tensor data does not fit its shape");
}

Tensor::Tensor(std::vector<std::int64_t> dims, std::vector<std::string> strings)
    : elem_(ElemType::string),
      dims_(std::move(dims)),
      size_(checked_product(dims_)),
      strings_(std::make_shared<const std::vector<std::string>>(std::move(strings))) {
  if (static_cast<std::size_t>(size_) != strings_->size())
    throw std::logic_error("tensor data does not fit its shape");
}

Tensor Tensor::ints(std::span<const std::int64_t> values) {
  return of<std::int64_t>(ElemType::int64, {static_cast<std::int64_t>(values.size())}, values);
}
Tensor Tensor::scalar(std::int64_t value) {
  return of<std::int64_t>(ElemType::int64, {}, std::span(&value, 1));
}
Tensor Tensor::scalar(float value) {
  return of<float>(ElemType::float32, {}, std::span(&value, 1));
}

Tensor Tensor::zeros(ElemType elem, std::vector<std::int64_t> dims) {
  if (elem == ElemType::string) {
    std::vector<std::string> empty(static_cast<std::size_t>(checked_product(dims)));
    return {std::move(dims), std::move(empty)};
  }
  const std::int64_t bytes =
      checked_mul(checked_product(dims), static_cast<std::int64_t>(elem_bytes(elem)));
  return {elem, std::move(dims),
          Blob::owned(std::vector<std::byte>(static_cast<std::size_t>(bytes)))};
}

std::span<const std::byte> Tensor::bytes() const {
  return data_ ? data_->bytes() : std::span<const std::byte>{};
}

Tensor Tensor::reshaped(std::vector<std::int64_t> dims) const {
  Tensor t = *this;
  t.dims_ = std::move(dims);
  if (checked_product(t.dims_) != size_) throw std::logic_error("reshape changes the size");
  return t;
}

std::vector<std::int64_t> Tensor::to_int64s() const {
  std::vector<std::int64_t> out;
  with_integer(elem_, [&](auto tag) {
    for (auto v : as<decltype(tag)>()) out.push_back(static_cast<std::int64_t>(v));
  });
  return out;
}

double Tensor::number(std::int64_t i) const {
  const auto at = static_cast<std::size_t>(i);
  if (elem_ == ElemType::float32) return static_cast<double>(as<float>()[at]);
  if (elem_ == ElemType::float64) return as<double>()[at];
  double r = 0;
  if (!with_integer(elem_, [&](auto tag) { r = static_cast<double>(as<decltype(tag)>()[at]); }))
    throw std::logic_error("not a plain number");
  return r;
}

bool Tensor::same_content(const Tensor& other) const {
  if (elem_ != other.elem_ || dims_ != other.dims_) return false;
  if (elem_ == ElemType::string) return *strings_ == *other.strings_;
  const auto a = bytes(), b = other.bytes();
  return a.data() == b.data() || a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0;
}

std::uint64_t Tensor::content_hash() const {
  std::uint64_t h = 1469598103934665603ull;
  const auto mix = [&h](std::uint64_t word) { h = (h ^ word) * 1099511628211ull; };
  mix(static_cast<std::uint64_t>(elem_));
  for (std::int64_t d : dims_) mix(static_cast<std::uint64_t>(d));
  const auto data = bytes();
  std::size_t i = 0;
  for (; i + 8 <= data.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data.data() + i, 8);
    mix(word);
    h ^= h >> 29;
  }
  for (; i < data.size(); ++i) mix(static_cast<std::uint64_t>(data[i]));
  if (strings_)
    for (const std::string& s : *strings_) {
      for (char c : s) mix(static_cast<unsigned char>(c));
      mix(s.size());
    }
  return h;
}

}  // namespace onnxc
