// Types and constants of one node's results.
#include "compiler/passes/infer/infer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/older_signatures.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::passes {
namespace {

// Checks element types against the operator's constraints, and type variables against each other.
void check_types(const Node& node) {
  const ops::Signature& signature = ops::signature(*node.op);
  std::map<std::string_view, ElemType> bound;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value* v = node.inputs[i];
    const ops::Formal* formal = signature.input(i);
    if (!v || !formal || v->type.kind == Type::Kind::unknown || formal->var.empty()) continue;
    if (!v->type.is_tensor() || formal->container != Type::Kind::tensor) continue;
    const std::string field = fmt::format("input {} {}", i, quoted(v->name));
    const std::string_view found = info(v->type.elem).onnx_name;
    if (!contains(formal->mask, v->type.elem))
      throw OpError("unsupported-type", field,
                    fmt::format("{}; allowed: {}", found, ops::describe_mask(formal->mask)));
    if (formal->heterogeneous) continue;
    const auto [it, fresh] = bound.emplace(formal->var, v->type.elem);
    if (!fresh && it->second != v->type.elem)
      throw OpError(
          "type-mismatch", field,
          fmt::format("{}, but {} is already {}", found, formal->var, info(it->second).onnx_name));
  }
}

// Types that only a later version of the operator takes.
void check_types_of_version(const Node& node) {
  const ops::Signature* const older = ops::older_signature(*node.op, node.version);
  if (!older || node.op_type != node.op->name) return;
  const ops::Signature& newest = ops::signature(*node.op);
  for (std::size_t i = 0; i < node.unchanged_inputs; ++i) {
    const Value* const v = node.inputs[i];
    const ops::Formal *const then = older->input(i), *const now = newest.input(i);
    if (!v || !v->type.is_tensor() || v->type.elem == ElemType::undefined) continue;
    if (!then || !now || then->name != now->name || contains(then->mask, v->type.elem)) continue;
    throw OpError("unsupported-type", fmt::format("input {} {}", i, quoted(v->name)),
                  fmt::format("{}; {}-{} allows: {}", info(v->type.elem).onnx_name, node.op->name,
                              node.version, ops::describe_mask(then->mask)));
  }
}

void check_rank(const Value& v, int limit) {
  if (v.type.shape && v.type.rank() > static_cast<std::size_t>(limit))
    throw OpError("too-large", "output " + quoted(v.name),
                  fmt::format("rank {} is over the limit of {}; --max-rank", v.type.rank(), limit));
}

// Known integer contents of a static type become a constant.
void settle(Value& v) {
  if (v.constant || !v.extent || !v.type.is_static() || v.type.rank() > 1) return;
  std::vector<std::int64_t> numbers;
  for (const Dim& d : *v.extent) {
    if (!d.is_const()) return;
    numbers.push_back(d.value());
  }
  const auto dims = fixed(*v.type.shape);
  if (checked_product(dims) != static_cast<std::int64_t>(numbers.size())) return;
  if (v.type.elem == ElemType::int64) {
    v.constant = Tensor::ints(numbers).reshaped(dims);
  } else if (v.type.elem == ElemType::int32) {
    const std::vector<std::int32_t> narrow(numbers.begin(), numbers.end());
    v.constant = Tensor::of<std::int32_t>(ElemType::int32, dims, narrow);
  }
}

// Location sizes decide the rank, as for a Squeeze without axes, it is the only one that its
// readers take: it is checked at run time. An If may still give each rank readers of its own.
void take_needed_ranks(const Node& node, ops::Infer& infer) {
  bool has_bodies = false;
  each_subgraph(node, [&](const Graph&) { has_bodies = true; });
  for (std::size_t i = 0; i < node.outputs.size() && !has_bodies; ++i) {
    const Value* const v = node.outputs[i];
    if (!v || !v->type.is_tensor() || v->type.shape) continue;
    const auto rank = needed_rank(*v);
    if (!rank) continue;
    Shape shape(*rank);
    for (Dim& d : shape) d = infer.unknown_extent();
    infer.output(i, v->type.elem, std::move(shape));
  }
}

// A body, and a node whose position a pass has changed, is inferred more than once.
void warn_once(const Node& node, const ops::Infer::Warning& w, Diagnostics& diagnostics) {
  const Location where = describe(node) + ", " + w.field;
  constexpr std::ptrdiff_t kShown = 20;  // of a kind
  const auto& all = diagnostics.all();
  const auto same = [&](const Diagnostic& d) { return d.id == w.id && d.where == where; };
  const auto shown =
      std::count_if(all.begin(), all.end(), [&](const Diagnostic& d) { return d.id == w.id; });
  if (shown > kShown || std::any_of(all.begin(), all.end(), same)) return;
  if (shown < kShown) return diagnostics.warning(w.id, where, w.message);
  diagnostics.warning(w.id, "", "there are more of these");
}

}  // namespace

void infer_node(Node& node, Graph& graph, PassContext& context) {
  check_types(node);
  check_types_of_version(node);
  ops::Infer infer(node, graph, [&](Graph& body) { infer_shapes(body, context); });
  if (node.op->infer) node.op->infer(infer);
  take_needed_ranks(node, infer);
  take_value_bounds(infer);
  for (const auto& w : infer.warnings()) warn_once(node, w, context.diagnostics);
  for (Value* v : node.outputs) {
    if (!v) continue;
    check_rank(*v, context.options.limits.rank);
    settle(*v);
  }
  fold_node(node);
}

}  // namespace onnxc::passes
