// ONNX's textual syntax (docs/Syntax.md of onnx/onnx) with extensions for test cases; docs/cases.md
// describes both. The functions append to messages of the file format.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/lexer.hpp"
#include "compiler/ir/tensor.hpp"

namespace onnxc::pb {
class DeviceConfigurationProto;
class GraphProto;
class ModelProto;
class NodeDeviceConfigurationProto;
class SparseTensorProto;
class TensorProto;
class TypeProto;
}  // namespace onnxc::pb

namespace onnxc::reader {

// All functions throw ParseError.
struct OnnxText : Lexer {
  explicit OnnxText(std::string_view text, std::filesystem::path folder_of_text = {})
      : Lexer(text, {"#", "_."}), whole(text), folder(std::move(folder_of_text)) {}
  std::string_view whole;
  std::filesystem::path folder;  // of side files; empty: the current one
  int depth = 0;                 // of types, values and graphs inside each other
};

// Counts one level of nesting while it lives.
class TextLevel {
 public:
  explicit TextLevel(OnnxText& in) : in_(in) {
    if (++in.depth > 100) in.fail("nested too deeply");
  }
  ~TextLevel() { --in_.depth; }
  TextLevel(const TextLevel&) = delete;
  TextLevel& operator=(const TextLevel&) = delete;

 private:
  OnnxText& in_;
};

// Calls `item` for each of the items between `open` and `close`, which commas separate.
template <class Item>
void read_list(OnnxText& in, std::string_view open, std::string_view close, Item item) {
  in.expect(open);
  if (in.accept(close)) return;
  do item();
  while (in.accept(","));
  in.expect(close);
}

// ---- types --------------------------------------------------------------------------------------

// Whether a type starts with this word: float, seq, ...
bool starts_type(std::string_view word);
// A type; its first word is already read.
void read_type(OnnxText& in, const std::string& word, pb::TypeProto& type);

// ---- values -------------------------------------------------------------------------------------

// The elements of a tensor: "{1, 2}", "uniform(7, -1, 1)", ...
Tensor read_elements(OnnxText& in, ElemType elem, std::vector<std::int64_t> dims);
Tensor read_element(OnnxText& in, ElemType elem);  // one alone: a scalar
void read_elements(OnnxText& in, const pb::TypeProto& type, pb::TensorProto& tensor);
// "{float[2] {1, 5}, int64[2] {0, 7}}": the values and their indices.
void read_elements(OnnxText& in, const pb::TypeProto& type, pb::SparseTensorProto& tensor);
// The text between a type and its value: "x =", "=", "x" or nothing. Braces need no "=".
std::string read_value_name(OnnxText& in);
// A value with its type, "float[2] x = {1, 2}", as the bytes of a data file: those of a
// TensorProto, SparseTensorProto, SequenceProto, MapProto or OptionalProto.
std::string read_data(OnnxText& in);

// ---- several devices ----------------------------------------------------------------------------

void read_configuration(OnnxText& in, pb::DeviceConfigurationProto& configuration);
void read_node_devices(OnnxText& in, pb::NodeDeviceConfigurationProto& devices);

// ---- graphs -------------------------------------------------------------------------------------

// A graph; its name is already read.
void read_graph(OnnxText& in, const std::string& name, pb::GraphProto& graph);
// A graph without a name of its own is called `name`.
void read_model(OnnxText& in, const std::string& name, pb::ModelProto& model);

}  // namespace onnxc::reader
