// Decodes tensors: raw bytes, typed fields, external data, sparse tensors.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "compiler/ir/graph.hpp"
#include "compiler/onnx/read/fields.hpp"
#include "compiler/support/checked.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

// Reads one TensorProto.
class TensorReader {
 public:
  TensorReader(const pb::TensorProto& proto, Context& context) : proto_(proto), context_(context) {}

  Tensor read();
  Type type();

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw OpError("bad-tensor", "tensor " + quoted(proto_.name()), message);
  }
  void read_header();
  void check_fields();
  Tensor strings() const;
  std::shared_ptr<const Blob> external();
  std::shared_ptr<const Blob> raw() const;
  std::shared_ptr<const Blob> typed() const;
  std::shared_ptr<const Blob> from_int32s() const;
  std::shared_ptr<const Blob> encoded(std::shared_ptr<const Blob> blob) const;
  std::shared_ptr<const Blob> unpacked(std::span<const std::byte> packed) const;
  template <class T, class V>
  std::shared_ptr<const Blob> narrowed(const V& values) const;
  template <class V>
  std::shared_ptr<const Blob> viewed(const V& values, const char* field, ElemType plain,
                                     ElemType pairs) const;
  void need_count(const char* field, std::int64_t have, std::int64_t need) const;

  const pb::TensorProto& proto_;
  Context& context_;
  ElemType elem_ = ElemType::undefined;
  std::vector<std::int64_t> dims_;
  std::int64_t count_ = 0;          // elements
  std::int64_t encoded_bytes_ = 0;  // as ONNX stores them
};

void TensorReader::read_header() {
  if (proto_.data_type() <= 0 || proto_.data_type() >= kElemTypeCount)
    fail(fmt::format("data_type {} is no element type", proto_.data_type()));
  elem_ = static_cast<ElemType>(proto_.data_type());
  dims_.assign(proto_.dims().begin(), proto_.dims().end());
  if (proto_.dims_size() > context_.limits.rank)
    throw OpError("too-large", "tensor " + quoted(proto_.name()),
                  fmt::format("rank {} is over the limit of {}; --max-rank", proto_.dims_size(),
                              context_.limits.rank));
  for (std::size_t i = 0; i < dims_.size(); ++i)
    if (dims_[i] < 0) fail(fmt::format("dim {} is {}", i, dims_[i]));
  try {
    count_ = checked_product(dims_);
  } catch (const OverflowError&) {
    fail("element count overflow");
  }
  try {
    const std::int64_t bits = checked_mul(count_, info(elem_).bits);
    encoded_bytes_ = bits / 8 + (bits % 8 != 0 ? 1 : 0);
    checked_mul(count_, static_cast<std::int64_t>(elem_bytes(elem_)));
  } catch (const OverflowError&) {
    fail("byte size overflow");
  }
}

Type TensorReader::type() {
  read_header();
  return Type::tensor(elem_, Shape(dims_.begin(), dims_.end()));
}

// Exactly one field may hold the data.
void TensorReader::check_fields() {
  if (proto_.has_segment()) fail("has a segment; data in pieces is not supported");
  std::vector<const char*> used;
  const auto note = [&used](bool present, const char* name) {
    if (present) used.push_back(name);
  };
  note(proto_.data_location() == pb::TensorProto::EXTERNAL, "external data");
  note(!proto_.raw_data().empty(), "raw_data");
  note(proto_.float_data_size() > 0, "float_data");
  note(proto_.int32_data_size() > 0, "int32_data");
  note(proto_.string_data_size() > 0, "string_data");
  note(proto_.int64_data_size() > 0, "int64_data");
  note(proto_.double_data_size() > 0, "double_data");
  note(proto_.uint64_data_size() > 0, "uint64_data");
  if (used.size() > 1) fail(fmt::format("two data fields: {} and {}", used[0], used[1]));
  if (used.empty() && count_ > 0) fail(fmt::format("has no data, needs {} values", count_));
  if (!used.empty() && count_ == 0 && proto_.data_location() != pb::TensorProto::EXTERNAL)
    fail(fmt::format("0 elements, but data in {}", used[0]));
}

