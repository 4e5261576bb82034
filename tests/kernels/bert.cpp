// bert.cpp - words and word pieces as BERT has them, and tokens as text.
#include <catch2/catch.hpp>

#include "templates/text/bert_tokens.hpp"
#include "templates/text/join_pieces.hpp"
#include "templates/text/token_text.hpp"
#include "templates/text/word_piece_rows.hpp"
#include "tests/kernels/text_data.hpp"

namespace onnxc {
namespace {

using namespace kernel_test;
using Ids = std::vector<std::int64_t>;

struct WordShape {
  bool lower = true, strip_accents = true, han = true, punctuation = true, remove_control = true;
};

// Of Unicode: two letters with marks, the marks, a control character and some punctuation.
struct Tables {
  std::int32_t keys[2] = {0xC9, 0xE9}, begins[3] = {0, 2, 4}, parts[4] = {'E', 0x301, 'e', 0x301};
  std::int32_t classes[3] = {0x300, 0x314, 230};
  std::vector<std::int32_t> marks = character_set("", {{0x300, 0x36F}});
  std::vector<std::int32_t> control = character_set("\x01\x7f");
  std::vector<std::int32_t> punctuation = character_set(",.!-");
  BertTables tables() const {
    return {{keys, begins, parts, classes, nullptr, 2, 1, 0},
            {marks.data(), 1},
            {control.data(), 0},
            {punctuation.data(), 0}};
  }
};

Strings words(WordShape s, const std::string& x) {
  const Tables t;
  Heap heap(malloc_allocator());
  const Text in = text_of(x);
  Index count = 0;
  REQUIRE(bert_words_extents(s, &in, t.tables(), heap, &count) == Status::ok);
  std::vector<Text> y(static_cast<std::size_t>(count));
  REQUIRE(bert_words(s, &in, t.tables(), y.data(), heap) == Status::ok);
  return strings_of(y);
}

}  // namespace

TEST_CASE("BERT's words: lower case, no accents, punctuation and ideographs alone", "[bert]") {
  CHECK(words({}, "Hello,  W\xC3\x89llo!") == Strings{"hello", ",", "wello", "!"});
  CHECK(words({},
              "a\xE4\xB8\x80"
              "b\xE4\xBA\x8C") == Strings{"a", "\xE4\xB8\x80", "b", "\xE4\xBA\x8C"});
  CHECK(words({}, "x\x01y\x7f z") == Strings{"xy", "z"});
  CHECK(words({}, " \t\n").empty());
  CHECK(words({}, "").empty());
  WordShape s;
  s.lower = s.strip_accents = false;
  CHECK(words(s, "W\xC3\x89-b") == Strings{"W\xC3\x89", "-", "b"});
  s.punctuation = s.han = s.remove_control = false;
  CHECK(words(s, "a-\xE4\xB8\x80\x01 b") == Strings{"a-\xE4\xB8\x80\x01", "b"});
}

TEST_CASE("BERT's numbers for one text and for two", "[bert]") {
  struct : WordShape {
    Index count = 2, most = 0;
    std::int64_t begin = 101, end = 102, unknown = 100, longest_word = 8;
    bool words = true;
  } s;
  const Vocabulary vocabulary({"un", "##aff", "##able", ",", "b"});
  const Tables t;
  const Text prefix = text("##");
  const Text x[] = {text("Unaffable, b"), text("bb b")};
  const auto numbers = [&](Ids& types) {
    Heap heap(malloc_allocator());
    Index count = 0;
    REQUIRE(bert_tokens_extents(s, x, t.tables(), vocabulary.tree(), &prefix, heap, &count) ==
            Status::ok);
    Ids ids(static_cast<std::size_t>(count)), mask(ids.size());
    types.resize(ids.size());
    REQUIRE(bert_tokens(s, x, t.tables(), vocabulary.tree(), &prefix, ids.data(), types.data(),
                        mask.data(), heap) == Status::ok);
    CHECK(mask == Ids(ids.size(), 1));
    return ids;
  };
  Ids types;
  // The first b of "bb" is a piece, the rest is unknown. "unaffable" is longer than 8 characters.
  CHECK(numbers(types) == Ids{101, 100, 3, 4, 102, 4, 100, 4, 102});
  CHECK(types == Ids{0, 0, 0, 0, 0, 1, 1, 1, 1});
  s.longest_word = 9;
  CHECK(numbers(types) == Ids{101, 0, 1, 2, 3, 4, 102, 4, 100, 4, 102});
  s.count = 1;
  CHECK(numbers(types) == Ids{101, 0, 1, 2, 3, 4, 102});
  s.most = 2;
  CHECK(numbers(types) == Ids{101, 0, 1, 102});
  s.most = 0;
  s.words = false;  // between blanks
  CHECK(numbers(types) == Ids{101, 100, 4, 102});
}

TEST_CASE("pieces of the words of texts as a ragged matrix", "[bert]") {
  const Strings names = {"un", "##fit", "b", "?"};
  const Vocabulary vocabulary({"un", "##fit", "b"});
  struct {
    Index count = 4, rows = 0;
    std::int64_t unknown = 3, longest_word = 5;
  } s;
  const Strings x = {"unfit  b", "", "qq", "unfitt b"};
  const std::vector<Text> in = texts_of(x), of_numbers = texts_of(names);
  const Text prefix = text("##");
  Index extents[3] = {};
  word_piece_rows_extents(s, in.data(), nullptr, vocabulary.tree(), &prefix, extents);
  CHECK(std::vector<Index>(extents, extents + 3) == std::vector<Index>{6, 4, 5});
  std::vector<Text> y(6);
  Ids borders(5), begins(4), ends(4);
  word_piece_rows(s, in.data(), nullptr, vocabulary.tree(), &prefix, of_numbers.data(), y.data(),
                  borders.data(), begins.data(), ends.data());
  // "unfitt" is longer than 5 characters.
  CHECK(strings_of(y) == Strings{"un", "##fit", "b", "?", "?", "b"});
  CHECK(borders == Ids{0, 3, 3, 4, 6});
  CHECK(begins == Ids{0, 3, 3, 4});
  CHECK(ends == Ids{3, 3, 4, 6});
  // Two rows, which begin at the texts 0 and 2.
  s.rows = 2;
  const std::int64_t rows[] = {0, 2};
  word_piece_rows_extents(s, in.data(), rows, vocabulary.tree(), &prefix, extents);
  CHECK(std::vector<Index>(extents, extents + 3) == std::vector<Index>{6, 2, 3});
  borders.resize(3);
  word_piece_rows(s, in.data(), rows, vocabulary.tree(), &prefix, of_numbers.data(),
                  static_cast<Text*>(nullptr), borders.data(), static_cast<std::int64_t*>(nullptr),
                  static_cast<std::int64_t*>(nullptr));
  CHECK(borders == Ids{0, 3, 6});
}

TEST_CASE("numbers as text, with blanks around special ones", "[bert]") {
  const Strings names = {"He", "llo", "<s>", "?"};
  const std::vector<Text> pieces = texts_of(names);
  const std::uint8_t bits[] = {0, 0, kSpecialPiece};
  struct {
    Index rows = 2, columns = 4, entries = 3;
    bool skip_special = false, blanks = true;
  } s;
  const std::int64_t ids[] = {0, 1, 2, 0, 2, 2, 7, -1};
  std::vector<Text> y(2);
  Heap heap(malloc_allocator());
  REQUIRE(join_pieces(s, ids, pieces.data(), bits, y.data(), heap) == Status::ok);
  CHECK(strings_of(y) == Strings{"Hello <s> He", "<s> <s> ??"});
  s.skip_special = true;
  REQUIRE(join_pieces(s, ids, pieces.data(), bits, y.data(), heap) == Status::ok);
  CHECK(strings_of(y) == Strings{"HelloHe", ""});
}

TEST_CASE("numbers as words, with blanks between them", "[bert]") {
  const Strings names = {"un", "fit", ",", "[SEP]", "?"};
  const std::vector<Text> pieces = texts_of(names);
  const std::uint8_t both = kBlankBefore | kBlankAfter;
  const std::uint8_t bits[] = {both, kInnerPiece | kBlankAfter, kBlankAfter, kSpecialPiece | both};
  struct {
    Index rows = 1, columns = 6, entries = 4;
    bool skip_special = true, clean = false;
  } s;
  const std::int64_t ids[] = {1, 0, 1, 2, 3, 0};
  const auto joined = [&](const std::int64_t* ranges) {
    std::vector<Text> y(static_cast<std::size_t>(s.rows));
    Heap heap(malloc_allocator());
    REQUIRE(join_words(s, ids, ranges, pieces.data(), bits, y.data(), heap) == Status::ok);
    return strings_of(y);
  };
  // An inner piece at the begin is left out.
  CHECK(joined(nullptr) == Strings{"unfit , un"});
  s.clean = true;
  CHECK(joined(nullptr) == Strings{"unfit, un"});
  s.skip_special = false;
  CHECK(joined(nullptr) == Strings{"unfit, [SEP] un"});
  s.rows = 3;
  const std::int64_t ranges[] = {1, 3, 3, 4, 2, 2};
  CHECK(joined(ranges) == Strings{"unfit", ",", ""});
  const std::int64_t bad[] = {1, 3, 3, 7, 2, 2};
  Text y[3];
  Heap heap(malloc_allocator());
  CHECK(join_words(s, ids, bad, pieces.data(), bits, y, heap) == Status::bad_index);
}

namespace {

struct TextShape {
  bool words = false, drops_first_blanks = false;
  int strip = 0;
  const char* mark = "";
  Text blank() const { return {mark, static_cast<std::int64_t>(std::strlen(mark))}; }
};

// Pieces of bytes, and the text of some of them after each token.
struct Pieces {
  std::vector<std::int32_t> begins{0};
  std::vector<std::uint8_t> bytes, bits;
  explicit Pieces(const Strings& pieces, std::vector<std::uint8_t> bits_of = {})
      : bits(std::move(bits_of)) {
    bits.resize(pieces.size());
    for (const std::string& p : pieces) {
      bytes.insert(bytes.end(), p.begin(), p.end());
      begins.push_back(static_cast<std::int32_t>(bytes.size()));
    }
  }
  Strings texts(TextShape s, const Ids& ids, bool skip_special = true) const {
    char room[64];
    TextSink sink{room, sizeof room, 0};
    TokenTextState state = {};
    const TokenPieces pieces{begins.data(), bytes.data(), bits.data(),
                             static_cast<std::int32_t>(bits.size())};
    Strings out;
    for (const std::int64_t id : ids) {
      put_token(s, pieces, id, skip_special, state, sink);
      out.emplace_back(room, sink.size);
    }
    end_tokens(state, sink);
    out.emplace_back(room, sink.size);
    return out;
  }
};

}  // namespace

TEST_CASE("a character comes out when all of its bytes are there", "[tokens]") {
  const Pieces p({"a", "\xF0\x9F", "\x98", "\x80", "\xC3", "\xE0\x80"});
  CHECK(p.texts({}, {0, 1, 2, 3}) ==
        Strings{"a", "a", "a", "a\xF0\x9F\x98\x80", "a\xF0\x9F\x98\x80"});
  const std::string bad = "\xEF\xBF\xBD";
  // What continues wrongly is one replacement character; so is what never ends.
  CHECK(p.texts({}, {1, 0, 4}) == Strings{"", bad + "a", bad + "a", bad + "a" + bad});
  CHECK(p.texts({}, {3}) == Strings{bad, bad});
  CHECK(p.texts({}, {5}) == Strings{bad + bad, bad + bad});  // overlong: E0 wants A0 or more
  CHECK(p.texts({}, {-1, 6, 0}) == Strings{"", "", "a", "a"});
}

TEST_CASE("marks are blanks, special tokens nothing, the first blanks go", "[tokens]") {
  const Pieces p({"_a", "b", "<s>", "__c"}, {0, 0, kSpecialPiece, 0});
  TextShape s;
  s.mark = "_";
  CHECK(p.texts(s, {0, 1, 2, 0}).back() == " ab a");
  CHECK(p.texts(s, {2, 0}, false).back() == "<s> a");
  s.strip = 1;
  CHECK(p.texts(s, {0, 0}).back() == "a a");
  CHECK(p.texts(s, {3}).back() == " c");
  s.strip = 0;
  s.drops_first_blanks = true;
  CHECK(p.texts(s, {3, 0}).back() == "c a");
  // As BERT has it: pieces are words, but for those that go on with one.
  const Pieces words({" un", "fit", " b"}, {0, kInnerPiece, 0});
  s = {};
  s.words = true;
  s.mark = "##";
  CHECK(words.texts(s, {0, 1, 2}).back() == "unfit b");
  CHECK(words.texts(s, {1, 2}).back() == "##fit b");
}

}  // namespace onnxc
