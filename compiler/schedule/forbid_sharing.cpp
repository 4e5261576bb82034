// Whether the output of a step may take the memory of an input depends on its other operands: for
// x + x[0:1], or x scattered into itself, the same memory is read at other places too.
#include <algorithm>
#include <map>

#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

using Pairs = std::vector<std::pair<BufferId, BufferId>>;

// Whether every use of the input's memory by the step is one in whose place it may write `output`.
bool is_read_in_place(const Program& p, const Step& step, BufferId input, BufferId output) {
  std::map<BufferId, std::ptrdiff_t> uses;
  Program::each_buffer(step, [&](BufferId id) {
    if (p.root(id).first == p.root(input).first) ++uses[id];
  });
  return std::all_of(uses.begin(), uses.end(), [&](const auto& use) {
    const Pairs& pairs = step.may_share;
    return std::count(pairs.begin(), pairs.end(), std::pair(use.first, output)) >= use.second;
  });
}

}  // namespace

void forbid_sharing_of_other_reads(Program& program) {
  for (Step& step : program.steps) {
    Pairs kept;
    for (const auto& [input, output] : step.may_share)
      if (is_read_in_place(program, step, input, output)) kept.emplace_back(input, output);
    step.may_share = std::move(kept);
  }
}

}  // namespace onnxc
