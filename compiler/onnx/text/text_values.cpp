// Values in ONNX's textual syntax. Extensions: sparse tensors, sequences, maps, optionals.
#include "compiler/onnx/read/data.hpp"
#include "compiler/onnx/text/onnx_text.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

// ---- tensors ------------------------------------------------------------------------------------

// Elements of a dense or sparse tensor type.
template <class TensorType>
std::vector<std::int64_t> fixed_dims(OnnxText& in, const TensorType& type) {
  if (!type.has_shape()) in.fail("a value needs a shape");
  std::vector<std::int64_t> dims;
  for (const auto& dim : type.shape().dim()) {
    if (!dim.has_dim_value() || dim.dim_value() < 0) in.fail("a value needs a fixed shape");
    dims.push_back(dim.dim_value());
  }
  return dims;
}

void read_tensor(OnnxText& in, pb::TensorProto& tensor) {
  pb::TypeProto type;
  read_type(in, in.word(), type);
  tensor.set_name(read_value_name(in));
  read_elements(in, type, tensor);
}

// ---- other values -------------------------------------------------------------------------------

void read_sequence(OnnxText& in, pb::SequenceProto& sequence);
void read_map(OnnxText& in, const pb::TypeProto& type, pb::MapProto& map);
void read_optional(OnnxText& in, pb::OptionalProto& optional);

// A value after its type and name, in the field of `to` for its kind; elem_type is the number of
// that kind.
template <class Sequence, class Field>
void read_kind(OnnxText& in, const pb::TypeProto& type, Sequence& to, Field field) {
  const TextLevel level(in);
  switch (type.value_case()) {
    case pb::TypeProto::kTensorType:
      to.set_elem_type(1);
      return read_elements(in, type, *field.tensor());
    case pb::TypeProto::kSparseTensorType:
      to.set_elem_type(2);
      return read_elements(in, type, *field.sparse());
    case pb::TypeProto::kSequenceType:
      to.set_elem_type(3);
      return read_sequence(in, *field.sequence());
    case pb::TypeProto::kMapType:
      to.set_elem_type(4);
      return read_map(in, type, *field.map());
    case pb::TypeProto::kOptionalType:
      to.set_elem_type(5);
      return read_optional(in, *field.optional());
    default:
      in.fail("there are no values of this type");
  }
}

struct SequenceFields {
  pb::SequenceProto& to;
  auto* tensor() const { return to.add_tensor_values(); }
  auto* sparse() const { return to.add_sparse_tensor_values(); }
  auto* sequence() const { return to.add_sequence_values(); }
  auto* map() const { return to.add_map_values(); }
  auto* optional() const { return to.add_optional_values(); }
};

struct OptionalFields {
  pb::OptionalProto& to;
  auto* tensor() const { return to.mutable_tensor_value(); }
  auto* sparse() const { return to.mutable_sparse_tensor_value(); }
  auto* sequence() const { return to.mutable_sequence_value(); }
  auto* map() const { return to.mutable_map_value(); }
  auto* optional() const { return to.mutable_optional_value(); }
};

// "[float[1] {1}, float[2] {1, 2}]"
void read_sequence(OnnxText& in, pb::SequenceProto& sequence) {
  read_list(in, "[", "]", [&] {
    pb::TypeProto type;
    read_type(in, in.word(), type);
    read_kind(in, type, sequence, SequenceFields{sequence});
  });
}

// "{}" or "{float[2] {1, 2}}"
void read_optional(OnnxText& in, pb::OptionalProto& optional) {
  in.expect("{");
  if (in.accept("}")) return;
  pb::TypeProto type;
  read_type(in, in.word(), type);
  read_kind(in, type, optional, OptionalFields{optional});
  in.expect("}");
}

// "{1: 0.5, 2: 0.25}": every value is a scalar.
void read_map(OnnxText& in, const pb::TypeProto& type, pb::MapProto& map) {
  const auto& values = type.map_type().value_type();
  if (!values.has_tensor_type()) in.fail("the values of a map are tensors");
  const auto elem = static_cast<ElemType>(values.tensor_type().elem_type());
  map.set_key_type(type.map_type().key_type());
  map.mutable_values()->set_elem_type(1);
  read_list(in, "{", "}", [&] {
    if (in.peek() == '"')
      map.add_string_keys(in.string_literal());
    else
      map.add_keys(in.integer());
    in.expect(":");
    pb::TensorProto& value = *map.mutable_values()->add_tensor_values();
    export_tensor(read_element(in, elem), value);
  });
}

template <class Message, class Read>
std::string named(const std::string& name, Read read) {
  Message message;
  message.set_name(name);
  read(message);
  return message.SerializeAsString();
}

}  // namespace

std::string read_value_name(OnnxText& in) {
  const auto brace = [&] { return in.peek() == '{' || in.peek() == '['; };
  const std::string name = in.peek() == '=' || brace() ? "" : in.name();
  if (!brace()) in.expect("=");
  return name;
}

void read_elements(OnnxText& in, const pb::TypeProto& type, pb::TensorProto& tensor) {
  if (!type.has_tensor_type()) in.fail("a tensor is wanted here");
  export_tensor(read_elements(in, static_cast<ElemType>(type.tensor_type().elem_type()),
                              fixed_dims(in, type.tensor_type())),
                tensor);
}

void read_elements(OnnxText& in, const pb::TypeProto& type, pb::SparseTensorProto& tensor) {
  for (std::int64_t d : fixed_dims(in, type.sparse_tensor_type())) tensor.add_dims(d);
  in.expect("{");
  read_tensor(in, *tensor.mutable_values());
  in.expect(",");
  read_tensor(in, *tensor.mutable_indices());
  in.expect("}");
}

std::string read_data(OnnxText& in) {
  pb::TypeProto type;
  read_type(in, in.word(), type);
  const std::string name = read_value_name(in);
  switch (type.value_case()) {
    case pb::TypeProto::kSequenceType:
      return named<pb::SequenceProto>(name, [&](auto& v) { read_sequence(in, v); });
    case pb::TypeProto::kMapType:
      return named<pb::MapProto>(name, [&](auto& v) { read_map(in, type, v); });
    case pb::TypeProto::kOptionalType:
      return named<pb::OptionalProto>(name, [&](auto& v) { read_optional(in, v); });
    case pb::TypeProto::kSparseTensorType: {
      pb::SparseTensorProto v;
      read_elements(in, type, v);
      v.mutable_values()->set_name(name);
      return v.SerializeAsString();
    }
    default:
      return named<pb::TensorProto>(name, [&](auto& v) { read_elements(in, type, v); });
  }
}

}  // namespace onnxc::reader
