// Model-local functions: their table, and the checks that make inlining safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/onnx/read/opsets.hpp"

namespace onnxc::pb {
class FunctionProto;
class ModelProto;
class NodeProto;
}  // namespace onnxc::pb

namespace onnxc::reader {

struct Function {
  using Key = std::tuple<std::string, std::string, std::string>;  // domain, name, overload
  const pb::FunctionProto* proto = nullptr;
  OpsetImports opsets;
  std::string title;               // "loc::f0", escaped
  std::vector<Function*> callees;  // one entry per call in the body, subgraphs included
  std::int64_t own_nodes = 0;
  std::int64_t expanded = 0;  // nodes of one inlined call, saturated
  int depth = 0;              // of nested calls
};

class Functions {
 public:
  // Reports functions that are defined twice, call themselves, nest too deeply or make the model
  // expand to too many nodes. False when inlining must not be tried.
  bool read(const pb::ModelProto& model, Context& context);

  // Null if the node does not call a function of the model.
  const Function* find(const pb::NodeProto& node) const;

 private:
  void add(const pb::FunctionProto& proto, Context& context);
  bool measure(Function& start, Context& context);

  std::map<Function::Key, Function> table_;
};

}  // namespace onnxc::reader