void TensorReader::need_count(const char* field, std::int64_t have, std::int64_t need) const {
  if (have != need)
    fail(fmt::format("{} has {} value{}, needs {}", field, have, have == 1 ? "" : "s", need));
}

Tensor TensorReader::strings() const {
  if (!proto_.raw_data().empty()) fail("strings in raw_data");
  if (proto_.data_location() == pb::TensorProto::EXTERNAL) fail("strings in external data");
  need_count("string_data", proto_.string_data_size(), count_);
  return {dims_, {proto_.string_data().begin(), proto_.string_data().end()}};
}

// 2- and 4-bit elements, lowest bits first, one per byte; signed ones sign-extended.
std::shared_ptr<const Blob> TensorReader::unpacked(std::span<const std::byte> packed) const {
  const unsigned bits = static_cast<unsigned>(info(elem_).bits), per_byte = 8 / bits;
  const unsigned mask = (1u << bits) - 1, sign = is_signed_integer(elem_) ? 1u << (bits - 1) : 0;
  std::vector<std::byte> out(static_cast<std::size_t>(count_));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto byte = std::to_integer<unsigned>(packed[i / per_byte]);
    const unsigned v = (byte >> (bits * (i % per_byte))) & mask;
    out[i] = static_cast<std::byte>((v ^ sign) - sign);
  }
  return Blob::owned(std::move(out));
}

// Little-endian bytes in ONNX's encoding -> elements in the IR's.
std::shared_ptr<const Blob> TensorReader::encoded(std::shared_ptr<const Blob> blob) const {
  const auto bytes = blob->bytes();
  if (info(elem_).bits < 8) return unpacked(bytes);
  const std::size_t width = elem_bytes(elem_);
  if (elem_ == ElemType::boolean) {
    const auto odd = [](std::byte b) { return std::to_integer<int>(b) > 1; };
    if (std::none_of(bytes.begin(), bytes.end(), odd)) return blob;
    std::vector<std::byte> out(bytes.begin(), bytes.end());
    for (std::byte& b : out) b = std::byte{b != std::byte{0}};
    return Blob::owned(std::move(out));
  }
  const bool complex = elem_ == ElemType::complex64 || elem_ == ElemType::complex128;
  const std::size_t unit = complex ? width / 2 : width;
  if constexpr (std::endian::native == std::endian::big) {
    std::vector<std::byte> out(bytes.begin(), bytes.end());
    for (std::size_t i = 0; i < out.size(); i += unit)
      std::reverse(out.data() + i, out.data() + i + unit);
    return Blob::owned(std::move(out));
  }
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % unit == 0) return blob;
  return Blob::owned({bytes.begin(), bytes.end()});
}

std::shared_ptr<const Blob> TensorReader::external() {
  try {
    return encoded(context_.external.read(proto_, encoded_bytes_));
  } catch (const OpError& e) {
    throw OpError(e.id, "tensor " + quoted(proto_.name()) + ", " + e.field, e.what());
  }
}

std::shared_ptr<const Blob> TensorReader::raw() const {
  const std::string& data = proto_.raw_data();
  if (data.size() != static_cast<std::size_t>(encoded_bytes_))
    fail(fmt::format("raw_data has {} bytes, needs {}", data.size(), encoded_bytes_));
  return encoded(Blob::view(std::as_bytes(std::span(data)), context_.keeper));
}

// A typed field of elements, or of their real and imaginary parts.
template <class V>
std::shared_ptr<const Blob> TensorReader::viewed(const V& values, const char* field, ElemType plain,
                                                 ElemType pairs) const {
  if (elem_ != plain && elem_ != pairs)
    fail(fmt::format("{} holds no {}", field, info(elem_).onnx_name));
  need_count(field, values.size(), elem_ == pairs && pairs != plain ? 2 * count_ : count_);
  const auto span = std::span(values.data(), static_cast<std::size_t>(values.size()));
  return Blob::view(std::as_bytes(span), context_.keeper);
}

