// Matches the steps that open blocks with those that end them.
#include "compiler/ir/nesting.hpp"

#include <algorithm>

#include "compiler/support/checked.hpp"

namespace onnxc {

Nesting::Nesting(const Program& program, std::size_t first) : first_(first) {
  using Kind = Step::Kind;
  const std::size_t size = program.steps.size();
  int inside = -1;  // the innermost open block
  for (std::size_t i = first; i < size; ++i) {
    const Kind kind = program.steps[i].kind;
    std::size_t statement = i;
    if (kind == Kind::close || kind == Kind::open_else) {
      Block& ended = blocks_[static_cast<std::size_t>(inside)];
      ended.end = i;
      ended.has_else = kind == Kind::open_else;
      inside = ended.parent;
      statement = ended.statement_begin;
    }
    around_.push_back(inside);
    statement_end_.push_back(i + 1);
    if (kind == Kind::close) statement_end_[statement - first] = i + 1;
    if (kind != Kind::open_if && kind != Kind::open_else && kind != Kind::open_loop) continue;
    if (kind != Kind::open_else) statement_end_.back() = std::max(size, i + 2);
    blocks_.push_back({i, size, statement, inside, kind == Kind::open_loop, false});
    inside = static_cast<int>(blocks_.size() - 1);
  }
}

std::vector<int> Nesting::around(std::size_t step) const {
  std::vector<int> path;
  for (int b = around_[step - first_]; b >= 0; b = blocks_[static_cast<std::size_t>(b)].parent)
    path.push_back(b);
  std::reverse(path.begin(), path.end());
  return path;
}

Dim product_of(const Dim& a, const Dim& b) {
  try {
    return a * b;
  } catch (const OverflowError&) {
    return kTooMany;
  }
}

Dim sum_of(const Dim& a, const Dim& b) {
  try {
    return a + b;
  } catch (const OverflowError&) {
    return kTooMany;
  }
}

std::vector<Dim> executions(const Program& program) {
  const Nesting nesting(program);
  std::vector<Dim> times;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    Dim count = 1;
    for (const int b : nesting.around(i)) {
      const auto& block = nesting.blocks()[static_cast<std::size_t>(b)];
      const Step& head = program.steps[block.begin];
      if (block.is_loop && !head.may_end_early)
        count = product_of(count, head.max_trips.value_or(1));
    }
    times.push_back(count);
  }
  return times;
}

bool has_unknown_rounds(const Step& step) {
  return step.kind == Step::Kind::open_loop && (step.may_end_early || !step.max_trips);
}

bool has_work_of_unknown_rounds(const Program& program) {
  const Nesting nesting(program);
  const auto is_uncounted = [&](int b) {
    return has_unknown_rounds(program.steps[nesting.blocks()[static_cast<std::size_t>(b)].begin]);
  };
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    if (program.steps[i].macs.is(0)) continue;
    const std::vector<int> around = nesting.around(i);
    if (std::any_of(around.begin(), around.end(), is_uncounted)) return true;
  }
  return false;
}

}  // namespace onnxc
