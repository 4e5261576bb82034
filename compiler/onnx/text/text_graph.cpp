// Graphs, functions and models in ONNX's textual syntax.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "compiler/onnx/text/onnx_text.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

using AttributeType = pb::AttributeProto::AttributeType;

// Indexed by the number of AttributeProto.AttributeType.
constexpr std::array<std::string_view, 15> kAttributeTypes = {
    "",           "float",   "int",     "string", "tensor",        "graph",          "floats",
    "ints",       "strings", "tensors", "graphs", "sparse_tensor", "sparse_tensors", "type_proto",
    "type_protos"};

// ---- attributes ---------------------------------------------------------------------------------

AttributeType read_attribute_type(OnnxText& in) {
  const std::string word = in.word();
  const auto found = std::find(kAttributeTypes.begin() + 1, kAttributeTypes.end(), word);
  if (found == kAttributeTypes.end()) in.fail("unknown type of attribute " + word);
  return static_cast<AttributeType>(found - kAttributeTypes.begin());
}

// The type of a list of values of this type. Uses the numbers of the file format.
AttributeType list_of(AttributeType one) {
  return static_cast<AttributeType>(one <= pb::AttributeProto::GRAPH ? one + 5 : one + 1);
}

// The type of the elements of a list; other types are unchanged.
AttributeType element_of(AttributeType list) {
  if (list >= pb::AttributeProto::FLOATS && list <= pb::AttributeProto::GRAPHS)
    return static_cast<AttributeType>(list - 5);
  const bool newer =
      list == pb::AttributeProto::SPARSE_TENSORS || list == pb::AttributeProto::TYPE_PROTOS;
  return newer ? static_cast<AttributeType>(list - 1) : list;
}

template <class T>
T number_from(OnnxText& in, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) in.fail("bad number " + text);
  return value;
}

// A number with a point, an exponent, "inf" or "nan" is a float.
void read_number(OnnxText& in, AttributeType wanted, pb::AttributeProto& attribute) {
  const std::string text = in.number();
  if (wanted == pb::AttributeProto::FLOAT || text.find_first_of(".en") != std::string::npos) {
    attribute.set_type(pb::AttributeProto::FLOAT);
    attribute.set_f(number_from<float>(in, text));
  } else {
    attribute.set_type(pb::AttributeProto::INT);
    attribute.set_i(number_from<std::int64_t>(in, text));
  }
}

// A type, or a constant of that type.
void read_typed(OnnxText& in, const std::string& word, pb::AttributeProto& attribute) {
  pb::TypeProto type;
  read_type(in, word, type);
  const char next = in.peek();
  if (next == ',' || next == '>' || next == ']') {
    attribute.set_type(pb::AttributeProto::TYPE_PROTO);
    *attribute.mutable_tp() = type;
    return;
  }
  const std::string name = read_value_name(in);
  if (type.has_sparse_tensor_type()) {
    attribute.set_type(pb::AttributeProto::SPARSE_TENSOR);
    read_elements(in, type, *attribute.mutable_sparse_tensor());
    attribute.mutable_sparse_tensor()->mutable_values()->set_name(name);
  } else {
    attribute.set_type(pb::AttributeProto::TENSOR);
    read_elements(in, type, *attribute.mutable_t());
    attribute.mutable_t()->set_name(name);
  }
}

// A value that is not a list.
void read_single(OnnxText& in, AttributeType wanted, pb::AttributeProto& attribute) {
  const char c = in.peek();
  if (in.accept("@")) {
    attribute.set_ref_attr_name(in.name());
    attribute.set_type(wanted);
    return;
  }
  if (c == '"' && wanted != pb::AttributeProto::GRAPH) {
    attribute.set_type(pb::AttributeProto::STRING);
    attribute.set_s(in.string_literal());
  } else if (c == '-' || (c >= '0' && c <= '9')) {
    read_number(in, wanted, attribute);
  } else if (in.accept_word("inf") || in.accept_word("nan")) {
    attribute.set_type(pb::AttributeProto::FLOAT);
    attribute.set_f(c == 'i' ? std::numeric_limits<float>::infinity()
                             : std::numeric_limits<float>::quiet_NaN());
  } else {
    const std::string word = c == '(' ? "" : in.name();
    if (c != '"' && starts_type(word)) return read_typed(in, word, attribute);
    attribute.set_type(pb::AttributeProto::GRAPH);
    read_graph(in, word, *attribute.mutable_g());
  }
}

// Adds a value to a list of its type.
void add_element(OnnxText& in, pb::AttributeProto& one, pb::AttributeProto& list) {
  if (list.type() != pb::AttributeProto::UNDEFINED && list.type() != list_of(one.type()))
    in.fail("the values of a list have one type");
  list.set_type(list_of(one.type()));
  if (one.has_f()) list.add_floats(one.f());
  if (one.has_i()) list.add_ints(one.i());
  if (one.has_s()) list.add_strings(one.s());
  if (one.has_t()) list.add_tensors()->Swap(one.mutable_t());
  if (one.has_g()) list.add_graphs()->Swap(one.mutable_g());
  if (one.has_sparse_tensor()) list.add_sparse_tensors()->Swap(one.mutable_sparse_tensor());
  if (one.has_tp()) list.add_type_protos()->Swap(one.mutable_tp());
  if (one.has_ref_attr_name()) in.fail("a reference cannot be in a list");
}

