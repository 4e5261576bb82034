// MatMul: matrix product with NumPy's rules for vectors and batches.
#include <limits>
#include <span>

#include "compiler/ops/axes.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/matmul/matmul_shape.hpp"
#include "compiler/ops/packing.hpp"

namespace onnxc::ops::mat_mul {
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

// Y = A B: dA = dY B^T and dB = A^T dY.
void gradient_of_matmul(Gradient& n) {
  Term a = n.x(0), b = n.x(1), dy = n.dy();
  const bool a_is_row = n.shape(0).size() == 1, b_is_column = n.shape(1).size() == 1;
  // The column first: the row is the last axis but one only next to it.
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

void infer(Infer& n) { infer_matmul(n, n.elem(0), 0, 1); }

// One matrix B for the whole batch: all rows of A form one product.
bool lower_packed(Lower& n, const MatMul& m) {
  const Tensor* b = n.constant(1);
  if (n.elem(0) != ElemType::float32 || !b || b->dims().size() > 2) return false;
  if (b->dims().size() == 1 && !n.node().body.empty()) return false;
  const Dim rows = product(m.batch) * m.m;
  const Tile tile = choose_tile(n.target(), m.n, LeftRows{rows, m.k});
  Tensor w = pack_gemm(*b, m.k.value(), m.n.value(), false, 1.0f, tile.panel);
  lower_packed_product(n, {rows, m.k, m.n, tile, compress_to_half(std::move(w), n.target())});
  return true;
}

template <class T>
Tensor tensor_of(ElemType elem, const std::vector<T>& values) {
  return Tensor::of<T>(elem, {static_cast<std::int64_t>(values.size())}, values);
}

// Of each column of B its first row and its count of rows, from the first to the last that is not
// zero.
std::vector<std::uint16_t> bands_of(std::span<const float> b, std::size_t rows,
                                    std::size_t columns) {
  std::vector<std::uint16_t> bands;
  for (std::size_t j = 0; j < columns; ++j) {
    std::size_t first = 0, end = rows;
    while (end > 0 && b[(end - 1) * columns + j] == 0) --end;
    while (first < end && b[first * columns + j] == 0) ++first;
    bands.push_back(static_cast<std::uint16_t>(end > first ? first : 0));
    bands.push_back(static_cast<std::uint16_t>(end - first));
  }
  return bands;
}

// A matrix B with few rows in each column, as the filters of a mel scale: where memory is small,
// most of what it takes would be zeros. A zero times infinity is left out, too.
bool lower_banded(Lower& n, const MatMul& m) {
  const Tensor* b = n.constant(1);
  if (n.elem(0) != ElemType::float32 || !b || b->dims().size() != 2) return false;
  if (!n.target().small_memory || n.options().strict_fp || b->size() == 0) return false;
  const auto rows = static_cast<std::size_t>(b->dims()[0]);
  const auto columns = static_cast<std::size_t>(b->dims()[1]);
  if (rows > std::numeric_limits<std::uint16_t>::max()) return false;
  const std::span<const float> weights = b->as<float>();
  const std::vector<std::uint16_t> bands = bands_of(weights, rows, columns);
  std::vector<float> kept;
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < bands[2 * j + 1]; ++i)
      kept.push_back(weights[(bands[2 * j] + i) * columns + j]);
  if (kept.empty() || kept.size() > weights.size() / 4) return false;
  Call call = n.call("gemm_banded", DenseGemmShape<Dim>{product(m.batch) * m.m, m.k, m.n});
  call.in(0)
      .read(n.constant(tensor_of<std::uint16_t>(ElemType::uint16, bands), "bands"))
      .read(n.constant(tensor_of<float>(ElemType::float32, kept), "w"))
      .out(0);
  add_epilogue(call, n);
  call.macs(product(m.batch) * m.m * Dim(static_cast<std::int64_t>(kept.size())));
  return true;
}

void lower(Lower& n) {
  const MatMul m = read_matmul(n, 0, 1);
  if (lower_banded(n, m) || lower_packed(n, m)) return;
  DynamicProduct dynamic;
  if (n.shape(1).size() > 1 && collapse_batch(m, dynamic) && lower_dynamic(n, dynamic, nullptr))
    return;
  // If B is a vector, the last axis of the result runs over the rows of A.
  const bool swap = n.shape(1).size() == 1;
  const BufferId panel = product_panel(n, swap ? Dim(1) : m.m, m.k);
  const AddedMatrix<Dim> none = {.c_row = 0, .c_column = 0, .alpha = 1, .beta = 0};
  MatMulNdShape<Dim> shape = {{m.batch, m.a_batch, m.b_batch}, plain_matrices(m), none};
  if (swap) shape = {{m.batch, m.b_batch, m.a_batch}, {1, m.k, m.m, 0, 1, 1, m.k}, none};
  Call call = n.call("matmul_nd", shape);
  call.template_arg(std::to_string(m.batch.size()));
  call.in(swap ? 1 : 0).in(swap ? 0 : 1).null(n.elem(0));
  add_panel(call, panel, n.elem(0)).out(0).epilogue();
  call.macs(n.macs());
}

void axes(Axes& n) { axes_matmul(n, 0, 1); }

constexpr Op rows[] = {{
    .name = "MatMul",
    .versions = "1 9 13",
    .inputs = "A:T B:T",
    .outputs = "Y:T",
    .types = "T: floats uint32 uint64 int32 int64",
    .infer = infer,
    .axes = axes,
    .lower = lower,
    .macs = matmul_macs<0>,
    .epilogue = Epilogue::channel_is_last_axis,
    .gradient = gradient_of_matmul,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mat_mul
