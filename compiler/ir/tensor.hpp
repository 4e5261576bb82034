// A constant tensor: element type, fixed shape, bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/elem_type.hpp"

namespace onnxc {

// Bytes at a fixed address, shared by their owners: a heap block, part of the model's own buffer,
// or a mapped external file.
class Blob {
 public:
  static std::shared_ptr<const Blob> owned(std::vector<std::byte> bytes);
  // `keeper` owns the memory of `view`.
  static std::shared_ptr<const Blob> view(std::span<const std::byte> view,
                                          std::shared_ptr<const void> keeper);
  std::span<const std::byte> bytes() const { return view_; }

 private:
  std::vector<std::byte> storage_;
  std::shared_ptr<const void> keeper_;
  std::span<const std::byte> view_;
};

// Immutable and cheap to copy. Elements are contiguous in native byte order, 2- and 4-bit types
// with one byte each; strings are stored separately.
class Tensor {
 public:
  Tensor() = default;
  // The blob must hold exactly the elements of `dims` and be aligned for the element type.
  Tensor(ElemType elem, std::vector<std::int64_t> dims, std::shared_ptr<const Blob> data);
  Tensor(std::vector<std::int64_t> dims, std::vector<std::string> strings);

  template <class T>
  static Tensor of(ElemType elem, std::vector<std::int64_t> dims, std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    return {elem, std::move(dims), Blob::owned({bytes.begin(), bytes.end()})};
  }
  static Tensor ints(std::span<const std::int64_t> values);  // int64, 1-D
  static Tensor scalar(std::int64_t value);                  // int64, 0-D
  static Tensor scalar(float value);                         // float32, 0-D
  static Tensor zeros(ElemType elem, std::vector<std::int64_t> dims);

  ElemType elem() const { return elem_; }
  const std::vector<std::int64_t>& dims() const { return dims_; }
  std::int64_t size() const { return size_; }  // elements
  std::span<const std::byte> bytes() const;
  const std::vector<std::string>& strings() const { return *strings_; }
  Tensor reshaped(std::vector<std::int64_t> dims) const;  // same number of elements

  // The elements as T, which must have the size of an element.
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes().data()), static_cast<std::size_t>(size_)};
  }
  // Any integer type (or bool) widened to int64; empty for other types.
  std::vector<std::int64_t> to_int64s() const;
  // Element `i` of a float, double or integer tensor as a double.
  double number(std::int64_t i) const;

  bool same_content(const Tensor& other) const;  // type, shape and bytes
  std::uint64_t content_hash() const;            // FNV-1a over type, shape and bytes

 private:
  ElemType elem_ = ElemType::undefined;
  std::vector<std::int64_t> dims_;
  std::int64_t size_ = 0;
  std::shared_ptr<const Blob> data_;
  std::shared_ptr<const std::vector<std::string>> strings_;
};

}  // namespace onnxc
