// Rows of the Reduce operators: reduction() adds to the facts of a row what all of them have in
// common. reduction<reduce_op::L1>(kReduced, {.name = "ReduceL1", ...}) is the operator that runs
// the template reduce_op::L1 on the element types of kReduced, and folds constants with it.
#pragma once

#include "compiler/ops/reduction/reduction.hpp"

#include "templates/reduction/reduce.hpp"

namespace onnxc::ops {

// The compute types of a row's element types: float16 and bfloat16 are reduced as float.
inline constexpr TypeList<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>
    kReduced{"T: floats uint32 uint64 int32 int64"};
inline constexpr auto kReducedAndSmall =
    join(kReduced, TypeList<std::int8_t, std::uint8_t, bool>{},
         "T: floats uint32 uint64 int32 int64 int8 uint8 bool");

struct RowExtent {
  std::int64_t reduced[1];
};

// The kernel's way through a dense row, so that the result has the same bits; the rest of the
// kernel, for other strides, need not be compiled for every type.
template <template <class> class Reduction, class C>
void reduce_rows(const C* x, std::int64_t rows, std::int64_t count, C* y) {
  using R = Reduction<C>;
  for (; rows > 0; --rows, x += count) {
    typename R::Acc acc[reduce_detail::kSide];
    for (auto& a : acc) a = R::start();
    reduce_detail::add_row<R, C, 1, 0>(RowExtent{{count}}, x, acc);
    typename R::Acc all = acc[0];
    for (std::int64_t l = 1; l < reduce_detail::kSide; ++l) all = R::join(all, acc[l]);
    *y++ = R::finish(all, count);
  }
}

template <template <class> class Reduction, class... C>
constexpr ReduceRowsOf reduce_rows_of(TypeList<C...>) {
  ReduceRowsOf all{};
  (..., (std::get<ReduceRows<C>>(all) = reduce_rows<Reduction, C>));
  return all;
}

template <template <class> class Reduction, class... C>
constexpr Op reduction(TypeList<C...> types, Op op) {
  op.inputs = "data:T axes:int64?";
  op.outputs = "reduced:T";
  op.types = types.row;
  if (op.attributes.empty())
    op.attributes = "keepdims:int=1 noop_with_empty_axes:int=0@18- axes:ints@1-17";
  op.upgrade = upgrade_reduce;
  op.infer = infer_reduce;
  op.fold = [](Fold& n) { fold_reduce(n, reduce_rows_of<Reduction>(TypeList<C...>{})); };
  op.lower = lower_reduce;
  op.layout = layout_reduce;
  return op;
}

}  // namespace onnxc::ops
