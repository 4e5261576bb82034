// ReduceProd: product over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_prod {
namespace {

// The product of the other elements, exact where elements are 0.
void gradient(Gradient& n) {
  const ElemType elem = n.x().type().elem;
  const Term is_zero = n.x() == 0.0, others = choose(is_zero, 1.0, n.x());
  const Term product = reduced_likewise(n, "ReduceProd", others);
  const Term zeros = reduced_likewise(n, "ReduceSum", convert(is_zero, elem));
  const Term for_zero = choose(zeros == 1.0, product, 0.0);
  const Term for_other = choose(zeros == 0.0, product / others, 0.0);
  n.dx(0, with_reduced_axes(n, n.dy()) * choose(is_zero, for_zero, for_other));
}

constexpr Op rows[] = {reduction<onnxc::reduce_op::Prod>(kReduced, {
                                                                       .name = "ReduceProd",
                                                                       .versions = "1 11 13 18",
                                                                       .gradient = gradient,
                                                                   })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_prod
