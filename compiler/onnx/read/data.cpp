// Data files of ONNX test sets.
#include "compiler/onnx/read/data.hpp"

#include <fmt/format.h>

#include "compiler/onnx/read/fields.hpp"
#include "compiler/onnx/read/file.hpp"
#include "proto/onnx.pb.h"

namespace onnxc {
namespace {

using namespace reader;

// Reads one data file; tensors keep the message alive.
template <class Message>
class DataReader {
 public:
  explicit DataReader(const std::string& path)
      : path_(path),
        message_(std::make_shared<Message>()),
        external_(path),
        context_(diagnostics_, external_, limits_) {
    const auto file = map_file(path);
    const auto bytes = file->bytes();
    if (bytes.size() > std::size_t{0x7fffffff} ||
        !message_->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
      fail("it is no such message");
    context_.keeper = message_;
  }

  template <class F>
  auto read(F f) {
    try {
      return f(*message_, context_);
    } catch (const OpError& e) {
      fail((e.field.empty() ? "" : e.field + ": ") + e.what());
    }
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw FatalError(exit_code::io, fmt::format("cannot read {}: {}", path_, why));
  }

  std::string path_;
  std::shared_ptr<Message> message_;
  Diagnostics diagnostics_;
  ExternalData external_;
  Limits limits_;
  Context context_;
};

DataValue from_tensor(const pb::TensorProto& proto, Context& context) {
  DataValue v;
  v.kind = Type::Kind::tensor;
  v.name = proto.name();
  v.tensor = import_tensor(proto, context);
  return v;
}

DataValue from_sparse(const pb::SparseTensorProto& proto, Context& context) {
  DataValue v;
  v.kind = Type::Kind::tensor;
  v.name = proto.values().name();
  v.tensor = to_dense(import_sparse_tensor(proto, context), context);
  return v;
}

DataValue from_optional(const pb::OptionalProto& proto, Context& context);

DataValue from_map(const pb::MapProto& proto, Context& context);

DataValue from_sequence(const pb::SequenceProto& proto, Context& context) {
  DataValue v;
  v.kind = Type::Kind::sequence;
  v.name = proto.name();
  for (const auto& p : proto.tensor_values()) v.items.push_back(from_tensor(p, context));
  for (const auto& p : proto.sparse_tensor_values()) v.items.push_back(from_sparse(p, context));
  for (const auto& p : proto.sequence_values()) v.items.push_back(from_sequence(p, context));
  for (const auto& p : proto.map_values()) v.items.push_back(from_map(p, context));
  for (const auto& p : proto.optional_values()) v.items.push_back(from_optional(p, context));
  return v;
}

DataValue from_map(const pb::MapProto& proto, Context& context) {
  DataValue v = from_sequence(proto.values(), context);
  v.kind = Type::Kind::map;
  v.name = proto.name();
  if (proto.key_type() <= 0 || proto.key_type() >= kElemTypeCount)
    throw OpError("bad-type", "", fmt::format("key_type {} is no element type", proto.key_type()));
  v.key = static_cast<ElemType>(proto.key_type());
  if (v.key == ElemType::string) {
    std::vector<std::string> keys(proto.string_keys().begin(), proto.string_keys().end());
    const auto count = static_cast<std::int64_t>(keys.size());
    v.keys = Tensor({count}, std::move(keys));
  } else {
    v.keys = Tensor::ints(std::vector<std::int64_t>(proto.keys().begin(), proto.keys().end()));
  }
  return v;
}

DataValue from_optional(const pb::OptionalProto& proto, Context& context) {
  DataValue v;
  v.kind = Type::Kind::optional;
  v.name = proto.name();
  if (proto.has_tensor_value())
    v.items.push_back(from_tensor(proto.tensor_value(), context));
  else if (proto.has_sparse_tensor_value())
    v.items.push_back(from_sparse(proto.sparse_tensor_value(), context));
  else if (proto.has_sequence_value())
    v.items.push_back(from_sequence(proto.sequence_value(), context));
  else if (proto.has_map_value())
    v.items.push_back(from_map(proto.map_value(), context));
  else if (proto.has_optional_value())
    v.items.push_back(from_optional(proto.optional_value(), context));
  return v;
}

// Elements of 2 or 4 bits, the first in the lowest bits of a byte.
std::string packed(const Tensor& tensor) {
  const auto bits = static_cast<unsigned>(info(tensor.elem()).bits), per_byte = 8 / bits;
  const auto size = static_cast<std::size_t>(tensor.size());
  std::string bytes((size + per_byte - 1) / per_byte, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned v = std::to_integer<unsigned>(tensor.bytes()[i]) & ((1u << bits) - 1);
    const auto old = static_cast<unsigned char>(bytes[i / per_byte]);
    bytes[i / per_byte] = static_cast<char>(old | (v << (bits * (i % per_byte))));
  }
  return bytes;
}

}  // namespace

DataValue import_data_file(const std::string& path, const Type& expected) {
  switch (expected.kind) {
    case Type::Kind::sequence:
      return DataReader<pb::SequenceProto>(path).read(from_sequence);
    case Type::Kind::map:
      return DataReader<pb::MapProto>(path).read(from_map);
    case Type::Kind::optional:
      return DataReader<pb::OptionalProto>(path).read(from_optional);
    case Type::Kind::sparse_tensor:
      return DataReader<pb::SparseTensorProto>(path).read(from_sparse);
    default:
      return DataReader<pb::TensorProto>(path).read(from_tensor);
  }
}

std::string export_data_file(const Tensor& tensor, const std::string& name) {
  pb::TensorProto proto;
  proto.set_name(name);
  export_tensor(tensor, proto);
  return proto.SerializeAsString();
}

void export_tensor(const Tensor& tensor, pb::TensorProto& proto) {
  proto.set_data_type(static_cast<std::int32_t>(tensor.elem()));
  proto.mutable_dims()->Assign(tensor.dims().begin(), tensor.dims().end());
  if (tensor.elem() == ElemType::string) {
    for (const std::string& s : tensor.strings()) proto.add_string_data(s);
  } else if (info(tensor.elem()).bits < 8) {
    proto.set_raw_data(packed(tensor));
  } else {
    const auto bytes = tensor.bytes();
    proto.set_raw_data(bytes.data(), bytes.size());
  }
}

}  // namespace onnxc
