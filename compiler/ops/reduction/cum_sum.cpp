// CumSum and CumProd: running sums and products along an axis.
#include "compiler/ops/elementwise/elementwise.hpp"

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
    n.call("cumulative_axis")
        .template_arg(op)
        .dim("rank", static_cast<std::int64_t>(x.size()))
        .dims("dims", x)
        .flag("exclusive", n.attr_int("exclusive") != 0)
        .flag("reverse", n.attr_int("reverse") != 0)
        .in(0)
        .in(1)
        .out(0)
        .fallible();
    return;
  }
  const std::size_t axis = n.axis(given->to_int64s()[0], x.size(), "input 1 \"axis\"");
  n.call("cumulative")
      .template_arg(op)
      .dim("outer", product(x, 0, axis))
      .dim("extent", x[axis])
      .dim("inner", product(x, axis + 1, x.size()))
      .flag("exclusive", n.attr_int("exclusive") != 0)
      .flag("reverse", n.attr_int("reverse") != 0)
      .in(0)
      .out(0)
      .may_share(0);
}

void lower_sum(Lower& n) { lower(n, "reduce_op::Sum"); }
void lower_product(Lower& n) { lower(n, "reduce_op::Prod"); }

void gradient_of_sum(Gradient& n) {
  const std::int64_t reverse = n.attr_int("reverse") != 0 ? 0 : 1;
  n.dx(0, n.emit("CumSum", {n.dy(), n.x(1)},
                 {{"exclusive", n.attr_int("exclusive")}, {"reverse", reverse}}));
}

constexpr Op rows[] = {{.name = "CumSum",
                        .versions = "11 14",
                        .inputs = "x:T axis:T2",
                        .outputs = "y:T",
                        .types = "T: floats int32 int64 uint32 uint64; T2: int32 int64",
                        .attributes = "exclusive:int=0 reverse:int=0",
                        .infer = infer,
                        .lower = lower_sum,
                        .gradient = gradient_of_sum},
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
