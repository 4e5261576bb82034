// regex.cpp - regular expressions compiled to programs, and the errors of bad ones.
#include <catch2/catch.hpp>
#include <string>

#include "compiler/ops/text/regex.hpp"
#include "templates/text/regex_full_match.hpp"

namespace onnxc::ops {
namespace {

bool matches(const std::string& pattern, const std::string& s) {
  const RegexProgram program = compile_regex(pattern);
  struct {
    Index count = 1, steps = 0;
  } shape;
  shape.steps = program.steps;
  std::vector<std::int64_t> work(4 * static_cast<std::size_t>(program.steps));
  const Text x{s.data(), static_cast<std::int64_t>(s.size())};
  bool y = false;
  regex_full_match(shape, &x, program.words.data(), &y, work.data());
  return y;
}

}  // namespace

TEST_CASE("regular expressions match whole strings", "[regex]") {
  struct Case {
    const char *pattern, *yes, *no;
  };
  for (const Case& c : {Case{"abc", "abc", "ab"},
                        {"", "", "a"},
                        {"a|bc|", "bc", "b"},
                        {"a*", "aaaa", "ab"},
                        {"a+?b", "aab", "b"},
                        {"(a|b)*c", "abbac", "abba"},
                        {"(?:ab){2,3}", "ababab", "ab"},
                        {"a{2}", "aa", "aaa"},
                        {"a{2,}", "aaaaa", "a"},
                        {"a{,2}", "a{,2}", "aa"},
                        {"(?P<x>a)(?<y>b)", "ab", "a"},
                        {"[a-c]x[^a-c]", "bxd", "bxb"},
                        {"[]a]+", "]a]", "b"},
                        {"[a-]+", "a-", "b"},
                        {"[[:alpha:]_]+", "aZ_", "a1"},
                        {"[[:^digit:]]", "x", "7"},
                        {"\\d+\\.\\d*", "12.5", "12x5"},
                        {"\\w+\\s\\W", "ab_9\t-", "a  -"},
                        {"\\D\\S", "xy", "1 "},
                        {"[\\d\\-x]+", "1-x", "y"},
                        {".", "\xC3\xA9", "\n"},
                        {"(?s).", "\n", ""},
                        {"(?s:.).", "\nx", "x\n"},
                        {"(?i)straSSe", "STRAsse", "stra"},
                        {"(?i)\xCE\xA3+", "\xCF\x83\xCF\x82\xCE\xA3", "s"},
                        {"a(?i)b", "aB", "AB"},
                        {"(?i:a)b", "Ab", "AB"},
                        {"(?i)[k-m]", "\xE2\x84\xAA", "n"},
                        {"(?i)[^k]", "x", "K"},
                        {"^a$", "a", "a\n"},
                        {"(?m)a$\n^b", "a\nb", "ab"},
                        {"\\Aa\\z", "a", "b"},
                        {"a\\b.\\B-?.*", "a -", "a b"},
                        {"\\x41\\x{1F600}\\101\\n",
                         "A\xF0\x9F\x98\x80"
                         "A\n",
                         "A"},
                        {"\\Qa.b*\\E+", "a.b**", "axb"},
                        {"\\.\\*\\_\\\\", ".*_\\", "x"},
                        {"\\p{Any}\\pL?|x", "x", "xyz"},
                        {"\\p{Lu}\\PL\\p{Nd}", "\xC3\x84-5", "a-5"},
                        {"[\\pL\\d]+", "a\xD0\xB7z9", "a_"},
                        {"[^\\x00-\\x{10FFFF}]|z", "z", "a"},
                        {"(a*)*b", "aaab", "aaa"},
                        {"(|a|b)+c", "abc", "ab"},
                        {"(\\W|^)[\\w.\\-]{0,25}@(yahoo|gmail)\\.com(\\W|$)", "account@gmail.com",
                         "account@hotmail.com"},
                        {"www\\.[\\w.-]+\\.\\bcom\\b", "www.google.com", "www.bbc.co.uk"}}) {
    CAPTURE(c.pattern);
    CHECK(matches(c.pattern, c.yes));
    CHECK_FALSE(matches(c.pattern, c.no));
  }
}

TEST_CASE("patterns that RE2 does not accept are refused", "[regex]") {
  for (const char* pattern : {"(",
                              ")",
                              "a)",
                              "(?P<a",
                              "(?P<>x)",
                              "(?P<a>x)(?P<a>y)",
                              "[",
                              "[a",
                              "[b-a]",
                              "[[:none:]]",
                              "*",
                              "+a",
                              "a**",
                              "a|*",
                              "a{2,1}",
                              "a{1001}",
                              "\\",
                              "\\1",
                              "\\8",
                              "\\q",
                              "\\Z",
                              "\\x4",
                              "\\x{110000}",
                              "\\x{",
                              "(?=a)",
                              "(?!a)",
                              "(?<=a)",
                              "(?q)",
                              "(?i-",
                              "\xFF",
                              "[\\b]",
                              "((((a{900}){900}){900}){900})",
                              "((((){900}){900}){900}){900}"}) {
    CAPTURE(pattern);
    CHECK_THROWS_AS(compile_regex(pattern), RegexError);
  }
  CHECK_THROWS_AS(compile_regex(std::string(100000, '(')), RegexError);
}

TEST_CASE("matching takes linear time and bytes that are no text match nothing", "[regex]") {
  const std::string a(30, 'a');
  std::string pattern;
  for (int i = 0; i < 30; ++i) pattern += "a?";
  CHECK(matches(pattern + a, a));
  CHECK_FALSE(matches("(a|aa)+b", std::string(20000, 'a')));
  CHECK_FALSE(matches(".", "\xFF"));
  CHECK_FALSE(matches(".*", std::string("a\xC3")));
  CHECK(matches("a\\x00b", std::string("a\0b", 3)));
}

}  // namespace onnxc::ops
