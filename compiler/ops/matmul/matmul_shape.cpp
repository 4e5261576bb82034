// Shapes and strides of matrix products, and the call of gemm_dynamic.
#include "compiler/ops/matmul/matmul_shape.hpp"

#include <algorithm>

#include "compiler/ops/packing.hpp"
#include "compiler/ops/window.hpp"
#include "templates/matmul/gemm_dynamic.hpp"
#include "templates/matmul/matmul_nd.hpp"

namespace onnxc::ops {
namespace {

Shape batch_strides(const Shape& own, const Shape& batch, const Dim& matrix) {
  Shape strides(batch.size(), Dim(0));
  Dim stride = matrix;
  for (std::size_t i = own.size(); i-- > 0;) {
    const std::size_t at = batch.size() - own.size() + i;
    strides[at] = own[i] == batch[at] ? stride : Dim::broadcast_stride(own[i], stride);
    stride = stride * own[i];
  }
  return strides;
}

}  // namespace

MatMul read_matmul(const NodeView& n, std::size_t a_input, std::size_t b_input) {
  Shape a = *n.input(a_input).shape, b = *n.input(b_input).shape;
  n.require(!a.empty(), input_field(a_input, "A"), "rank 0, needs at least 1");
  n.require(!b.empty(), input_field(b_input, "B"), "rank 0, needs at least 1");
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), Dim(1));
  if (column) b.push_back(Dim(1));
  MatMul r;
  r.m = a[a.size() - 2];
  r.n = b.back();
  const Dim ka = a.back(), kb = b[b.size() - 2];
  n.require(!ka.is_const() || !kb.is_const() || ka == kb, "inputs",
            "A has {} columns, B has {} rows", ka.to_string(), kb.to_string());
  r.k = n.same(ka, kb, "inputs");
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  r.batch = r.out = broadcast(n, a, b);
  if (!row) r.out.push_back(r.m);
  if (!column) r.out.push_back(r.n);
  if (r.batch.empty()) r.batch.push_back(1);
  r.a_batch = batch_strides(a, r.batch, r.m * r.k);
  r.b_batch = batch_strides(b, r.batch, r.k * r.n);
  return r;
}

bool broadcasts_to_matrices(const Shape& parameter, const MatMul& m, bool of_rows) {
  const std::size_t rank = parameter.size();
  if (rank < 2 || rank - 2 > m.batch.size()) return false;
  const auto fits = [](const Dim& d, const Dim& extent) { return d.is(1) || d == extent; };
  for (std::size_t i = 0; i + 2 < rank; ++i)
    if (!fits(parameter[i], m.batch[m.batch.size() - (rank - 2) + i])) return false;
  const Dim &row = parameter[rank - 2], &column = parameter[rank - 1];
  return of_rows ? fits(row, m.m) && column.is(1) : row.is(1) && fits(column, m.n);
}

ParameterStrides parameter_strides(const NodeView& n, std::size_t input, const std::string& name,
                                   const MatMul& m, bool of_rows) {
  ParameterStrides r{Shape(m.batch.size(), Dim(0)), 0};
  if (!n.has_input(input) || !n.input(input).has_rank()) return r;
  Shape s = *n.input(input).shape;
  const std::string field = input_field(input, name), whole = to_string(s);
  const Dim count = product(s), extent = of_rows ? m.m : m.n;
  if (count.is(1)) return r;
  // A vector that models also write with further axes of extent 1.
  if (s.size() <= 1 || (count == extent && !broadcasts_to_matrices(s, m, of_rows))) {
    n.require(!count.is_const() || !extent.is_const() || count == extent, field,
              "shape {}, needs {} elements", whole, extent.to_string());
    r.stride = one_or_all(n, count, extent, field);
    return r;
  }
  const Dim own = s[s.size() - (of_rows ? 2 : 1)], other = s[s.size() - (of_rows ? 1 : 2)];
  s.resize(s.size() - 2);
  const auto may_be = [](const Dim& d, const Dim& want) {
    return d.is(1) || d == want || !d.is_const() || !want.is_const();
  };
  bool fits = may_be(other, 1) && may_be(own, extent) && s.size() <= m.batch.size();
  for (std::size_t i = 0; fits && i < s.size(); ++i)
    fits = may_be(s[i], m.batch[m.batch.size() - s.size() + i]);
  n.require(fits, field, "shape {} does not fit the matrices", whole);
  n.same(other, 1, field);
  r.stride = one_or_all(n, own, extent, field);
  for (std::size_t i = 0; i < s.size(); ++i)
    one_or_all(n, s[i], m.batch[m.batch.size() - s.size() + i], field);
  r.batch = batch_strides(s, m.batch, own);
  return r;
}

