// Fields of a model's messages as ours: TypeProto, TensorProto, SparseTensorProto, AttributeProto.
#pragma once

#include <functional>
#include <string>

#include "compiler/ir/attribute.hpp"
#include "compiler/ir/type.hpp"
#include "compiler/onnx/read/context.hpp"

namespace onnxc::pb {
class AttributeProto;
class GraphProto;
class SparseTensorProto;
class TensorProto;
class TypeProto;
}  // namespace onnxc::pb

namespace onnxc::reader {

// `value` names the symbols of dimensions without a name. Throws OpError with field "".
Type import_type(const pb::TypeProto& proto, const std::string& value, Context& context);

// Reads all encodings. Elements of 8 bits and more are not copied: the tensor points into the
// message (kept alive by context.keeper) or into the mapped external file. Throws OpError whose
// field names the tensor.
Tensor import_tensor(const pb::TensorProto& proto, Context& context);
// What its header says. Throws OpError as import_tensor does.
Type import_tensor_type(const pb::TensorProto& proto, Context& context);

SparseTensor import_sparse_tensor(const pb::SparseTensorProto& proto, Context& context);
// The dense equivalent, if all of them together keep Limits::constant_bytes.
Tensor to_dense(const SparseTensor& sparse, Context& context);

// Imports the body of a graph attribute.
using ImportBody = std::function<std::shared_ptr<Graph>(const pb::GraphProto& body)>;

// The value of an attribute that is not a reference. Throws OpError.
Attribute import_attribute(const pb::AttributeProto& proto, Context& context,
                           const ImportBody& import_body);

// Whether a field for a value is set.
bool holds_data(const pb::AttributeProto& proto);

}  // namespace onnxc::reader
