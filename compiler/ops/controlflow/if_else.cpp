// If: runs one of two subgraphs.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::if_else {
namespace {

// What both branches agree on; an extent in which they differ is known only at run time.
Type common(Infer& n, const Type& a, const Type& b, std::size_t i) {
  const std::string field = fmt::format("output {}", i);
  n.require(a.kind == b.kind && a.elem == b.elem, field, "the branches give {} and {}",
            a.to_string(), b.to_string());
  if (!a.is_tensor() || !a.shape || !b.shape || a.rank() != b.rank())
    return a == b ? a : Type::tensor(a.elem);
  Shape shape;
  for (std::size_t k = 0; k < a.rank(); ++k)
    shape.push_back((*a.shape)[k] == (*b.shape)[k] ? (*a.shape)[k] : n.unknown_extent());
  return Type::tensor(a.elem, shape);
}

void infer(Infer& n) {
  Graph& then_body = n.attr_graph("then_branch");
  Graph& else_body = n.attr_graph("else_branch");
  for (const Graph* body : {&then_body, &else_body}) {
    n.require(body->inputs.empty(), "attribute \"then_branch\" or \"else_branch\"",
              "a branch has no inputs");
    n.require(body->outputs.size() == n.output_count(), "outputs", "{} for a branch that gives {}",
              n.output_count(), body->outputs.size());
  }
  n.infer_body(then_body);
  n.infer_body(else_body);
  const Tensor* condition = n.constant(0);
  for (std::size_t i = 0; i < n.output_count(); ++i) {
    const Type& a = then_body.outputs[i]->type;
    const Type& b = else_body.outputs[i]->type;
    if (condition && condition->size() == 1)
      n.output(i, condition->to_int64s()[0] != 0 ? a : b);
    else
      n.output(i, common(n, a, b, i));
  }
}

void lower_branch(Lower& n, const Graph& body) {
  n.lower_body(body);
  for (std::size_t i = 0; i < n.output_count(); ++i)
    if (n.has_output(i)) n.copy(n.buffer_of(*body.outputs[i]), n.out(i));
}

void lower(Lower& n) {
  n.require(n.shape(0).empty() || product(n.shape(0)).is(1), "input 0 \"cond\"",
            "needs one element");
  if (const Tensor* condition = n.constant(0)) {
    lower_branch(n, n.attr_graph(condition->to_int64s()[0] != 0 ? "then_branch" : "else_branch"));
    return;
  }
  n.open_if(n.in(0));
  lower_branch(n, n.attr_graph("then_branch"));
  n.open_else();
  lower_branch(n, n.attr_graph("else_branch"));
  n.close();
}

constexpr Op rows[] = {{
    .name = "If",
    .versions = "1 11 13 16 19 21 23 24 25",
    .inputs = "cond:bool",
    .outputs = "outputs:any~",
    .attributes = "then_branch:graph! else_branch:graph!",
    .limits = "branches of different shape, sequences, optionals",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::if_else
