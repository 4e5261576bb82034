// dA and dB of a matrix product, by products with transposed operands.
#include "compiler/ops/matmul/matmul_gradient.hpp"

namespace onnxc::ops {
namespace {

Term transposed(Term v) {
  const auto rank = static_cast<std::int64_t>(v.type().rank());
  std::vector<std::int64_t> perm;
  for (std::int64_t i = 0; i < rank; ++i) perm.push_back(i);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return permute(v, perm);
}

Term with_axis(const Gradient& n, Term v, std::int64_t axis) {
  return n.emit("Unsqueeze", {v, n.list({axis})});
}

Term rows_of(const Gradient& n, Term v) {
  return v.type().rank() == 2 ? v : n.emit("Flatten", {v}, {{"axis", std::int64_t{-1}}});
}

// B has no batch: one product each, over the rows of all matrices of A.
void by_rows(Gradient& n, Term a, Term b, Term dy) {
  const Term rows = rows_of(n, dy);
  if (n.wants(0)) {
    const Term da = n.emit("Gemm", {rows, b}, {{"transB", std::int64_t{1}}});
    n.dx(0, n.builder().reshape(da, n.x(0)));
  }
  if (n.wants(1)) {
    const Term db = n.emit("Gemm", {rows_of(n, a), rows}, {{"transA", std::int64_t{1}}});
    n.dx(1, n.builder().reshape(db, n.x(1)));
  }
}

}  // namespace

void gradient_of_matmul(Gradient& n) {
  Term a = n.x(0), b = n.x(1), dy = n.dy();
  const bool a_is_row = n.shape(0).size() == 1, b_is_column = n.shape(1).size() == 1;
  // The column first: the row is the last axis but one only beside it.
  if (b_is_column) b = with_axis(n, b, 1), dy = with_axis(n, dy, -1);
  if (a_is_row) a = with_axis(n, a, 0), dy = with_axis(n, dy, -2);
  if (b.type().rank() == 2) return by_rows(n, a, b, dy);
  if (n.wants(0)) {
    const Term da = n.builder().sum_to(matmul(dy, transposed(b)), *a.value);
    n.dx(0, n.builder().reshape(da, n.x(0)));
  }
  if (n.wants(1)) {
    const Term db = n.builder().sum_to(matmul(transposed(a), dy), *b.value);
    n.dx(1, n.builder().reshape(db, n.x(1)));
  }
}

}  // namespace onnxc::ops
