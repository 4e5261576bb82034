// ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, ReduceL1, ReduceL2, ReduceSumSquare,
// ReduceLogSum and ReduceLogSumExp: along some axes. In Max and Min, NaN wins.
#include "compiler/ops/axes.hpp"
#include "compiler/ops/reduction/reduction.hpp"

#include "templates/reduction/reduce.hpp"

namespace onnxc::ops::reduce {
namespace {

// The compute types of a row's element types: float16 and bfloat16 are reduced as float.
constexpr TypeList<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>
    kReduced{"T: floats uint32 uint64 int32 int64"};
constexpr auto kReducedAndSmall = join(kReduced, TypeList<std::int8_t, std::uint8_t, bool>{},
                                       "T: floats uint32 uint64 int32 int64 int8 uint8 bool");

struct RowExtent {
  std::int64_t reduced[1];
};

// The kernel's way through a dense row, so that the result has the same bits; the rest of the
// kernel, for other strides, need not be compiled for every type.
template <template <class> class Reduction, class C>
void reduce_rows(const C* x, std::int64_t rows, std::int64_t count, C* y) {
  using R = Reduction<C>;
  for (; rows > 0; --rows, x += count)
    *y++ = R::finish(reduce_detail::dense_row<R, C, 1>(RowExtent{{count}}, x), count);
}

template <template <class> class Reduction, class... C>
constexpr ReduceRowsOf reduce_rows_of(TypeList<C...>) {
  ReduceRowsOf all{};
  (..., (std::get<ReduceRows<C>>(all) = reduce_rows<Reduction, C>));
  return all;
}

// Devices that have parts of the reduced axes join their results in this way. All-reduces are of
// numbers.
template <Axes::Kind kind>
void joined_by(Axes& n) {
  const auto reduced = reduced_axes(n, n.rank(0));
  if (!reduced) return;
  const Axes::Kind own = n.input(0).elem == ElemType::boolean ? Axes::Kind::whole : kind;
  const bool keeps = n.attr_int("keepdims") != 0;
  std::size_t out = 0;
  for (std::size_t axis = 0; axis < n.rank(0); ++axis) {
    const bool goes = std::find(reduced->begin(), reduced->end(), axis) != reduced->end();
    const Dim& extent = n.shape(0)[axis];
    if (!goes) {
      const int over = n.loop(extent);
      n.input(0, axis, {over});
      n.output(0, out, {over});
    } else if (extent.is_const()) {
      n.input(0, axis, {n.loop(extent, own)});
    }
    if (!goes || keeps) ++out;
  }
}

// Means of integers are rounded, so that they do not add up.
void axes_of_mean(Axes& n) {
  if (!is_float(n.input(0).elem)) return joined_by<Axes::Kind::whole>(n);
  joined_by<Axes::Kind::sum>(n);
  join_means(n);
}

// reduction<reduce_op::L1>(kReduced, {.name = "ReduceL1", ...}) is the operator that runs the
// template reduce_op::L1 on the element types of kReduced, and folds constants with it.
template <template <class> class Reduction, class... C>
constexpr Op reduction(TypeList<C...> types, Op op) {
  op.inputs = "data:T axes:int64?";
  op.outputs = "reduced:T";
  op.types = types.row;
  if (op.versions.empty()) op.versions = "1 11 13 18";
  if (op.attributes.empty())
    op.attributes = "keepdims:int=1 noop_with_empty_axes:int=0@18- axes:ints@1-17";
  op.upgrade = upgrade_reduce;
  op.infer = infer_reduce;
  op.fold = [](Fold& n) { fold_reduce(n, reduce_rows_of<Reduction>(TypeList<C...>{})); };
  op.lower = lower_reduce;
  op.layout = layout_reduce;
  if (!op.axes) op.axes = joined_by<Axes::Kind::whole>;
  return op;
}

// A tensor of the result's shape with the reduced axes back, of extent 1.
Term with_reduced_axes(const Gradient& n, Term v) {
  const std::size_t rank = n.shape(0).size();
  if (v.type().has_rank() && v.type().rank() == rank) return v;
  const auto axes = reduced_axes(n, rank);
  if (!axes) return n.emit("Unsqueeze", {v, n.x(1)});
  return n.emit("Unsqueeze", {v, n.list({axes->begin(), axes->end()})});
}

// The same repeated to the operand's shape.
Term spread_over_reduced(const Gradient& n, Term v) {
  return expand_like(with_reduced_axes(n, v), n.x());
}

// Another reduction of a tensor of the operand's shape along the same axes, which are kept.
Term reduced_likewise(const Gradient& n, const char* op, Term v) {
  std::vector<Value*> inputs = {v};
  if (n.has_input(1)) inputs.push_back(n.x(1));
  return n.emit(op, inputs, {{"noop_with_empty_axes", n.attr_int("noop_with_empty_axes")}});
}

// Of ReduceMax and ReduceMin: equals share the derivative.
void gradient_of_extremum(Gradient& n) {
  const Term chosen = n.x() == with_reduced_axes(n, n.y());
  const Term count = reduced_likewise(n, "ReduceSum", convert(chosen, n.x().type().elem));
  n.dx(0, choose(chosen, with_reduced_axes(n, n.dy()) / count, 0.0));
}

// The number of elements that make one of the result. An empty result has no elements to share.
Term count_of_reduced(const Gradient& n) {
  const Term results =
      n.emit("Max", {apply("Size", n.y()),
                     n.builder().term(n.builder().constant(Tensor::scalar(std::int64_t{1})))});
  return convert(apply("Size", n.x()) / results, n.x().type().elem);
}

// 0 where the norm is 0.
void gradient_of_l2(Gradient& n) {
  const Term scaled = n.dy() / choose(n.y() == 0.0, 1.0, n.y());
  n.dx(0, n.x() * spread_over_reduced(n, scaled));
}

void gradient_of_log_sum_exp(Gradient& n) {
  const Term shares = apply("Exp", n.x() - with_reduced_axes(n, n.y()));
  n.dx(0, with_reduced_axes(n, n.dy()) * shares);
}

// The product of the other elements, exact where elements are 0.
void gradient_of_prod(Gradient& n) {
  const ElemType elem = n.x().type().elem;
  const Term is_zero = n.x() == 0.0, others = choose(is_zero, 1.0, n.x());
  const Term product = reduced_likewise(n, "ReduceProd", others);
  const Term zeros = reduced_likewise(n, "ReduceSum", convert(is_zero, elem));
  const Term for_zero = choose(zeros == 1.0, product, 0.0);
  const Term for_other = choose(zeros == 0.0, product / others, 0.0);
  n.dx(0, with_reduced_axes(n, n.dy()) * choose(is_zero, for_zero, for_other));
}

constexpr Op rows[] = {
    reduction<onnxc::reduce_op::Sum>(
        kReduced, {.name = "ReduceSum",
                   .versions = "1 11 13",
                   .attributes = "keepdims:int=1 noop_with_empty_axes:int=0@13- axes:ints@1-12",
                   .axes = joined_by<Axes::Kind::sum>,
                   .gradient = [](Gradient& n) { n.dx(0, spread_over_reduced(n, n.dy())); }}),
    reduction<onnxc::reduce_op::Mean>(
        kReduced,
        {.name = "ReduceMean",
         .axes = axes_of_mean,
         .gradient =
             [](Gradient& n) { n.dx(0, spread_over_reduced(n, n.dy()) / count_of_reduced(n)); }}),
    reduction<onnxc::reduce_op::Max>(kReducedAndSmall, {.name = "ReduceMax",
                                                        .versions = "1 11 12 13 18 20",
                                                        .axes = joined_by<Axes::Kind::max>,
                                                        .gradient = gradient_of_extremum}),
    reduction<onnxc::reduce_op::Min>(kReducedAndSmall, {.name = "ReduceMin",
                                                        .versions = "1 11 12 13 18 20",
                                                        .axes = joined_by<Axes::Kind::min>,
                                                        .gradient = gradient_of_extremum}),
    reduction<onnxc::reduce_op::Prod>(kReduced, {.name = "ReduceProd",
                                                 .axes = joined_by<Axes::Kind::product>,
                                                 .gradient = gradient_of_prod}),
    reduction<onnxc::reduce_op::L1>(
        kReduced,
        {.name = "ReduceL1",
         .axes = joined_by<Axes::Kind::sum>,
         .gradient =
             [](Gradient& n) { n.dx(0, spread_over_reduced(n, n.dy()) * apply("Sign", n.x())); }}),
    reduction<onnxc::reduce_op::L2>(kReduced, {.name = "ReduceL2", .gradient = gradient_of_l2}),
    reduction<onnxc::reduce_op::SumSquare>(
        kReduced,
        {.name = "ReduceSumSquare",
         .axes = joined_by<Axes::Kind::sum>,
         .gradient = [](Gradient& n) { n.dx(0, 2 * n.x() * spread_over_reduced(n, n.dy())); }}),
    reduction<onnxc::reduce_op::LogSum>(
        kReduced,
        {.name = "ReduceLogSum",
         .gradient =
             [](Gradient& n) { n.dx(0, spread_over_reduced(n, n.dy() * apply("Exp", -n.y()))); }}),
    reduction<onnxc::reduce_op::LogSumExp>(
        kReduced, {.name = "ReduceLogSumExp", .gradient = gradient_of_log_sum_exp})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce
