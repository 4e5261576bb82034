// If: runs one of two subgraphs.
#include "compiler/ir/clone.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/random/seed.hpp"
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops::if_else {
namespace {

// Type and contents: the nodes after the If may need an axis or a size that the branch determines.
void take_result(Infer& n, std::size_t i, const Value& result) {
  if (!n.has_output(i)) return;
  n.output(i, result.type);
  Value& v = *n.mutable_node().outputs[i];
  v.constant = result.constant;
  v.extent = result.extent;
  v.partial_extent = result.partial_extent;
  v.before_rounding = result.before_rounding;
}

bool is_placeholder(const Type& declared) {
  return declared.is_tensor() && declared.shape && declared.rank() == 0;
}

// A declared shape has to fit both branches. Of an inner value it is a hint, and so is none that
// stands for an unknown one.
void check_declared(Infer& n, std::size_t i, const Graph& then_body, const Graph& else_body) {
  if (!n.has_output(i) || !n.output_value(i).declared) return;
  const Type declared = *n.output_value(i).declared;
  const Type &a = then_body.outputs[i]->type, &b = else_body.outputs[i]->type;
  if (compatible(a, b) || (compatible(declared, a) && compatible(declared, b))) return;
  const std::string field = fmt::format("output {} {}", i, quoted(n.output_value(i).name));
  n.require(!n.is_model_output(i) || is_placeholder(declared), field,
            "is declared {}, the branches give {} and {}", declared.to_string(), a.to_string(),
            b.to_string());
  n.warn("declared-type", field,
         fmt::format("is declared {}, the branches give {} and {}, which count",
                     declared.to_string(), a.to_string(), b.to_string()));
  n.clear_declared(i);
}

// A size that differs is at most the larger one.
void bound_by_larger(Infer& n, const Type& a, const Type& b, const Type& joined) {
  if (!a.has_rank() || !b.has_rank() || !joined.has_rank()) return;
  for (std::size_t k = 0; k < joined.rank(); ++k) {
    const Dim &x = (*a.shape)[k], &y = (*b.shape)[k], &either = (*joined.shape)[k];
    if (either == x || either == y) continue;
    if (const auto name = either.as_symbol())
      n.graph().root().ranges[*name].at_most = Dim::max(x, y);
  }
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
  if (const Tensor* condition = n.constant(0)) {
    n.require(condition->size() == 1, "input 0 \"cond\"", "needs one element");
    // The branch that is not taken may be invalid for the actual sizes: they can be the reason why
    // it is not taken.
    Graph& taken = condition->to_int64s()[0] != 0 ? then_body : else_body;
    n.infer_body(taken);
    for (std::size_t i = 0; i < n.output_count(); ++i) take_result(n, i, *taken.outputs[i]);
    return;
  }
  if (n.has_rank(0))
    for (const Dim& d : n.shape(0)) {
      n.require(!d.is_const() || d.is(1), "input 0 \"cond\"", "needs one element");
      n.same(d, 1, "input 0 \"cond\"");
    }
  n.infer_body(then_body);
  n.infer_body(else_body);
  for (std::size_t i = 0; i < n.output_count(); ++i) check_declared(n, i, then_body, else_body);
  for (std::size_t i = 0; i < n.output_count(); ++i) {
    const Type &a = then_body.outputs[i]->type, &b = else_body.outputs[i]->type;
    Type joined = join(n, a, b, fmt::format("output {}", i));
    bound_by_larger(n, a, b, joined);
    n.output(i, std::move(joined));
  }
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

// A branch that computes the results again and the derivatives by the wanted values.
std::shared_ptr<Graph> derivative_of(Gradient& n, Graph& branch) {
  keep_streams(branch);
  auto body = copy_graph(branch, n.builder().graph(), {});
  const std::vector<Value*> results = body->outputs;
  const auto inside = n.builder().inside(*body);
  std::vector<Cotangent> cotangents;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (n.has_dy(i)) {
      const Type &have = results[i]->type, &want = n.dy(i).type();
      if (have.has_rank() && want.has_rank() && have.rank() != want.rank())
        n.refuse(0, "the branches give results of different ranks, which have no derivative");
      cotangents.push_back({results[i], n.dy(i)});
    }
  std::vector<Value*> gradients = inside->vjp(cotangents, n.wanted());
  for (std::size_t i = 0; i < gradients.size(); ++i)
    if (!gradients[i]) gradients[i] = inside->filled(0, n.wanted()[i]);
  body->outputs = gradients;
  return body;
}

void gradient(Gradient& n) {
  NodeBuilder& b = n.builder();
  const auto results = b.add(*n.node().op, {n.x(0)}, n.wanted().size(),
                             {{"then_branch", derivative_of(n, n.attr_graph("then_branch"))},
                              {"else_branch", derivative_of(n, n.attr_graph("else_branch"))}});
  for (std::size_t i = 0; i < results.size(); ++i) n.dx_of(*n.wanted()[i], b.term(results[i]));
}

constexpr Op rows[] = {{
    .name = "If",
    .versions = "1 11 13 16 19 21 23 24 25",
    .inputs = "cond:bool",
    .outputs = "outputs:any~",
    .attributes = "then_branch:graph! else_branch:graph!",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::if_else
