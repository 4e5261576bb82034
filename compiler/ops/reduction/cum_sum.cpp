// CumSum and CumProd: running sums and products along an axis.
#include "compiler/kernels/reduction_calls.hpp"
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

void gradient_of_sum(Gradient& n) {
  const std::int64_t reverse = n.attr_int("reverse") != 0 ? 0 : 1;
  n.dx(0, n.emit("CumSum", {n.dy(), n.x(1)},
                 {{"exclusive", n.attr_int("exclusive")}, {"reverse", reverse}}));
}

// The body of a Scan: along the axis the derivative by x[k], but for the factors before k, is h; c
// is what the later results add. Inclusive: h = dy + c and c' = x h. Exclusive: h = c and
// c' = dy + x c.
std::shared_ptr<Graph> step_back(const Gradient& n, const Type& slice) {
  auto body = std::make_shared<Graph>();
  body->parent = &n.builder().graph();
  for (const char* name : {"later", "x", "dy"})
    body->inputs.push_back(body->add_value(name, slice));
  const auto inside = n.builder().inside(*body);
  const Term later = inside->term(body->inputs[0]), x = inside->term(body->inputs[1]);
  const Term dy = inside->term(body->inputs[2]);
  if (n.attr_int("exclusive") != 0) {
    body->outputs = {dy + x * later, inside->emit("Identity", {later})};
  } else {
    const Term h = dy + later;
    body->outputs = {x * h, h};
  }
  return body;
}

// The derivative by x without the factors before it, along an axis.
Term along(const Gradient& n, std::int64_t axis) {
  const std::int64_t reverse = n.attr_int("reverse") != 0 ? 1 : 0;
  NodeBuilder& b = n.builder();
  const Term none = b.filled(0, sum_over(n.x(), {axis}, false));
  const std::vector<std::int64_t> axes(2, axis), directions(2, 1 - reverse);
  const auto results = b.add(get("Scan"), {none, n.x(), n.dy()}, 2,
                             {{"body", step_back(n, none.type())},
                              {"num_scan_inputs", std::int64_t{2}},
                              {"scan_input_axes", axes},
                              {"scan_input_directions", directions},
                              {"scan_output_axes", std::vector<std::int64_t>{axis}},
                              {"scan_output_directions", std::vector<std::int64_t>{1 - reverse}}});
  return b.term(results[1]);
}

// Along an axis given at run time: all of them are computed.
Term along_any(const Gradient& n) {
  const auto rank = static_cast<std::int64_t>(n.shape(0).size());
  const Term axis = n.emit("Reshape", {convert(n.x(1), ElemType::int64), n.list({})});
  const auto number = [&](std::int64_t v) { return n.builder().integer(v); };
  Term found = along(n, 0);
  for (std::int64_t k = 1; k < rank; ++k)
    found = choose(axis == number(k) || axis == number(k - rank), along(n, k), found);
  return found;
}

// Without divisions: zeros among the factors do no harm.
void gradient_of_product(Gradient& n) {
  const auto given = n.ints(1);
  const std::int64_t reverse = n.attr_int("reverse") != 0 ? 1 : 0;
  const Term before =
      n.emit("CumProd", {n.x(), n.x(1)}, {{"exclusive", std::int64_t{1}}, {"reverse", reverse}});
  if (!given) return n.dx(0, before * along_any(n));
  const std::size_t axis = n.axis((*given)[0], n.shape(0).size(), "input 1");
  n.dx(0, before * along(n, static_cast<std::int64_t>(axis)));
}

constexpr Op rows[] = {{
                           .name = "CumSum",
                           .versions = "11 14",
                           .inputs = "x:T axis:T2",
                           .outputs = "y:T",
                           .types = "T: floats int32 int64 uint32 uint64; T2: int32 int64",
                           .attributes = "exclusive:int=0 reverse:int=0",
                           .infer = infer,
                           .lower = lower_sum,
                           .gradient = gradient_of_sum,
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
                           .gradient = gradient_of_product,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::cum_sum
