// TensorProto and SparseTensorProto -> constant tensors.
#pragma once

#include "compiler/ir/attribute.hpp"
#include "compiler/onnx/read/context.hpp"

namespace onnxc::pb {
class TensorProto;
class SparseTensorProto;
}  // namespace onnxc::pb

namespace onnxc::reader {

// Reads all encodings. Elements of 8 bits and more are not copied: the tensor points into the
// message (kept alive by context.keeper) or into the mapped external file. Throws OpError whose
// field names the tensor.
Tensor import_tensor(const pb::TensorProto& proto, Context& context);

SparseTensor import_sparse_tensor(const pb::SparseTensorProto& proto, Context& context);
// The dense equivalent, if all of them together keep Limits::constant_bytes.
Tensor to_dense(const SparseTensor& sparse, Context& context);

}  // namespace onnxc::reader
