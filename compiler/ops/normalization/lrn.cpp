// LRN: local response normalisation: divides by a power of the sum of squares of neighbouring
// channels.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"
#include "templates/normalization/normalization_calls.hpp"

namespace onnxc::ops::lrn {
namespace {

std::int64_t size(const NodeView& n) {
  const std::int64_t v = n.attr_int("size");
  n.require(v >= 1 && v < (std::int64_t{1} << 31), "attribute \"size\"", "{} is not positive", v);
  return v;
}

void infer(Infer& n) {
  infer_like_first(n);
  size(n);
  n.require(!n.has_rank(0) || n.rank(0) >= 2, input_field(0, "X"), "rank {}, needs at least 2",
            n.has_rank(0) ? n.rank(0) : 0);
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  Call call = n.call(
      "lrn", LrnShape<Dim>{x[0], x[1], product(x, 2, x.size()), size(n), n.attr_float("alpha"),
                           n.attr_float("beta"), n.attr_float("bias"), n.channels_last()});
  call.divisible().in(0).out(0);
}

LayoutRule layout(const Node& node) {
  return {.accepts = node.inputs[0]->type.elem == ElemType::float32};
}

constexpr Op rows[] = {{
    .name = "LRN",
    .versions = "1 13",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "alpha:float=0.0001 beta:float=0.75 bias:float=1 size:int!",
    .infer = infer,
    .lower = lower,
    .layout = layout,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::lrn
