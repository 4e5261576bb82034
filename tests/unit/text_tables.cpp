// text_tables.cpp - tables of tokenizers: Unicode, vocabularies, search by regular expressions.
#include <catch2/catch.hpp>

#include "compiler/ops/text/regex.hpp"
#include "compiler/ops/text/unicode.hpp"
#include "compiler/ops/text/vocabulary.hpp"
#include "templates/text/normal_form.hpp"
#include "templates/text/prefix_tree.hpp"
#include "templates/text/regex_find.hpp"

namespace onnxc::ops {
namespace {

Text text_of(const std::string& s) { return {s.data(), static_cast<std::int64_t>(s.size())}; }

std::vector<std::string> pieces(const char* pattern, const std::string& x) {
  const RegexProgram program = compile_regex(pattern, RegexSyntax::oniguruma);
  std::vector<std::int64_t> work(static_cast<std::size_t>(regex_find_scratch(program.steps)), 0);
  RegexSearch search{program.words.data(), program.steps, work.data()};
  std::vector<std::string> out;
  each_match(search, text_of(x), [&](bool is_match, std::int64_t begin, std::int64_t end) {
    const auto from = static_cast<std::size_t>(begin);
    out.push_back((is_match ? "+" : "-") + x.substr(from, static_cast<std::size_t>(end) - from));
    return Status::ok;
  });
  return out;
}

using Strings = std::vector<std::string>;

TEST_CASE("a search finds what backtracking finds", "[regex]") {
  const char* gpt2 =
      "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
  CHECK(pieces(gpt2,
               "I'll go  to\xC2\xA0"
               "3x!? ") ==
        Strings{"+I", "+'ll", "+ go", "+ ", "+ to", "+\xC2\xA0", "+3", "+x", "+!?", "+ "});
  CHECK(pieces("a|ab", "xab") == Strings{"-x", "+a", "-b"});
  CHECK(pieces("ab|a", "xab") == Strings{"-x", "+ab"});
  CHECK(pieces("a+?", "aa") == Strings{"+a", "+a"});
  CHECK(pieces("a{1,3}", "aaaa") == Strings{"+aaa", "+a"});
  CHECK(pieces("b*", "abba") == Strings{"-a", "+bb", "-a"});
  CHECK(pieces("(?<=a)b", "bab") == Strings{"-ba", "+b"});
  CHECK(pieces("(?<!a)b", "bab") == Strings{"+b", "-ab"});
  CHECK(pieces("x(?=\xC3\xA4)", "xx\xC3\xA4") == Strings{"-x", "+x", "-\xC3\xA4"});
  CHECK(pieces("\\w+", "\xC3\xA4_1 \xE2\x82\xAC") == Strings{"+\xC3\xA4_1", "- \xE2\x82\xAC"});
  CHECK(pieces("(?i:'s)", "'S's") == Strings{"+'S", "+'s"});
  CHECK(pieces("a", "").empty());
  for (const char* pattern : {"(?!ab)", "a++", "[a[b]]", "\\p{Greek}", "\\1", "(?>a)"})
    CHECK_THROWS_AS(compile_regex(pattern, RegexSyntax::oniguruma), RegexError);
}

TEST_CASE("categories are sets of characters", "[text]") {
  const auto has = [](std::string_view category, std::int32_t c) {
    for (const auto& [first, last] : characters_of(category))
      if (c >= first && c <= last) return true;
    return false;
  };
  CHECK(has("Lu", 0x100));
  CHECK_FALSE(has("Lu", 0x101));
  CHECK(has("L", 0x101));
  CHECK(has("Nd", '7'));
  CHECK(has("P", '!'));
  CHECK_FALSE(has("P", '+'));
  CHECK(has("Mn", 0x301));
  CHECK(has("Zs", 0x3000));
  CHECK(has("Cc", 0));
  CHECK(characters_of("Xx").empty());
}

TEST_CASE("vocabularies are found again", "[text]") {
  Vocabulary words = {{"a", 5}, {"abc", 7}, {"b", 0}, {"\xFF", 3}, {"ab", 2}, {"a", 6}};
  for (int i = 0; i < 200; ++i) words.emplace_back(std::string{'x', static_cast<char>(i)}, 100 + i);
  const PrefixTreeTables t = prefix_tree(words);
  const PrefixTree tree{t.child.data(), t.byte.data(), t.value.data()};
  CHECK(number_of(tree, text("a")) == 6);
  CHECK(number_of(tree, text("ab")) == 2);
  CHECK(number_of(tree, text("abc")) == 7);
  CHECK(number_of(tree, text("\xFF")) == 3);
  CHECK(number_of(tree, text("")) == -1);
  CHECK(number_of(tree, text("abcd")) == -1);
  for (int i = 0; i < 200; ++i)
    CHECK(number_of(tree, text_of(std::string{'x', static_cast<char>(i)})) == 100 + i);
  CHECK(longest_prefix(tree, 0, text("abx")).bytes == 2);
}

std::string normal_form(NormalForm form, const std::string& x) {
  const NormalFormTables t = normal_form_tables(form);
  const NormalFormTable table{t.keys.data(),
                              t.begins.data(),
                              t.parts.data(),
                              t.classes.data(),
                              t.composed.data(),
                              static_cast<std::int32_t>(t.keys.size()),
                              static_cast<std::int32_t>(t.classes.size() / 3),
                              static_cast<std::int32_t>(t.composed.size() / 3)};
  std::vector<std::int32_t> points(2 * 18 * x.size() + 1);
  std::string out(4 * 18 * x.size() + 1, '\0');
  out.resize(static_cast<std::size_t>(write_normal_form(
      table, text_of(x), points.data(), static_cast<Index>(points.size() / 2), out.data())));
  return out;
}

TEST_CASE("text has four normal forms", "[text]") {
  CHECK(normal_form(NormalForm::nfc, "a\xCC\x88") == "\xC3\xA4");
  CHECK(normal_form(NormalForm::nfd, "\xC3\xA4") == "a\xCC\x88");
  // Dot above after dot below is put before it; composition takes the lower class first.
  CHECK(normal_form(NormalForm::nfd, "\xE1\xB8\x8B\xCC\xA3") == "d\xCC\xA3\xCC\x87");
  CHECK(normal_form(NormalForm::nfc, "d\xCC\x87\xCC\xA3") == "\xE1\xB8\x8D\xCC\x87");
  CHECK(normal_form(NormalForm::nfkc, "\xEF\xAC\x81\xE2\x91\xA0") == "fi1");
  CHECK(normal_form(NormalForm::nfc, "\xEF\xAC\x81") == "\xEF\xAC\x81");
  CHECK(normal_form(NormalForm::nfd, "\xEA\xB0\x81") == "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8");
  CHECK(normal_form(NormalForm::nfc, "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8") == "\xEA\xB0\x81");
  CHECK(normal_form(NormalForm::nfc, "\xE0\xA5\x98") == "\xE0\xA4\x95\xE0\xA4\xBC");
  CHECK(normal_form(NormalForm::nfc, "a\xFF") == "a\xFF");
}

}  // namespace
}  // namespace onnxc::ops
