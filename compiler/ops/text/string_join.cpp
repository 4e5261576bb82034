// StringJoin: joins strings along an axis, with a separator between them.
#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/extension.hpp"

namespace onnxc::ops::string_join {
namespace {

std::size_t axis_of(const NodeView& n, std::size_t rank) {
  const auto axis = n.ints(2);
  if (!axis || axis->size() != 1)
    n.unsupported("input 2 \"axis\"", "an axis that is known only at run time");
  const std::int64_t at = (*axis)[0];
  n.require(at >= 0 && at < static_cast<std::int64_t>(rank), "input 2 \"axis\"",
            "{} is not in [0, {})", at, rank);
  return static_cast<std::size_t>(at);
}

void infer(Infer& n) {
  n.one_value(1, "input 1 \"sep\"");
  if (!n.has_rank(0)) return n.output(0, ElemType::string, std::nullopt);
  Shape out = n.shape(0);
  if (out.size() > 1)
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis_of(n, out.size())));
  else
    out = {1};
  n.output(0, ElemType::string, out);
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  Dim outer = 1, inner = 1, joined = 1;
  const std::size_t axis = x.empty() ? 0 : axis_of(n, x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    Dim& d = i < axis ? outer : i == axis ? joined : inner;
    d = d * x[i];
  }
  n.call("string_join", StringJoinShape<Dim>{outer, joined, inner}).in({0, 1}).out(0).heap();
}

constexpr Op rows[] = {extension({.name = "StringJoin",
                                  .inputs = "X:string sep:string axis:int64",
                                  .outputs = "Y:string",
                                  .limits = "an axis that is known only at run time",
                                  .infer = infer,
                                  .lower = lower})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::string_join
