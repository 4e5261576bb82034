// strings.cpp - kernels on strings: UTF-8, case, joining, splitting, regular expressions.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "compiler/kernels/text_calls.hpp"
#include "templates/text/regex_full_match.hpp"
#include "templates/text/string_concat.hpp"
#include "templates/text/string_normalizer.hpp"
#include "templates/text/string_split.hpp"

namespace onnxc {
namespace {

Text text_of(const std::string& s) { return {s.data(), static_cast<std::int64_t>(s.size())}; }

std::vector<Text> texts(const std::vector<std::string>& strings) {
  std::vector<Text> out;
  for (const std::string& s : strings) out.push_back(text_of(s));
  return out;
}

std::vector<std::string> strings(const std::vector<Text>& x) {
  std::vector<std::string> out;
  for (const Text& t : x)
    out.emplace_back(t.data == nullptr ? "" : t.data, static_cast<std::size_t>(t.size));
  return out;
}

struct ConcatShape {
  Index rank, count, dims[2], strides[4];
};
struct SplitShape {
  Index count, max_splits, width;
};
using NormalizerShape = onnxc::StringNormalizerShape<onnxc::Index>;

std::vector<std::string> split(const std::vector<std::string>& x, const std::string& delimiter,
                               Index max_splits, std::vector<std::int64_t>& counts) {
  const std::vector<Text> in = texts(x), by = {text_of(delimiter)};
  SplitShape s{static_cast<Index>(x.size()), max_splits, 0};
  string_split_extents(s, in.data(), by.data(), &s.width);
  std::vector<Text> y(static_cast<std::size_t>(s.count * s.width));
  counts.assign(x.size(), -1);
  string_split(s, in.data(), by.data(), y.data(), counts.data());
  string_split(s, in.data(), by.data(), static_cast<Text*>(nullptr), counts.data());
  return strings(y);
}

std::vector<std::string> normalize(const std::vector<std::string>& x,
                                   const std::vector<std::string>& stop, NormalizerShape s) {
  const std::vector<Text> in = texts(x), words = texts(stop);
  s.count = static_cast<Index>(x.size());
  s.stop_words = static_cast<Index>(stop.size());
  Index kept = 0;
  string_normalizer_extents(s, in.data(), words.data(), &kept);
  std::vector<Text> y(static_cast<std::size_t>(kept));
  Heap heap(malloc_allocator());
  REQUIRE(string_normalizer(s, in.data(), words.data(), y.data(), heap) == Status::ok);
  return strings(y);
}

}  // namespace

using Strings = std::vector<std::string>;

TEST_CASE("characters go out of UTF-8 and back, broken bytes too", "[strings]") {
  for (const std::string s :
       {"a", "\xC3\xA9", "\xE7\x9A\x84", "\xF0\x9F\x98\x80", "\x80", "\xFF", "\xC0\x80",
        "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE7\x9A", "\xF0\x9F\x98", "a\xC3"}) {
    std::string back;
    for (const char *p = s.data(), *end = p + s.size(); p < end;) {
      const CodePoint c = code_point_at(p, end);
      char bytes[4];
      back.append(bytes, put_code_point(bytes, c.value));
      p += c.bytes;
    }
    CHECK(back == s);
  }
  const std::string smile = "\xF0\x9F\x98\x80";
  CHECK(code_point_at(smile.data(), smile.data() + 4).value == 0x1F600);
}

TEST_CASE("case mapping", "[strings]") {
  CHECK(to_lower('Z') == 'z');
  CHECK(to_upper('z') == 'Z');
  CHECK(to_upper(0xE9) == 0xC9);
  CHECK(to_upper(0xDF) == 0xDF);
  CHECK(to_upper(0xFF) == 0x178);
  CHECK(to_lower(0x416) == 0x436);
  CHECK(to_upper(0x451) == 0x401);
  CHECK(to_lower(0x3A9) == 0x3C9);
  CHECK(to_upper(0x3C2) == 0x3A3);
  CHECK(to_lower(0x130) == 'i');
  CHECK(to_lower(0x4E00) == 0x4E00);
  // The lower case of a letter has an upper case with the same lower case.
  for (std::int32_t c = 0; c < 0x12000; ++c)
    if (to_lower(c) != c) CHECK(to_lower(to_upper(to_lower(c))) == to_lower(c));
}

TEST_CASE("strings are joined in pairs", "[strings]") {
  const Strings a = {"ab", "", "c"}, b = {"1", "22"};
  const std::vector<Text> x = texts(a), z = texts(b);
  std::vector<Text> y(6);
  Heap heap(malloc_allocator());
  REQUIRE(string_concat(ConcatShape{2, 6, {3, 2}, {1, 0, 0, 1}}, x.data(), z.data(), y.data(),
                        heap) == Status::ok);
  CHECK(strings(y) == Strings{"ab1", "ab22", "1", "22", "c1", "c22"});
  const Text nothing;
  REQUIRE(string_concat(ConcatShape{1, 1, {1, 1}, {0, 0, 0, 0}}, &nothing, &nothing, y.data(),
                        heap) == Status::ok);
  CHECK(y[0].size == 0);
}

TEST_CASE("strings are split", "[strings]") {
  std::vector<std::int64_t> n;
  CHECK(split({"o-n-n--x-", "a"}, "-", -1, n) ==
        Strings{"o", "n", "n", "", "x", "", "a", "", "", "", "", ""});
  CHECK(n == std::vector<std::int64_t>{6, 1});
  CHECK(split({"  hello \t w\xE2\x80\x83! ", "x"}, "", -1, n) ==
        Strings{"hello", "w", "!", "x", "", ""});
  CHECK(split({"the quick brown fox "}, "", 2, n) == Strings{"the", "quick", "brown fox "});
  CHECK(split({" a b "}, "", 0, n) == Strings{"a b "});
  CHECK(split({"a::b:::c"}, "::", -1, n) == Strings{"a", "b", ":c"});
  CHECK(split({"a::b:::c"}, "::", 1, n) == Strings{"a", "b:::c"});
  CHECK(split({"", ""}, ".", -1, n) == Strings{"", ""});
  CHECK(n == std::vector<std::int64_t>{1, 1});
  CHECK(split({"", " "}, "", -1, n).empty());
  CHECK(n == std::vector<std::int64_t>{0, 0});
  CHECK(split({":"}, "::", -1, n) == Strings{":"});
  CHECK(split({}, "::", -1, n).empty());
}

TEST_CASE("stop words go, the case of others changes", "[strings]") {
  const Strings x = {"Monday", "T\xC3\xBCr", "monday", "\xC8\xBA"};
  CHECK(normalize(x, {"friday", "monday"}, {0, 0, false, true, false}) ==
        Strings{"T\xC3\x9CR", "\xC8\xBA"});
  CHECK(normalize(x, {"friday", "monday"}, {0, 0, true, false, true}) ==
        Strings{"monday", "t\xC3\xBCr", "\xE2\xB1\xA5"});
  CHECK(normalize(x, {}, {0, 0, false, false, false}) == x);
  CHECK(normalize({"a\xFF", "A"}, {"a"}, {0, 0, false, true, false}) == Strings{"A\xFF"});
  CHECK(normalize({"a", "A"}, {"a"}, {0, 0, false, true, false}) == Strings{""});
  CHECK(normalize({}, {"a"}, {0, 0, true, true, false}) == Strings{""});
}

TEST_CASE("a program of hand matches", "[strings]") {
  // a*b
  const std::int32_t program[] = {2, 1, 3, 1, 15, 1,   3,   0, 0, 1, 21, 1,   0,  0,
                                  0, 0, 0, 0, 2,  'a', 'a', 0, 0, 0, 4,  'b', 'b'};
  struct {
    Index count = 3, steps = 5;
  } s;
  const Strings in = {"aab", "a", ""};
  const std::vector<Text> x = texts(in);
  bool y[3] = {};
  std::vector<std::int64_t> work(20);
  regex_full_match(s, x.data(), program, y, work.data());
  CHECK(y[0]);
  CHECK_FALSE(y[1]);
  CHECK_FALSE(y[2]);
}

}  // namespace onnxc
