// The rule of an operator that takes a gradient from its results to its operands.
#pragma once

#include <map>

#include "compiler/ops/node_builder.hpp"
#include "compiler/ops/node_view.hpp"

namespace onnxc::ops {

// With y = f(x) and L = sum of all elements of the final result: given dL/dy, a rule builds dL/dx.
//
//   tanh:  n.dx(0, n.dy() * (1.0 - n.y() * n.y()));
//
// Values have the newest version of their operators and known types. A rule that asks for x() or
// y() keeps that value alive until then.
class Gradient : public NodeView {
 public:
  // `wanted`: the operands whose derivative is requested. `dys`: one for each output, or null.
  Gradient(const Node& node, NodeBuilder& builder, std::vector<Value*> wanted,
           std::vector<Value*> dys)
      : NodeView(node), builder_(&builder), wanted_(std::move(wanted)), dys_(std::move(dys)) {}

  NodeBuilder& builder() const { return *builder_; }
  bool wants(std::size_t i) const { return has_input(i) && wants(*node().inputs[i]); }
  bool wants(const Value& operand) const;  // also one that only a body reads
  const std::vector<Value*>& wanted() const { return wanted_; }

  Term x(std::size_t i = 0) const { return builder_->term(node().inputs[i]); }
  // An optional result is added to the node if need be.
  Term y(std::size_t i = 0) const;
  bool has_dy(std::size_t i) const { return i < dys_.size() && dys_[i]; }
  Term dy(std::size_t i = 0) const { return builder_->term(dys_[i]); }  // only when has_dy(i)
  Term dy_or_zero(std::size_t i) const;

  Term emit(const char* op, const std::vector<Value*>& inputs, Attributes attributes = {}) const {
    return builder_->emit(op, inputs, std::move(attributes));
  }
  Term scalar(double v) const { return builder_->scalar(v, y().type().elem); }
  Term list(std::vector<std::int64_t> v) const { return builder_->ints(std::move(v)); }
  Term shape_of(Value* v) const { return builder_->shape_of(v); }
  // The extents that an operand must have for a rule; refuses an unknown rank.
  const Shape& shape(std::size_t i) const;

  // The derivative by operand i, of its shape. Ignored when it is not wanted.
  void dx(std::size_t i, Term g);
  // The same for an operand that broadcasts: g has the shape of the broadcast.
  void dx_summed(std::size_t i, Term g);
  void dx_of(const Value& operand, Term g);
  void zero(std::size_t i);
  // The derivatives of nodes that compute the results from the operands once more: for operators
  // that others define. `results` may be shorter than the outputs, null where they are not built.
  void by_definition(const std::vector<Value*>& results);
  [[noreturn]] void refuse(std::size_t i, const std::string& why) const;

  // What the rule gave, in its order; the operands that have no derivative but zero.
  const std::vector<std::pair<const Value*, Value*>>& results() const { return results_; }
  bool is_answered(const Value& operand) const { return answered_.count(&operand) > 0; }

 private:
  NodeBuilder* builder_;
  std::vector<Value*> wanted_, dys_;
  std::vector<std::pair<const Value*, Value*>> results_;
  std::map<const Value*, bool> answered_;
};

// For operators that move elements or keep them: the derivative moves back to the operand's shape.
void gradient_of_reshape(Gradient& n);
// For Add and the like.
void gradient_is_dy(Gradient& n);

// Of operators whose results are copies of single elements of input 0 and that have no simpler
// derivative. The operator moves the indices of the elements as it moves the elements; each
// derivative is then added to the element that the index names.
void gradient_of_moved_elements(Gradient& n);

}  // namespace onnxc::ops
