// onnxc::Scalar: the one value of a tensor, which may have axes of extent 1, without axes.
// Element-wise operators broadcast only what has no more axes than their result.
#include "compiler/ops/fold.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::scalar {
namespace {

// "field" names the parameter in messages.
void infer(Infer& n) {
  n.one_value(0, n.attr_string("field"));
  if (!n.has_rank(0) || n.rank(0) > 0) return n.output(0, n.elem(0), Shape{});
  Node& node = n.mutable_node();
  node.op = &get("Identity");
  node.attributes.clear();
  node.op->infer(n);
}

void fold(Fold& n) { n.out(0, n.in(0).reshaped({})); }

void lower(Lower& n) { n.alias(0, 0); }

void gradient(Gradient& n) { n.dx(0, n.builder().reshape(n.dy(), n.x(0))); }

constexpr Op rows[] = {internal({
    .name = "Scalar",
    .inputs = "data:T",
    .outputs = "output:T",
    .types = "T: all",
    .attributes = "field:string!",
    .infer = infer,
    .fold = fold,
    .lower = lower,
    .gradient = gradient,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::scalar
