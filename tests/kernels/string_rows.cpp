// string_rows.cpp - kernels that take strings one by one: facts, case, joining, tables, parts, and
// what a text becomes before it is divided.
#include <catch2/catch.hpp>

#include "templates/text/character_map.hpp"
#include "templates/text/rewrite.hpp"
#include "templates/text/split_at_characters.hpp"
#include "templates/text/string_case.hpp"
#include "templates/text/string_facts.hpp"
#include "templates/text/string_join.hpp"
#include "templates/text/string_table.hpp"
#include "tests/kernels/text_data.hpp"

namespace onnxc {
namespace {

using namespace kernel_test;

struct Count {
  Index count;
};

// A heap without memory.
Allocator no_memory() {
  return {[](void*, std::size_t) -> void* { return nullptr; }, [](void*, void*) {}, nullptr};
}

// What `write` makes of x, in memory twice as large.
template <class F>
std::string written(const std::string& x, F write) {
  std::string room(2 * x.size() + 16, '\0');
  room.resize(static_cast<std::size_t>(write(text_of(x), &room[0]) - room.data()));
  return room;
}

}  // namespace

TEST_CASE("lengths count characters; a broken byte is one", "[strings]") {
  const Strings x = {"", "abc", "\xC3\xA9\xE7\x9A\x84\xF0\x9F\x98\x80", "a\x80z", "\xE7\x9A"};
  std::vector<std::int64_t> y(x.size(), -1);
  string_length(Count{5}, texts_of(x).data(), y.data());
  CHECK(y == std::vector<std::int64_t>{0, 3, 3, 3, 2});
}

TEST_CASE("strings are compared with broadcasting", "[strings]") {
  const Strings a = {"x", "", "xy"}, b = {"x", "xy"};
  struct {
    Index rank = 2, count = 6;
    Index dims[2] = {3, 2}, strides[4] = {1, 0, 0, 1};
  } s;
  bool y[6] = {};
  string_equal(s, texts_of(a).data(), texts_of(b).data(), y);
  const bool want[] = {true, false, false, false, false, true};
  CHECK(std::equal(y, y + 6, want));
  struct {
    Index rank = 0, count = 1;
    Index dims[1] = {1}, strides[1] = {0};
  } scalar;
  const Text nothing;
  string_equal(scalar, &nothing, &nothing, y);
  CHECK(y[0]);
}

TEST_CASE("white space goes from both ends, but a string of nothing else stays", "[strings]") {
  const Strings x = {" a b\t", "\n\r\v\f", "", "z", "\xC2\xA0q "};
  std::vector<Text> y(x.size());
  const std::vector<Text> in = texts_of(x);
  string_strip(Count{5}, in.data(), y.data());
  CHECK(strings_of(y) == Strings{"a b", "\n\r\v\f", "", "z", "\xC2\xA0q"});
}

TEST_CASE("upper and lower case may change the number of bytes", "[strings]") {
  struct {
    Index count = 3;
    bool upper;
  } s{3, true};
  const Strings x = {"aZ1", "\xC3\xA9\xC3\xBF", ""};  // e acute, y diaeresis
  const std::vector<Text> in = texts_of(x);
  std::vector<Text> y(3);
  Heap heap(malloc_allocator());
  REQUIRE(string_case(s, in.data(), y.data(), heap) == Status::ok);
  CHECK(strings_of(y) == Strings{"AZ1", "\xC3\x89\xC5\xB8", ""});
  s.upper = false;
  const Strings kelvin = {"\xE2\x84\xAA", "\xC8\xBA", "Q"};  // three bytes to one, two to three
  const std::vector<Text> more = texts_of(kelvin);
  REQUIRE(string_case(s, more.data(), y.data(), heap) == Status::ok);
  CHECK(strings_of(y) == Strings{"k", "\xE2\xB1\xA5", "q"});
  Heap empty(no_memory());
  CHECK(string_case(s, more.data(), y.data(), empty) == Status::out_of_memory);
}

TEST_CASE("strings are joined along an axis", "[strings]") {
  // [2, 3, 2]: the middle axis is joined.
  const Strings x = {"a", "b", "c", "d", "e", "f", "", "1", "", "2", "", ""};
  struct {
    Index outer = 2, joined = 3, inner = 2;
  } s;
  const std::vector<Text> in = texts_of(x);
  const Text separator = text(", ");
  std::vector<Text> y(4);
  Heap heap(malloc_allocator());
  REQUIRE(string_join(s, in.data(), &separator, y.data(), heap) == Status::ok);
  CHECK(strings_of(y) == Strings{"a, c, e", "b, d, f", ", , ", "1, 2, "});
  s.joined = 0;
  REQUIRE(string_join(s, in.data(), &separator, y.data(), heap) == Status::ok);
  CHECK(strings_of(y) == Strings{"", "", "", ""});
  Heap empty(no_memory());
  CHECK(string_join(s, in.data(), &separator, y.data(), empty) == Status::out_of_memory);
}

TEST_CASE("strings stand for rows of integers, and rows for strings", "[strings]") {
  const Vocabulary words({"a", "ab", "b"});
  const Strings x = {"ab", "abc", "", "a", "b"};
  const std::int64_t rows[] = {1, 2, 3, 4, 5, 6, -1, -2};
  struct {
    Index count = 5, entries = 3, width = 2;
  } s;
  std::vector<std::int64_t> y(10);
  string_to_vector(s, texts_of(x).data(), words.tree(), rows, y.data());
  CHECK(y == std::vector<std::int64_t>{3, 4, -1, -2, -1, -2, 1, 2, 5, 6});

  // Rows are in order; the last word is for other ones.
  const std::int64_t keys[] = {-5, 9, 0, 0, 0, 7, 3, -1};
  const std::int64_t wanted[] = {0, 7, -5, 9, 0, 1, 3, -1, 4, 0, -6, 0};
  const Text names[] = {text("p"), text("q"), text("r"), text("s"), text("?")};
  struct {
    Index count = 6, entries = 4, width = 2;
  } v;
  std::vector<Text> out(6);
  vector_to_string(v, wanted, keys, names, out.data());
  CHECK(strings_of(out) == Strings{"r", "p", "?", "s", "?", "?"});

  const Text becomes[] = {text("A"), text(""), text("long")};
  const std::vector<Text> in = texts_of(x);
  std::vector<Text> mapped(5);
  string_mapping(Count{5}, in.data(), words.tree(), becomes, mapped.data());
  CHECK(strings_of(mapped) == Strings{"", "abc", "", "A", "long"});
}

namespace {

struct Sparse {
  Strings parts;
  std::vector<std::int64_t> places, shape;
};
Sparse split_at(const Strings& x, const std::string& separators, bool skip_empty) {
  struct {
    Index rows;
  } s{static_cast<Index>(x.size())};
  const std::vector<Text> in = texts_of(x);
  const Text by = text_of(separators);
  Index count = 0;
  split_at_characters_extents(s, in.data(), &by, &skip_empty, &count);
  const auto n = static_cast<std::size_t>(count);
  std::vector<Text> parts(n);
  Sparse out{{}, std::vector<std::int64_t>(2 * n), {-1, -1}};
  split_at_characters(s, in.data(), &by, &skip_empty, out.places.data(), parts.data(),
                      out.shape.data());
  out.parts = strings_of(parts);
  split_at_characters(s, in.data(), &by, &skip_empty, nullptr, nullptr, nullptr);
  return out;
}

}  // namespace

TEST_CASE("strings are split at any of some characters, as a sparse matrix", "[strings]") {
  using Numbers = std::vector<std::int64_t>;
  const Sparse all = split_at({"a,b;c", "", ",d"}, ",;", false);
  CHECK(all.parts == Strings{"a", "b", "c", "", "d"});
  CHECK(all.places == Numbers{0, 0, 0, 1, 0, 2, 2, 0, 2, 1});
  CHECK(all.shape == Numbers{3, 3});
  const Sparse some = split_at({",,a,", ";"}, ",;", true);
  CHECK(some.parts == Strings{"a"});
  CHECK(some.places == Numbers{0, 0});
  CHECK(some.shape == Numbers{2, 1});
  const Sparse bytes = split_at({"xyz", "q"}, "", false);
  CHECK(bytes.parts == Strings{"x", "y", "z", "q"});
  CHECK(bytes.places == Numbers{0, 0, 0, 1, 0, 2, 1, 0});
  CHECK(split_at({""}, ",", false).shape == Numbers{1, 0});
}

TEST_CASE("steps that rewrite a text", "[strings]") {
  const auto small = [](const Text& x, char* to) { return write_small_letters(x, to); };
  CHECK(written("AbC\xC3\x89", small) == "abc\xC3\xA9");
  CHECK(written("\xC4\xB0x", small) == "i\xCC\x87x");  // the capital I with a dot
  const std::vector<std::int32_t> some = character_set("bd", {{0x300, 0x36F}});
  const CharacterSet set{some.data(), 1};
  CHECK(written("abcd\xCC\x81"
                "e",
                [&](const Text& x, char* to) { return write_without(x, set, to); }) == "ace");
  CHECK(written(std::string("a\tb\0c\xEF\xBF\xBD\xC2\xA0"
                            "e",
                            11),
                [&](const Text& x, char* to) { return write_clean(x, set, to); }) == "a c e");
  CHECK(written("a\xE4\xB8\x80z\xE3\x81\x82", [](const Text& x, char* to) {
          return write_separated(x, to);
        }) == "a \xE4\xB8\x80 z\xE3\x81\x82");  // an ideograph; hiragana is none
  const auto replaced = [](const Text& from, const Text& by) {
    return [=](const Text& x, char* to) { return write_replaced(x, from, by, to); };
  };
  CHECK(written("aaab", replaced(text("aa"), text("-"))) == "-ab");
  CHECK(written("aba", replaced(text("a"), text(""))) == "b");
  CHECK(written("ab", replaced(text("abc"), text("x"))) == "ab");
  CHECK(written("b", [](const Text& x, char* to) { return write_prefixed(text("a-"), x, to); }) ==
        "a-b");
}

TEST_CASE("ideographs, beginnings, white space at the ends", "[strings]") {
  for (const std::int32_t c : {0x4E00, 0x9FFF, 0x3400, 0x4DBF, 0x20000, 0x2CEAF, 0xF900, 0x2FA1F})
    CHECK(is_ideograph(c));
  for (const std::int32_t c : {0x4DFF, 0xA000, 0x3042, 0xAC00, 0x2CEB0, 0xFB00, 0x61})
    CHECK_FALSE(is_ideograph(c));
  CHECK(begins_with(text("abc"), text("ab")));
  CHECK(begins_with(text("abc"), text("")));
  CHECK_FALSE(begins_with(text("ab"), text("abc")));
  CHECK_FALSE(begins_with(text("xbc"), text("ab")));
  const std::string x = " \xC2\xA0 a b \t";
  CHECK(string_of(stripped(text_of(x), true, true)) == "a b");
  CHECK(string_of(stripped(text_of(x), true, false)) == "a b \t");
  CHECK(string_of(stripped(text_of(x), false, true)) == " \xC2\xA0 a b");
  CHECK(string_of(stripped(text_of(x), false, false)) == x);
  CHECK(stripped(text(" \n "), true, true).size == 0);
}

namespace {

// Rules for a, for e with an acute as two characters, and for a letter of two bytes.
struct Rules {
  Vocabulary keys{{"a", "e\xCC\x81", "\xC3\xA9"}};
  std::vector<std::int32_t> begin{0, 1, 3, 3};
  std::vector<std::uint8_t> texts{'A', 'E', '\''};
  std::vector<std::int32_t> joins = character_set("", {{0x300, 0x36F}, {0x200D, 0x200D}});
  std::vector<std::int32_t> leads = character_set("", {{0x600, 0x605}});
  std::vector<std::int32_t> alone = character_set("\n\r");
  CharacterMap map() const {
    return {keys.tree(),       begin.data(),      texts.data(),
            {joins.data(), 2}, {leads.data(), 1}, {alone.data(), 0}};
  }
};

}  // namespace

TEST_CASE("characters that a reader sees as one are one cluster", "[strings]") {
  const Rules rules;
  const CharacterMap map = rules.map();
  const auto first = [&](const std::string& x) {
    return string_of(first_cluster(map, text_of(x)));
  };
  CHECK(first("ab") == "a");
  CHECK(first("e\xCC\x81\xCC\x82x") == "e\xCC\x81\xCC\x82");
  CHECK(first("\r\n\n") == "\r\n");
  CHECK(first("\n\xCC\x81") == "\n");
  CHECK(first("\xD8\x80z-") == "\xD8\x80z");  // a sign before its number
  // Hangul: L V T is one syllable, and so is LV T; a syllable with a T takes no V.
  CHECK(first("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8\xE1\x84\x80") ==
        "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8");
  CHECK(first("\xEA\xB0\x80\xE1\x86\xA8") == "\xEA\xB0\x80\xE1\x86\xA8");
  CHECK(first("\xEA\xB0\x81\xE1\x85\xA1") == "\xEA\xB0\x81");
  CHECK(hangul_part(0xAC00) == HangulPart::lv);
  CHECK(hangul_part(0xAC01) == HangulPart::lvt);
  CHECK(hangul_part(0xAC1C) == HangulPart::lv);
  CHECK(hangul_part(0x1100) == HangulPart::l);
  CHECK(hangul_part(0x1161) == HangulPart::v);
  CHECK(hangul_part(0x11A8) == HangulPart::t);
  CHECK(hangul_part('a') == HangulPart::none);
}

TEST_CASE("clusters and characters become the texts of rules", "[strings]") {
  const Rules rules;
  const CharacterMap map = rules.map();
  const auto mapped = [&](const std::string& x) {
    return written(x, [&](const Text& t, char* to) { return write_mapped(t, map, to); });
  };
  CHECK(mapped("abca") == "AbcA");
  CHECK(mapped("e\xCC\x81") == "E'");
  CHECK(mapped("\xC3\xA9z") == "z");  // a rule without a text
  // All of a short cluster becomes the text of its key; a long one, character by character.
  CHECK(mapped("a\xCC\x81") == "A");
  CHECK(mapped("a\xCC\x81\xCC\x81\xCC\x81") == "A\xCC\x81\xCC\x81\xCC\x81");
}

}  // namespace onnxc
