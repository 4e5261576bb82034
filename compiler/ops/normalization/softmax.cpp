// Softmax and LogSoftmax: exp(x) divided by its sum along one axis, and the logarithm of that.
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/normalization/softmax_lowering.hpp"

namespace onnxc::ops::softmax {
namespace {

void lower_plain(Lower& n) { lower_softmax(n, false); }
void lower_logarithm(Lower& n) { lower_softmax(n, true); }

Term sum_along_axis(const Gradient& n, Term v) { return sum_over(v, {n.attr_int("axis")}, true); }

void gradient_of_plain(Gradient& n) {
  const Term weighted = n.dy() * n.y();
  n.dx(0, weighted - n.y() * sum_along_axis(n, weighted));
}

void gradient_of_logarithm(Gradient& n) {
  n.dx(0, n.dy() - apply("Exp", n.y()) * sum_along_axis(n, n.dy()));
}

constexpr Op row_of(std::string_view name, void (*lower)(Lower&), void (*gradient)(Gradient&)) {
  return {
      .name = name,
      .versions = "1 11 13",
      .inputs = "input:T",
      .outputs = "output:T",
      .types = "T: floats",
      .attributes = "axis:int=-1",
      .upgrade = upgrade_softmax,
      .infer = infer_softmax,
      .lower = lower,
      .sweep = true,
      .gradient = gradient,
  };
}

constexpr Op rows[] = {row_of("Softmax", lower_plain, gradient_of_plain),
                       row_of("LogSoftmax", lower_logarithm, gradient_of_logarithm)};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::softmax
