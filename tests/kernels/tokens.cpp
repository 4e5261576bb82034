// tokens.cpp - texts as tokens of a vocabulary, and tokens as text.
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "templates/text/add_tokens.hpp"
#include "templates/text/byte_pair_tokens.hpp"
#include "tests/kernels/text_data.hpp"

namespace onnxc {
namespace {

using namespace kernel_test;
using Ids = std::vector<std::int64_t>;

// A vocabulary with rules that join two pieces, in the order of their rank.
struct Pairs {
  Vocabulary words;
  std::vector<std::int32_t> begin{0}, rules, bytes = std::vector<std::int32_t>(512, -1);

  Pairs(const Strings& vocabulary, const std::vector<std::array<std::string, 2>>& merges)
      : words(vocabulary) {
    const auto number = [&](const std::string& s) { return number_of(words.tree(), text_of(s)); };
    for (std::size_t left = 0; left < vocabulary.size(); ++left) {
      std::map<std::int32_t, std::size_t> by_right;
      for (std::size_t rank = 0; rank < merges.size(); ++rank)
        if (merges[rank][0] == vocabulary[left]) by_right[number(merges[rank][1])] = rank;
      for (const auto& [right, rank] : by_right) {
        const std::int32_t joined = number(merges[rank][0] + merges[rank][1]);
        rules.insert(rules.end(), {right, static_cast<std::int32_t>(rank), joined});
      }
      begin.push_back(static_cast<std::int32_t>(rules.size() / 3));
      if (vocabulary[left].size() == 1)
        bytes[static_cast<std::uint8_t>(vocabulary[left][0])] = static_cast<std::int32_t>(left);
    }
  }
  PairModel model() const { return {words.tree(), {begin.data(), rules.data()}, bytes.data()}; }
};

// How byte_pairs works.
struct PairRulesOf {
  bool by_bytes = true, whole_words = false, byte_fallback = false, fuse_unknown = false;
  std::int32_t unknown = -1;
  const char *inner = "", *end = "";
  Text inner_prefix() const { return {inner, static_cast<std::int64_t>(std::strlen(inner))}; }
  Text word_end() const { return {end, static_cast<std::int64_t>(std::strlen(end))}; }
};

std::vector<std::int32_t> pieces(PairRulesOf s, const Pairs& pairs, const std::string& word) {
  std::vector<std::int32_t> ids(byte_pairs_scratch(word.size()) + 1);
  ids.resize(static_cast<std::size_t>(byte_pairs(s, pairs.model(), text_of(word), ids.data())));
  return ids;
}

const Pairs kPairs({"a", "b", "c", "d", "ab", "abc", "cd", " ", "dab"},
                   {{"a", "b"}, {"ab", "c"}, {"c", "d"}});

// Room for some tokens, and all that the tests put there.
struct Sink {
  Ids ids = Ids(16, -1);
  TokenSink sink{ids.data(), ids.size(), 0, 100};
  Ids put() const { return {ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(sink.count)}; }
};

}  // namespace

TEST_CASE("words are bytes that are joined in the order of the rules", "[tokens]") {
  using Pieces = std::vector<std::int32_t>;
  CHECK(pieces({}, kPairs, "abcd") == Pieces{5, 3});
  CHECK(pieces({}, kPairs, "bcd") == Pieces{1, 6});
  CHECK(pieces({}, kPairs, "abab") == Pieces{4, 4});
  CHECK(pieces({}, kPairs, "").empty());
  CHECK(pieces({}, kPairs, "a?b") == Pieces{4});  // a byte without a piece is left out
  CHECK(pieces({}, kPairs, "dab") == Pieces{3, 4});
  PairRulesOf whole;
  whole.whole_words = true;
  CHECK(pieces(whole, kPairs, "dab") == Pieces{8});
}

TEST_CASE("words are characters, with marks inside and at the end", "[tokens]") {
  using Pieces = std::vector<std::int32_t>;
  const Pairs pairs({"a", "##b", "##b</w>", "a</w>", "\xC3\xA9", "?", "<", ">"}, {{"a", "##b"}});
  PairRulesOf s;
  s.by_bytes = false;
  s.inner = "##";
  s.end = "</w>";
  CHECK(pieces(s, pairs, "a") == Pieces{3});
  CHECK(pieces(s, pairs, "ab") == Pieces{0, 2});
  CHECK(pieces(s, pairs, "xa").empty());
  s.unknown = 5;
  CHECK(pieces(s, pairs, "xyb") == Pieces{5, 5, 2});
  s.fuse_unknown = true;
  CHECK(pieces(s, pairs, "xyb") == Pieces{5, 2});
  // Both bytes of the character have pieces.
  Pairs fallback = pairs;
  fallback.bytes[0xC3] = 6;
  fallback.bytes[0xA9] = 7;
  s.byte_fallback = true;
  CHECK(pieces(s, fallback, "\xC3\xA9") == Pieces{6, 7});
  fallback.bytes[0xA9] = -1;
  CHECK(pieces(s, fallback, "\xC3\xA9") == Pieces{5});
}

TEST_CASE("pieces of bytes have other numbers at the end of a word", "[tokens]") {
  Pairs pairs({"a", "b", "a</w>", "b</w>"}, {});
  pairs.bytes[256 + 'a'] = 2;
  pairs.bytes[256 + 'b'] = 3;
  PairRulesOf s;
  s.end = "</w>";
  CHECK(pieces(s, pairs, "aba") == std::vector<std::int32_t>{0, 1, 2});
}

TEST_CASE("texts become numbers of byte pairs, between special words", "[tokens]") {
  const Vocabulary special({"<s>", "<sep>"});
  Regex words = some_of("abcd");
  struct {
    Index count = 3, steps, padded = -1;
    std::int64_t begin = 90, end = 91, padding = 99;
    Index width = 0;
  } s{3, words.steps()};
  const Strings x = {"abcd ab", "", "ab<sep>cd<s"};
  const std::vector<Text> in = texts_of(x);
  Heap heap(malloc_allocator());
  REQUIRE(byte_pair_tokens_extents(s, in.data(), special.tree(), words.program(), kPairs.model(),
                                   words.work(), heap, &s.width) == Status::ok);
  CHECK(s.width == 6);
  Ids ids(18), mask(18);
  REQUIRE(byte_pair_tokens(s, in.data(), special.tree(), words.program(), kPairs.model(),
                           words.work(), ids.data(), mask.data(), heap) == Status::ok);
  // <sep> is number 1; the letters of <s have no pieces.
  CHECK(ids == Ids{90, 5, 3, 7, 4, 91, 90, 91, 99, 99, 99, 99, 90, 4, 1, 6, 91, 99});
  CHECK(mask == Ids{1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0});
  s.padded = 3;
  s.begin = s.end = -1;
  REQUIRE(byte_pair_tokens_extents(s, in.data(), special.tree(), words.program(), kPairs.model(),
                                   words.work(), heap, &s.width) == Status::ok);
  CHECK(s.width == 3);
  REQUIRE(byte_pair_tokens(s, in.data(), special.tree(), words.program(), kPairs.model(),
                           words.work(), ids.data(), static_cast<std::int64_t*>(nullptr),
                           heap) == Status::ok);
  CHECK(Ids(ids.begin(), ids.begin() + 9) == Ids{5, 3, 7, 99, 99, 99, 4, 1, 6});
}

TEST_CASE("a sink counts what it has no room for, up to its most", "[tokens]") {
  std::int64_t room[2] = {-1, -1};
  TokenSink sink{room, 2, 0, 3};
  for (std::int64_t id = 5; id < 9; ++id) sink.put(id);
  CHECK(sink.count == 3);
  CHECK(room[0] == 5);
  CHECK(room[1] == 6);
}

TEST_CASE("added words are tokens; they may take the white space next to them", "[tokens]") {
  const Vocabulary tree({"<a>", "<a>b", "[x]"});
  const AddedWord words[] = {{10, false, false}, {11, false, false}, {12, true, true}};
  const auto cut = [&](const std::string& x, Ids want) {
    Sink to;
    Strings between;
    CHECK(each_between(tree.tree(), words, text_of(x), to.sink, [&](const Text& part) {
            between.push_back(string_of(part));
            return Status::ok;
          }) == Status::ok);
    CHECK(to.put() == want);
    return between;
  };
  CHECK(cut("q <a> r", {10}) == Strings{"q ", " r"});
  CHECK(cut("<a>b<a>", {11, 10}).empty());  // the longest counts
  CHECK(cut("q \xC2\xA0[x] \n r", {12}) == Strings{"q", "r"});
  CHECK(cut(" [x]", {12}).empty());
  CHECK(cut("<a", {}) == Strings{"<a"});
  Sink to;
  CHECK(each_between(tree.tree(), words, text("q<a>"), to.sink,
                     [](const Text&) { return Status::bad_value; }) == Status::bad_value);
  CHECK(to.put().empty());
}

TEST_CASE("words are put as pieces, as words, as byte pairs", "[tokens]") {
  const Vocabulary tree({"un", "##aff", "##able", "a", "##a"});
  struct {
    std::int64_t unknown = 77, longest_word = 9;
    Text inner_prefix() const { return text("##"); }
  } s;
  Sink to;
  CHECK(add_word_pieces(s, tree.tree(), text("unaffable"), to.sink) == Status::ok);
  CHECK(to.put() == Ids{0, 1, 2});
  CHECK(add_word_pieces(s, tree.tree(), text("unfit"), to.sink) == Status::ok);  // not 0 and 77
  CHECK(add_word_pieces(s, tree.tree(), text("aaaaaaaaaa"), to.sink) == Status::ok);  // too long
  CHECK(to.put() == Ids{0, 1, 2, 77, 77});
  Sink words;
  CHECK(add_word(s, tree.tree(), text("un"), words.sink) == Status::ok);
  CHECK(add_word(s, tree.tree(), text("unable"), words.sink) == Status::ok);
  s.unknown = -1;
  CHECK(add_word(s, tree.tree(), text("unable"), words.sink) == Status::ok);
  CHECK(words.put() == Ids{0, 77});
  Sink pairs;
  std::int32_t room[64];
  CHECK(add_byte_pairs(PairRulesOf{}, kPairs.model(), text("abcd"), room, pairs.sink) ==
        Status::ok);
  CHECK(pairs.put() == Ids{5, 3});
}

namespace {

// The best sum of scores over all ways to divide x.
double best_score(const std::string& x, const Strings& words, const std::vector<double>& scores,
                  double unknown) {
  if (x.empty()) return 0;
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < words.size(); ++i)
    if (x.compare(0, words[i].size(), words[i]) == 0)
      best = std::fmax(best,
                       scores[i] + best_score(x.substr(words[i].size()), words, scores, unknown));
  bool single = false;
  for (const std::string& w : words) single = single || w == x.substr(0, 1);
  if (!single) best = std::fmax(best, unknown + best_score(x.substr(1), words, scores, unknown));
  return best;
}

}  // namespace

