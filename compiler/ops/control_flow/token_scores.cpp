// What changes the scores of the next tokens; see token_scores.hpp.
#include "compiler/ops/control_flow/token_scores.hpp"

#include <limits>

namespace onnxc::ops::search {
namespace {

const Attributes kColumns = {{"axis", std::int64_t{1}}};

Value* lowest(Builder& b) { return b.real(std::numeric_limits<float>::lowest()); }

Value* penalise_repeats(Builder& b, Value* scores, Value* sequences, Value* penalty) {
  Value* at = b.cast(sequences, kInt64);
  Value* seen = b("GatherElements", {scores, at}, kColumns);
  Value* less = b("Where", {b("Less", {seen, b.real(0)}), b("Mul", {seen, penalty}),
                            b("Div", {seen, penalty})});
  return b("ScatterElements", {scores, at, less}, kColumns);
}

// Forbids the tokens that once followed the last `size` - 1 ones.
Value* forbid_grams(Builder& b, Value* scores, Value* sequences, std::int64_t size) {
  Value* none = b.ints({0});
  // How many words of this size there are, and the place of the word that would be the next.
  Value* count = b("Max", {b("Sub", {b.extent(sequences, 1), b.ints({size - 1})}), none});
  const auto part = [&](std::int64_t i) {
    return b("Slice", {sequences, b.ints({i}), b("Add", {count, b.ints({i})}), b.ints({1})});
  };
  Value* next = part(size - 1);
  Value* same = b("Equal", {next, next});
  for (std::int64_t i = 0; i + 1 < size; ++i) {
    Value* recent = b("Gather", {sequences, b("Add", {count, b.ints({i})})}, kColumns);
    same = b("And", {same, b("Equal", {part(i), recent})});
  }
  Value* most = b.real(std::numeric_limits<float>::infinity());
  return b("ScatterElements", {scores, b.cast(next, kInt64), b("Where", {same, lowest(b), most})},
           {{"axis", std::int64_t{1}}, {"reduction", std::string("min")}});
}

// Tokens that a mask forbids get the lowest score.
Value* allow(Builder& b, Value* scores, Value* mask) {
  Value* zero = b("CastLike", {b.ints({0}), mask});
  return b("Where", {b("Equal", {mask, zero}), lowest(b), scores});
}

// The end token is forbidden up to the minimum length.
Value* forbid_end(Builder& b, const Processors& p, Value* scores, Value* sequences) {
  Value* size = b.scalar(b.extent(scores, 1));
  Value* all = b("Range", {b.scalar(b.ints({0})), size, b.scalar(b.ints({1}))});
  Value* end = b("Equal", {all, b.ints({p.end})});
  Value* length = b.cast(b.extent(sequences, 1), kInt32);
  return b("Where", {b("And", {b("Less", {length, p.least}), end}), lowest(b), scores});
}

}  // namespace

Value* processed(Builder& b, const Processors& p, Value* scores, Value* sequences, bool first) {
  if (p.penalty) scores = penalise_repeats(b, scores, sequences, p.penalty);
  if (p.grams > 0) scores = forbid_grams(b, scores, sequences, p.grams);
  if (p.allowed) scores = allow(b, scores, p.allowed);
  if (p.first_allowed && first) scores = allow(b, scores, p.first_allowed);
  if (p.least) scores = forbid_end(b, p, scores, sequences);
  if (p.temperature) scores = b("Div", {scores, p.temperature});
  if (p.presence) scores = b("Sub", {scores, p.presence});
  return scores;
}

}  // namespace onnxc::ops::search
