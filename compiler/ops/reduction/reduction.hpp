// What the Reduce operators share: which axes go, and the call of the kernel.
#pragma once

#include <tuple>

#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops {

void upgrade_reduce(Upgrade& u);
void infer_reduce(Infer& n);
// The template in reduce_op has the operator's name: ReduceL1 runs reduce_op::L1.
void lower_reduce(Lower& n);
LayoutRule layout_reduce(const Node& node);

// The axes that are removed, sorted; nullopt when they are given at run time.
std::optional<std::vector<std::size_t>> reduced_axes(const NodeView& n, std::size_t rank);

// Reduces `rows` rows of `count` elements of compute type C, one after the other, to one each.
template <class C>
using ReduceRows = void (*)(const C* x, std::int64_t rows, std::int64_t count, C* y);
// What folds a reduction, by compute type; null where its operator has none of these elements.
using ReduceRowsOf =
    std::tuple<ReduceRows<float>, ReduceRows<double>, ReduceRows<std::int32_t>,
               ReduceRows<std::uint32_t>, ReduceRows<std::int64_t>, ReduceRows<std::uint64_t>,
               ReduceRows<std::int8_t>, ReduceRows<std::uint8_t>, ReduceRows<bool>>;
void fold_reduce(Fold& n, const ReduceRowsOf& reduce_rows);

}  // namespace onnxc::ops
