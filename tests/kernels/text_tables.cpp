// text_tables.cpp - kernels of tokenizers: search, vocabularies, merges, normal forms.
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "templates/text/letter_case.hpp"
#include "templates/text/normal_form.hpp"
#include "templates/text/pair_merges.hpp"
#include "templates/text/prefix_tree.hpp"
#include "templates/text/word_pieces.hpp"

namespace onnxc {
namespace {

TEST_CASE("letters of all scripts have two cases", "[text]") {
  const std::pair<std::int32_t, std::int32_t> pairs[] = {
      {'A', 'a'},       {0x130, 'i'},       {0x1E9E, 0xDF},     {0x13A0, 0xAB70},
      {0x1C90, 0x10D0}, {0x10400, 0x10428}, {0x1E900, 0x1E922}, {0xA7C5, 0x282}};
  for (const auto& [capital, small] : pairs) CHECK(to_lower(capital) == small);
  CHECK(to_upper(0x1C80) == 0x412);
  CHECK(to_upper(0x345) == 0x399);
  CHECK(to_lower(0x3042) == 0x3042);
}

// Merges the pair of the lowest rank, the leftmost of several, until there is none.
std::vector<std::int32_t> merged_slowly(std::vector<std::int32_t> ids,
                                        const std::vector<std::array<std::int32_t, 3>>& rules) {
  for (;;) {
    std::size_t best = rules.size(), at = 0;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i)
      for (std::size_t r = 0; r < best; ++r)
        if (rules[r][0] == ids[i] && rules[r][1] == ids[i + 1]) {
          best = r;
          at = i;
        }
    if (best == rules.size()) return ids;
    ids[at] = rules[best][2];
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

TEST_CASE("pairs are merged in the order of their ranks", "[text]") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::int32_t letters = 3;
    std::vector<std::array<std::int32_t, 3>> rules;
    std::int32_t pieces = letters;
    const auto any = [&](std::int32_t below) {
      return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(below));
    };
    for (int i = 0; i < 12; ++i) {
      const std::array<std::int32_t, 3> rule = {any(pieces), any(pieces), pieces};
      bool known = false;
      for (const auto& r : rules) known = known || (r[0] == rule[0] && r[1] == rule[1]);
      if (known) continue;
      rules.push_back(rule);
      ++pieces;
    }
    std::vector<std::int32_t> begin, table;
    for (std::int32_t left = 0; left <= pieces; ++left) {
      begin.push_back(static_cast<std::int32_t>(table.size() / 3));
      for (std::int32_t right = 0; right < pieces; ++right)
        for (std::size_t r = 0; r < rules.size(); ++r)
          if (rules[r][0] == left && rules[r][1] == right)
            table.insert(table.end(), {right, static_cast<std::int32_t>(r), rules[r][2]});
    }
    std::vector<std::int32_t> ids;
    for (std::int32_t n = any(60); n-- > 0;) ids.push_back(any(20) == 0 ? -1 : any(letters));
    const std::vector<std::int32_t> want = merged_slowly(ids, rules);
    std::vector<std::int32_t> work(6 * ids.size() + 1);
    ids.resize(
        static_cast<std::size_t>(merge_pairs({begin.data(), table.data()}, ids.data(),
                                             static_cast<std::int32_t>(ids.size()), work.data())));
    CHECK(ids == want);
  }
}

struct Longest {
  std::int64_t longest_word = 4;
};

TEST_CASE("words fall into the longest pieces", "[text]") {
  // a, ab, #b
  const std::int32_t child[] = {1, 3, 4, 5, 5, 5}, value[] = {-1, -1, 0, 2, 1};
  const std::uint8_t byte[] = {0, '#', 'a', 'b', 'b'};
  const PrefixTree tree{child, byte, value};
  const auto pieces = [&](const char* word) {
    std::vector<std::int32_t> found;
    const Text x{word, static_cast<std::int64_t>(std::strlen(word))};
    if (!each_word_piece(Longest{}, tree, text("#"), x,
                         [&](std::int32_t v) { found.push_back(v); }))
      found.push_back(-1);
    return found;
  };
  CHECK(pieces("abbb") == std::vector<std::int32_t>{1, 2, 2});
  CHECK(pieces("aa") == std::vector<std::int32_t>{0, -1});
  CHECK(pieces("ababa") == std::vector<std::int32_t>{-1});
  CHECK(pieces("b") == std::vector<std::int32_t>{-1});
  CHECK(pieces("").empty());
  CHECK(number_of(tree, text("ab")) == 1);
  CHECK(number_of(tree, text("#")) == -1);
  CHECK(count_characters(text("a\xC3\xA4\xFF")) == 3);
}

}  // namespace
}  // namespace onnxc
