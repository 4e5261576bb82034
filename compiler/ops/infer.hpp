// Type and shape inference of one node.
#pragma once

#include <functional>

#include "compiler/ops/node_view.hpp"

namespace onnxc::ops {

// The pass has checked counts, attribute kinds and element types against the signature before it
// calls an operator's `infer`. An input's rank or dimensions may still be unknown; infer then sets
// what it can. An output that it does not set has an unknown type.
class Infer : public NodeView {
 public:
  // Infers a subgraph after its inputs have got their types.
  using InferGraph = std::function<void(Graph&)>;

  Infer(Node& node, Graph& graph, InferGraph infer_graph)
      : NodeView(node, &graph.relations),
        mutable_node_(&node),
        graph_(&graph),
        infer_graph_(std::move(infer_graph)) {}

  void infer_body(Graph& body) { infer_graph_(body); }

  bool has_rank(std::size_t i) const { return has_input(i) && input(i).has_rank(); }
  const Shape& shape(std::size_t i) const { return *input(i).shape; }  // only when has_rank(i)
  std::size_t rank(std::size_t i) const { return input(i).rank(); }
  ElemType elem(std::size_t i) const { return input(i).elem; }

  void output(std::size_t i, Type type);  // ignored for an output left out
  void output(std::size_t i, ElemType elem, std::optional<Shape> shape) {
    output(i, Type::tensor(elem, std::move(shape)));
  }
  // Output 0, of the shape of input 0.
  void output_like_input(ElemType elem) {
    Type type = input(0);
    type.elem = elem;
    output(0, std::move(type));
  }
  // Contents of integers, after the output's type: see contents.hpp.
  void output_extents(std::size_t i, std::vector<Dim> contents);
  void output_some_extents(std::size_t i, std::vector<std::optional<Dim>> contents);
  // Contents of float tensors before rounding to float32 or float64.
  void output_before_rounding(std::size_t i, std::vector<Dim> contents);
  std::optional<std::vector<Dim>> before_rounding(std::size_t i) const;
  bool is_exact(const Dim& d, ElemType type) const;
  // A dynamic dimension: a new symbol that equals no other.
  Dim unknown_extent(std::optional<Dim> at_most = std::nullopt);

  // A warning to the user about a valid model; `field` as for `require`.
  struct Warning {
    std::string id, field, message;
  };
  void warn(std::string id, std::string field, std::string message) {
    warnings_.push_back({std::move(id), std::move(field), std::move(message)});
  }
  const std::vector<Warning>& warnings() const { return warnings_; }

  // Whether the caller of the model gets the result.
  bool is_model_output(std::size_t i) const;
  void clear_declared(std::size_t i);

  Graph& graph() const { return *graph_; }
  Node& mutable_node() const { return *mutable_node_; }

 private:
  // The inferred type of result `i` with what the model's declaration adds to it.
  Type reconciled(std::size_t i, Type inferred);
  // Takes the constants among the declared sizes for sizes that only the data decide; false if the
  // declaration contradicts what is inferred.
  bool take_sizes(std::size_t i, Shape& inferred, const Shape& declared, bool stale);

  // The expression as Graph::limits allow to simplify it; a symbol for a long one: chains of
  // broadcasts double in length with every node.
  Dim named(const Dim& given);
  std::optional<Dim> named_value(const Dim& given);
  // Which values an expression can take, by what --dim promises.
  Dim::Interval promised_interval(const Dim& d) const;
  void require_int32(const Dim& value, std::size_t output) const;

  Node* mutable_node_;
  Graph* graph_;
  InferGraph infer_graph_;
  std::vector<Warning> warnings_;
};

// Extents of the NumPy broadcast of two shapes. Fails when two constants disagree; dynamic
// dimensions are checked at run time.
Shape broadcast(const NodeView& n, const Shape& a, const Shape& b);

// Ready-made rules.
void infer_like_first(Infer& n);      // output 0 has input 0's type and shape
void infer_broadcast(Infer& n);       // all inputs broadcast; element type of input 0
void infer_broadcast_bool(Infer& n);  // as above, element type bool
// Warns of zeros in input 1, the divisor of integers, if its contents are known.
void warn_zero_divisor(Infer& n);

// Carries known contents through a function of two operands that selects one, such as min; those of
// floats, too: rounding is monotonic.
void propagate_selection(Infer& n, Dim (*f)(const Dim&, const Dim&));

}  // namespace onnxc::ops
