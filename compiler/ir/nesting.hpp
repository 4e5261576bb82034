// How the steps of a program are nested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "compiler/ir/program.hpp"

namespace onnxc {

// The branches of every If and the bodies of every Loop, and the block that each step is in. Of a
// program that is not complete yet, blocks may be open: they end after its last step.
class Nesting {
 public:
  struct Block {
    std::size_t begin, end;       // the steps that open and end it; its own steps are between them
    std::size_t statement_begin;  // the first step of the If or Loop
    int parent;                   // the block around the If or Loop, -1: none
    bool is_loop;
    bool has_else;  // another branch follows
  };

  // Of the steps from `first` on, as if the program began there.
  explicit Nesting(const Program& program, std::size_t first = 0);

  // In the order in which they begin: inner ones after those around them.
  const std::vector<Block>& blocks() const { return blocks_; }
  // The blocks around a step, indices in blocks(), the innermost last. A step that opens or ends a
  // block is not in it.
  std::vector<int> around(std::size_t step) const;
  // The end of the statement that begins with this step: the next step, or for an If or a Loop the
  // one after it.
  std::size_t statement_end(std::size_t step) const { return statement_end_[step - first_]; }
  // Whether a step is in a block, or opens one.
  bool is_nested(std::size_t step) const {
    return around_[step - first_] >= 0 || statement_end(step) > step + 1;
  }

 private:
  std::size_t first_;
  std::vector<Block> blocks_;
  std::vector<int> around_;  // the innermost block, by step
  std::vector<std::size_t> statement_end_;
};

// How often each step runs in a call of the program: the trips of the loops around it. A loop that
// a condition may end counts once, as its bound says little. kTooMany where 64 bits are too few.
std::vector<Dim> executions(const Program& program);
// Whether the step opens a loop that counts once because nothing but a run tells its rounds.
bool has_unknown_rounds(const Step& step);
// Whether a step with multiply-accumulates is in such a loop.
bool has_work_of_unknown_rounds(const Program& program);

// Counts of work, which end at kTooMany.
inline constexpr std::int64_t kTooMany = std::numeric_limits<std::int64_t>::max();
Dim product_of(const Dim& a, const Dim& b);
Dim sum_of(const Dim& a, const Dim& b);

}  // namespace onnxc
