// The syntax tree of a regular expression.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ops/text/regex.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/regex_full_match.hpp"

namespace onnxc::ops::regex {

// Characters as ranges.
class Set {
 public:
  void add(std::int32_t first, std::int32_t last) { ranges_.push_back({first, last}); }
  void add(const std::vector<std::pair<std::int32_t, std::int32_t>>& ranges) {
    ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
  }
  void add(const Set& other) {
    ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
  }
  void sort();
  Set inverted();
  // With the other cases of its letters.
  void fold_case();
  // As the matcher reads it: a bit for each of ASCII, then the ranges.
  std::vector<std::int32_t> words() const;
  std::int32_t count() const { return static_cast<std::int32_t>(ranges_.size()); }

 private:
  using Range = std::pair<std::int32_t, std::int32_t>;
  std::vector<Range> ranges_;
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;
struct Node {
  enum class Kind { empty, set, check, look, sequence, choice, repeat } kind = Kind::empty;
  Set set;
  RegexAssertion place = RegexAssertion::text_begin;
  RegexOp look = RegexOp::ahead;  // with the set
  std::vector<NodePtr> parts;
  int least = 0, most = -1;  // repeat; -1: no limit
  bool lazy = false;         // as few as possible
};

// Throws RegexError.
NodePtr parse(std::string_view pattern, RegexSyntax syntax);

}  // namespace onnxc::ops::regex
