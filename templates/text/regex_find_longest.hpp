// regex_find_longest.hpp - where a regular expression matches first in a string: leftmost, and of
// the matches there the longest, in time linear in the length.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "templates/text/regex_find.hpp"

namespace onnxc {

// The first match that begins at byte `from` or later. Threads are in the order of their begins.
inline RegexMatch regex_find_longest(RegexSearch& search, const Text& x, std::int64_t from) {
  using namespace regex_find_detail;
  std::int64_t* const lists = search.work + 3 * search.steps + 1;
  OrderedThreads now{lists, lists + search.steps, 0};
  OrderedThreads next{lists + 2 * search.steps, lists + 3 * search.steps, 0};
  RegexMatch found{-1, -1};
  const char* const end = x.data + x.size;
  const char* p = x.data + from;
  RegexSurroundings around{character_before(x.data, p), -1};
  CodePoint c = p < end ? code_point_at(p, end) : CodePoint{-1, 0};
  ++search.round;
  for (;;) {
    around.after = c.value;
    if (found.begin < 0) follow(search, 0, p - x.data, around, now);
    const char* const after = p + c.bytes;
    const CodePoint coming = after < end ? code_point_at(after, end) : CodePoint{-1, 0};
    ++search.round;
    next.count = 0;
    for (Index k = 0; k < now.count; ++k) {
      if (found.begin >= 0 && now.begin[k] > found.begin) break;
      const std::int32_t* const step = search.program + 3 * now.at[k];
      if (static_cast<RegexOp>(step[0]) == RegexOp::match)
        found = {now.begin[k], p - x.data};
      else if (regex_detail::in_set(search.program + step[1], step[2], c.value))
        follow(search, now.at[k] + 1, now.begin[k], {c.value, coming.value}, next);
    }
    if (p == end || (next.count == 0 && found.begin >= 0)) return found;
    around.before = c.value;
    p = after;
    c = coming;
    const OrderedThreads done = now;
    now = next;
    next = done;
  }
}

}  // namespace onnxc
