// Building nodes whose types are inferred at once, as expressions: for derivatives and new bodies.
#pragma once

#include <memory>
#include <span>

#include "compiler/ir/graph.hpp"

namespace onnxc::ops {

struct Op;
class NodeBuilder;

// A value in an expression. The operators make nodes, with the broadcasting of ONNX; a number takes
// the element type of the other operand.
struct Term {
  NodeBuilder* builder = nullptr;
  Value* value = nullptr;

  operator Value*() const { return value; }
  const Type& type() const { return value->type; }
};

// A tensor of rank 0.
Tensor scalar_of(double v, ElemType elem);

// What derivatives are asked for: y, and the derivative of the final result by y.
struct Cotangent {
  Value* y = nullptr;
  Value* dy = nullptr;
};

class NodeBuilder {
 public:
  virtual ~NodeBuilder() = default;

  // Adds a node; returns its results with their types. Throws OpError if it is invalid.
  virtual std::vector<Value*> add(const Op& op, const std::vector<Value*>& inputs,
                                  std::size_t outputs, Attributes attributes) = 0;
  virtual Value* constant(Tensor tensor) = 0;
  // Output i of a node of this graph or one around it, which gets it if it was left out.
  virtual Value* extra_output(const Node& node, std::size_t i) = 0;
  // Adds results to a node whose body has got more outputs; the types of the others stay.
  virtual std::vector<Value*> more_outputs(const Node& node, std::size_t count) = 0;
  virtual Graph& graph() const = 0;
  // A builder of nodes at the end of a body of a node to come.
  virtual std::unique_ptr<NodeBuilder> inside(Graph& body) = 0;
  // New nodes get the provenance of this one, for comments and names.
  virtual void set_provenance(const Node& node) = 0;
  // A rule is written as expressions, whose operands C++ evaluates in any order. What was added
  // since the last call gets the order, and the names, in which `results` need it; the rest stays
  // last.
  virtual void settle(const std::vector<Value*>& results) = 0;
  // The derivatives of the cotangents by each of xs: sum of y' * dy. Null where no path leads from
  // x to a cotangent, or none on which the derivative is not zero. xs are taken as independent.
  virtual std::vector<Value*> vjp(const std::vector<Cotangent>& cotangents,
                                  const std::vector<Value*>& xs) = 0;

  Term term(Value* v) { return {this, v}; }
  // An operator of ai.onnx; the newest version, as everywhere after import.
  Term emit(const char* op, const std::vector<Value*>& inputs, Attributes attributes = {});
  Term scalar(double v, ElemType elem);  // of rank 0
  Term ints(std::vector<std::int64_t> v);
  Term integer(std::int64_t v);  // of rank 0
  Term shape_of(Value* v);
  Term filled(double v, Value* like);  // of the shape and element type of `like`
  Term reshape(Value* v, Value* like);
  // Undoes broadcasting: the sum over what a value of the shape of `like` was repeated along.
  Term sum_to(Value* v, const Value& like);
  // Whether the value is known to be 1 throughout.
  bool is_one(const Value& v) const;

 private:
  Term sum_run_time_axes(Value* v, Value* like);
  std::vector<const Value*> ones_;  // made by filled()
};

// Whether derivatives pass through a value: a tensor of floats, or a container of such tensors.
bool is_differentiable(const Type& type);

Term operator+(Term a, Term b);
Term operator-(Term a, Term b);
Term operator*(Term a, Term b);
Term operator/(Term a, Term b);
Term operator<(Term a, Term b);
Term operator<=(Term a, Term b);
Term operator>(Term a, Term b);
Term operator>=(Term a, Term b);
Term operator==(Term a, Term b);
Term operator&&(Term a, Term b);
Term operator||(Term a, Term b);
Term operator-(Term a);
Term operator!(Term a);

Term number_like(Term t, double v);
inline Term operator+(Term a, double b) { return a + number_like(a, b); }
inline Term operator-(Term a, double b) { return a - number_like(a, b); }
inline Term operator*(Term a, double b) { return a * number_like(a, b); }
inline Term operator/(Term a, double b) { return a / number_like(a, b); }
inline Term operator+(double a, Term b) { return number_like(b, a) + b; }
inline Term operator-(double a, Term b) { return number_like(b, a) - b; }
inline Term operator*(double a, Term b) { return number_like(b, a) * b; }
inline Term operator/(double a, Term b) { return number_like(b, a) / b; }
inline Term operator<(Term a, double b) { return a < number_like(a, b); }
inline Term operator<=(Term a, double b) { return a <= number_like(a, b); }
inline Term operator>(Term a, double b) { return a > number_like(a, b); }
inline Term operator>=(Term a, double b) { return a >= number_like(a, b); }
inline Term operator==(Term a, double b) { return a == number_like(a, b); }

Term apply(const char* op, Term x);  // an operator with one operand: apply("Exp", x)
Term choose(Term condition, Term a, Term b);
Term choose(Term condition, Term a, double b);
Term choose(Term condition, double a, Term b);
// a where x > 0, else b; without a mask.
Term choose_positive(Term x, Term a, Term b);
Term choose_positive(Term x, Term a, double b);
Term matmul(Term a, Term b);
Term permute(Term x, const std::vector<std::int64_t>& perm);
Term convert(Term x, ElemType elem);
// The sum over axes of a tensor; all axes if none is given.
Term sum_over(Term x, const std::vector<std::int64_t>& axes, bool keepdims);
Term expand_like(Term x, Value* like);
Term extent_of(Term x, std::int64_t axis);  // int64, of rank 0
// Cut, or filled up with zeros, at the end of an axis.
Term fit_extent(Term x, std::int64_t axis, Term extent);

}  // namespace onnxc::ops
