// Reads attributes of all kinds, and checks that the fields match the kind.

#include <fmt/format.h>

#include "compiler/onnx/read/fields.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

using Proto = pb::AttributeProto;

[[noreturn]] void bad_attribute(const std::string& message) {
  throw OpError("bad-attribute", "", message);
}

// The kinds whose fields are set.
std::vector<Proto::AttributeType> filled(const Proto& a) {
  std::vector<Proto::AttributeType> kinds;
  const auto note = [&kinds](bool present, Proto::AttributeType kind) {
    if (present) kinds.push_back(kind);
  };
  note(a.has_f(), Proto::FLOAT);
  note(a.has_i(), Proto::INT);
  note(a.has_s(), Proto::STRING);
  note(a.has_t(), Proto::TENSOR);
  note(a.has_g(), Proto::GRAPH);
  note(a.has_sparse_tensor(), Proto::SPARSE_TENSOR);
  note(a.has_tp(), Proto::TYPE_PROTO);
  note(a.floats_size() > 0, Proto::FLOATS);
  note(a.ints_size() > 0, Proto::INTS);
  note(a.strings_size() > 0, Proto::STRINGS);
  note(a.tensors_size() > 0, Proto::TENSORS);
  note(a.graphs_size() > 0, Proto::GRAPHS);
  note(a.sparse_tensors_size() > 0, Proto::SPARSE_TENSORS);
  note(a.type_protos_size() > 0, Proto::TYPE_PROTOS);
  return kinds;
}

const std::string& name_of(Proto::AttributeType kind) { return Proto::AttributeType_Name(kind); }

// IR version 1 had no `type`: the field that is set defines it.
Proto::AttributeType kind_of(const Proto& a, std::int64_t ir_version) {
  const auto kinds = filled(a);
  if (kinds.size() > 1)
    bad_attribute(fmt::format("has two values ({} and {})", name_of(kinds[0]), name_of(kinds[1])));
  if (!a.has_type() || a.type() == Proto::UNDEFINED) {
    if (kinds.empty()) bad_attribute("has neither a type nor a value");
    if (ir_version >= 2)
      bad_attribute(fmt::format("has no type, which ir_version {} demands", ir_version));
    return kinds[0];
  }
  if (!kinds.empty() && kinds[0] != a.type())
    bad_attribute(
        fmt::format("has the type {} but holds {}", name_of(a.type()), name_of(kinds[0])));
  return a.type();
}

template <class T, class List, class F>
std::vector<T> map(const List& list, F f) {
  std::vector<T> out;
  out.reserve(static_cast<std::size_t>(list.size()));
  for (const auto& item : list) out.push_back(f(item));
  return out;
}

}  // namespace

bool holds_data(const Proto& a) { return !filled(a).empty(); }

Attribute import_attribute(const Proto& a, Context& context, const ImportBody& import_body) {
  const auto tensor = [&](const pb::TensorProto& t) { return import_tensor(t, context); };
  const auto type = [&](const pb::TypeProto& t) { return import_type(t, a.name(), context); };
  const Proto::AttributeType kind = kind_of(a, context.ir_version);
  const auto must_have = [&](bool present) {
    if (!present) bad_attribute(fmt::format("has the type {} but no value", name_of(kind)));
  };
  switch (kind) {
    // Numbers and strings that are zero or empty may be left out of the file.
    case Proto::FLOAT:
      return a.f();
    case Proto::INT:
      return static_cast<std::int64_t>(a.i());
    case Proto::STRING:
      return a.s();
    case Proto::TENSOR:
      must_have(a.has_t());
      return tensor(a.t());
    case Proto::GRAPH:
      must_have(a.has_g());
      return import_body(a.g());
    case Proto::SPARSE_TENSOR:
      must_have(a.has_sparse_tensor());
      return import_sparse_tensor(a.sparse_tensor(), context);
    case Proto::TYPE_PROTO:
      must_have(a.has_tp());
      return type(a.tp());
    case Proto::FLOATS:
      return std::vector<float>(a.floats().begin(), a.floats().end());
    case Proto::INTS:
      return std::vector<std::int64_t>(a.ints().begin(), a.ints().end());
    case Proto::STRINGS:
      return std::vector<std::string>(a.strings().begin(), a.strings().end());
    case Proto::TENSORS:
      return map<Tensor>(a.tensors(), tensor);
    case Proto::GRAPHS:
      return map<std::shared_ptr<Graph>>(a.graphs(), import_body);
    case Proto::TYPE_PROTOS:
      return map<Type>(a.type_protos(), type);
    case Proto::SPARSE_TENSORS:
      bad_attribute("lists of sparse tensors are not supported");
    case Proto::UNDEFINED:
      break;
  }
  bad_attribute("has no type");
}

}  // namespace onnxc::reader
