// regex_search.cpp - where regular expressions match, and what is made of it: replacements, pieces,
// tokens.
#include <catch2/catch.hpp>

#include "templates/text/pieces.hpp"
#include "templates/text/regex_replace.hpp"
#include "templates/text/split_tokens.hpp"
#include "tests/kernels/text_data.hpp"

namespace onnxc {
namespace {

using namespace kernel_test;
using Span = std::pair<std::int64_t, std::int64_t>;
const std::string kDigits = "0123456789";

Span find(Regex& regex, const std::string& x, std::int64_t from = 0) {
  RegexSearch search = regex.search();
  const RegexMatch m = regex_find(search, text_of(x), from);
  return {m.begin, m.end};
}

Span find_longest(Regex& regex, const std::string& x, std::int64_t from = 0) {
  RegexSearch search = regex.search();
  const RegexMatch m = regex_find<true>(search, text_of(x), from);
  return {m.begin, m.end};
}

// a|ab
Regex shorter_first() {
  return Regex({{RegexOp::split, 1, 3},
                {RegexOp::set, 0, 0, character_set("a")},
                {RegexOp::match},
                {RegexOp::set, 0, 0, character_set("a")},
                {RegexOp::set, 0, 0, character_set("b")},
                {RegexOp::match}});
}

// a*
Regex any_number_of_a() {
  return Regex({{RegexOp::split, 1, 3},
                {RegexOp::set, 0, 0, character_set("a")},
                {RegexOp::jump, 0},
                {RegexOp::match}});
}

}  // namespace

TEST_CASE("the leftmost match is found, of those there the first that backtracking tries",
          "[regex]") {
  Regex number = some_of(kDigits);
  CHECK(find(number, "ab123c45") == Span{2, 5});
  CHECK(find(number, "ab123c45", 3) == Span{3, 5});
  CHECK(find(number, "ab123c45", 5) == Span{6, 8});
  CHECK(find(number, "abc") == Span{-1, -1});
  CHECK(find(number, "") == Span{-1, -1});
  Regex first = shorter_first();
  CHECK(find(first, "xab") == Span{1, 2});
  CHECK(find_longest(first, "xab") == Span{1, 3});
  CHECK(find_longest(first, "xac") == Span{1, 2});
  Regex empty = any_number_of_a();
  CHECK(find(empty, "baa") == Span{0, 0});
  CHECK(find(empty, "baa", 1) == Span{1, 3});
  CHECK(find_longest(empty, "baab", 1) == Span{1, 3});
  CHECK(find_longest(empty, "bc", 2) == Span{2, 2});
}

TEST_CASE("characters of several bytes count as one", "[regex]") {
  Regex greek = some_of("", {{0x391, 0x3C9}});
  const std::string x = "a\xCE\xB1\xCE\xB2z\xCE\xB3";  // a, alpha, beta, z, gamma
  CHECK(find(greek, x) == Span{1, 5});
  CHECK(find(greek, x, 5) == Span{6, 8});
  CHECK(find_longest(greek, x) == Span{1, 5});
}

TEST_CASE("assertions look at the characters around a place", "[regex]") {
  const auto word = [](RegexAssertion a) { return static_cast<std::int32_t>(a); };
  Regex whole({{RegexOp::check, word(RegexAssertion::word_border)},
               {RegexOp::set, 0, 0, character_set("a")},
               {RegexOp::check, word(RegexAssertion::word_border)},
               {RegexOp::match}});
  CHECK(find(whole, "ba ab a!") == Span{6, 7});
  // The character before the place where the search begins counts.
  CHECK(find(whole, "ba", 1) == Span{-1, -1});
  CHECK(find(whole, " a", 1) == Span{1, 2});
  Regex line({{RegexOp::check, word(RegexAssertion::line_begin)},
              {RegexOp::set, 0, 0, character_set("a")},
              {RegexOp::match}});
  CHECK(find(line, "ba\na") == Span{3, 4});
  Regex before_digit({{RegexOp::set, 0, 0, character_set("a")},
                      {RegexOp::ahead, 0, 0, character_set(kDigits)},
                      {RegexOp::match}});
  CHECK(find(before_digit, "aba1") == Span{2, 3});
  Regex not_after_b({{RegexOp::not_behind, 0, 0, character_set("b")},
                     {RegexOp::set, 0, 0, character_set("a")},
                     {RegexOp::match}});
  CHECK(find(not_after_b, "baca") == Span{3, 4});
}

TEST_CASE("matches and what is between them alternate; empty ones are none", "[regex]") {
  const auto parts = [](Regex regex, const std::string& x) {
    RegexSearch search = regex.search();
    Strings out;
    CHECK(each_match(search, text_of(x), [&](bool is_match, std::int64_t begin, std::int64_t end) {
            const auto at = static_cast<std::size_t>(begin);
            out.push_back((is_match ? "+" : "-") +
                          x.substr(at, static_cast<std::size_t>(end) - at));
            return Status::ok;
          }) == Status::ok);
    return out;
  };
  CHECK(parts(some_of(kDigits), "1ab23") == Strings{"+1", "-ab", "+23"});
  CHECK(parts(any_number_of_a(), "baac") == Strings{"-b", "+aa", "-c"});
  CHECK(parts(any_number_of_a(), "\xC3\xA9z") == Strings{"-\xC3\xA9z"});
  CHECK(parts(some_of(kDigits), "").empty());
  Regex number = some_of(kDigits);
  RegexSearch search = number.search();
  int calls = 0;
  CHECK(each_match(search, text("a1b2"), [&](bool, std::int64_t, std::int64_t) {
          return ++calls == 2 ? Status::bad_value : Status::ok;
        }) == Status::bad_value);
  CHECK(calls == 2);
}

TEST_CASE("matches are replaced, all or the first", "[regex]") {
  const auto replaced = [](Regex regex, const Strings& x, const Strings& by, bool all) {
    struct {
      Index count, steps, parts;
      bool all;
    } s{static_cast<Index>(x.size()), regex.steps(), static_cast<Index>(by.size()), all};
    const std::vector<Text> in = texts_of(x), parts = texts_of(by);
    std::vector<Text> y(x.size());
    Heap heap(malloc_allocator());
    REQUIRE(regex_replace(s, in.data(), regex.program(), parts.data(), y.data(), regex.work(),
                          heap) == Status::ok);
    return strings_of(y);
  };
  CHECK(replaced(some_of(kDigits), {"a1b22", "none", ""}, {"#"}, true) ==
        Strings{"a#b#", "none", ""});
  CHECK(replaced(some_of(kDigits), {"a1b22", "7"}, {"#"}, false) == Strings{"a#b22", "#"});
  // Between parts stands the whole match.
  CHECK(replaced(some_of(kDigits), {"a1b22"}, {"<", "|", ">"}, true) == Strings{"a<1|1>b<22|22>"});
  // As Python's re.sub("a*", "-", ...) of before 3.7, and RE2: no empty match next to another one.
  CHECK(replaced(any_number_of_a(), {"baac", ""}, {"-"}, true) == Strings{"-b-c-", "-"});
}

// The example of the documentation of Hugging Face's tokenizers for each behaviour.
TEST_CASE("a text is divided where it matches", "[regex]") {
  const auto divided = [](auto behavior, auto inverted, const std::string& x) {
    Regex dash = one_of("-");
    RegexSearch search = dash.search();
    Strings out;
    CHECK(each_piece<behavior.value, inverted.value>(search, text_of(x), [&](const Text& piece) {
            out.push_back(string_of(piece));
            return Status::ok;
          }) == Status::ok);
    return out;
  };
  using B = SplitBehavior;
  const std::false_type plain;
  const std::true_type inverted;
  const std::string x = "the-final--countdown";
  const std::integral_constant<B, B::removed> removed;
  const std::integral_constant<B, B::isolated> isolated;
  const std::integral_constant<B, B::contiguous> contiguous;
  const std::integral_constant<B, B::merged_with_previous> previous;
  const std::integral_constant<B, B::merged_with_next> next;
  CHECK(divided(removed, plain, x) == Strings{"the", "final", "countdown"});
  CHECK(divided(isolated, plain, x) == Strings{"the", "-", "final", "-", "-", "countdown"});
  CHECK(divided(contiguous, plain, x) == Strings{"the", "-", "final", "--", "countdown"});
  CHECK(divided(previous, plain, x) == Strings{"the-", "final-", "-", "countdown"});
  CHECK(divided(next, plain, x) == Strings{"the", "-final", "-", "-countdown"});
  CHECK(divided(removed, inverted, x) == Strings{"-", "-", "-"});
  CHECK(divided(removed, plain, "--").empty());
  CHECK(divided(previous, plain, "") == Strings{});
}

TEST_CASE("a text is written with its matches replaced", "[regex]") {
  Regex number = some_of(kDigits);
  RegexSearch search = number.search();
  char room[32];
  const auto written = [&](const Text& x, const Text& by) {
    return std::string(room, write_matches_replaced(search, x, by, room));
  };
  CHECK(written(text("a12b3"), text("<>")) == "a<>b<>");
  CHECK(written(text("12"), text("")) == "");
  CHECK(written(text("none"), text("#")) == "none");
}

namespace {

struct TokensShape {
  Index count, programs, steps, least;
  bool characters, matched, mark;
  Index width = 0;
};

// The tokens of each string, padded with "_".
std::vector<Strings> tokens(TokensShape s, const Strings& x,
                            const std::vector<std::int32_t>& programs) {
  const std::vector<Text> in = texts_of(x);
  const Text marks[] = {text("<"), text(">"), text("_")};
  std::vector<std::int64_t> work(
      static_cast<std::size_t>(split_tokens_scratch(s.steps, s.programs)));
  s.count = static_cast<Index>(x.size());
  split_tokens_extents(s, in.data(), programs.data(), work.data(), &s.width);
  std::vector<Text> y(x.size() * static_cast<std::size_t>(s.width));
  split_tokens(s, in.data(), programs.data(), marks, y.data(), work.data());
  std::vector<Strings> rows;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto begin = y.begin() + static_cast<std::ptrdiff_t>(i) * s.width;
    rows.push_back(strings_of({begin, begin + s.width}));
  }
  return rows;
}

// The places of programs, then the programs, whose sets are at places that count from their begin.
std::vector<std::int32_t> joined(const std::vector<Regex>& programs,
                                 const std::vector<int>& sizes) {
  std::vector<std::int32_t> out(programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    out[i] = static_cast<std::int32_t>(out.size());
    out.insert(out.end(), programs[i].program(), programs[i].program() + sizes[i]);
  }
  return out;
}
constexpr int kOneOf = 3 * 2 + kRegexSetBits, kSomeOf = 3 * 3 + kRegexSetBits;

}  // namespace

