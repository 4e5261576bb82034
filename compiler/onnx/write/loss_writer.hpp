// Builds graphs of the file format, and losses in them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/support/diagnostics.hpp"

namespace onnxc::pb {
class GraphProto;
class NodeProto;
class TensorProto;
class ValueInfoProto;
}  // namespace onnxc::pb

namespace onnxc::reader {

// Appends to a graph that extends another one; its names differ from those of both.
class GraphWriter {
 public:
  static constexpr const char* training_domain = "ai.onnx.preview.training";

  GraphWriter(const pb::GraphProto& outer, pb::GraphProto& graph);

  // The element type of scalars; FLOAT or DOUBLE.
  void set_type(int data_type) { data_type_ = data_type; }
  // The version of ai.onnx that the graphs import.
  void set_opset(std::int64_t opset) { opset_ = opset; }
  std::int64_t opset() const { return opset_; }
  const pb::GraphProto& outer() const { return outer_; }

  std::string fresh(const std::string& wanted);
  // A node of ai.onnx with one result; returns its name.
  std::string node(const std::string& op, const std::vector<std::string>& inputs);
  pb::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                      const std::string& result);
  pb::NodeProto& training_node(const std::string& op, const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs);
  static void set_float(pb::NodeProto& node, const std::string& key, float value);
  static void set_int(pb::NodeProto& node, const std::string& key, std::int64_t value);
  static void set_ints(pb::NodeProto& node, const std::string& key,
                       const std::vector<std::int64_t>& values);
  static void set_string(pb::NodeProto& node, const std::string& key, const std::string& value);
  static void set_strings(pb::NodeProto& node, const std::string& key,
                          const std::vector<std::string>& values);

  // Initialisers, by the name that is wanted; return the name they get.
  std::string scalar(const std::string& name, double value);
  std::string integer(const std::string& name, std::int64_t value);
  std::string false_and_true(const std::string& name);  // bool[2]
  std::string zeros_like(const std::string& name, const pb::TensorProto& like);

  // Inputs and outputs.
  std::string scalar_input(const std::string& name);
  // An input of the type of a value; `classes`: int64, without axis 1.
  std::string labels_for(const pb::ValueInfoProto& value, bool classes);
  void output_like(const std::string& name, const pb::TensorProto& tensor);
  void integer_output(const std::string& name);
  void scalar_output(const std::string& name);

 private:
  const pb::GraphProto& outer_;
  pb::GraphProto& graph_;
  std::set<std::string> names_;
  int data_type_ = 1;
  std::int64_t opset_ = 0;
};

// The mean loss of `result`, an output of the outer graph, against labels that become an input.
// Returns the name of the loss, an output of the graph.
std::string write_loss(GraphWriter& writer, const std::string& loss,
                       const pb::ValueInfoProto& result, Diagnostics& diagnostics);

}  // namespace onnxc::reader
