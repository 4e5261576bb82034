// Equal: a == b.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/equal.hpp"

namespace onnxc::ops::equal {
namespace {

// Extents are never negative, whatever their symbols stand for.
std::optional<Dim> known_equality(const Dim& a, const Dim& b) {
  const Dim difference = a - b;
  if (difference.is_const()) return Dim(difference.is(0) ? 1 : 0);
  const bool impossible = (a.is_const() && a.value() < 0) || (b.is_const() && b.value() < 0);
  return impossible ? std::optional(Dim(0)) : std::nullopt;
}

void infer(Infer& n) {
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

constexpr Op rows[] = {compare<"equal">(join(kNumeric, kBool),
                                        {.name = "Equal",
                                         .versions = "1 7 11 13 19",
                                         .types = "T: numeric bool string",
                                         .attributes = "axis:int@1-6 broadcast:int=0@1-6",
                                         .infer = infer},
                                        [](auto a, auto b) { return fn::equal(a, b); })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::equal
