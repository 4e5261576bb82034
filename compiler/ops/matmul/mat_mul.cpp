// MatMul: matrix product with NumPy's rules for vectors and batches.
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/matmul/matmul_gradient.hpp"
#include "compiler/ops/matmul/matmul_shape.hpp"
#include "compiler/ops/packing.hpp"

namespace onnxc::ops::mat_mul {
namespace {

void infer(Infer& n) { infer_matmul(n, n.elem(0), 0, 1); }

// One matrix B for the whole batch: all rows of A form one product.
bool lower_packed(Lower& n, const MatMul& m) {
  const Tensor* b = n.constant(1);
  if (n.elem(0) != ElemType::float32 || !b || b->dims().size() > 2) return false;
  if (b->dims().size() == 1 && !n.node().body.empty()) return false;
  const Dim rows = product(m.batch) * m.m;
  const Tile tile = choose_tile(n.target(), m.n);
  Tensor w = pack_gemm(*b, m.k.value(), m.n.value(), false, 1.0f, tile.panel);
  lower_packed_product(n, {rows, m.k, m.n, tile, compress_to_half(std::move(w), n.target())});
  return true;
}

void add_swapped(Call& call, const MatMul& m) {
  call.dims("batch", m.batch).dims("a_batch", m.b_batch).dims("b_batch", m.a_batch);
  call.dim("m", 1).dim("k", m.k).dim("n", m.m);
  call.dim("a_row", 0).dim("a_column", 1).dim("b_row", 1).dim("b_column", m.k);
}

void lower(Lower& n) {
  const MatMul m = read_matmul(n, 0, 1);
  if (lower_packed(n, m)) return;
  DynamicProduct dynamic;
  if (n.shape(1).size() > 1 && collapse_batch(m, dynamic) && lower_dynamic(n, dynamic, nullptr))
    return;
  // If B is a vector, the last axis of the result runs over the rows of A.
  const bool swap = n.shape(1).size() == 1;
  const BufferId panel = product_panel(n, swap ? Dim(1) : m.m, m.k);
  Call call = n.call("matmul_nd");
  call.template_arg(std::to_string(m.batch.size()));
  if (swap)
    add_swapped(call, m);
  else
    add_matmul(call, m);
  call.dim("c_row", 0).dim("c_column", 0).real("alpha", 1).real("beta", 0);
  call.in(swap ? 1 : 0).in(swap ? 0 : 1).null(n.elem(0));
  add_panel(call, panel, n.elem(0)).out(0).epilogue();
  call.macs(n.macs());
}

constexpr Op rows[] = {{
    .name = "MatMul",
    .versions = "1 9 13",
    .inputs = "A:T B:T",
    .outputs = "Y:T",
    .types = "T: floats uint32 uint64 int32 int64",
    .infer = infer,
    .lower = lower,
    .macs = matmul_macs<0>,
    .epilogue = Epilogue::channel_is_last_axis,
    .gradient = gradient_of_matmul,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mat_mul
