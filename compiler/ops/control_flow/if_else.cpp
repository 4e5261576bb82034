// If: runs one of two subgraphs.
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops::if_else {
namespace {

void infer(Infer& n) {
  Graph& then_body = n.attr_graph("then_branch");
  Graph& else_body = n.attr_graph("else_branch");
  for (const Graph* body : {&then_body, &else_body}) {
    n.require(body->inputs.empty(), "attribute \"then_branch\" or \"else_branch\"",
              "a branch has no inputs");
    n.require(body->outputs.size() == n.output_count(), "outputs", "{} for a branch that gives {}",
              n.output_count(), body->outputs.size());
  }
  if (const Tensor* condition = n.constant(0)) {
    n.require(condition->size() == 1, "input 0 \"cond\"", "needs one element");
    // The branch that is not taken may be invalid for the actual sizes: they can be the reason why
    // it is not taken.
    Graph& taken = condition->to_int64s()[0] != 0 ? then_body : else_body;
    n.infer_body(taken);
    for (std::size_t i = 0; i < n.output_count(); ++i) n.output(i, taken.outputs[i]->type);
    return;
  }
  if (n.has_rank(0))
    for (const Dim& d : n.shape(0)) {
      n.require(!d.is_const() || d.is(1), "input 0 \"cond\"", "needs one element");
      n.same(d, 1, "input 0 \"cond\"");
    }
  n.infer_body(then_body);
  n.infer_body(else_body);
  for (std::size_t i = 0; i < n.output_count(); ++i)
    n.output(i, join(n, then_body.outputs[i]->type, else_body.outputs[i]->type,
                     fmt::format("output {}", i)));
}

void lower_branch(Lower& n, const Graph& body) {
  n.lower_body(body);
  for (std::size_t i = 0; i < n.output_count(); ++i) {
    if (!n.has_output(i)) continue;
    const Type &from = body.outputs[i]->type, &to = n.output_value(i).type;
    const bool other_rank =
        from.is_tensor() && from.has_rank() && to.has_rank() && from.rank() != to.rank();
    // The nodes after the If fit only the rank of the other branch.
    if (other_rank)
      n.check_sizes({Relation{static_cast<std::int64_t>(from.rank()),
                              static_cast<std::int64_t>(to.rank()), false}});
    else
      copy_joined(n, n.buffer_of(*body.outputs[i]), n.out(i));
  }
}

void lower(Lower& n) {
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
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::if_else
