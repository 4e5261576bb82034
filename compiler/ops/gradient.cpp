// What the gradient rules of operators request and return.
#include "compiler/ops/gradient.hpp"

#include <algorithm>

namespace onnxc::ops {

void gradient_is_zero(Gradient& n) {
  for (const Value* v : n.wanted())
    for (std::size_t i = 0; i < n.input_count(); ++i)
      if (n.has_input(i) && &n.input_value(i) == v) n.zero(i);
}

void gradient_of_reshape(Gradient& n) { n.dx(0, n.builder().reshape(n.dy(), n.x())); }

void gradient_is_dy(Gradient& n) {
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (n.wants(i)) n.dx_summed(i, n.dy());
}

bool Gradient::wants(const Value& operand) const {
  return std::find(wanted_.begin(), wanted_.end(), &operand) != wanted_.end();
}

Term Gradient::y(std::size_t i) const {
  Value* v = i < output_count() ? node().outputs[i] : nullptr;
  return builder_->term(v ? v : builder_->extra_output(node(), i));
}

Term Gradient::dy_or_zero(std::size_t i) const {
  return has_dy(i) ? dy(i) : builder_->filled(0, y(i));
}

const Shape& Gradient::shape(std::size_t i) const {
  require_known(input(i).has_rank(), fmt::format("input {}", i),
                "has no known rank, which its gradient needs");
  return *input(i).shape;
}

namespace {

// Nodes read values that they do not change.
Value* node_value(const Value& v) { return const_cast<Value*>(&v); }

}  // namespace

void Gradient::dx_of(const Value& operand, Term g) {
  answered_[&operand] = true;
  if (!wants(operand)) return;
  const Type &want = operand.type, &have = g.type();
  if (!compatible(want, have))
    throw std::logic_error(fmt::format("gradient of {}: {} for an operand {}",
                                       describe(node()).text(), have.to_string(),
                                       want.to_string()));
  // Sizes that are equal at run time only: from here on they have the operand's expressions.
  if (want.has_rank()) g = builder_->reshape(g, node_value(operand));
  results_.emplace_back(&operand, g.value);
}

void Gradient::dx(std::size_t i, Term g) {
  if (has_input(i)) dx_of(input_value(i), g);
}

void Gradient::dx_summed(std::size_t i, Term g) {
  if (wants(i)) dx(i, builder_->sum_to(g, input_value(i)));
}

void Gradient::zero(std::size_t i) { answered_[&input_value(i)] = true; }

void Gradient::by_definition(const std::vector<Value*>& results) {
  std::vector<Cotangent> cotangents;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i] && has_dy(i)) cotangents.push_back({results[i], dy(i)});
  const auto gradients = builder_->vjp(cotangents, wanted_);
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    answered_[wanted_[i]] = true;
    if (gradients[i]) dx_of(*wanted_[i], builder_->term(gradients[i]));
  }
}

void Gradient::refuse(std::size_t i, const std::string& why) const {
  throw OpError("no-gradient", fmt::format("input {}", i), why);
}

void gradient_of_moved_elements(Gradient& n) {
  if (!n.wants(0)) return;
  NodeBuilder& b = n.builder();
  const auto number = [&](std::int64_t v) { return b.term(b.constant(Tensor::scalar(v))); };
  const Term count = apply("Size", n.x());
  const Term all = b.reshape(n.emit("Range", {number(0), count, number(1)}), n.x());
  std::vector<Value*> inputs = n.node().inputs;
  inputs[0] = all;
  const Term numbers =
      b.term(b.add(*n.node().op, inputs, n.output_count(), n.node().attributes).front());
  const Term flat = n.list({-1});
  const Term zeros = n.emit("Reshape", {b.filled(0, n.x()), flat});
  const Term sum =
      n.emit("ScatterElements",
             {zeros, n.emit("Reshape", {numbers, flat}), n.emit("Reshape", {n.dy(), flat})},
             {{"axis", std::int64_t{0}}, {"reduction", std::string("add")}});
  n.dx(0, b.reshape(sum, n.x()));
}

}  // namespace onnxc::ops
