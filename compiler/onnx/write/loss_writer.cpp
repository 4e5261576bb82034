// Writes nodes, initialisers and losses in the file format.
#include "compiler/onnx/write/loss_writer.hpp"

#include <fmt/format.h>

#include "compiler/ir/graph.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

template <class Graph, class F>
void each_name(const Graph& graph, F f) {
  for (const auto& v : graph.input()) f(v.name());
  for (const auto& v : graph.output()) f(v.name());
  for (const auto& t : graph.initializer()) f(t.name());
  for (const auto& t : graph.sparse_initializer()) f(t.values().name());
  for (const auto& n : graph.node()) {
    for (const std::string& name : n.output()) f(name);
    for (const auto& a : n.attribute()) {
      if (a.has_g()) each_name(a.g(), f);
      for (const auto& g : a.graphs()) each_name(g, f);
    }
  }
}

// The node that makes a value, if its operator is one of these.
const pb::NodeProto* maker(const pb::GraphProto& graph, const std::string& name,
                           std::initializer_list<std::string_view> ops) {
  for (const auto& n : graph.node())
    if (n.domain().empty() && n.output_size() > 0 && n.output(0) == name)
      for (std::string_view op : ops)
        if (n.op_type() == op) return &n;
  return nullptr;
}

// What a loss that applies the function itself reads: the operand of the function, if the model
// ends with it. So the loss stays exact where the function saturates.
std::string before(const pb::GraphProto& graph, const std::string& name,
                   std::initializer_list<std::string_view> ops) {
  const pb::NodeProto* node = maker(graph, name, ops);
  return node && node->input_size() == 1 ? node->input(0) : name;
}

std::string mean(GraphWriter& w, const std::string& values) {
  const std::string loss = w.fresh("loss");
  GraphWriter::set_int(w.node("ReduceMean", {values}, loss), "keepdims", 0);
  w.scalar_output(loss);
  return loss;
}

std::string mean_difference(GraphWriter& w, const pb::ValueInfoProto& result, bool squares) {
  const std::string e = w.node("Sub", {result.name(), w.labels_for(result, false)});
  return mean(w, squares ? w.node("Mul", {e, e}) : w.node("Abs", {e}));
}

// For x before the sigmoid: softplus(x) - t x, without overflow max(x, 0) - t x + log(1 + e^-|x|).
std::string binary_cross_entropy(GraphWriter& w, const pb::ValueInfoProto& result) {
  const std::string x = before(w.outer(), result.name(), {"Sigmoid"});
  const std::string t = w.labels_for(result, false);
  const std::string positive = w.node("Relu", {x});
  const std::string tail = w.node("Softplus", {w.node("Neg", {w.node("Abs", {x})})});
  return mean(w, w.node("Add", {w.node("Sub", {positive, w.node("Mul", {t, x})}), tail}));
}

// Whether the model ends with a softmax over another axis than 1. Before opset 13 a softmax runs
// over all axes from `axis` on.
bool is_over_other_axis(const GraphWriter& w, const pb::ValueInfoProto& result) {
  constexpr std::int64_t kOneAxis = 13;
  const pb::NodeProto* node = maker(w.outer(), result.name(), {"Softmax", "LogSoftmax"});
  if (!node) return false;
  const int rank = result.type().tensor_type().shape().dim_size();
  std::int64_t axis = w.opset() < kOneAxis ? 1 : -1;
  for (const auto& a : node->attribute())
    if (a.name() == "axis") axis = a.i();
  if (axis < 0) axis += rank;
  return axis != 1 || (w.opset() < kOneAxis && rank != 2);
}

// For opsets before 12: the mean of log(sum of e^x) - x[label] over the classes on axis 1.
std::string cross_entropy_by_parts(GraphWriter& w, const std::string& x,
                                   const std::string& labels) {
  const std::vector<std::int64_t> classes = {1};
  const auto reduced = [&](const char* op, const std::string& values) {
    const std::string result = w.fresh("loss.reduced");
    pb::NodeProto& node = w.node(op, {values}, result);
    GraphWriter::set_ints(node, "axes", classes);
    GraphWriter::set_int(node, "keepdims", 0);
    return result;
  };
  const std::string count = w.node("Gather", {w.node("Shape", {x}), w.integer("classes_axis", 1)});
  const std::string is_label = w.fresh("loss.onehot");
  GraphWriter::set_int(w.node("OneHot", {labels, count, w.false_and_true("hot")}, is_label), "axis",
                       1);
  const std::string chosen = w.node("Where", {is_label, x, w.scalar("zero", 0)});
  return mean(w, w.node("Sub", {reduced("ReduceLogSumExp", x), reduced("ReduceSum", chosen)}));
}

