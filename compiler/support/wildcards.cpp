// Matches from left to right; of several stars only the last one can be to blame.
#include "compiler/support/wildcards.hpp"

namespace onnxc {
namespace {

// A set, without its first bracket. `rest`: what follows it; without a last bracket there is none.
bool in_set(std::string_view set, char c, std::string_view& rest, bool& closed) {
  const bool negated = !set.empty() && (set[0] == '!' || set[0] == '^');
  if (negated) set.remove_prefix(1);
  bool found = false;
  closed = false;
  const auto take = [&] {
    if (set.size() > 1 && set[0] == '\\') set.remove_prefix(1);
    const auto byte = static_cast<unsigned char>(set[0]);
    set.remove_prefix(1);
    return byte;
  };
  for (bool first = true; !set.empty(); first = false) {
    if (set[0] == ']' && !first) {
      closed = true;
      rest = set.substr(1);
      return found != negated;
    }
    const unsigned char low = take();
    unsigned char high = low;
    if (set.size() > 1 && set[0] == '-' && set[1] != ']') {
      set.remove_prefix(1);
      high = take();
    }
    const auto byte = static_cast<unsigned char>(c);
    found = found || (low <= byte && byte <= high);
  }
  return false;
}

// One byte of text against the first element of the pattern, which is no star.
bool matches_one(std::string_view& pattern, char c) {
  if (pattern.empty()) return false;
  const char p = pattern[0];
  pattern.remove_prefix(1);
  if (p == '?') return true;
  if (p == '[') {
    bool closed = false;
    std::string_view rest;
    const bool found = in_set(pattern, c, rest, closed);
    if (closed) pattern = rest;
    return closed ? found : c == '[';
  }
  if (p != '\\' || pattern.empty()) return p == c;
  const char literal = pattern[0];
  pattern.remove_prefix(1);
  return literal == c;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  std::string_view after_star, from;
  bool star = false;
  while (!text.empty()) {
    if (!pattern.empty() && pattern[0] == '*') {
      pattern.remove_prefix(1);
      star = true;
      after_star = pattern;
      from = text;
      continue;
    }
    if (matches_one(pattern, text[0])) {
      text.remove_prefix(1);
      continue;
    }
    if (!star) return false;
    from.remove_prefix(1);
    text = from;
    pattern = after_star;
  }
  return pattern.find_first_not_of('*') == pattern.npos;
}

}  // namespace onnxc
