// pick_token.hpp - chooses the next token by the scores of all: the best one, or one drawn among
// the best.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

struct TokenSearch {
  bool sample;         // else the best one
  std::int32_t top_k;  // as many of the best; 0: all
  float top_p;         // of these, as few as have this probability together
  float temperature, repetition_penalty;
};

namespace pick_token_detail {

// Scores of tokens that were there come closer to being unlikely, each once.
inline void punish_repeated(float* scores, std::int32_t count, float penalty,
                            const std::int64_t* seen, std::size_t seen_count, std::int32_t* marks) {
  if (penalty == 1) return;
  for (std::int32_t i = 0; i < count; ++i) marks[i] = 0;
  for (std::size_t i = 0; i < seen_count; ++i) {
    if (seen[i] < 0 || seen[i] >= count || marks[seen[i]] != 0) continue;
    marks[seen[i]] = 1;
    float& score = scores[seen[i]];
    score = score < 0 ? score * penalty : score / penalty;
  }
}

// A heap of tokens whose first one has the largest score, of equal ones the smallest number.
struct BestFirst {
  const float* scores;
  std::int32_t* order;
  std::int32_t count;

  bool before(std::int32_t a, std::int32_t b) const {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  }
  void sink(std::int32_t at) {
    const std::int32_t token = order[at];
    for (std::int32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count && before(order[child + 1], order[child])) ++child;
      if (!before(order[child], token)) break;
      order[at] = order[child];
      at = child;
    }
    order[at] = token;
  }
  void build() {
    for (std::int32_t i = 0; i < count; ++i) order[i] = i;
    for (std::int32_t i = count / 2; i-- > 0;) sink(i);
  }
  // Moves the first one after the others.
  void pop() {
    const std::int32_t best = order[0];
    order[0] = order[--count];
    order[count] = best;
    if (count > 0) sink(0);
  }
};

// SplitMix64 (Steele, Lea, Flood 2014): in [0, 1).
inline float uniform(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<float>((z ^ (z >> 31)) >> 40) / 16777216.0f;
}

}  // namespace pick_token_detail

// The number of the token. scores: [count], which it may change; seen: the tokens so far; order:
// memory for `count` numbers; state: of the random numbers, at first the seed.
inline std::int64_t pick_token(float* scores, std::int32_t count, const TokenSearch& search,
                               const std::int64_t* seen, std::size_t seen_count,
                               std::uint64_t& state, std::int32_t* order) {
  using namespace pick_token_detail;
  punish_repeated(scores, count, search.repetition_penalty, seen, seen_count, order);
  if (!search.sample || search.top_k == 1 || !(search.temperature > 0)) {
    std::int32_t best = 0;
    for (std::int32_t i = 1; i < count; ++i)
      if (scores[i] > scores[best]) best = i;
    return best;
  }
  const std::int32_t kept = search.top_k > 0 && search.top_k < count ? search.top_k : count;
  BestFirst heap{scores, order, count};
  heap.build();
  for (std::int32_t i = 0; i < kept; ++i) heap.pop();
  const auto token = [&](std::int32_t i) { return order[count - 1 - i]; };
  const float most = scores[token(0)];
  float sum = 0;
  for (std::int32_t i = 0; i < kept; ++i) {
    float& weight = scores[token(i)];
    weight = std::exp((weight - most) / search.temperature);
    sum += weight;
  }
  float together = 0;
  std::int32_t used = 0;
  while (used < kept && (used == 0 || together < search.top_p * sum))
    together += scores[token(used++)];
  float drawn = uniform(state) * together;
  for (std::int32_t i = 0; i + 1 < used; ++i) {
    drawn -= scores[token(i)];
    if (drawn < 0) return token(i);
  }
  return token(used - 1);
}

}  // namespace onnxc
