// Add, Sub, Mul, Div, Mod, Neg, Abs, Sign, Reciprocal, Sum and Mean; integers wrap.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/arithmetic.hpp"

namespace onnxc::ops::arithmetic {
namespace {

void gradient_of_sub(Gradient& n) {
  n.dx_summed(0, n.dy());
  if (n.wants(1)) n.dx_summed(1, -n.dy());
}

void gradient_of_mul(Gradient& n) {
  if (n.wants(0)) n.dx_summed(0, n.dy() * n.x(1));
  if (n.wants(1)) n.dx_summed(1, n.dy() * n.x(0));
}

// The divisors, if all are known and none is 0.
bool has_known_divisors(const Infer& n) {
  const auto b = n.ints(1);
  return b && std::all_of(b->begin(), b->end(), [](std::int64_t v) { return v != 0; });
}

void infer_div(Infer& n) {
  infer_broadcast(n);
  warn_zero_divisor(n);
  if (has_known_divisors(n)) propagate_contents(n, Dim::trunc_div);
}

void gradient_of_div(Gradient& n) {
  const Term scaled = n.dy() / n.x(1);
  n.dx_summed(0, scaled);
  if (n.wants(1)) n.dx_summed(1, -(scaled * n.y()));
}

bool by_fmod(const Node& n) { return NodeView(n).attr_int("fmod") != 0; }

void infer_mod(Infer& n) {
  n.require(by_fmod(n.node()) || !is_float(n.elem(0)), "attribute \"fmod\"",
            "must be 1 for floating-point operands");
  infer_broadcast(n);
  warn_zero_divisor(n);
  if (!has_known_divisors(n)) return;
  if (by_fmod(n.node()))
    propagate_contents(n, [](const Dim& a, const Dim& b) { return a - b * Dim::trunc_div(a, b); });
  else
    propagate_contents(n, [](const Dim& a, const Dim& b) { return a - b * Dim::floor_div(a, b); });
}

void fold_mod(Fold& n) {
  if (by_fmod(n.node()))
    fold_elements<2>(n, kNumeric, [](auto a, auto b) { return fn::fmod(a, b); });
  else
    fold_elements<2>(n, kNumeric, [](auto a, auto b) { return fn::mod(a, b); });
}

ScalarFn scalar_mod(const Node& n) {
  return by_fmod(n) ? scalar_fn<"fmod", false>(n) : scalar_fn<"mod", false>(n);
}

// a - b trunc(a / b).
void gradient_of_mod(Gradient& n) {
  n.dx_summed(0, n.dy());
  if (!n.wants(1)) return;
  const Term ratio = n.x(0) / n.x(1);
  const Term whole = apply("Sign", ratio) * apply("Floor", apply("Abs", ratio));
  n.dx_summed(1, -(n.dy() * whole));
}

void infer_neg(Infer& n) {
  infer_unary(n);
  propagate_contents(n, [](const Dim& x) { return Dim(0) - x; });
}

void infer_abs(Infer& n) {
  infer_unary(n);
  propagate_contents(n, [](const Dim& x) { return Dim::max(x, Dim(0) - x); });
}

void fold_mean(Fold& n) {
  if (n.input_count() == 1) fold_elements<1>(n, kFloats, [](auto x) { return fn::mean(x); });
  if (n.input_count() == 2)
    fold_elements<2>(n, kFloats, [](auto a, auto b) { return fn::mean(a, b); });
}

void gradient_of_mean(Gradient& n) {
  const Term share = n.dy() / static_cast<double>(n.input_count());
  for (std::size_t i = 0; i < n.input_count(); ++i) n.dx_summed(i, share);
}

constexpr Op rows[] = {
    binary<"add">(kNumeric,
                  {.name = "Add",
                   .versions = "1 6 7 13 14",
                   .attributes = "axis:int@1-6 broadcast:int=0@1-6 consumed_inputs:ints@1-5",
                   .infer = infer_arithmetic<std::plus<>{}>,
                   .quick = true,
                   .gradient = gradient_is_dy},
                  [](auto a, auto b) { return fn::add(a, b); }),
    binary<"sub">(kNumeric,
                  {.name = "Sub",
                   .versions = "1 6 7 13 14",
                   .attributes = "axis:int@1-6 broadcast:int=0@1-6 consumed_inputs:ints@1-5",
                   .infer = infer_arithmetic<std::minus<>{}>,
                   .quick = true,
                   .gradient = gradient_of_sub},
                  [](auto a, auto b) { return fn::sub(a, b); }),
    binary<"mul">(kNumeric,
                  {.name = "Mul",
                   .versions = "1 6 7 13 14",
                   .attributes = "axis:int@1-6 broadcast:int=0@1-6 consumed_inputs:ints@1-5",
                   .infer = infer_arithmetic<std::multiplies<>{}>,
                   .quick = true,
                   .gradient = gradient_of_mul},
                  [](auto a, auto b) { return fn::mul(a, b); }),
    binary<"div">(kNumeric,
                  {.name = "Div",
                   .versions = "1 6 7 13 14",
                   .attributes = "axis:int@1-6 broadcast:int=0@1-6 consumed_inputs:ints@1-5",
                   .infer = infer_div,
                   .quick = true,
                   .gradient = gradient_of_div},
                  [](auto a, auto b) { return fn::div(a, b); }),
    binary({.name = "Mod",
            .versions = "10 13",
            .types = "T: numeric",
            .attributes = "fmod:int=0",
            .infer = infer_mod,
            .fold = fold_mod,
            .scalar = scalar_mod,
            .gradient = gradient_of_mod}),
    unary<"neg">(kFloatsAndSigned,
                 {.name = "Neg",
                  .versions = "1 6 13",
                  .attributes = "consumed_inputs:ints@1-5",
                  .infer = infer_neg,
                  .quick = true,
                  .gradient = [](Gradient& n) { n.dx(0, -n.dy()); }},
                 [](auto x) { return fn::neg(x); }),
    unary<"abs">(kNumeric,
                 {.name = "Abs",
                  .versions = "1 6 13",
                  .attributes = "consumed_inputs:ints@1-5",
                  .infer = infer_abs,
                  .quick = true,
                  .gradient = [](Gradient& n) { n.dx(0, n.dy() * apply("Sign", n.x())); }},
                 [](auto x) { return fn::abs(x); }),
    unary<"sign">(kNumeric,
                  {.name = "Sign",
                   .versions = "9 13",
                   .inputs = "input:T",
                   .outputs = "output:T",
                   .quick = true,
                   .gradient = gradient_is_zero},
                  [](auto x) { return fn::sign(x); }),
    unary<"reciprocal">(kFloats,
                        {.name = "Reciprocal",
                         .versions = "1 6 13",
                         .attributes = "consumed_inputs:ints@1-5",
                         .gradient = [](Gradient& n) { n.dx(0, -(n.dy() * (n.y() * n.y()))); }},
                        [](auto x) { return fn::reciprocal(x); }),
    variadic<"sum">(kFloats,
                    {.name = "Sum",
                     .versions = "1 6 8 13",
                     .outputs = "sum:T",
                     .attributes = "consumed_inputs:ints@1-5",
                     .gradient = gradient_is_dy},
                    [](auto a, auto b) { return fn::sum(a, b); }),
    variadic({.name = "Mean",
              .versions = "1 6 8 13",
              .outputs = "mean:T",
              .types = "T: floats",
              .attributes = "consumed_inputs:ints@1-5",
              .fold = fold_mean,
              .scalar = scalar_fn<"mean">,
              .gradient = gradient_of_mean})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::arithmetic