// "axis = 1", "scales: floats = []", "alpha: float = @alpha"
void read_attribute(OnnxText& in, const std::string& name, pb::AttributeProto& attribute) {
  attribute.set_name(name);
  if (in.accept(":")) attribute.set_type(read_attribute_type(in));
  in.expect("=");
  const AttributeType wanted = attribute.type();
  if (in.peek() == '[') {
    read_list(in, "[", "]", [&] {
      pb::AttributeProto one;
      read_single(in, element_of(wanted), one);
      add_element(in, one, attribute);
    });
    if (attribute.type() == pb::AttributeProto::UNDEFINED)
      in.fail("an empty list needs a type: name: ints = []");
  } else {
    read_single(in, wanted, attribute);
    if (wanted != pb::AttributeProto::UNDEFINED && attribute.type() != wanted)
      in.fail("the value has another type");
  }
}

// ---- nodes and graphs ---------------------------------------------------------------------------

// Names between commas; an empty one is "" or nothing.
template <class Names>
void read_names(OnnxText& in, char end, Names& names) {
  if (in.peek() == end) return;
  do {
    const bool left_out = in.peek() == ',' || in.peek() == end;
    *names.Add() = left_out ? "" : in.name();
  } while (in.accept(","));
}

// "ai.onnx.ml.Scaler:overload"
void read_operator(OnnxText& in, pb::NodeProto& node) {
  const std::string word = in.name();
  const std::size_t dot = word.rfind('.');
  node.set_op_type(dot == std::string::npos ? word : word.substr(dot + 1));
  if (dot != std::string::npos) node.set_domain(word.substr(0, dot));
  if (in.accept(":")) node.set_overload(in.name());
}

// "[name] y, z = Op <axis = 1> (x, w) @ {configuration_id: "c"}"; the attributes may also follow
// the inputs.
void read_node(OnnxText& in, pb::NodeProto& node) {
  const TextLevel level(in);
  const auto attributes = [&] {
    if (in.peek() != '<') return;
    read_list(in, "<", ">", [&] { read_attribute(in, in.name(), *node.add_attribute()); });
  };
  if (in.accept("[")) {
    node.set_name(in.name());
    in.expect("]");
  }
  read_names(in, '=', *node.mutable_output());
  in.expect("=");
  read_operator(in, node);
  attributes();
  in.expect("(");
  read_names(in, ')', *node.mutable_input());
  in.expect(")");
  if (node.attribute().empty()) attributes();
  while (in.accept("@")) read_node_devices(in, *node.add_device_configurations());
}

template <class Nodes>
void read_nodes(OnnxText& in, Nodes& nodes) {
  in.expect("{");
  while (!in.accept("}")) read_node(in, *nodes.Add());
}

// "float[2] x", or "x" without a type.
void read_value_info(OnnxText& in, pb::ValueInfoProto& value) {
  const bool quoted = in.peek() == '"';
  std::string word = in.name();
  if (!quoted && starts_type(word)) {
    read_type(in, word, *value.mutable_type());
    word = in.name();
  }
  value.set_name(word);
}

// The elements after "float[2] x =", which are an initialiser.
void read_initializer(OnnxText& in, const pb::ValueInfoProto& value, pb::GraphProto& graph) {
  if (value.type().has_sparse_tensor_type()) {
    pb::SparseTensorProto& sparse = *graph.add_sparse_initializer();
    read_elements(in, value.type(), sparse);
    sparse.mutable_values()->set_name(value.name());
  } else {
    pb::TensorProto& tensor = *graph.add_initializer();
    read_elements(in, value.type(), tensor);
    tensor.set_name(value.name());
  }
}

void read_function_values(OnnxText& in, google::protobuf::RepeatedPtrField<std::string>& names,
                          pb::FunctionProto& function) {
  read_list(in, "(", ")", [&] {
    pb::ValueInfoProto value;
    read_value_info(in, value);
    *names.Add() = value.name();
    if (value.has_type()) function.add_value_info()->Swap(&value);
  });
}

// ---- models -------------------------------------------------------------------------------------

template <class Entries>
void read_pairs(OnnxText& in, Entries& entries) {
  read_list(in, "[", "]", [&] {
    auto& entry = *entries.Add();
    entry.set_key(in.string_literal());
    in.expect(":");
    entry.set_value(in.string_literal());
  });
}

