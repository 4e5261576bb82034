// Reads types, and refuses shapes that cannot exist.
#include "compiler/onnx/read/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/support/checked.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

[[noreturn]] void bad_type(const std::string& message) { throw OpError("bad-type", "", message); }

// A TensorProto.DataType; `what` names the field.
ElemType import_elem_type(std::int32_t number, const std::string& what) {
  if (number <= 0 || number >= kElemTypeCount)
    bad_type(fmt::format("{} {} is no element type", what, number));
  return static_cast<ElemType>(number);
}

// Sizes that cannot exist are refused at their declaration.
void check_size(const Shape& shape, ElemType elem) {
  std::vector<std::int64_t> static_dims;
  for (const Dim& d : shape)
    if (d.is_const()) static_dims.push_back(d.value());
  try {
    checked_mul(checked_product(static_dims), static_cast<std::int64_t>(elem_bytes(elem)));
  } catch (const OverflowError&) {
    bad_type("element count overflow: " + to_string(shape));
  }
}

Shape import_shape(const pb::TensorShapeProto& proto, const std::string& value, Context& context) {
  if (proto.dim_size() > context.limits.rank)
    throw OpError("too-large", "",
                  fmt::format("rank {} is over the limit of {}; --max-rank", proto.dim_size(),
                              context.limits.rank));
  Shape shape;
  for (int i = 0; i < proto.dim_size(); ++i) {
    const auto& dim = proto.dim(i);
    // Some tools write -1 for an unknown dimension.
    if (dim.has_dim_value() && dim.dim_value() != -1) {
      if (dim.dim_value() < 0) bad_type(fmt::format("dim {} is {}", i, dim.dim_value()));
      shape.emplace_back(dim.dim_value());
    } else if (dim.has_dim_param() && !dim.dim_param().empty()) {
      shape.push_back(context.symbols.named(dim.dim_param()));
    } else {
      shape.push_back(context.symbols.anonymous(value, static_cast<std::size_t>(i)));
    }
  }
  return shape;
}

template <class TensorType>
Type import_tensor_type(const TensorType& proto, const std::string& value, Context& context) {
  Type type = Type::tensor(import_elem_type(proto.elem_type(), "elem_type"));
  if (proto.has_shape()) type.shape = import_shape(proto.shape(), value, context);
  if (type.shape) check_size(*type.shape, type.elem);
  return type;
}

// The values of a map are single elements; some exporters declare them with shape [1].
Type as_map_value(Type type) {
  const bool one = type.is_tensor() && type.shape && type.rank() == 1 && (*type.shape)[0].is(1);
  if (one) type.shape = Shape{};
  return type;
}

Type import_nested(const pb::TypeProto& proto, const std::string& value, Context& context,
                   int depth) {
  if (depth > context.limits.depth)
    bad_type(fmt::format("type nesting depth over {}; --max-depth", context.limits.depth));
  const auto inner = [&](const pb::TypeProto& p) {
    return import_nested(p, value, context, depth + 1);
  };
  switch (proto.value_case()) {
    case pb::TypeProto::kTensorType:
      return import_tensor_type(proto.tensor_type(), value, context);
    case pb::TypeProto::kSparseTensorType: {
      Type type = import_tensor_type(proto.sparse_tensor_type(), value, context);
      type.kind = Type::Kind::sparse_tensor;
      return type;
    }
    case pb::TypeProto::kSequenceType:
      return Type::sequence(inner(proto.sequence_type().elem_type()));
    case pb::TypeProto::kOptionalType:
      return Type::optional(inner(proto.optional_type().elem_type()));
    case pb::TypeProto::kMapType:
      return Type::map(import_elem_type(proto.map_type().key_type(), "key_type"),
                       as_map_value(inner(proto.map_type().value_type())));
    case pb::TypeProto::kOpaqueType:
      throw OpError("unsupported-type", "", "opaque types are not supported");
    case pb::TypeProto::VALUE_NOT_SET:
      bad_type("has no type");
  }
  bad_type("has no type");
}

}  // namespace

Type import_type(const pb::TypeProto& proto, const std::string& value, Context& context) {
  return import_nested(proto, value, context, 0);
}

}  // namespace onnxc::reader
