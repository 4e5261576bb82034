// split_tokens.hpp - the tokens of strings: their characters, what regular expressions match, or
// what is between such matches.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/regex_find.hpp"

namespace onnxc {

namespace split_tokens_detail {

inline Text part(const Text& x, std::int64_t begin, std::int64_t end) {
  return {x.data + begin, end - begin};
}

// After the character at byte `at`.
inline std::int64_t next_character(const Text& x, std::int64_t at) {
  return at < x.size ? at + code_point_at(x.data + at, x.data + x.size).bytes : x.size + 1;
}

// A match that is too short is passed by one character.
template <class F>
void each_matched(RegexSearch& search, const Text& x, std::int64_t least, F f) {
  for (std::int64_t from = 0; from <= x.size;) {
    const RegexMatch m = regex_find<true>(search, x, from);
    if (m.begin < 0) return;
    const Text token = part(x, m.begin, m.end);
    const bool counts = count_characters(token) >= least;
    if (counts) f(token);
    from = counts ? m.end : next_character(x, m.begin);
  }
}

// A piece of a string that a separator divides, and where the search continues.
struct Piece {
  Text text;
  std::int64_t from;
};

// Cuts the next part off the piece.
inline Text next_part(RegexSearch& search, Piece& piece) {
  const RegexMatch m = regex_find<true>(search, piece.text, piece.from);
  const std::int64_t begin = piece.from, end = m.begin < 0 ? piece.text.size : m.begin;
  piece.from = m.begin < 0       ? piece.text.size + 1
               : m.end > m.begin ? m.end
                                 : next_character(piece.text, m.begin);
  return part(piece.text, begin, end);
}

}  // namespace split_tokens_detail

// Calls f for each token of x. programs: the place of each separator's program, then these; work:
// 7 * steps + 1 numbers for the search, zero at first, and three for each program.
template <class S, class F>
void each_token(S s, const Text& x, const std::int32_t* programs, std::int64_t* work,
                std::int64_t& round, F f) {
  using namespace split_tokens_detail;
  if (s.characters)
    return each_character(x, [&](std::int32_t, const Text& character) { f(character); });
  RegexSearch search{programs + programs[0], s.steps, work, round};
  if (s.matched) {
    each_matched(search, x, s.least, f);
    round = search.round;
    return;
  }
  // Of the pieces at each depth: begin, end, and where the search continues.
  std::int64_t* const pieces = work + regex_find_scratch(static_cast<Index>(s.steps));
  pieces[0] = 0, pieces[1] = x.size, pieces[2] = 0;
  for (Index depth = 0; depth >= 0;) {
    std::int64_t* const at = pieces + 3 * depth;
    Piece piece{part(x, at[0], at[1]), at[2]};
    if (piece.from > piece.text.size) {
      --depth;
      continue;
    }
    search.program = programs + programs[depth];
    const Text token = next_part(search, piece);
    at[2] = piece.from;
    if (count_characters(token) < s.least) continue;
    if (depth + 1 == s.programs) {
      f(token);
      continue;
    }
    ++depth;
    at[3] = token.data - x.data;
    at[4] = at[3] + token.size;
    at[5] = 0;
  }
  round = search.round;
}

// How many numbers of scratch memory these kernels need.
template <class N>
constexpr N split_tokens_scratch(N steps, N programs) {
  return regex_find_scratch(steps) + 3 * programs;
}

// The most tokens of any of x: [count], with marks.  s: count, programs, steps, least; characters,
// matched, mark.
template <class S>
void split_tokens_extents(S s, const Text* x, const std::int32_t* programs, std::int64_t* work,
                          Index* extents) {
  for (Index k = 0; k < regex_find_scratch(static_cast<Index>(s.steps)); ++k) work[k] = 0;
  std::int64_t round = 0, most = 0;
  for (Index i = 0; i < s.count; ++i) {
    std::int64_t tokens = 0;
    each_token(s, x[i], programs, work, round, [&](const Text&) { ++tokens; });
    if (tokens > most) most = tokens;
  }
  extents[0] = static_cast<Index>(most == 0 ? 0 : most + (s.mark ? 2 : 0));
}

// y: [count, width] tokens, between two marks if there are marks, followed by paddings. texts: the
// marks and the padding.  s: as above, and width.
template <class S>
void split_tokens(S s, const Text* x, const std::int32_t* programs, const Text* texts, Text* y,
                  std::int64_t* work) {
  for (Index k = 0; k < regex_find_scratch(static_cast<Index>(s.steps)); ++k) work[k] = 0;
  std::int64_t round = 0;
  for (Index i = 0; i < s.count && s.width > 0; ++i) {
    Text* const row = y + i * s.width;
    Index at = 0;
    if (s.mark) row[at++] = texts[0];
    each_token(s, x[i], programs, work, round, [&](const Text& token) { row[at++] = token; });
    if (s.mark) row[at++] = texts[1];
    while (at < s.width) row[at++] = texts[2];
  }
}

}  // namespace onnxc
