// Parses regular expressions.
#include "compiler/ops/text/regex_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compiler/ops/text/unicode.hpp"
#include "templates/text/letter_case.hpp"

namespace onnxc::ops::regex {
namespace {

constexpr std::int32_t kLast = kNoCodePoint - 1;
constexpr int kMaxRepeats = 1000;  // as in RE2
constexpr int kMaxDepth = 500;

// Characters with the same lower case are variants of each other.
std::multimap<std::int32_t, std::int32_t> case_variants() {
  std::map<std::int32_t, std::vector<std::int32_t>> families;
  for (std::int32_t c = 0; c < 0x1F000; ++c) {
    // Through the upper case, so that final and medial sigma are equal.
    const std::int32_t small = to_lower(to_upper(c));
    if (small != c) families[small].push_back(c);
  }
  std::multimap<std::int32_t, std::int32_t> out;
  for (auto& [small, family] : families) {
    family.push_back(small);
    for (std::int32_t a : family)
      for (std::int32_t b : family)
        if (a != b) out.emplace(a, b);
  }
  return out;
}

}  // namespace

void Set::sort() {
  std::sort(ranges_.begin(), ranges_.end());
  std::vector<Range> merged;
  for (const Range& r : ranges_)
    if (!merged.empty() && r.first <= merged.back().second + 1)
      merged.back().second = std::max(merged.back().second, r.second);
    else
      merged.push_back(r);
  ranges_ = std::move(merged);
}

Set Set::inverted() {
  sort();
  Set out;
  std::int32_t next = 0;
  for (const auto& [first, last] : ranges_) {
    if (first > next) out.add(next, first - 1);
    next = last + 1;
  }
  if (next <= kLast) out.add(next, kLast);
  return out;
}

void Set::fold_case() {
  sort();
  static const std::multimap<std::int32_t, std::int32_t> variants = case_variants();
  const std::vector<Range> own = ranges_;
  for (const auto& [first, last] : own)
    for (auto v = variants.lower_bound(first); v != variants.end() && v->first <= last; ++v)
      add(v->second, v->second);
  sort();
}

std::vector<std::int32_t> Set::words() const {
  std::vector<std::int32_t> out(kRegexSetBits, 0);
  for (const auto& [first, last] : ranges_)
    for (std::int32_t c = first; c <= last && c < 32 * kRegexSetBits; ++c)
      out[static_cast<std::size_t>(c / 32)] |= static_cast<std::int32_t>(1u << (c % 32));
  for (const auto& [first, last] : ranges_) out.insert(out.end(), {first, last});
  return out;
}

namespace {

struct Flags {
  bool ignore_case = false, multi_line = false, dot_all = false;
};

struct NamedSet {
  std::string_view name;
  std::vector<std::pair<std::int32_t, std::int32_t>> ranges;
};

const NamedSet kNamedSets[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
    {"ascii", {{0, 0x7F}}},
    {"blank", {{'\t', '\t'}, {' ', ' '}}},
    {"cntrl", {{0, 0x1F}, {0x7F, 0x7F}}},
    {"digit", {{'0', '9'}}},
    {"graph", {{'!', '~'}}},
    {"lower", {{'a', 'z'}}},
    {"print", {{' ', '~'}}},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {"space", {{'\t', '\r'}, {' ', ' '}}},
    {"upper", {{'A', 'Z'}}},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
    // \s leaves out the vertical tab.
    {"\\s", {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}}},
};

Set named_set(std::string_view name) {
  for (const NamedSet& s : kNamedSets)
    if (s.name == name) {
      Set out;
      for (const auto& [first, last] : s.ranges) out.add(first, last);
      return out;
    }
  throw RegexError(fmt::format("no character class [:{}:]", name), false);
}

Set categories(std::initializer_list<std::string_view> names) {
  Set out;
  for (std::string_view name : names) out.add(characters_of(name));
  return out;
}

// \d \s \w of Unicode.
Set unicode_set(char kind) {
  Set out;
  if (kind == 's') out.add(white_space());
  if (kind == 'd') out = categories({"Nd"});
  if (kind == 'w') out = categories({"L", "M", "Nd", "Pc"});
  return out;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  Parser(std::string_view pattern, RegexSyntax syntax)
      : unicode_(syntax == RegexSyntax::oniguruma),
        begin_(pattern.data()),
        p_(begin_),
        end_(p_ + pattern.size()) {}

  NodePtr parse() {
    Flags flags;
    flags.multi_line = unicode_;
    NodePtr node = choice(flags, 0);
    if (p_ < end_) fail("has a ) without its (");
    return node;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw RegexError(fmt::format("{} at byte {}", what, p_ - begin_), false);
  }
  [[noreturn]] void unknown(const std::string& what) const {
    if (unicode_) unsupported("has " + what + " that is not known");
    fail("has " + what + " that RE2 does not know");
  }
  [[noreturn]] void unsupported(const std::string& what) const {
    throw RegexError(fmt::format("{} at byte {}", what, p_ - begin_), true);
  }

  bool starts_with(std::string_view s) const {
    return std::string_view(p_, static_cast<std::size_t>(end_ - p_)).substr(0, s.size()) == s;
  }
  bool take(std::string_view s) {
    if (!starts_with(s)) return false;
    p_ += s.size();
    return true;
  }
  std::int32_t character() {
    if (p_ == end_) fail("ends too early");
    const CodePoint c = code_point_at(p_, end_);
    if (c.value >= kNoCodePoint) fail("is no UTF-8");
    p_ += c.bytes;
    return c.value;
  }

  static NodePtr make(Node node) { return std::make_shared<const Node>(std::move(node)); }
  static NodePtr check(RegexAssertion place) {
    Node n;
    n.kind = Node::Kind::check;
    n.place = place;
    return make(std::move(n));
  }
  static NodePtr of_set(Set set, Flags flags) {
    if (flags.ignore_case) set.fold_case();
    set.sort();
    Node n;
    n.kind = Node::Kind::set;
    n.set = std::move(set);
    return make(std::move(n));
  }
  static NodePtr literal(std::int32_t c, Flags flags) {
    Set set;
    set.add(c, c);
    return of_set(std::move(set), flags);
  }

  // a|b|c up to the end or a closing parenthesis. Flags set inside hold until its end.
  NodePtr choice(Flags flags, int depth) {
    if (depth > kMaxDepth) fail("is nested too deeply");
    Node out, sequence;
    out.kind = Node::Kind::choice;
    sequence.kind = Node::Kind::sequence;
    bool repeated = false;  // whether the last part is already a repetition
    while (p_ < end_ && *p_ != ')') {
      if (take("|")) {
        out.parts.push_back(make(std::move(sequence)));
        sequence = Node{};
        sequence.kind = Node::Kind::sequence;
        repeated = false;
        continue;
      }
      if (take("\\Q")) {
        while (p_ < end_ && !take("\\E")) sequence.parts.push_back(literal(character(), flags));
        repeated = false;
        continue;
      }
      if (const auto counts = repetition()) {
        if (sequence.parts.empty()) fail("repeats nothing");
        if (repeated) fail("repeats a repetition");
        sequence.parts.back() = repeat(sequence.parts.back(), *counts);
        repeated = true;
        continue;
      }
      repeated = false;
      if (NodePtr part = atom(flags, depth)) sequence.parts.push_back(std::move(part));
    }
    out.parts.push_back(make(std::move(sequence)));
    return out.parts.size() == 1 ? out.parts[0] : make(std::move(out));
  }

  struct Counts {
    int least, most;
    bool lazy = false;
  };

  // * + ? {n} {n,} {n,m}, with an optional ? for the fewest; nullopt when it is none of these.
  std::optional<Counts> repetition() {
    std::optional<Counts> counts;
    if (take("*"))
      counts = Counts{0, -1};
    else if (take("+"))
      counts = Counts{1, -1};
    else if (take("?"))
      counts = Counts{0, 1};
    else
      counts = braces();
    if (!counts) return counts;
    counts->lazy = take("?");
    if (unicode_ && !counts->lazy && take("+")) unsupported("a repetition that gives nothing back");
    return counts;
  }

  std::optional<Counts> braces() {
    const char* const start = p_;
    const auto nothing = [&]() -> std::optional<Counts> {
      p_ = start;
      return std::nullopt;
    };
    if (!take("{")) return nothing();
    const auto least = number();
    if (!least) return nothing();
    std::optional<int> most = least;
    if (take(",")) most = starts_with("}") ? -1 : number();
    if (!most || !take("}")) return nothing();
    if (*least > kMaxRepeats || *most > kMaxRepeats || (*most >= 0 && *most < *least))
      fail("has a bad number of repetitions");
    return Counts{*least, *most, false};
  }

  std::optional<int> number() {
    if (p_ == end_ || !is_digit(*p_)) return std::nullopt;
    int value = 0;
    for (; p_ < end_ && is_digit(*p_); ++p_) value = std::min(value * 10 + (*p_ - '0'), 100000);
    return value;
  }

  static NodePtr repeat(NodePtr what, Counts counts) {
    Node n;
    n.kind = Node::Kind::repeat;
    n.least = counts.least;
    n.most = counts.most;
    n.lazy = counts.lazy;
    n.parts = {std::move(what)};
    return make(std::move(n));
  }

  // Null for a change of flags.
  NodePtr atom(Flags& flags, int depth) {
    if (take("(")) return group(flags, depth);
    if (take("[")) return of_brackets(flags);
    if (take("^"))
      return check(flags.multi_line ? RegexAssertion::line_begin : RegexAssertion::text_begin);
    if (take("$"))
      return check(flags.multi_line ? RegexAssertion::line_end : RegexAssertion::text_end);
    if (take(".")) {
      Set set;
      if (!flags.dot_all) set.add('\n', '\n');
      return of_set(set.inverted(), Flags{});
    }
    if (take("\\A")) return check(RegexAssertion::text_begin);
    if (take("\\z")) return check(RegexAssertion::text_end);
    if (take("\\b")) return check(RegexAssertion::word_border);
    if (take("\\B")) return check(RegexAssertion::not_word_boundary);
    if (take("\\C")) unsupported("\\C, a single byte,");
    if (auto set = escaped_set(flags)) return of_set(std::move(*set), Flags{});
    return literal(starts_with("\\") ? escaped() : character(), flags);
  }

  NodePtr group(Flags& flags, int depth) {
    Flags inner = flags;
    if (unicode_)
      for (const auto& [text, op] : kLooks)
        if (take(text)) return look(op, flags, depth);
    if (take("?")) {
      if (take("P<") || take("<"))
        group_name();
      else if (!group_flags(inner)) {
        flags = inner;
        return nullptr;
      }
    }
    NodePtr node = choice(inner, depth + 1);
    if (!take(")")) fail("has a ( without its )");
    return node;
  }

  static constexpr std::pair<std::string_view, RegexOp> kLooks[] = {{"?=", RegexOp::ahead},
                                                                    {"?!", RegexOp::not_ahead},
                                                                    {"?<=", RegexOp::behind},
                                                                    {"?<!", RegexOp::not_behind}};

  NodePtr look(RegexOp op, Flags flags, int depth) {
    const NodePtr inside = choice(flags, depth + 1);
    if (!take(")")) fail("has a ( without its )");
    if (inside->kind != Node::Kind::sequence || inside->parts.size() != 1 ||
        inside->parts[0]->kind != Node::Kind::set)
      unsupported("a look at more than one character");
    Node n = *inside->parts[0];
    n.kind = Node::Kind::look;
    n.look = op;
    return make(std::move(n));
  }

  void group_name() {
    if (starts_with("=") || starts_with("!")) fail("is a lookbehind, which RE2 does not have");
    const char* const start = p_;
    while (p_ < end_ && *p_ != '>') {
      if (!is_letter(*p_) && !is_digit(*p_) && *p_ != '_') fail("has a bad group name");
      ++p_;
    }
    const std::string name(start, p_);
    if (name.empty() || !take(">")) fail("has a bad group name");
    if (!names_.insert(name).second) fail("has two groups of one name");
  }

  // i, m, s, U after (?, or cleared after a -; true when a colon opens a group.
  bool group_flags(Flags& flags) {
    bool value = true, any = false;
    for (;;) {
      const std::int32_t c = character();
      if (c == ':' && (any || value)) return true;
      if (c == ')' && (any || value)) return false;
      if (c == '-' && value) {
        value = false;
        any = false;
        continue;
      }
      any = true;
      if (c == 'i')
        flags.ignore_case = value;
      else if (c == 'm' && !unicode_)
        flags.multi_line = value;
      else if (c == (unicode_ ? 'm' : 's'))
        flags.dot_all = value;
      else if (c != 'U' || unicode_)
        unknown("a group");
    }
  }

  // \d \pL and the like, which stand for sets inside and outside of brackets.
  std::optional<Set> escaped_set(Flags flags) {
    if (end_ - p_ < 2 || *p_ != '\\') return std::nullopt;
    const char c = p_[1];
    const auto either = [&](std::string_view name, char negated) {
      p_ += 2;
      Set set = unicode_ ? unicode_set(static_cast<char>(c | 0x20)) : named_set(name);
      if (flags.ignore_case) set.fold_case();
      return c == negated ? set.inverted() : set;
    };
    if (c == 'd' || c == 'D') return either("digit", 'D');
    if (c == 's' || c == 'S') return either("\\s", 'S');
    if (c == 'w' || c == 'W') return either("word", 'W');
    if (c == 'p' || c == 'P') return property(c == 'P');
    return std::nullopt;
  }

  // \p{Any} \P{^Any} \pL \p{Lu}; scripts would take other tables.
  Set property(bool negated) {
    p_ += 2;
    std::string name;
    if (take("{")) {
      while (p_ < end_ && *p_ != '}') name += *p_++;
      if (!take("}")) fail("has a \\p{ without its }");
    } else {
      character();
      name = p_[-1];
    }
    if (!name.empty() && name[0] == '^') {
      negated = !negated;
      name.erase(0, 1);
    }
    if (name.empty()) fail("has a \\p{} without a name");
    Set set = categories({name});
    if (name == "Any") set.add(0, kLast);
    if (name == "C") set = categories({"L", "M", "N", "P", "S", "Z"}).inverted();
    if (name.size() > 2 ? name != "Any" : set.count() == 0)
      unsupported("the class \\p{" + name + "}");
    set.sort();
    return negated ? set.inverted() : set;
  }

  // One character after a backslash.
  std::int32_t escaped() {
    take("\\");
    if (p_ == end_) fail("ends in a backslash");
    const char c = *p_;
    if (c >= '1' && c <= '9' && !(c < '8' && end_ - p_ > 1 && p_[1] >= '0' && p_[1] <= '7'))
      fail("refers back to a group, which RE2 does not,");
    if (c >= '0' && c <= '7') {
      std::int32_t value = 0;
      for (int i = 0; i < 3 && p_ < end_ && *p_ >= '0' && *p_ <= '7'; ++i)
        value = value * 8 + (*p_++ - '0');
      return value;
    }
    if (c == 'x') return hexadecimal();
    const std::string_view names = "aftnrv", values = "\a\f\t\n\r\v";
    const std::size_t known = names.find(c);
    if (known == std::string_view::npos && (is_letter(c) || static_cast<unsigned char>(c) >= 0x80))
      unknown("an escape");
    ++p_;
    return known == std::string_view::npos ? c : values[known];
  }

  std::int32_t hexadecimal() {
    ++p_;
    const bool braces = take("{");
    std::int32_t value = 0;
    int digits = 0;
    for (; p_ < end_ && (braces || digits < 2); ++p_, ++digits) {
      const char lower = static_cast<char>(*p_ | 0x20);
      const bool letter = lower >= 'a' && lower <= 'f';
      if (!is_digit(*p_) && !letter) break;
      value = value * 16 + (letter ? lower - 'a' + 10 : *p_ - '0');
      if (value > kLast) fail("has a character beyond Unicode");
    }
    if ((braces && (!take("}") || digits == 0)) || (!braces && digits != 2))
      fail("has a bad hexadecimal character");
    return value;
  }

  // [a-z\d[:punct:]] after its opening bracket.
  NodePtr of_brackets(Flags flags) {
    const bool negated = take("^");
    Set set;
    for (bool first = true; first || !starts_with("]"); first = false) {
      if (p_ == end_) fail("has a [ without its ]");
      if (auto named = posix_set(flags)) {
        set.add(*named);
        continue;
      }
      if (unicode_ && (starts_with("[") || starts_with("&&"))) unsupported("a set within a set");
      if (auto escaped = escaped_set(flags)) {
        set.add(*escaped);
        continue;
      }
      const std::int32_t low = bracket_character();
      std::int32_t high = low;
      if (end_ - p_ > 1 && p_[0] == '-' && p_[1] != ']') {
        ++p_;
        high = bracket_character();
      }
      if (high < low) fail("has a range that runs backwards");
      Set range;
      range.add(low, high);
      if (flags.ignore_case) range.fold_case();
      set.add(range);
    }
    take("]");
    set.sort();
    return of_set(negated ? set.inverted() : set, Flags{});
  }

  std::int32_t bracket_character() { return starts_with("\\") ? escaped() : character(); }

  // [:alpha:] [:^alpha:]
  std::optional<Set> posix_set(Flags flags) {
    if (!starts_with("[:")) return std::nullopt;
    const std::string_view rest(p_ + 2, static_cast<std::size_t>(end_ - p_ - 2));
    const std::size_t close = rest.find(":]");
    if (close == std::string_view::npos) return std::nullopt;
    std::string_view name = rest.substr(0, close);
    const bool negated = !name.empty() && name[0] == '^';
    if (negated) name.remove_prefix(1);
    Set set = named_set(name);
    p_ += close + 4;
    if (flags.ignore_case) set.fold_case();
    return negated ? set.inverted() : set;
  }

  bool unicode_;
  const char *begin_, *p_, *end_;
  std::set<std::string> names_;
};

}  // namespace

NodePtr parse(std::string_view pattern, RegexSyntax syntax) {
  return Parser(pattern, syntax).parse();
}

}  // namespace onnxc::ops::regex
