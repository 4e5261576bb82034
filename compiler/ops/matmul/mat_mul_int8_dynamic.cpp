// onnxc::MatMulInt8Dynamic: product of two int8 or uint8 tensors less their zero points, neither
// constant. The sums in int32 become float32, or what an epilogue makes of them. Each operand may
// be read as if its axes were permuted.
#include "compiler/kernels/matmul_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/int8_weights.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/matmul/matmul_shape.hpp"
#include "templates/matmul/gemm_dynamic_int8.hpp"

namespace onnxc::ops::mat_mul_int8_dynamic {
namespace {

// The extents of an operand as the product sees them, and its strides in memory.
struct Operand {
  Shape extents, strides;
};

Operand operand_of(const NodeView& n, std::size_t i, const char* perm) {
  const Shape& stored = *n.input(i).shape;
  Shape dense(stored.size(), Dim(1));
  for (std::size_t axis = stored.size(); axis-- > 1;) dense[axis - 1] = dense[axis] * stored[axis];
  Operand o;
  for (std::size_t axis = 0; axis < stored.size(); ++axis) {
    const std::size_t from =
        n.has_attr(perm) ? static_cast<std::size_t>(n.attr_ints(perm)[axis]) : axis;
    o.extents.push_back(stored[from]);
    o.strides.push_back(dense[from]);
  }
  return o;
}

// The strides of an operand along the batch.
Shape batch_strides(const Operand& o, const Shape& batch) {
  Shape strides(batch.size(), Dim(0));
  const std::size_t own = o.extents.size() - 2;
  for (std::size_t i = 0; i < own; ++i) {
    const std::size_t at = batch.size() - own + i;
    strides[at] = o.extents[i] == batch[at] ? o.strides[i]
                                            : Dim::broadcast_stride(o.extents[i], o.strides[i]);
  }
  return strides;
}

// Axes of the batch that have one stride together become one; axes of one matrix go.
void merge_axes(MatrixBatch<Dim>& b) {
  for (std::size_t i = b.batch.size(); i-- > 0 && b.batch.size() > 1;) {
    const bool last = i + 1 == b.batch.size();
    if (b.batch[i].is(1) || (!last && b.a_batch[i] == b.a_batch[i + 1] * b.batch[i + 1] &&
                             b.b_batch[i] == b.b_batch[i + 1] * b.batch[i + 1])) {
      if (!b.batch[i].is(1)) b.batch[i + 1] = b.batch[i + 1] * b.batch[i];
      for (Shape* s : {&b.batch, &b.a_batch, &b.b_batch})
        s->erase(s->begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

Shape batch_of(const NodeView& n, const Operand& a, const Operand& b) {
  const auto leading = [](const Operand& o) {
    return Shape(o.extents.begin(), o.extents.end() - 2);
  };
  return broadcast(n, leading(a), leading(b));
}

void infer(Infer& n) {
  const Operand a = operand_of(n, 0, "a_perm"), b = operand_of(n, 1, "b_perm");
  Shape out = batch_of(n, a, b);
  out.push_back(a.extents[a.extents.size() - 2]);
  out.push_back(b.extents.back());
  n.output(0, ElemType::float32, out);
}

void lower(Lower& n) {
  const Operand a = operand_of(n, 0, "a_perm"), b = operand_of(n, 1, "b_perm");
  const std::size_t row_a = a.extents.size() - 2, row_b = b.extents.size() - 2;
  GemmDynamicInt8Call<Dim, Arg> call;
  DynamicInt8GemmShape<Dim>& s = call.shape;
  s.batch.batch = batch_of(n, a, b);
  if (s.batch.batch.empty()) s.batch.batch.push_back(1);
  s.batch.a_batch = batch_strides(a, s.batch.batch);
  s.batch.b_batch = batch_strides(b, s.batch.batch);
  merge_axes(s.batch);
  call.tile.axes = static_cast<int>(s.batch.batch.size());
  s.matrices = {a.extents[row_a], a.extents.back(), b.extents.back(), a.strides[row_a],
                a.strides.back(), b.strides[row_b], b.strides.back()};
  s.a_zero = n.attr_int("a_zero");
  s.b_zero = n.attr_int("b_zero");
  const bool copies_columns = n.target().vector_floats == 1 || n.target().sums_bytes;
  const Dim words = byte_product_words(s.matrices);
  call.operands = {n.input_arg(0), n.input_arg(1), n.output_arg(0),
                   copies_columns ? write_arg(n.thread_scratch(ElemType::int32, words))
                                  : null_arg(ElemType::int32, true),
                   int8_epilogue(n)};
  n.call(call).macs(n.macs());
}

std::optional<Dim> macs(const Node& node) {
  const NodeView n(node);
  const Operand a = operand_of(n, 0, "a_perm");
  return product(*node.outputs[0]->type.shape) * a.extents.back();
}

constexpr Op rows[] = {internal({
    .name = "MatMulInt8Dynamic",
    .inputs = "A:T1 B:T2",
    .outputs = "Y:T3",
    .types = "T1: int8 uint8; T2: int8 uint8; T3: float int8 uint8",
    .attributes = "a_zero:int=0 b_zero:int=0 a_perm:ints b_perm:ints",
    .infer = infer,
    .lower = lower,
    .macs = macs,
    .epilogue = Epilogue::channel_is_last_axis,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mat_mul_int8_dynamic
