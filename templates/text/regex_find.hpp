// regex_find.hpp - where a regular expression matches first in a string: leftmost, and of the
// matches there the one that backtracking would find, in time linear in the length.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/regex_full_match.hpp"

namespace onnxc {

// Numbers of memory that a search works in.
template <class N>
constexpr N regex_find_scratch(N steps) {
  return 7 * steps + 1;
}

// A program and the memory of a search, which has to be zero at first.
struct RegexSearch {
  const std::int32_t* program;
  Index steps;
  std::int64_t* work;
  std::int64_t round = 0;
};

// Bytes of the match; begin is -1 where there is none.
struct RegexMatch {
  std::int64_t begin, end;
};

namespace regex_find_detail {

// Threads in the order of their priority, and where each began.
struct OrderedThreads {
  std::int64_t *at, *begin;
  Index count;
};

// As regex_detail::follow, in the order of priority.
inline void follow(RegexSearch& search, std::int64_t first, std::int64_t begin,
                   RegexSurroundings around, OrderedThreads& threads) {
  std::int64_t *const seen = search.work, *const stack = seen + search.steps;
  Index depth = 0;
  stack[depth++] = first;
  while (depth > 0) {
    const std::int64_t i = stack[--depth];
    if (seen[i] == search.round) continue;
    seen[i] = search.round;
    const std::int32_t* const step = search.program + 3 * i;
    switch (static_cast<RegexOp>(step[0])) {
      case RegexOp::match:
      case RegexOp::set:
        threads.at[threads.count] = i;
        threads.begin[threads.count++] = begin;
        break;
      case RegexOp::split:
        stack[depth++] = step[2];
        stack[depth++] = step[1];
        break;
      case RegexOp::jump:
        stack[depth++] = step[1];
        break;
      case RegexOp::check:
        if (regex_detail::holds(static_cast<RegexAssertion>(step[1]), around))
          stack[depth++] = i + 1;
        break;
      default:
        if (regex_detail::looks_right(search.program, step, around)) stack[depth++] = i + 1;
        break;
    }
  }
}

// The character that ends at p, -1 at the beginning.
inline std::int32_t character_before(const char* begin, const char* p) {
  for (Index bytes = 1; bytes <= 4 && bytes <= p - begin; ++bytes) {
    const CodePoint c = code_point_at(p - bytes, p);
    if (c.bytes == bytes && (c.value < kNoCodePoint || bytes == 1)) {
      const bool continues = (static_cast<unsigned char>(p[-bytes]) & 0xC0) == 0x80;
      if (!continues) return c.value;
    }
  }
  return p == begin ? -1 : kNoCodePoint;
}

}  // namespace regex_find_detail

// The first match that begins at byte `from` or later; with Longest the longest of the leftmost
// ones: threads are in the order of their begins.
template <bool Longest = false>
RegexMatch regex_find(RegexSearch& search, const Text& x, std::int64_t from) {
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
      if (Longest && found.begin >= 0 && now.begin[k] > found.begin) break;
      const std::int32_t* const step = search.program + 3 * now.at[k];
      if (static_cast<RegexOp>(step[0]) == RegexOp::match) {
        found = {now.begin[k], p - x.data};
        if (!Longest) break;  // the others have a lower priority
      } else if (regex_detail::in_set(search.program + step[1], step[2], c.value)) {
        follow(search, now.at[k] + 1, now.begin[k], {c.value, coming.value}, next);
      }
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

// Calls f(is_match, begin, end) for matches and what is between them, in order, until f returns
// another status than ok. An empty match is none.
template <class F>
Status each_match(RegexSearch& search, const Text& x, F f) {
  std::int64_t done = 0;
  while (done < x.size) {
    std::int64_t from = done;
    RegexMatch m = regex_find(search, x, from);
    while (m.begin >= 0 && m.begin == m.end && m.begin < x.size) {
      from = m.begin + code_point_at(x.data + m.begin, x.data + x.size).bytes;
      m = regex_find(search, x, from);
    }
    if (m.begin < 0 || m.begin == m.end) m = {x.size, x.size};
    if (m.begin > done) {
      const Status status = f(false, done, m.begin);
      if (status != Status::ok) return status;
    }
    if (m.end > m.begin) {
      const Status status = f(true, m.begin, m.end);
      if (status != Status::ok) return status;
    }
    done = m.end;
  }
  return Status::ok;
}

}  // namespace onnxc
