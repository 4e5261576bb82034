// onnxc::AlignAxis: appends axes of extent 1 so that the first axis of `data` aligns with `axis` of
// `like`: the broadcasting of opsets 1 to 6.
#include "compiler/ops/fold.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::align_axis {
namespace {

void infer(Infer& n) {
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, n.elem(0), std::nullopt);
  const std::size_t axis = n.axis(n.attr_int("axis"), n.rank(1), "attribute \"axis\"");
  n.require(axis + n.rank(0) <= n.rank(1), "attribute \"axis\"",
            "{} leaves no room for the {} axes of input 1", axis, n.rank(0));
  Shape shape = n.shape(0);
  shape.resize(n.rank(1) - axis, Dim(1));
  n.output(0, n.elem(0), shape);
}

void fold(Fold& n) { n.out(0, n.in(0).reshaped(n.out_dims(0))); }

void lower(Lower& n) { n.alias(0, 0); }

void gradient(Gradient& n) {
  n.zero(1);
  n.dx(0, n.builder().reshape(n.dy(), n.x(0)));
}

constexpr Op rows[] = {{.name = "AlignAxis",
                        .domain = "onnxc",
                        .versions = "1",
                        .inputs = "data:T like:T",
                        .outputs = "output:T",
                        .types = "T: all",
                        .attributes = "axis:int!",
                        .infer = infer,
                        .fold = fold,
                        .lower = lower,
                        .gradient = gradient}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::align_axis
