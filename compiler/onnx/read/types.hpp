// TypeProto -> Type.
#pragma once

#include <string>

#include "compiler/ir/type.hpp"
#include "compiler/onnx/read/context.hpp"

namespace onnxc::pb {
class TypeProto;
}

namespace onnxc::reader {

// `value` names the symbols of dimensions without a name. Throws OpError with field "".
Type import_type(const pb::TypeProto& proto, const std::string& value, Context& context);

// A TensorProto.DataType; `what` names the field: "elem_type". Throws OpError.
ElemType import_elem_type(std::int32_t number, const std::string& what);

}  // namespace onnxc::reader
