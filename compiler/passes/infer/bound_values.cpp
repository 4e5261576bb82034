// Sizes of results that the caller fixed or bounded with --dim: by the name that a result's shape
// is declared with, or by the result's own name and an axis. What decides about such a size is
// known only at run time, where the bound is checked.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/size_names.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/passes/infer/infer.hpp"

namespace onnxc::passes {
namespace {

bool is_symbol_of(const std::vector<Value*>& values, const std::string& name) {
  return std::any_of(values.begin(), values.end(), [&](const Value* v) {
    if (!v->type.shape) return false;
    std::vector<std::string> names;
    for (const Dim& d : *v->type.shape) d.collect_symbols(names);
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

void bound(ops::Infer& n, Dim& d, const ValueBound& b, const std::string& field) {
  if (d.is_const()) {
    if (d.value() < b.low || d.value() > b.high)
      throw OpError(
          "bad-dim", field,
          fmt::format("axis {} is always {}, not {}..{}", b.axis, d.value(), b.low, b.high));
    return;
  }
  Graph& root = n.graph().root();
  if (b.low == b.high) {
    d = n.same(d, b.low, field);
    return;
  }
  // A name for an expression has a bound of its own.
  if (!d.as_symbol()) {
    const Dim symbol = n.unknown_extent(d);
    root.definitions.emplace_back(*symbol.as_symbol(), d);
    d = symbol;
  }
  ExtentRange& range = root.ranges[*d.as_symbol()];
  range.low = std::max(range.low, b.low);
  range.high = range.high ? std::min(*range.high, b.high) : b.high;
}

// The same name in two branches means both values.
bool bound_inner_values(Graph& graph, const NamedAxis& axis, const ValueBound& bound) {
  bool found = false;
  for (const auto& node : graph.nodes)
    each_subgraph(*node, [&](Graph& body) {
      for (const auto& v : body.values)
        if (v->producer && v->name == axis.value) {
          graph.root().value_bounds[v->name].push_back(bound);
          found = true;
        }
      found |= bound_inner_values(body, axis, bound);
    });
  return found;
}

}  // namespace

bool bound_values(Graph& graph, const std::string& name, const DimRange& range) {
  bool found = false;
  const std::string symbol = symbol_of_name(name);
  const bool of_input = is_symbol_of(graph.inputs, symbol);
  const auto axis = named_axis(name);
  for (const auto& v : graph.values) {
    if (!v->producer) continue;
    std::vector<ValueBound>& bounds = graph.value_bounds[v->name];
    if (axis && v->name == axis->value) {
      bounds.push_back({axis->axis, range.low, range.high});
      found = true;
    }
    const Type& declared = v->declared ? *v->declared : v->type;
    for (std::size_t k = 0; !of_input && declared.shape && k < declared.rank(); ++k)
      if ((*declared.shape)[k].as_symbol() == symbol) {
        bounds.push_back({k, range.low, range.high});
        found = true;
      }
    if (bounds.empty()) graph.value_bounds.erase(v->name);
  }
  if (found || !axis) return found;
  return bound_inner_values(graph, *axis, {axis->axis, range.low, range.high});
}

void take_value_bounds(ops::Infer& n) {
  const auto& all = n.graph().root().value_bounds;
  if (all.empty()) return;
  for (std::size_t i = 0; i < n.output_count(); ++i) {
    if (!n.has_output(i)) continue;
    Value& v = *n.mutable_node().outputs[i];
    const auto bounds = all.find(v.name);
    if (bounds == all.end()) continue;
    const std::string field = fmt::format("output {}", quoted(v.name));
    for (const ValueBound& b : bounds->second) {
      if (!v.type.is_tensor() || !v.type.shape || b.axis >= v.type.rank())
        throw OpError("bad-dim", field,
                      fmt::format("--dim names axis {} of {}", b.axis, v.type.to_string()));
      bound(n, (*v.type.shape)[b.axis], b, field);
    }
  }
}

}  // namespace onnxc::passes