template <class T, class V>
std::shared_ptr<const Blob> TensorReader::narrowed(const V& values) const {
  std::vector<std::byte> out(static_cast<std::size_t>(values.size()) * sizeof(T));
  for (int i = 0; i < values.size(); ++i) {
    const auto wide = values.Get(i);
    const auto v = static_cast<T>(wide);
    const bool fits = elem_ == ElemType::boolean ? wide == 0 || wide == 1 : v == wide;
    if (!fits) fail(fmt::format("value {} does not fit {}", wide, info(elem_).onnx_name));
    std::memcpy(out.data() + static_cast<std::size_t>(i) * sizeof(T), &v, sizeof(T));
  }
  return Blob::owned(std::move(out));
}

std::shared_ptr<const Blob> TensorReader::from_int32s() const {
  const auto& values = proto_.int32_data();
  const bool packed = info(elem_).bits < 8;
  need_count("int32_data", values.size(), packed ? encoded_bytes_ : count_);
  if (packed) return unpacked(narrowed<std::uint8_t>(values)->bytes());
  switch (elem_) {
    case ElemType::int32:
      return viewed(values, "int32_data", ElemType::int32, ElemType::int32);
    case ElemType::int16:
      return narrowed<std::int16_t>(values);
    case ElemType::int8:
      return narrowed<std::int8_t>(values);
    case ElemType::uint16:
    case ElemType::float16:
    case ElemType::bfloat16:
      return narrowed<std::uint16_t>(values);
    case ElemType::uint8:
    case ElemType::boolean:
    case ElemType::float8e4m3fn:
    case ElemType::float8e4m3fnuz:
    case ElemType::float8e5m2:
    case ElemType::float8e5m2fnuz:
    case ElemType::float8e8m0:
      return narrowed<std::uint8_t>(values);
    default:
      fail(fmt::format("int32_data holds no {}", info(elem_).onnx_name));
  }
}

std::shared_ptr<const Blob> TensorReader::typed() const {
  if (proto_.float_data_size() > 0)
    return viewed(proto_.float_data(), "float_data", ElemType::float32, ElemType::complex64);
  if (proto_.double_data_size() > 0)
    return viewed(proto_.double_data(), "double_data", ElemType::float64, ElemType::complex128);
  if (proto_.int64_data_size() > 0)
    return viewed(proto_.int64_data(), "int64_data", ElemType::int64, ElemType::int64);
  if (proto_.int32_data_size() > 0) return from_int32s();
  if (proto_.string_data_size() > 0)
    fail(fmt::format("string_data holds no {}", info(elem_).onnx_name));
  const auto& words = proto_.uint64_data();
  if (elem_ == ElemType::uint32) {
    need_count("uint64_data", words.size(), count_);
    return narrowed<std::uint32_t>(words);
  }
  if (words.empty()) return Blob::owned({});
  return viewed(words, "uint64_data", ElemType::uint64, ElemType::uint64);
}

Tensor TensorReader::read() {
  read_header();
  check_fields();
  if (elem_ == ElemType::string) return strings();
  if (proto_.data_location() == pb::TensorProto::EXTERNAL) return {elem_, dims_, external()};
  return {elem_, dims_, proto_.raw_data().empty() ? typed() : raw()};
}

[[noreturn]] void fail_sparse(const std::string& name, const std::string& message) {
  throw OpError("bad-tensor", "sparse tensor " + quoted(name), message);
}

