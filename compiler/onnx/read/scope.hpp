// Names in scope while a graph or a function body is being read.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compiler/ir/graph.hpp"
#include "compiler/onnx/read/devices.hpp"
#include "compiler/onnx/read/functions.hpp"

namespace google::protobuf {
template <class T>
class RepeatedPtrField;
}
namespace onnxc::pb {
class GraphProto;
}

namespace onnxc::reader {

using NodeList = google::protobuf::RepeatedPtrField<pb::NodeProto>;

// The meaning of a name. A null value: an input that the caller of a function left out.
struct Binding {
  static constexpr std::int64_t kInput = -1, kInitializer = -2;
  Value* value = nullptr;
  std::int64_t made_by = kInput;  // index of a node, or one of the above
};

struct Scope;

// A call that is being inlined.
struct Call {
  const Function* function = nullptr;
  const pb::NodeProto* node = nullptr;
  const Scope* caller = nullptr;
  DeviceList devices;  // what it says about several devices
};

// The scope of one graph (with the scopes around it), or of one inlined function body, which has no
// access to its caller.
struct Scope {
  Graph* graph = nullptr;         // destination of nodes and values
  const Scope* parent = nullptr;  // scope whose names are visible too
  const NodeList* nodes = nullptr;
  const OpsetImports* opsets = nullptr;
  const Call* call = nullptr;  // inside a function body
  // What the parent is: the graph around a subgraph; the inference graph that an algorithm adds to;
  // or the state variables, whose names a graph of its own may give to others.
  enum class Parent : std::uint8_t { around, extended, globals };
  Parent kind_of_parent = Parent::around;
  bool owns_graph = true;  // false: a function body spliced into its caller's graph
  Location place;          // prefix for messages
  std::string prefix;      // of names and sources, inside a function body
  int depth = 0;           // of subgraphs

  // Names of values in a graph that several scopes define: a training graph. Null: only one does.
  std::set<std::string>* taken = nullptr;

  std::unordered_map<std::string_view, Binding> names;
  std::unordered_map<std::string_view, Value*> presets;       // values that outputs must become
  std::unordered_map<std::string_view, Type> declared;        // value_info and outputs
  std::unordered_map<std::string_view, std::int64_t> makers;  // name -> node, at any position
  // Initialisers that are state variables: name -> index in State::variables.
  std::map<std::string_view, int> state;
  // In the algorithm of a training_info that calls the inference graph by GraphCall: that graph.
  const pb::GraphProto* callee = nullptr;

  const Binding* find(std::string_view name) const {
    for (const Scope* f = this; f; f = f->parent)
      if (const auto it = f->names.find(name); it != f->names.end()) return &it->second;
    return nullptr;
  }
};

}  // namespace onnxc::reader