std::string softmax_cross_entropy(GraphWriter& w, const pb::ValueInfoProto& result,
                                  Diagnostics& diagnostics) {
  constexpr std::int64_t kFirstOneHot = 9, kFirstLoss = 12;
  if (w.opset() < kFirstOneHot)
    diagnostics.error("cannot-prepare", "opset_import",
                      fmt::format("softmax_cross_entropy needs opset {}, the model has {}",
                                  kFirstOneHot, w.opset()));
  if (is_over_other_axis(w, result))
    diagnostics.error("cannot-prepare", "output " + quoted(result.name()),
                      "is a softmax along another axis than 1, the axis of the classes");
  const std::string x = before(w.outer(), result.name(), {"Softmax", "LogSoftmax"});
  const std::string labels = w.labels_for(result, true);
  if (w.opset() < kFirstLoss) return cross_entropy_by_parts(w, x, labels);
  const std::string loss = w.fresh("loss");
  GraphWriter::set_string(w.node("SoftmaxCrossEntropyLoss", {x, labels}, loss), "reduction",
                          "mean");
  w.scalar_output(loss);
  return loss;
}

}  // namespace

GraphWriter::GraphWriter(const pb::GraphProto& outer, pb::GraphProto& graph)
    : outer_(outer), graph_(graph) {
  each_name(outer, [this](const std::string& name) { names_.insert(name); });
}

