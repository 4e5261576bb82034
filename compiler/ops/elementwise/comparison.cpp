// Equal, Less, LessOrEqual, Greater, GreaterOrEqual, IsNaN and IsInf.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/comparison.hpp"

namespace onnxc::ops::comparison {
namespace {

std::optional<Dim> known_equality(const Dim& a, const Dim& b) {
  const auto difference = unless_overflow([&] { return a - b; });
  if (!difference) return std::nullopt;
  if (difference->is_const()) return Dim(difference->is(0) ? 1 : 0);
  const bool never_equal = difference->is_never_below(1) || difference->is_never_above(-1);
  return never_equal ? std::optional(Dim(0)) : std::nullopt;
}

void infer_equal(Infer& n) {
  infer_broadcast_bool(n);
  const auto a = n.extents(0), b = n.extents(1);
  if (!a || !b || a->size() != b->size() || !n.has_rank(0) || !n.has_rank(1)) return;
  if (n.rank(0) != n.rank(1)) return;
  std::vector<Dim> out;
  for (std::size_t i = 0; i < a->size(); ++i) {
    const auto equal = known_equality((*a)[i], (*b)[i]);
    if (!equal) return;
    out.push_back(*equal);
  }
  n.output_extents(0, std::move(out));
}

bool wanted(const Node& n, const char* sign) { return NodeView(n).attr_int(sign) != 0; }

void fold_is_inf(Fold& n) {
  fold_elements<1>(
      n, kFloats,
      [](auto x, float negative, float positive) {
        return fn::is_inf(x, negative != 0, positive != 0);
      },
      std::array{wanted(n.node(), "detect_negative") ? 1.0f : 0.0f,
                 wanted(n.node(), "detect_positive") ? 1.0f : 0.0f});
}

ScalarFn scalar_is_inf(const Node& n) {
  return {.name = "is_inf",
          .literals = {bool_literal(wanted(n, "detect_negative")),
                       bool_literal(wanted(n, "detect_positive"))},
          .vectorises = false};
}

constexpr Op rows[] = {
    compare<"equal">(join(kNumeric, kBool),
                     {.name = "Equal",
                      .versions = "1 7 11 13 19",
                      .types = "T: numeric bool string",
                      .attributes = "axis:int@1-6 broadcast:int=0@1-6",
                      .infer = infer_equal},
                     [](auto a, auto b) { return fn::equal(a, b); }),
    compare<"less">(
        kNumeric,
        {.name = "Less", .versions = "1 7 9 13", .attributes = "axis:int@1-6 broadcast:int=0@1-6"},
        [](auto a, auto b) { return fn::less(a, b); }),
    compare<"less_or_equal">(kNumeric, {.name = "LessOrEqual", .versions = "12 16"},
                             [](auto a, auto b) { return fn::less_or_equal(a, b); }),
    compare<"greater">(kNumeric,
                       {.name = "Greater",
                        .versions = "1 7 9 13",
                        .attributes = "axis:int@1-6 broadcast:int=0@1-6"},
                       [](auto a, auto b) { return fn::greater(a, b); }),
    compare<"greater_or_equal">(kNumeric, {.name = "GreaterOrEqual", .versions = "12 16"},
                                [](auto a, auto b) { return fn::greater_or_equal(a, b); }),
    unary<"is_nan">(join(kFloats, kFloat8),
                    {.name = "IsNaN",
                     .versions = "9 13 20",
                     .inputs = "X:T1",
                     .outputs = "Y:bool",
                     .types = "T1: floats float8",
                     .infer = infer_broadcast_bool,
                     .scalar = scalar_fn<"is_nan", false>},
                    [](auto x) { return fn::is_nan(x); }),
    unary({.name = "IsInf",
           .versions = "10 20",
           .inputs = "X:T1",
           .outputs = "Y:bool",
           .types = "T1: floats float8",
           .attributes = "detect_negative:int=1 detect_positive:int=1",
           .infer = infer_broadcast_bool,
           .fold = fold_is_inf,
           .scalar = scalar_is_inf})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::comparison
