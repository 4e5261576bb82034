// Compiles regular expressions to programs of an NFA.
#include "compiler/ops/text/regex.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/ops/text/regex_syntax.hpp"
#include "templates/text/regex_find.hpp"

namespace onnxc::ops {
namespace regex {
namespace {

constexpr std::size_t kMaxSteps = 20000;

class Writer {
 public:
  RegexProgram write(const Node& node) {
    emit(node);
    step(RegexOp::match);
    RegexProgram out;
    out.steps = here();
    for (auto& [op, a, b, set] : steps_) {
      if (set) {
        a = place_of(*set);
        b = set->count();
      }
      out.words.insert(out.words.end(), {static_cast<std::int32_t>(op), a, b});
    }
    out.words.insert(out.words.end(), sets_.begin(), sets_.end());
    return out;
  }

 private:
  struct Step {
    RegexOp op;
    std::int32_t a, b;
    const Set* set;
  };

  // Where a set begins in the program; equal ones are there once.
  std::int32_t place_of(const Set& set) {
    std::vector<std::int32_t> words = set.words();
    const auto [known, is_new] =
        places_.emplace(words, static_cast<std::int32_t>(3 * steps_.size() + sets_.size()));
    if (is_new) sets_.insert(sets_.end(), words.begin(), words.end());
    return known->second;
  }

  std::int32_t here() const { return static_cast<std::int32_t>(steps_.size()); }
  std::size_t step(RegexOp op, std::int32_t a = 0, std::int32_t b = 0, const Set* set = nullptr) {
    if (steps_.size() >= kMaxSteps) throw RegexError("is too large when written out", false);
    steps_.push_back({op, a, b, set});
    return steps_.size() - 1;
  }

  void emit(const Node& n) {
    switch (n.kind) {
      case Node::Kind::empty:
        return;
      case Node::Kind::set:
        step(RegexOp::set, 0, 0, &n.set);
        return;
      case Node::Kind::check:
        step(RegexOp::check, static_cast<std::int32_t>(n.place));
        return;
      case Node::Kind::look:
        step(n.look, 0, 0, &n.set);
        return;
      case Node::Kind::sequence:
        for (const NodePtr& part : n.parts) emit(*part);
        return;
      case Node::Kind::choice:
        return emit_choice(n);
      case Node::Kind::repeat:
        return emit_repeat(n);
    }
  }

  void emit_choice(const Node& n) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i + 1 < n.parts.size(); ++i) {
      const std::size_t split = step(RegexOp::split);
      steps_[split].a = here();
      emit(*n.parts[i]);
      ends.push_back(step(RegexOp::jump));
      steps_[split].b = here();
    }
    emit(*n.parts.back());
    for (std::size_t end : ends) steps_[end].a = here();
  }

  void emit_repeat(const Node& n) {
    // Nested repetitions of empty patterns must not make compiling slow.
    for (int i = 0; i < n.least; ++i) emit_counted(*n.parts[0]);
    if (n.most < 0) {
      const std::size_t split = step(RegexOp::split);
      steps_[split].a = here();
      emit_counted(*n.parts[0]);
      step(RegexOp::jump, static_cast<std::int32_t>(split));
      steps_[split].b = here();
      if (n.lazy) std::swap(steps_[split].a, steps_[split].b);
      return;
    }
    std::vector<std::size_t> splits;
    for (int i = n.least; i < n.most; ++i) {
      splits.push_back(step(RegexOp::split));
      steps_[splits.back()].a = here();
      emit_counted(*n.parts[0]);
    }
    for (std::size_t split : splits) {
      steps_[split].b = here();
      if (n.lazy) std::swap(steps_[split].a, steps_[split].b);
    }
  }

  void emit_counted(const Node& n) {
    if (++written_ > kMaxSteps) throw RegexError("is too large when written out", false);
    emit(n);
  }

  std::vector<Step> steps_;
  std::vector<std::int32_t> sets_;
  std::map<std::vector<std::int32_t>, std::int32_t> places_;
  std::size_t written_ = 0;
};

// Whether a match may have no characters.
bool may_be_empty(const Node& n) {
  const auto part_may = [](const NodePtr& part) { return may_be_empty(*part); };
  switch (n.kind) {
    case Node::Kind::set:
      return false;
    case Node::Kind::sequence:
      return std::all_of(n.parts.begin(), n.parts.end(), part_may);
    case Node::Kind::choice:
      return std::any_of(n.parts.begin(), n.parts.end(), part_may);
    case Node::Kind::repeat:
      return n.least == 0 || may_be_empty(*n.parts[0]);
    default:
      return true;
  }
}

}  // namespace
}  // namespace regex

std::int64_t search_numbers(const RegexProgram& program) {
  return regex_find_scratch(std::int64_t{program.steps});
}

RegexProgram compile_regex(std::string_view pattern, RegexSyntax syntax) {
  const regex::NodePtr tree = regex::parse(pattern, syntax);
  RegexProgram program = regex::Writer().write(*tree);
  program.may_be_empty = regex::may_be_empty(*tree);
  return program;
}

}  // namespace onnxc::ops
