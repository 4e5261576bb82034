// LRN: local response normalisation: divides by a power of the sum of squares of neighbouring
// channels.
#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

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

// The sum over the channels around each one, of [N, C, ...]; backwards, over those whose sums
// contain it.
Term sum_around(const Gradient& n, Term v, bool backwards) {
  const std::int64_t count = size(n), before = (count - 1) / 2, after = count - 1 - before;
  const Term rows = n.emit("Unsqueeze", {n.emit("Reshape", {v, n.list({0, 0, -1})}), n.list({1})});
  const std::vector<std::int64_t> pads = {backwards ? after : before, 0, backwards ? before : after,
                                          0};
  const Term means = n.emit("AveragePool", {rows},
                            {{"kernel_shape", std::vector<std::int64_t>{count, 1}},
                             {"pads", pads},
                             {"count_include_pad", std::int64_t{1}}});
  return n.builder().reshape(means * static_cast<double>(count), v);
}

// y = x * base^-beta, base = bias + alpha / size * sum of squares.
void gradient(Gradient& n) {
  n.shape(0);
  const double factor = double{n.attr_float("alpha")} / static_cast<double>(size(n));
  const double beta = double{n.attr_float("beta")};
  const Term squares = sum_around(n, n.x() * n.x(), false);
  const Term base = squares * factor + double{n.attr_float("bias")};
  const Term scaled = n.dy() * n.emit("Pow", {base, n.scalar(-beta)});
  const Term shared = sum_around(n, scaled * n.x() / base, true);
  n.dx(0, scaled - n.x() * shared * (2 * factor * beta));
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
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::lrn
