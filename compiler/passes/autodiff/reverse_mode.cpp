// Walks the nodes between xs and the cotangents backwards and calls the rules of their operators.
#include "compiler/passes/autodiff/autodiff.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "compiler/ops/gradient.hpp"

namespace onnxc::passes {
namespace {

class ReverseMode {
 public:
  ReverseMode(ops::NodeBuilder& builder, const std::vector<Value*>& xs) : builder_(builder) {
    for (Value* v : xs)
      if (ops::is_differentiable(v->type)) active_.insert(v);
  }

  void run(const std::vector<ops::Cotangent>& cotangents, const ValueSet& cuts) {
    std::vector<Value*> ys;
    for (const ops::Cotangent& cotangent : cotangents) ys.push_back(cotangent.y);
    const std::vector<Node*> order = slice_of(ys, cuts);
    for (const Node* node : order) mark(*node);
    for (const ops::Cotangent& cotangent : cotangents) add(cotangent.y, cotangent.dy);
    for (std::size_t i = order.size(); i-- > 0;) visit(*order[i]);
  }

  Value* gradient_of(const Value* v) const {
    const auto found = gradients_.find(v);
    return found == gradients_.end() ? nullptr : found->second;
  }

 private:
  // Results depend on xs where an operand does, and derivatives pass through both.
  void mark(const Node& node) {
    if (node.op->gradient == ops::gradient_is_zero) return;
    bool depends = false;
    for (const Value* v : operands_of(node)) depends = depends || active_.count(v) > 0;
    if (!depends) return;
    for (const Value* v : node.outputs)
      if (v && ops::is_differentiable(v->type)) active_.insert(v);
  }

  void add(const Value* v, Value* gradient) {
    if (active_.count(v) == 0) return;
    Value*& sum = gradients_[v];
    sum = sum ? (builder_.term(sum) + builder_.term(gradient)).value : gradient;
  }

  void visit(const Node& node) {
    std::vector<Value*> dys, wanted;
    bool reached = false;
    for (const Value* v : node.outputs) {
      dys.push_back(v ? gradient_of(v) : nullptr);
      reached = reached || dys.back();
    }
    if (!reached) return;
    ValueSet seen;
    for (Value* v : operands_of(node))
      if (active_.count(v) > 0 && seen.insert(v).second) wanted.push_back(v);
    if (wanted.empty()) return;
    builder_.settle({});
    builder_.set_provenance(node);
    ops::Gradient n(node, builder_, wanted, std::move(dys));
    apply_rule(node, n);
    std::vector<Value*> results;
    for (const auto& result : n.results()) results.push_back(result.second);
    builder_.settle(results);
    for (const auto& [v, gradient] : n.results()) add(v, gradient);
  }

  static void apply_rule(const Node& node, ops::Gradient& n) {
    if (!node.op->gradient)
      throw OpError("no-gradient", "",
                    fmt::format("{} has no derivative in onnxc", describe(node).text()));
    try {
      node.op->gradient(n);
    } catch (const OpError& e) {
      const std::string field = e.field.empty() ? "" : ", " + e.field;
      throw OpError(e.id, "", fmt::format("{}{}: {}", describe(node).text(), field, e.what()));
    }
    for (const Value* v : n.wanted())
      if (!n.is_answered(*v))
        throw OpError("no-gradient", "",
                      fmt::format("{} has no derivative by {} in onnxc", describe(node).text(),
                                  quoted(v->name)));
  }

  ops::NodeBuilder& builder_;
  ValueSet active_;  // depend on xs
  std::unordered_map<const Value*, Value*> gradients_;
};

}  // namespace

std::vector<Value*> vjp(ops::NodeBuilder& builder, const std::vector<ops::Cotangent>& cotangents,
                        const std::vector<Value*>& xs, const std::vector<Value*>& cuts) {
  ValueSet all(xs.begin(), xs.end());
  all.insert(cuts.begin(), cuts.end());
  ReverseMode reverse(builder, xs);
  reverse.run(cotangents, all);
  std::vector<Value*> gradients;
  for (const Value* v : xs) gradients.push_back(reverse.gradient_of(v));
  return gradients;
}

}  // namespace onnxc::passes
