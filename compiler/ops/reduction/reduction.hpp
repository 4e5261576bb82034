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

// A tensor of the result's shape with the reduced axes back, of extent 1.
Term with_reduced_axes(const Gradient& n, Term v);
// The same repeated to the operand's shape.
Term spread_over_reduced(const Gradient& n, Term v);
// Another reduction of a tensor of the operand's shape along the same axes, which are kept.
Term reduced_likewise(const Gradient& n, const char* op, Term v);
// Of ReduceMax and ReduceMin: equals share the derivative.
void gradient_of_extremum(Gradient& n);
// The number of elements that make one of the result, in the operand's type.
Term count_of_reduced(const Gradient& n);

// The axes that go, sorted; nullopt when they are given at run time.
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
