// infer_shapes: gives every value its type and shape, and evaluates constants.
// Needs: an imported, upgraded graph in topological order. Gives: types; constants for nodes with
// constant inputs. Never touches: the list of nodes (folded ones become dead), except for an If
// with a constant condition or with branches of different ranks, and for a Loop that changes a
// rank.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/infer.hpp"
#include "compiler/passes/infer/fold_constants.hpp"
#include "compiler/passes/infer/inline_taken_branch.hpp"
#include "compiler/passes/infer/learn_limits.hpp"
#include "compiler/passes/infer/peel_loop.hpp"
#include "compiler/passes/infer/resolve_branch_ranks.hpp"
#include "compiler/passes/pass.hpp"
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

// A body, and a node whose position a pass has changed, is inferred more than once.
void warn_once(const Node& node, const ops::Infer::Warning& w, Diagnostics& diagnostics) {
  const std::string where = describe(node) + ", " + w.field;
  const auto same = [&](const Diagnostic& d) { return d.id == w.id && d.where == where; };
  if (std::none_of(diagnostics.all().begin(), diagnostics.all().end(), same))
    diagnostics.warning(w.id, where, w.message);
}

void infer_node(Node& node, Graph& graph, PassContext& context) {
  check_types(node);
  ops::Infer infer(node, graph, [&](Graph& body) { infer_shapes(body, context); });
  if (node.op->infer) node.op->infer(infer);
  for (const auto& w : infer.warnings()) warn_once(node, w, context.diagnostics);
  for (Value* v : node.outputs)
    if (v) settle(*v);
  fold_node(node);
}

}  // namespace

void infer_shapes(Graph& graph, PassContext& context) {
  std::size_t learned = 0;
  // By index: an operator may append values, but not nodes; only an If may be replaced by others.
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Node* const node = graph.nodes[i].get();
    const auto report = [&](const std::string& id, const std::string& field, const char* what) {
      context.diagnostics.error(id, describe(*node) + (field.empty() ? "" : ", " + field), what);
    };
    try {
      // A body may be inferred again for other dimensions, so its values are not final yet.
      if (!graph.parent && inline_taken_branch(graph, i)) {
        --i;
        continue;
      }
      infer_node(*node, graph, context);
      // The relations of a body hold only where it runs.
      if (!graph.parent) learned = learn_limits(graph, learned);
      const auto fits = [&](Graph& trial) {
        Diagnostics unheard;
        PassContext inner{context.options, context.target, unheard};
        infer_shapes(trial, inner);
        return !unheard.has_errors();
      };
      if (resolve_branch_ranks(graph, i, fits) || peel_loop(graph, i, fits)) --i;
    } catch (const OpError& e) {
      report(e.id, e.field, e.what());
    } catch (const SymbolicExtent& e) {
      report("dynamic-dim", "", e.what());
    } catch (const OverflowError& e) {
      report("overflow", "", e.what());
    }
  }
}

}  // namespace onnxc::passes
