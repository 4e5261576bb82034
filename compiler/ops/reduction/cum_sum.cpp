// CumSum and CumProd: running sums and products along an axis.
#include "compiler/ops/elementwise/elementwise.hpp"
#include "templates/reduction/reduction_calls.hpp"

namespace onnxc::ops::cum_sum {
namespace {

void infer(Infer& n) {
  infer_unary(n);
  n.one_value(1, "input 1 \"axis\"");
  const auto axis = n.ints(1);
  if (!axis || !n.has_rank(0)) return;
  n.require(axis->size() == 1, "input 1 \"axis\"", "must hold one value");
  n.axis((*axis)[0], n.rank(0), "input 1 \"axis\"");
}

void lower(Lower& n, const char* op) {
  const Tensor* given = n.constant(1);
  const Shape& x = n.shape(0);
  if (!given) {
    n.call("cumulative_axis", CumulativeAxisShape<Dim>{rank_of(x), x, n.attr_int("exclusive") != 0,
                                                       n.attr_int("reverse") != 0})
        .template_arg(op)
        .in({0, 1})
        .out(0);
    return;
  }
  const std::size_t axis = n.axis(given->to_int64s()[0], x.size(), "input 1 \"axis\"");
  n.call("cumulative",
         CumulativeShape<Dim>{product(x, 0, axis), x[axis], product(x, axis + 1, x.size()),
                              n.attr_int("exclusive") != 0, n.attr_int("reverse") != 0})
      .template_arg(op)
      .in(0)
      .out(0)
      .may_share(0);
}

void lower_sum(Lower& n) { lower(n, "reduce_op::Sum"); }
void lower_product(Lower& n) { lower(n, "reduce_op::Prod"); }

constexpr Op rows[] = {{
                           .name = "CumSum",
                           .versions = "11 14",
                           .inputs = "x:T axis:T2",
                           .outputs = "y:T",
                           .types = "T: floats int32 int64 uint32 uint64; T2: int32 int64",
                           .attributes = "exclusive:int=0 reverse:int=0",
                           .infer = infer,
                           .lower = lower_sum,
                       },
                       {
                           .name = "CumProd",
                           .versions = "26",
                           .inputs = "x:T axis:T2",
                           .outputs = "y:T",
                           .types = "T: floats int32 int64 uint32 uint64; T2: int32 int64",
                           .attributes = "exclusive:int=0 reverse:int=0",
                           .infer = infer,
                           .lower = lower_product,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::cum_sum
