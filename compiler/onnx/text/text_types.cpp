// Types in ONNX's textual syntax: float[2,N], seq(int64), sparse_tensor(float[3,4]).
#include <algorithm>
#include <array>

#include "compiler/ir/elem_type.hpp"
#include "compiler/onnx/text/onnx_text.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

constexpr std::array<std::string_view, 5> kNested = {"seq", "map", "optional", "sparse_tensor",
                                                     "opaque"};

int elem_type(OnnxText& in, const std::string& word) {
  const ElemType elem = elem_type_from_name(word);
  if (elem == ElemType::undefined) in.fail("unknown type " + word);
  return static_cast<int>(elem);
}

void read_dim(OnnxText& in, pb::TensorShapeProto::Dimension& dim) {
  const char c = in.peek();
  if (in.accept("?")) return;
  if (c == '-' || (c >= '0' && c <= '9'))
    dim.set_dim_value(in.integer());
  else
    dim.set_dim_param(in.name());
}

// No brackets mean a scalar, empty ones an unknown rank.
template <class TensorType>
void read_tensor_type(OnnxText& in, const std::string& word, TensorType& type) {
  type.set_elem_type(elem_type(in, word));
  if (in.peek() != '[') {
    type.mutable_shape();
    return;
  }
  read_list(in, "[", "]", [&] { read_dim(in, *type.mutable_shape()->add_dim()); });
}

void read_opaque(OnnxText& in, pb::TypeProto::Opaque& type) {
  if (in.peek() == ')') return;
  const std::string word = in.name();
  if (in.accept(",")) {
    type.set_domain(word);
    type.set_name(in.name());
  } else {
    type.set_name(word);
  }
}

}  // namespace

bool starts_type(std::string_view word) {
  return elem_type_from_name(word) != ElemType::undefined ||
         std::find(kNested.begin(), kNested.end(), word) != kNested.end();
}

void read_type(OnnxText& in, const std::string& word, pb::TypeProto& type) {
  const TextLevel level(in);
  if (std::find(kNested.begin(), kNested.end(), word) == kNested.end())
    return read_tensor_type(in, word, *type.mutable_tensor_type());
  in.expect("(");
  if (word == "seq") {
    read_type(in, in.word(), *type.mutable_sequence_type()->mutable_elem_type());
  } else if (word == "optional") {
    read_type(in, in.word(), *type.mutable_optional_type()->mutable_elem_type());
  } else if (word == "sparse_tensor") {
    read_tensor_type(in, in.word(), *type.mutable_sparse_tensor_type());
  } else if (word == "opaque") {
    read_opaque(in, *type.mutable_opaque_type());
  } else {
    type.mutable_map_type()->set_key_type(elem_type(in, in.word()));
    in.expect(",");
    read_type(in, in.word(), *type.mutable_map_type()->mutable_value_type());
  }
  in.expect(")");
}

}  // namespace onnxc::reader