TEST_CASE("the pieces of a unigram model have the largest sum of scores", "[tokens]") {
  const Strings words = {"a", "ab", "abc", "bc", "cab", "b", "bca"};
  const Vocabulary tree(words);
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> scores;
    for (std::size_t i = 0; i < words.size(); ++i)
      scores.push_back(-1.0 - static_cast<double>(random() % 1000) / 100);
    std::string x;
    while (x.size() < 10) x += static_cast<char>('a' + random() % 4);
    std::vector<UnigramPath> paths(x.size() + 1);
    double sum = 0;
    std::string together;
    bool was_unknown = false;
    each_unigram({tree.tree(), scores.data(), -20, nullptr}, text_of(x), paths.data(),
                 [&](std::int32_t piece, const Text& part) {
                   sum += piece >= 0 ? scores[static_cast<std::size_t>(piece)]
                                     : -20 * static_cast<double>(part.size);
                   if (piece >= 0) CHECK(string_of(part) == words[static_cast<std::size_t>(piece)]);
                   CHECK_FALSE((was_unknown && piece < 0));  // they are one
                   was_unknown = piece < 0;
                   together += string_of(part);
                 });
    CHECK(together == x);
    CHECK(sum == Approx(best_score(x, words, scores, -20)));
  }
}

TEST_CASE("what a unigram model does not know is bytes, unknown, or an error", "[tokens]") {
  const Vocabulary tree({"a", "b"});
  const double scores[] = {-1, -1};
  std::vector<std::int32_t> bytes(256, -1);
  bytes[0xC3] = 30, bytes[0xA9] = 31;
  const UnigramModel model{tree.tree(), scores, -10, bytes.data()};
  struct {
    std::int64_t unknown = -1;
    bool byte_fallback = true;
  } s;
  std::vector<UnigramPath> paths(16);
  Sink to;
  CHECK(add_unigram(s, model,
                    text("a\xC3\xA9"
                         "b"),
                    paths.data(), to.sink) == Status::ok);
  CHECK(to.put() == Ids{0, 30, 31, 1});
  CHECK(add_unigram(s, model, text("a?"), paths.data(), to.sink) == Status::bad_value);
  s.unknown = 9;
  Sink unknown;
  CHECK(add_unigram(s, model, text("??a"), paths.data(), unknown.sink) == Status::ok);
  CHECK(unknown.put() == Ids{9, 0});
}

}  // namespace onnxc
