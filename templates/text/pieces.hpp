// pieces.hpp - divides a text where a regular expression matches.
#pragma once

#include "runtime_min/text.hpp"
#include "templates/text/regex_find.hpp"
#include "templates/text/rewrite.hpp"

namespace onnxc {

// What becomes of a match: it is left out, is a piece of its own, one with the matches next to it,
// or one with the text before or after it.
enum class SplitBehavior : std::uint8_t {
  removed,
  isolated,
  contiguous,
  merged_with_previous,
  merged_with_next
};

// Calls f(piece) for the pieces of x in order until it returns another status than ok. The text
// between matches is what counts as the match if `inverted`.
template <SplitBehavior Behavior, bool Inverted, class F>
Status each_piece(RegexSearch& search, const Text& x, F f) {
  // What has not been passed on yet, and whether a match is in it.
  std::int64_t begin = 0, end = 0;
  bool held_match = false;
  const auto pass = [&] { return begin < end ? f(Text{x.data + begin, end - begin}) : Status::ok; };
  const auto split = [&](bool matched, std::int64_t from, std::int64_t to) {
    const bool is_match = matched != Inverted;
    const bool joins = Behavior == SplitBehavior::contiguous             ? is_match && held_match
                       : Behavior == SplitBehavior::merged_with_previous ? is_match && !held_match
                       : Behavior == SplitBehavior::merged_with_next     ? !is_match && held_match
                                                                         : false;
    held_match = is_match;
    if (joins) {
      end = to;
      if (Behavior == SplitBehavior::merged_with_next) held_match = false;
      return Status::ok;
    }
    const Status status = pass();
    begin = from;
    end = Behavior == SplitBehavior::removed && is_match ? from : to;
    return status;
  };
  const Status status = each_match(search, x, split);
  return status == Status::ok ? pass() : status;
}

// `by` in place of each match; returns where it ended in `to`.
inline char* write_matches_replaced(RegexSearch& search, const Text& x, const Text& by, char* to) {
  each_match(search, x, [&](bool is_match, std::int64_t begin, std::int64_t end) {
    to = write_text(is_match ? by : Text{x.data + begin, end - begin}, to);
    return Status::ok;
  });
  return to;
}

}  // namespace onnxc
