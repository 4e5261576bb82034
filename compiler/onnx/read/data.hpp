// Reading the data files of ONNX test sets: input_0.pb, output_0.pb.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/ir/tensor.hpp"
#include "compiler/ir/type.hpp"

namespace onnxc::pb {
class TensorProto;
}

namespace onnxc {

// A tensor, a sequence of values, a map or an optional. Sparse tensors are made dense.
struct DataValue {
  Type::Kind kind = Type::Kind::unknown;
  std::string name;
  Tensor tensor;                       // of a tensor
  std::vector<DataValue> items;        // of a sequence or map; an optional has none or one
  Tensor keys;                         // of a map: 1-D, int64 (or another integer type) or string
  ElemType key = ElemType::undefined;  // of a map
};

// One message from a file. `expected` gives its type: the files do not state it. Map stands for a
// MapProto, also where ONNX-ML's sequences of maps are meant: Kind::sequence. Throws FatalError(io)
// if the file cannot be read or does not hold the value.
DataValue import_data_file(const std::string& path, const Type& expected);

// The bytes of such a file for a tensor.
std::string export_data_file(const Tensor& tensor, const std::string& name);

// Type, shape and elements, as raw_data or string_data.
void export_tensor(const Tensor& tensor, pb::TensorProto& proto);

}  // namespace onnxc