template <class Imports>
void read_opset_imports(OnnxText& in, Imports& imports) {
  read_list(in, "[", "]", [&] {
    auto& import = *imports.Add();
    import.set_domain(in.string_literal());
    in.expect(":");
    import.set_version(in.integer());
  });
}

void read_model_field(OnnxText& in, pb::ModelProto& model) {
  const std::string key = in.word();
  in.expect(":");
  if (key == "ir_version")
    model.set_ir_version(in.integer());
  else if (key == "opset_import")
    read_opset_imports(in, *model.mutable_opset_import());
  else if (key == "producer_name")
    model.set_producer_name(in.string_literal());
  else if (key == "producer_version")
    model.set_producer_version(in.string_literal());
  else if (key == "domain")
    model.set_domain(in.string_literal());
  else if (key == "model_version")
    model.set_model_version(in.integer());
  else if (key == "doc_string")
    model.set_doc_string(in.string_literal());
  else if (key == "metadata_props")
    read_pairs(in, *model.mutable_metadata_props());
  else if (key == "configuration")
    read_list(in, "[", "]", [&] { read_configuration(in, *model.add_configuration()); });
  else
    in.fail("a model has no " + key);
}

void read_function_field(OnnxText& in, pb::FunctionProto& function) {
  const std::string key = in.word();
  in.expect(":");
  if (key == "opset_import")
    read_opset_imports(in, *function.mutable_opset_import());
  else if (key == "domain")
    function.set_domain(in.string_literal());
  else if (key == "overload")
    function.set_overload(in.string_literal());
  else if (key == "doc_string")
    function.set_doc_string(in.string_literal());
  else if (key == "metadata_props")
    read_pairs(in, *function.mutable_metadata_props());
  else
    in.fail("a function has no " + key);
}

// <domain: "d", opset_import: ["": 17]> name <alpha, beta: float = 1.0> (x) => (y) { ... }
void read_function(OnnxText& in, pb::FunctionProto& function) {
  read_list(in, "<", ">", [&] { read_function_field(in, function); });
  function.set_name(in.name());
  if (in.peek() == '<')
    read_list(in, "<", ">", [&] {
      const std::string name = in.name();
      if (in.peek() == '=' || in.peek() == ':')
        read_attribute(in, name, *function.add_attribute_proto());
      else
        function.add_attribute(name);
    });
  read_function_values(in, *function.mutable_input(), function);
  in.expect("=>");
  read_function_values(in, *function.mutable_output(), function);
  if (in.peek() == '<')
    read_list(in, "<", ">", [&] { read_value_info(in, *function.add_value_info()); });
  read_nodes(in, *function.mutable_node());
}

// {w = w_new, step = step_new}
void read_bindings(OnnxText& in,
                   google::protobuf::RepeatedPtrField<pb::StringStringEntryProto>& bindings) {
  read_list(in, "{", "}", [&] {
    auto& pair = *bindings.Add();
    pair.set_key(in.name());
    in.expect("=");
    pair.set_value(in.name());
  });
}

// training { initialization () => (...) {...} algorithm () => (...) {...} initialize {...} update
// {...} }; its first word is already read.
void read_training_info(OnnxText& in, pb::TrainingInfoProto& info) {
  in.expect("{");
  while (!in.accept("}")) {
    const std::string word = in.word();
    if (word == "initialization")
      read_graph(in, word, *info.mutable_initialization());
    else if (word == "algorithm")
      read_graph(in, word, *info.mutable_algorithm());
    else if (word == "initialize")
      read_bindings(in, *info.mutable_initialization_binding());
    else if (word == "update")
      read_bindings(in, *info.mutable_update_binding());
    else
      in.fail("training_info has no " + word);
  }
}

}  // namespace

// (float[2] x) => (float[2] y) <float[2] w = {1, 2}, float[2] inner> { ... }
void read_graph(OnnxText& in, const std::string& name, pb::GraphProto& graph) {
  const TextLevel level(in);
  graph.set_name(name);
  read_list(in, "(", ")", [&] {
    pb::ValueInfoProto& input = *graph.add_input();
    read_value_info(in, input);
    if (in.accept("=")) read_initializer(in, input, graph);
  });
  in.expect("=>");
  read_list(in, "(", ")", [&] { read_value_info(in, *graph.add_output()); });
  if (in.peek() == '<')
    read_list(in, "<", ">", [&] {
      pb::ValueInfoProto value;
      read_value_info(in, value);
      if (in.accept("="))
        read_initializer(in, value, graph);
      else
        graph.add_value_info()->Swap(&value);
    });
  read_nodes(in, *graph.mutable_node());
}

void read_model(OnnxText& in, const std::string& name, pb::ModelProto& model) {
  read_list(in, "<", ">", [&] { read_model_field(in, model); });
  read_graph(in, in.peek() == '(' ? name : in.name(), *model.mutable_graph());
  while (in.peek() == '<') read_function(in, *model.add_functions());
  while (in.accept_word("training")) read_training_info(in, *model.add_training_info());
}

}  // namespace onnxc::reader