TEST_CASE("tokens are characters, matches, or what is between separators", "[regex]") {
  using Rows = std::vector<Strings>;
  TokensShape s{0, 0, 1, 1, true, false, false};
  CHECK(tokens(s, {"a\xC3\xA9z", ""}, {0}) == Rows{{"a", "\xC3\xA9", "z"}, {"_", "_", "_"}});
  s.mark = true;
  CHECK(tokens(s, {"ab", "c"}, {0}) == Rows{{"<", "a", "b", ">"}, {"<", "c", ">", "_"}});

  const auto number = joined({some_of(kDigits)}, {kSomeOf});
  TokensShape matched{0, 1, 3, 1, false, true, false};
  CHECK(tokens(matched, {"12a345", "b"}, number) == Rows{{"12", "345"}, {"_", "_"}});
  matched.least = 3;
  CHECK(tokens(matched, {"12a345"}, number) == Rows{{"345"}});
  // What is too short is passed by a character: 23 is in no other match.
  CHECK(tokens(matched, {"12"}, number) == Rows{{}});

  // First at blanks, the parts of that at dashes.
  const auto separators = joined({one_of(" "), one_of("-")}, {kOneOf, kOneOf});
  TokensShape split{0, 2, 2, 1, false, false, false};
  CHECK(tokens(split, {"a-b c", "-d-", ""}, separators) ==
        Rows{{"a", "b", "c"}, {"d", "_", "_"}, {"_", "_", "_"}});
  split.least = 2;
  CHECK(tokens(split, {"aa-b cc"}, separators) == Rows{{"aa", "cc"}});
}

}  // namespace onnxc
