// GraphProto -> Graph, with the bodies of control flow and inlined functions.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "compiler/onnx/read/scope.hpp"

namespace onnxc::pb {
class AttributeProto;
class GraphProto;
class NodeProto;
class ValueInfoProto;
}  // namespace onnxc::pb

namespace onnxc::reader {

class GraphReader {
 public:
  GraphReader(Context& context, const Functions& functions)
      : context_(context), functions_(functions) {}

  // Appends to frame.graph. `is_main`: inputs must have types.
  void read(const pb::GraphProto& proto, Scope& frame, bool is_main);
  // A part of `read`: the initialisers alone.
  void read_initializers(const pb::GraphProto& proto, Scope& frame);
  // Reports the problems that were only counted.
  void finish();

 private:
  struct Unknown {  // unknown operators, summarised
    Location where;
    std::string message;
    std::int64_t count = 0;
  };

  void read_defaulted_input(const std::string& name, Type type, Binding& binding, Scope& frame,
                            bool is_main);
  bool repeats_outer_input(const std::string& name, const Type& type, const Location& where,
                           const Scope& frame);
  void read_inputs(const pb::GraphProto& proto, Scope& frame, bool is_main);
  // Makes the input a constant if an option says so.
  bool fix_input(const std::string& name, const Type& type, const Location& where, Scope& frame);
  void read_input(const pb::ValueInfoProto& proto, int index, Scope& frame, bool is_main);
  void read_declared(const pb::ValueInfoProto& proto, const std::string& field, Scope& frame);
  void read_nodes(Scope& frame);
  void report_declared(const Type& declared, const Type& actual, const Location& where,
                       bool is_main);
  void read_outputs(const pb::GraphProto& proto, Scope& frame, bool is_main);
  void add_initializer(const std::string& name, int index, const char* list, Scope& frame,
                       const std::function<Tensor()>& read);

  void read_node(const pb::NodeProto& proto, std::int64_t index, Scope& frame);
  // A node of an operator that the user computes with a function template.
  void read_user_node(const pb::NodeProto& proto, std::unique_ptr<Node> node, Scope& frame);
  // Computes the outputs by the model's function of the operator, too, as further inputs.
  void add_references(const pb::NodeProto& proto, Node& node, const Function& function,
                      Scope& frame);
  // False when one was reported.
  bool read_attributes(const pb::NodeProto& proto, Scope& frame, Node& node);
  // Appends the values that attributes name to the inputs. False when a name has no value.
  bool read_named_values(Node& node, const Scope& frame);
  Value* resolve(const std::string& name, std::int64_t node, std::size_t input, Scope& frame);
  Value* define(const std::string& name, std::int64_t node, Scope& frame);
  void check_domain_of_call(const pb::NodeProto& proto, const Location& where, const Scope& frame);
  void call(const pb::NodeProto& proto, const Node& node, const Function& function,
            const Scope& frame);
  void connect_results(const Node& node, const Call& call, Scope& body);
  void call_graph(const pb::NodeProto& proto, std::int64_t index, Scope& frame);
  void bind_graph_inputs(const Node& node, const Scope& frame, Scope& body);
  void connect_graph_outputs(const Node& node, const Scope& frame, const Scope& body);
  std::shared_ptr<Graph> read_body(const pb::GraphProto& proto, const std::string& attribute,
                                   const Node& node, const Scope& scope, const Scope& here);
  void report_operator(const OpError& e, const Node& node, const Location& where);

  Context& context_;
  const Functions& functions_;
  std::map<std::string, Unknown> unknown_;
  std::set<std::string> sparse_defaults_;  // names of initialisers in sparse form
};

// GraphCall of ONNX 1.7: a node in the algorithm of a training_info that runs the inference graph.
// Since ONNX 1.8 the inference graph is a part of every algorithm instead.
bool is_graph_call(const pb::NodeProto& node);
// Whether the graph has such nodes, so that it is complete in itself.
bool has_graph_call(const pb::GraphProto& graph);

}  // namespace onnxc::reader
