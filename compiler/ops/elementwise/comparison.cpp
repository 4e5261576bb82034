// Equal, Less, LessOrEqual, Greater and GreaterOrEqual: a == b, a < b, a <= b, a > b and a >= b.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/equal.hpp"
#include "templates/fn/greater.hpp"
#include "templates/fn/greater_or_equal.hpp"
#include "templates/fn/less.hpp"
#include "templates/fn/less_or_equal.hpp"

namespace onnxc::ops::comparison {
namespace {

// Extents are never negative, so a negative constant equals none of them.
std::optional<Dim> known_equality(const Dim& a, const Dim& b) {
  const Dim difference = a - b;
  if (difference.is_const()) return Dim(difference.is(0) ? 1 : 0);
  const bool impossible = (a.is_const() && a.value() < 0) || (b.is_const() && b.value() < 0);
  return impossible ? std::optional(Dim(0)) : std::nullopt;
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
                                [](auto a, auto b) { return fn::greater_or_equal(a, b); })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::comparison
