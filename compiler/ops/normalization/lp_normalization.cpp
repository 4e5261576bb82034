// LpNormalization: divides slices along one axis by their L1 or L2 norm.
#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::lp_normalization {
namespace {

std::int64_t order(const NodeView& n) {
  const std::int64_t p = n.attr_int("p");
  n.require(p == 1 || p == 2, "attribute \"p\"", "{} is neither 1 nor 2", p);
  return p;
}

void infer(Infer& n) {
  infer_like_first(n);
  order(n);
  if (n.has_rank(0)) n.axis(n.attr_int("axis"), n.rank(0), "attribute \"axis\"");
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const std::size_t axis = n.axis(n.attr_int("axis"), x.size());
  n.call("lp_normalize", LpNormalizeShape<Dim>{product(x, 0, axis), x[axis],
                                               product(x, axis + 1, x.size()), order(n)})
      .in(0)
      .out(0);
}

// y = x / norm; 0 where the norm is 0.
void gradient(Gradient& n) {
  const Term axis = n.list({n.attr_int("axis")});
  const bool squares = order(n) == 2;
  const Term norm = n.emit(squares ? "ReduceL2" : "ReduceL1", {n.x(), axis});
  const Term none = norm == 0.0;
  const Term along = n.emit("ReduceSum", {n.dy() * n.y(), axis});
  const Term direction = squares ? n.y() : apply("Sign", n.x());
  n.dx(0, choose(none, 0.0, (n.dy() - direction * along) / choose(none, 1.0, norm)));
}

constexpr Op rows[] = {{
    .name = "LpNormalization",
    .versions = "1 22",
    .inputs = "input:T",
    .outputs = "output:T",
    .types = "T: floats",
    .attributes = "axis:int=-1 p:int=2",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::lp_normalization
