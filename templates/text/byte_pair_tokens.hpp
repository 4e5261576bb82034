// byte_pair_tokens.hpp - texts as token ids of a vocabulary of bytes, as in GPT-2.
#pragma once

#include <cstdint>

#include "runtime_min/heap.hpp"
#include "runtime_min/text.hpp"
#include "templates/text/add_tokens.hpp"
#include "templates/text/pieces.hpp"

namespace onnxc {

namespace byte_pair_tokens_detail {

// How byte_pairs works here.
struct WordRules {
  bool by_bytes = true, whole_words = true, byte_fallback = false, fuse_unknown = false;
  std::int32_t unknown = -1;
  Text inner_prefix() const { return {}; }
  Text word_end() const { return {}; }
};

// The numbers in a tree, as words that are tokens by themselves.
struct Special {
  AddedWord operator[](std::int32_t id) const { return {id, false, false}; }
};

// Calls f(number) for the tokens that are put.
template <class F>
struct Sink {
  F put;
};

// Calls f(text, place, number) for all texts, at most s.padded of each where that is not negative,
// with s.begin and s.end around them where they are not.
template <class S, class F>
Status each_of_all(S s, const Text* x, const PrefixTree& special, const std::int32_t* program,
                   const PairModel& model, std::int64_t* work, Heap& heap, F f) {
  for (Index i = 0; i < regex_find_scratch(s.steps); ++i) work[i] = 0;
  RegexSearch search{program, s.steps, work};
  std::int64_t longest = 0;
  for (Index i = 0; i < s.count; ++i) longest = x[i].size > longest ? x[i].size : longest;
  if (longest > std::numeric_limits<std::int32_t>::max() / 8) return Status::bad_value;
  ScratchBlock<std::int32_t> ids(heap);
  if (!ids.resize(byte_pairs_scratch(Extent(longest)) + 1)) return Status::out_of_memory;
  for (Index i = 0; i < s.count; ++i) {
    Index at = 0;
    const auto keep = [&](std::int32_t id) {
      if (s.padded < 0 || at < s.padded) f(i, at, id);
      ++at;
    };
    Sink<decltype(keep)> sink{keep};
    if (s.begin >= 0) keep(static_cast<std::int32_t>(s.begin));
    const Status status = each_between(special, Special{}, x[i], sink, [&](const Text& part) {
      return each_piece<SplitBehavior::isolated, false>(search, part, [&](const Text& word) {
        return add_byte_pairs(WordRules{}, model, word, ids.data(), sink);
      });
    });
    if (status != Status::ok) return status;
    if (s.end >= 0) keep(static_cast<std::int32_t>(s.end));
  }
  return Status::ok;
}

}  // namespace byte_pair_tokens_detail

// extents: how many numbers the longest of x: [count] has, or s.padded where that is not negative.
// work: regex_find_scratch(steps).  s: count, steps, padded, begin, end.
template <class S>
Status byte_pair_tokens_extents(S s, const Text* x, PrefixTree special, const std::int32_t* program,
                                PairModel model, std::int64_t* work, Heap& heap, Index* extents) {
  extents[0] = s.padded < 0 ? 0 : s.padded;
  return byte_pair_tokens_detail::each_of_all(s, x, special, program, model, work, heap,
                                              [&](Index, Index at, std::int32_t) {
                                                if (s.padded < 0 && at >= extents[0])
                                                  extents[0] = at + 1;
                                              });
}

// ids, mask: [count, width], either may be null; s.padding after the tokens of a text, where mask
// is 0.  s: count, width, steps, padded, begin, end, padding.
template <class S>
Status byte_pair_tokens(S s, const Text* x, PrefixTree special, const std::int32_t* program,
                        PairModel model, std::int64_t* work, std::int64_t* ids, std::int64_t* mask,
                        Heap& heap) {
  for (Index i = 0; i < s.count * s.width; ++i) {
    if (ids != nullptr) ids[i] = s.padding;
    if (mask != nullptr) mask[i] = 0;
  }
  return byte_pair_tokens_detail::each_of_all(s, x, special, program, model, work, heap,
                                              [&](Index i, Index at, std::int32_t id) {
                                                if (ids != nullptr) ids[i * s.width + at] = id;
                                                if (mask != nullptr) mask[i * s.width + at] = 1;
                                              });
}

}  // namespace onnxc
