// check_tensor_sizes: refuses tensors that no machine can hold, so that later passes need no checks
// for them. Requires: inferred types. Produces: every static tensor fits the limit. Leaves alone:
// the graph.
#include <fmt/format.h>

#include "compiler/passes/pass.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::passes {
namespace {

void check(const Value& value, const Location& where, PassContext& context) {
  const std::int64_t limit = context.options.limits.tensor_bytes;
  if (!value.type.is_static()) return;
  const std::string place = where + " " + quoted(value.name);
  try {
    const std::int64_t bytes = checked_mul(checked_product(fixed(*value.type.shape)),
                                           static_cast<std::int64_t>(elem_bytes(value.type.elem)));
    if (bytes > limit)
      context.diagnostics.error("too-large", place,
                                fmt::format("{} takes {} bytes, over the limit of {}; --max-tensor",
                                            value.type.to_string(), bytes, limit));
  } catch (const OverflowError& e) {
    context.diagnostics.error("too-large", place, value.type.to_string() + ": " + e.what());
  }
}

}  // namespace

void check_tensor_sizes(Graph& graph, PassContext& context) {
  for (const Value* v : graph.inputs) check(*v, "input", context);
  for (const auto& node : graph.nodes) {
    for (const Value* v : node->outputs)
      if (v) check(*v, describe(*node) + ", output", context);
    for (auto& [name, attribute] : node->attributes)
      if (const auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute))
        check_tensor_sizes(**body, context);
  }
}

}  // namespace onnxc::passes