// Position in the dense tensor of non-zero `i`.
std::int64_t linear_index(const SparseTensor& s, const std::string& name, std::size_t i) {
  const auto indices = s.indices.as<std::int64_t>();
  const bool linear = s.indices.dims().size() == 1;
  const std::int64_t size = checked_product(s.dims);
  if (linear) {
    if (indices[i] < 0 || indices[i] >= size)
      fail_sparse(name, fmt::format("index {} is outside [0, {})", indices[i], size));
    return indices[i];
  }
  std::int64_t at = 0;
  for (std::size_t d = 0; d < s.dims.size(); ++d) {
    const std::int64_t index = indices[i * s.dims.size() + d];
    if (index < 0 || index >= s.dims[d])
      fail_sparse(name, fmt::format("index {} is outside [0, {}) of dim {}", index, s.dims[d], d));
    at = at * s.dims[d] + index;
  }
  return at;
}

void check_sparse(const SparseTensor& s, const std::string& name) {
  const std::int64_t count = s.values.size();
  const auto& shape = s.indices.dims();
  const auto rank = static_cast<std::int64_t>(s.dims.size());
  if (s.values.dims().size() != 1) fail_sparse(name, "values must have rank 1");
  if (s.indices.elem() != ElemType::int64) fail_sparse(name, "indices must be int64");
  if (shape != std::vector{count} && shape != std::vector{count, rank})
    fail_sparse(name,
                fmt::format("indices must have the shape [{}] or [{},{}]", count, count, rank));
  std::int64_t last = -1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::int64_t at = linear_index(s, name, i);
    if (at <= last) fail_sparse(name, "indices are not sorted, or some are repeated");
    last = at;
  }
}

}  // namespace

Tensor import_tensor(const pb::TensorProto& proto, Context& context) {
  Tensor t = TensorReader(proto, context).read();
  context.tensor_bytes += static_cast<std::int64_t>(t.bytes().size());
  return t;
}

Type import_tensor_type(const pb::TensorProto& proto, Context& context) {
  return TensorReader(proto, context).type();
}

SparseTensor import_sparse_tensor(const pb::SparseTensorProto& proto, Context& context) {
  const std::string& name = proto.values().name();
  SparseTensor s;
  s.dims.assign(proto.dims().begin(), proto.dims().end());
  for (std::int64_t d : s.dims)
    if (d <= 0) fail_sparse(name, fmt::format("dim {} is not positive", d));
  if (s.dims.empty()) fail_sparse(name, "has no dims");
  try {
    checked_product(s.dims);
  } catch (const OverflowError&) {
    fail_sparse(name, "element count overflow");
  }
  s.values = import_tensor(proto.values(), context);
  s.indices = import_tensor(proto.indices(), context);
  check_sparse(s, name);
  return s;
}

Tensor to_dense(const SparseTensor& s, Context& context) {
  const std::int64_t size = checked_product(s.dims);
  const bool strings = s.values.elem() == ElemType::string;
  const std::size_t width = strings ? sizeof(std::string) : elem_bytes(s.values.elem());
  const std::int64_t left = context.limits.constant_bytes - context.dense_bytes;
  if (size > left / static_cast<std::int64_t>(width))
    throw OpError("too-large", "",
                  fmt::format("dense size over the limit of {} bytes for all "
                              "sparse tensors; --max-constants",
                              context.limits.constant_bytes));
  context.dense_bytes += size * static_cast<std::int64_t>(width);
  std::vector<std::string> texts(strings ? static_cast<std::size_t>(size) : 0);
  std::vector<std::byte> bytes(strings ? 0 : static_cast<std::size_t>(size) * width);
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.values.size()); ++i) {
    const auto at = static_cast<std::size_t>(linear_index(s, "", i));
    if (strings)
      texts[at] = s.values.strings()[i];
    else
      std::memcpy(bytes.data() + at * width, s.values.bytes().data() + i * width, width);
  }
  if (strings) return {s.dims, std::move(texts)};
  return {s.values.elem(), s.dims, Blob::owned(std::move(bytes))};
}

}  // namespace onnxc::reader