void infer_matmul(Infer& n, ElemType elem, std::size_t a, std::size_t b) {
  if (!n.has_rank(a) || !n.has_rank(b)) return n.output(0, elem, std::nullopt);
  n.output(0, elem, read_matmul(n, a, b).out);
}

bool lower_dynamic(Lower& n, const DynamicProduct& p, const Lambda* epilogue) {
  if (n.elem(0) != ElemType::float32) return false;
  GemmDynamicCall<Dim, Arg> call;
  call.tile = choose_tile(n.target(), p.n);
  DynamicGemmShape<Dim>& s = call.shape;
  s.batch = p.batch;
  s.m = p.m;
  s.k = p.k;
  s.n = p.n;
  s.lda = p.k;
  s.ldb = p.transposed_b ? p.k : p.n;
  s.ldy = p.n;
  s.a_batch = p.a_batch;
  s.b_batch = p.b_batch;
  s.y_batch = p.m * p.n;
  s.transposed_b = p.transposed_b;
  s.alpha = p.alpha;
  s.packed_floats = n.target().small_memory ? 0 : kGemmDynamicFloats;
  const bool few_rows = p.m.is_const() && p.m.value() <= kFewRows;
  const Dim floats = few_rows ? Dim(1) : gemm_dynamic_scratch(s, call.tile.panel);
  call.operands.scratch = write_arg(n.thread_scratch(ElemType::float32, Dim::max(floats, 1)));
  call.operands.a = p.a ? read_arg(*p.a) : n.input_arg(0);
  call.operands.b = n.input_arg(1);
  call.operands.y = n.output_arg(0);
  call.operands.epilogue = epilogue ? Arg{*epilogue} : n.fused_body();
  Call made = n.call(call).macs(p.batch * p.m * p.k * p.n);
  // Rows of dot products are stored before the epilogue.
  const bool may_be_few = few_rows || !p.m.is_const();
  if (!(p.transposed_b && may_be_few)) made.update_in_place();
  return true;
}

namespace {

// The type of the accumulators of matmul_nd.
ElemType sum_elem(ElemType elem) {
  switch (elem) {
    case ElemType::int32:
      return ElemType::uint32;
    case ElemType::int64:
      return ElemType::uint64;
    case ElemType::float16:
    case ElemType::bfloat16:
      return ElemType::float32;
    default:
      return elem;
  }
}

constexpr std::int64_t kRowsWorthPacking = 4;

}  // namespace

BufferId product_panel(Lower& n, const Dim& m, const Dim& k) {
  const bool few = m.is_const() && m.value() < kRowsWorthPacking;
  if (few || n.target().vector_floats < 2 || n.options().optimize_size) return -1;
  return n.scratch(sum_elem(n.elem(0)), Dim::max(k * kPanelColumns, 1));
}

Call& add_panel(Call& call, BufferId panel, ElemType elem) {
  return panel < 0 ? call.null(sum_elem(elem), true) : call.write(panel);
}

bool collapse_batch(const MatMul& m, DynamicProduct& p) {
  p.m = m.m;
  p.k = m.k;
  p.n = m.n;
  for (std::size_t i = m.batch.size(); i-- > 0;) {
    if (m.batch[i].is(1)) continue;
    const bool follows = m.a_batch[i] == p.a_batch * p.batch && m.b_batch[i] == p.b_batch * p.batch;
    if (!p.batch.is(1) && !follows) return false;
    if (p.batch.is(1)) {
      p.a_batch = m.a_batch[i];
      p.b_batch = m.b_batch[i];
    }
    p.batch = p.batch * m.batch[i];
  }
  return true;
}

MatrixStrides<Dim> plain_matrices(const MatMul& m) { return {m.m, m.k, m.n, m.k, 1, m.n, 1}; }

}  // namespace onnxc::ops
