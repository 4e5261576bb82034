// text_data.hpp - strings, vocabularies and regular expressions for the tests of text kernels.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "templates/text/prefix_tree.hpp"
#include "templates/text/regex_find.hpp"

namespace kernel_test {

using onnxc::Index;
using onnxc::Text;
using Strings = std::vector<std::string>;

inline Text text_of(const std::string& s) {
  return {s.data(), static_cast<std::int64_t>(s.size())};
}

inline std::vector<Text> texts_of(const Strings& strings) {
  std::vector<Text> out;
  for (const std::string& s : strings) out.push_back(text_of(s));
  return out;
}
std::vector<Text> texts_of(Strings&&) = delete;  // which live too short

inline std::string string_of(const Text& x) {
  return x.data == nullptr ? "" : std::string(x.data, static_cast<std::size_t>(x.size));
}

inline Strings strings_of(const std::vector<Text>& x) {
  Strings out;
  for (const Text& t : x) out.push_back(string_of(t));
  return out;
}

// The tree of some words; a word's number is its place.
class Vocabulary {
 public:
  explicit Vocabulary(const Strings& words) {
    std::vector<Node> nodes(1);
    for (std::size_t i = 0; i < words.size(); ++i) add(nodes, words[i], static_cast<int>(i));
    // Breadth first: the children of a node are next to each other.
    std::vector<std::size_t> order = {0};
    byte_.push_back(0);
    for (std::size_t k = 0; k < order.size(); ++k) {
      child_.push_back(static_cast<std::int32_t>(order.size()));
      value_.push_back(nodes[order[k]].value);
      for (const auto& [byte, to] : nodes[order[k]].children) {
        byte_.push_back(byte);
        order.push_back(to);
      }
    }
    child_.push_back(static_cast<std::int32_t>(order.size()));
  }
  onnxc::PrefixTree tree() const { return {child_.data(), byte_.data(), value_.data()}; }

 private:
  struct Node {
    std::map<std::uint8_t, std::size_t> children;
    std::int32_t value = -1;
  };
  static void add(std::vector<Node>& nodes, const std::string& word, int number) {
    std::size_t at = 0;
    for (const char c : word) {
      const auto [place, is_new] =
          nodes[at].children.emplace(static_cast<std::uint8_t>(c), nodes.size());
      at = place->second;
      if (is_new) nodes.emplace_back();
    }
    nodes[at].value = number;
  }
  std::vector<std::int32_t> child_, value_;
  std::vector<std::uint8_t> byte_;
};

// A set of characters as regular expressions have it: single ones below 128, and ranges above.
using Range = std::pair<std::int32_t, std::int32_t>;
inline std::vector<std::int32_t> character_set(const std::string& ascii,
                                               const std::vector<Range>& ranges = {}) {
  std::vector<std::uint32_t> bits(onnxc::kRegexSetBits);
  for (const char c : ascii) bits[static_cast<std::size_t>(c) / 32] |= 1u << c % 32;
  std::vector<std::int32_t> out;
  for (const std::uint32_t b : bits) out.push_back(static_cast<std::int32_t>(b));
  for (const auto& [first, last] : ranges) {
    out.push_back(first);
    out.push_back(last);
  }
  return out;
}

// A regular expression of instructions put together by hand, and memory to search with it.
class Regex {
 public:
  struct Step {
    onnxc::RegexOp op;
    std::int32_t a = 0, b = 0;                  // of split, jump and check
    std::vector<std::int32_t> characters = {};  // of what reads or looks at a character
  };
  explicit Regex(const std::vector<Step>& steps)
      : steps_(static_cast<Index>(steps.size())),
        work_(static_cast<std::size_t>(onnxc::regex_find_scratch(steps_))) {
    std::vector<std::int32_t> sets;
    for (const Step& s : steps) {
      const auto place = static_cast<std::int32_t>(3 * steps.size() + sets.size());
      const bool reads = !s.characters.empty();
      program_.push_back(static_cast<std::int32_t>(s.op));
      program_.push_back(reads ? place : s.a);
      const std::size_t ranges = (s.characters.size() - onnxc::kRegexSetBits) / 2;
      program_.push_back(reads ? static_cast<std::int32_t>(ranges) : s.b);
      sets.insert(sets.end(), s.characters.begin(), s.characters.end());
    }
    program_.insert(program_.end(), sets.begin(), sets.end());
  }
  onnxc::RegexSearch search() {
    work_.assign(work_.size(), 0);
    return {program_.data(), steps_, work_.data()};
  }
  const std::int32_t* program() const { return program_.data(); }
  Index steps() const { return steps_; }
  std::int64_t* work() { return work_.data(); }

 private:
  Index steps_;
  std::vector<std::int32_t> program_;
  std::vector<std::int64_t> work_;
};

// One character of a set.
inline Regex one_of(const std::string& ascii) {
  using onnxc::RegexOp;
  return Regex({{RegexOp::set, 0, 0, character_set(ascii)}, {RegexOp::match}});
}
// One or more characters of a set, as many as there are.
inline Regex some_of(const std::string& ascii, const std::vector<Range>& ranges = {}) {
  using onnxc::RegexOp;
  return Regex({{RegexOp::set, 0, 0, character_set(ascii, ranges)},
                {RegexOp::split, 0, 2},
                {RegexOp::match}});
}

}  // namespace kernel_test
