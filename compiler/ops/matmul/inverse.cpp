// com.microsoft Inverse: the inverses of square matrices.
#include <numeric>

#include "compiler/kernels/matmul_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::inverse {
namespace {

void infer(Infer& n) {
  if (!n.has_rank(0)) return infer_like_first(n);
  const Shape& x = n.shape(0);
  n.require(x.size() >= 2, input_field(0, "X"), "rank {}, needs at least 2", x.size());
  n.same(x[x.size() - 2], x.back(), input_field(0, "X"));
  infer_like_first(n);
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const Dim& size = x.back();
  const ElemType sum = n.elem(0) == ElemType::float64 ? ElemType::float64 : ElemType::float32;
  Call call = n.call("inverse", SquareMatricesShape<Dim>{product(x, 0, x.size() - 2), size});
  call.in(0).out(0).write(n.scratch(sum, Dim::max(size * size * 2, 1)));
}

// -Y^T dY Y^T
void gradient(Gradient& n) {
  std::vector<std::int64_t> perm(n.shape(0).size());
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm.back(), perm[perm.size() - 2]);
  const Term y = permute(n.y(), perm);
  n.dx(0, -matmul(matmul(y, n.dy()), y));
}

constexpr Op rows[] = {contrib({
    .name = "Inverse",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: classic_floats",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::inverse
