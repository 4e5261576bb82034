// Models to be broken by tests, and the messages that import has for them.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "compiler/onnx/read/import.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::broken {

namespace fs = std::filesystem;

// A folder that is removed with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "onnxc-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

inline void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::vector<std::string> import_messages(const fs::path& path,
                                                const ImportOptions& options = {}) {
  Diagnostics diagnostics;
  import_model(path.string(), diagnostics, options);
  std::vector<std::string> out;
  for (const Diagnostic& d : diagnostics.all()) out.push_back(diagnostics.format(d, "m"));
  return out;
}

inline void set_float_type(pb::ValueInfoProto* info, const std::string& name,
                           std::int64_t extent = 2) {
  info->set_name(name);
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(pb::TensorProto::FLOAT);
  tensor->mutable_shape()->add_dim()->set_dim_value(extent);
}

inline pb::NodeProto* add_node(pb::GraphProto* graph, const std::string& op,
                               const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs) {
  pb::NodeProto* node = graph->add_node();
  node->set_op_type(op);
  node->set_name("n" + std::to_string(graph->node_size() - 1));
  for (const auto& name : inputs) node->add_input(name);
  for (const auto& name : outputs) node->add_output(name);
  return node;
}

inline pb::AttributeProto* add_int(pb::NodeProto* node, const std::string& name,
                                   std::int64_t value) {
  pb::AttributeProto* a = node->add_attribute();
  a->set_name(name);
  a->set_type(pb::AttributeProto::INT);
  a->set_i(value);
  return a;
}

// y = Relu(x), to be broken by the case.
inline pb::ModelProto relu_model() {
  pb::ModelProto m;
  m.set_ir_version(8);
  m.add_opset_import()->set_version(17);
  pb::GraphProto* g = m.mutable_graph();
  g->set_name("g");
  set_float_type(g->add_input(), "x");
  set_float_type(g->add_output(), "y");
  add_node(g, "Relu", {"x"}, {"y"});
  return m;
}

inline pb::TensorProto* add_weights(pb::ModelProto& m) {
  pb::TensorProto* t = m.mutable_graph()->add_initializer();
  t->set_name("w");
  t->set_data_type(pb::TensorProto::FLOAT);
  t->add_dims(2);
  return t;
}

inline void set_location(pb::TensorProto* t, const std::string& location) {
  t->set_data_location(pb::TensorProto::EXTERNAL);
  auto* pair = t->add_external_data();
  pair->set_key("location");
  pair->set_value(location);
}

inline pb::FunctionProto* add_function(pb::ModelProto& m, const std::string& name,
                                       const std::string& callee, const std::string& domain) {
  pb::FunctionProto* f = m.add_functions();
  f->set_domain("loc");
  f->set_name(name);
  f->add_input("a");
  f->add_output("b");
  f->add_opset_import()->set_version(17);
  pb::NodeProto* node = f->add_node();
  node->set_op_type(callee);
  node->set_domain(domain);
  node->add_input("a");
  node->add_output("b");
  return f;
}

inline void call_function(pb::ModelProto& m, const std::string& name) {
  pb::NodeProto* node = m.mutable_graph()->mutable_node(0);
  node->set_op_type(name);
  node->set_domain("loc");
  for (const auto& import : m.opset_import())
    if (import.domain() == "loc") return;
  auto* import = m.add_opset_import();
  import->set_domain("loc");
  import->set_version(1);
}

struct Case {
  const char* name;
  std::function<void(pb::ModelProto&)> spoil;
  const char* message;  // the first one
};

}  // namespace onnxc::broken
