// opset_import: the version of each domain's operators in a model or function.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compiler/onnx/read/context.hpp"

namespace google::protobuf {
template <class T>
class RepeatedPtrField;
}
namespace onnxc::pb {
class OperatorSetIdProto;
}

namespace onnxc::reader {

using OpsetImports = std::map<std::string, std::int64_t>;  // "" is ai.onnx

// "" and "ai.onnx" are one domain.
std::string canonical_domain(const std::string& domain);

// Problems are reported with `where`.
OpsetImports import_opsets(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto>& list,
                           const std::string& where, Context& context);

}  // namespace onnxc::reader