std::string GraphWriter::fresh(const std::string& wanted) {
  std::string name = wanted;
  for (int n = 2; !names_.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
  return name;
}

// ---- nodes --------------------------------------------------------------------------------------

pb::NodeProto& GraphWriter::node(const std::string& op, const std::vector<std::string>& inputs,
                                 const std::string& result) {
  pb::NodeProto& n = *graph_.add_node();
  n.set_op_type(op);
  n.set_name(result);
  for (const std::string& input : inputs) n.add_input(input);
  n.add_output(result);
  return n;
}

std::string GraphWriter::node(const std::string& op, const std::vector<std::string>& inputs) {
  std::string result = "loss.";
  for (const char c : op) result += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  result = fresh(result);
  node(op, inputs, result);
  return result;
}

pb::NodeProto& GraphWriter::training_node(const std::string& op,
                                          const std::vector<std::string>& inputs,
                                          const std::vector<std::string>& outputs) {
  pb::NodeProto& n = *graph_.add_node();
  n.set_op_type(op);
  n.set_domain(training_domain);
  for (const std::string& input : inputs) n.add_input(input);
  for (const std::string& output : outputs) n.add_output(output);
  return n;
}

namespace {

pb::AttributeProto& add_attribute(pb::NodeProto& node, const std::string& key,
                                  pb::AttributeProto::AttributeType type) {
  pb::AttributeProto& a = *node.add_attribute();
  a.set_name(key);
  a.set_type(type);
  return a;
}

}  // namespace

void GraphWriter::set_float(pb::NodeProto& node, const std::string& key, float value) {
  add_attribute(node, key, pb::AttributeProto::FLOAT).set_f(value);
}
void GraphWriter::set_int(pb::NodeProto& node, const std::string& key, std::int64_t value) {
  add_attribute(node, key, pb::AttributeProto::INT).set_i(value);
}
void GraphWriter::set_ints(pb::NodeProto& node, const std::string& key,
                           const std::vector<std::int64_t>& values) {
  pb::AttributeProto& a = add_attribute(node, key, pb::AttributeProto::INTS);
  for (const std::int64_t value : values) a.add_ints(value);
}
void GraphWriter::set_string(pb::NodeProto& node, const std::string& key,
                             const std::string& value) {
  add_attribute(node, key, pb::AttributeProto::STRING).set_s(value);
}
void GraphWriter::set_strings(pb::NodeProto& node, const std::string& key,
                              const std::vector<std::string>& values) {
  pb::AttributeProto& a = add_attribute(node, key, pb::AttributeProto::STRINGS);
  for (const std::string& value : values) a.add_strings(value);
}

// ---- initialisers -------------------------------------------------------------------------------

std::string GraphWriter::scalar(const std::string& name, double value) {
  pb::TensorProto& t = *graph_.add_initializer();
  t.set_name(fresh(name));
  t.set_data_type(data_type_);
  if (data_type_ == pb::TensorProto::FLOAT)
    t.add_float_data(static_cast<float>(value));
  else
    t.add_double_data(value);
  return t.name();
}

std::string GraphWriter::integer(const std::string& name, std::int64_t value) {
  pb::TensorProto& t = *graph_.add_initializer();
  t.set_name(fresh(name));
  t.set_data_type(pb::TensorProto::INT64);
  t.add_int64_data(value);
  return t.name();
}

std::string GraphWriter::false_and_true(const std::string& name) {
  pb::TensorProto& t = *graph_.add_initializer();
  t.set_name(fresh(name));
  t.set_data_type(pb::TensorProto::BOOL);
  t.add_dims(2);
  t.set_raw_data(std::string("\0\1", 2));
  return t.name();
}

std::string GraphWriter::zeros_like(const std::string& name, const pb::TensorProto& like) {
  pb::TensorProto& t = *graph_.add_initializer();
  t.set_name(fresh(name));
  t.set_data_type(like.data_type());
  std::size_t bytes = like.data_type() == pb::TensorProto::FLOAT ? 4 : 8;
  for (const std::int64_t d : like.dims()) {
    t.add_dims(d);
    bytes *= static_cast<std::size_t>(d);
  }
  t.set_raw_data(std::string(bytes, '\0'));
  return t.name();
}

// ---- inputs and outputs -------------------------------------------------------------------------

std::string GraphWriter::scalar_input(const std::string& name) {
  pb::ValueInfoProto& v = *graph_.add_input();
  v.set_name(fresh(name));
  v.mutable_type()->mutable_tensor_type()->set_elem_type(data_type_);
  v.mutable_type()->mutable_tensor_type()->mutable_shape();
  return v.name();
}

std::string GraphWriter::labels_for(const pb::ValueInfoProto& value, bool classes) {
  pb::ValueInfoProto& v = *graph_.add_input();
  v.set_name(fresh("labels"));
  *v.mutable_type() = value.type();
  if (!classes) return v.name();
  auto& tensor = *v.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(pb::TensorProto::INT64);
  if (tensor.shape().dim_size() > 1) tensor.mutable_shape()->mutable_dim()->DeleteSubrange(1, 1);
  return v.name();
}

void GraphWriter::output_like(const std::string& name, const pb::TensorProto& tensor) {
  pb::ValueInfoProto& v = *graph_.add_output();
  v.set_name(name);
  auto& type = *v.mutable_type()->mutable_tensor_type();
  type.set_elem_type(tensor.data_type());
  type.mutable_shape();
  for (const std::int64_t d : tensor.dims()) type.mutable_shape()->add_dim()->set_dim_value(d);
}

void GraphWriter::integer_output(const std::string& name) {
  pb::TensorProto scalar;
  scalar.set_data_type(pb::TensorProto::INT64);
  output_like(name, scalar);
}

void GraphWriter::scalar_output(const std::string& name) {
  pb::TensorProto scalar;
  scalar.set_data_type(data_type_);
  output_like(name, scalar);
}

// ---- losses -------------------------------------------------------------------------------------

std::string write_loss(GraphWriter& writer, const std::string& loss,
                       const pb::ValueInfoProto& result, Diagnostics& diagnostics) {
  const auto& type = result.type().tensor_type();
  if (type.elem_type() != pb::TensorProto::FLOAT && type.elem_type() != pb::TensorProto::DOUBLE)
    diagnostics.error("cannot-prepare", "output " + quoted(result.name()),
                      "a loss needs an output of type float or double");
  if (loss == "bce") return binary_cross_entropy(writer, result);
  if (loss == "softmax_cross_entropy") return softmax_cross_entropy(writer, result, diagnostics);
  return mean_difference(writer, result, loss == "mse");
}

}  // namespace onnxc::reader
