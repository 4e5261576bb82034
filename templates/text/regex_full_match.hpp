// regex_full_match.hpp - whether whole strings match a regular expression, in time linear in their
// length.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"

namespace onnxc {

// A program is an array of instructions of three numbers, followed by the sets.
enum class RegexOp : std::int32_t {
  match,  // the end
  set,    // a character of the set at a; then the next
  split,  // continues at a and at b
  jump,   // continues at a
  check,  // continues if assertion a holds here: RegexAssertion
  ahead,  // continues if the next character is of the set at a, or the one before, or not
  not_ahead,
  behind,
  not_behind,
};
// A set of b ranges: a bit for each of the first characters, then pairs (first, last) in order.
constexpr std::int32_t kRegexSetBits = 4;
enum class RegexAssertion : std::int32_t {
  text_begin,
  text_end,
  line_begin,
  line_end,
  word_border,
  not_word_boundary
};

// The characters before and after a position of a string, -1 at its ends.
struct RegexSurroundings {
  std::int32_t before, after;
};

namespace regex_detail {

inline bool is_word(std::int32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

inline bool holds(RegexAssertion place, RegexSurroundings at) {
  switch (place) {
    case RegexAssertion::text_begin:
      return at.before < 0;
    case RegexAssertion::text_end:
      return at.after < 0;
    case RegexAssertion::line_begin:
      return at.before < 0 || at.before == '\n';
    case RegexAssertion::line_end:
      return at.after < 0 || at.after == '\n';
    case RegexAssertion::word_border:
      return is_word(at.before) != is_word(at.after);
    case RegexAssertion::not_word_boundary:
      return is_word(at.before) == is_word(at.after);
  }
  return false;
}

inline bool in_set(const std::int32_t* set, Index count, std::int32_t c) {
  if (c < 0) return false;
  if (c < 32 * kRegexSetBits) return (static_cast<std::uint32_t>(set[c / 32]) >> c % 32 & 1) != 0;
  const std::int32_t* const ranges = set + kRegexSetBits;
  Index low = 0, high = count;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (c < ranges[2 * middle])
      high = middle;
    else if (c > ranges[2 * middle + 1])
      low = middle + 1;
    else
      return true;
  }
  return false;
}

// Whether the step of a look continues.
inline bool looks_right(const std::int32_t* program, const std::int32_t* step,
                        RegexSurroundings at) {
  const auto op = static_cast<RegexOp>(step[0]);
  const bool ahead = op == RegexOp::ahead || op == RegexOp::not_ahead;
  const bool wanted = op == RegexOp::ahead || op == RegexOp::behind;
  return in_set(program + step[1], step[2], ahead ? at.after : at.before) == wanted;
}

// The set of states (Thompson 1968): the instructions that the program may be at, each once.
struct Threads {
  std::int64_t* at;
  Index count;
};

// Adds an instruction and all that follow it without reading a character. seen[i] == round: already
// in the set.
inline void follow(const std::int32_t* program, std::int64_t start, RegexSurroundings around,
                   std::int64_t round, std::int64_t* seen, std::int64_t* stack, Threads& threads) {
  Index depth = 0;
  const auto push = [&](std::int64_t i) {
    if (seen[i] == round) return;
    seen[i] = round;
    stack[depth++] = i;
  };
  push(start);
  while (depth > 0) {
    const std::int64_t i = stack[--depth];
    const std::int32_t* const step = program + 3 * i;
    switch (static_cast<RegexOp>(step[0])) {
      case RegexOp::match:
      case RegexOp::set:
        threads.at[threads.count++] = i;
        break;
      case RegexOp::split:
        push(step[1]);
        push(step[2]);
        break;
      case RegexOp::jump:
        push(step[1]);
        break;
      case RegexOp::check:
        if (holds(static_cast<RegexAssertion>(step[1]), around)) push(i + 1);
        break;
      default:
        if (looks_right(program, step, around)) push(i + 1);
        break;
    }
  }
}

}  // namespace regex_detail

// x, y: [count]. program: s.steps instructions and their ranges. work: [4 * steps].
// s: count, steps.
template <class S>
void regex_full_match(S s, const Text* x, const std::int32_t* program, bool* y,
                      std::int64_t* work) {
  using namespace regex_detail;
  std::int64_t *const seen = work, *const stack = work + s.steps;
  Threads now{stack + s.steps, 0}, next{now.at + s.steps, 0};
  for (Index i = 0; i < s.steps; ++i) seen[i] = 0;
  std::int64_t round = 0;
  for (Index i = 0; i < s.count; ++i) {
    const char* p = x[i].data;
    const char* const end = p + x[i].size;
    CodePoint c = p < end ? code_point_at(p, end) : CodePoint{-1, 0};
    now.count = 0;
    follow(program, 0, {-1, c.value}, ++round, seen, stack, now);
    while (p < end && now.count > 0) {
      p += c.bytes;
      const CodePoint after = p < end ? code_point_at(p, end) : CodePoint{-1, 0};
      ++round;
      next.count = 0;
      for (Index k = 0; k < now.count; ++k) {
        const std::int32_t* const step = program + 3 * now.at[k];
        if (static_cast<RegexOp>(step[0]) == RegexOp::set &&
            in_set(program + step[1], step[2], c.value))
          follow(program, now.at[k] + 1, {c.value, after.value}, round, seen, stack, next);
      }
      c = after;
      const Threads done = now;
      now = next;
      next = done;
    }
    y[i] = false;
    for (Index k = 0; k < now.count; ++k)
      if (program[3 * now.at[k]] == static_cast<std::int32_t>(RegexOp::match)) y[i] = true;
  }
}

}  // namespace onnxc
