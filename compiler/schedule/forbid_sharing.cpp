// Whether the output of a step may take the memory of an input depends on its other operands: for
// x + x[0:1], or x scattered into itself, the same memory is read at other places too.
#include <algorithm>
#include <map>

#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

using Pair = std::pair<BufferId, BufferId>;

// What one step reads and writes, by the memory it is in.
class StepMemory {
 public:
  StepMemory(const Program& p, const Step& step) : p_(p) {
    Program::each_buffer(step, [&](BufferId id) { ++uses_[p.root(id).first][id]; });
    for (const Pair& pair : step.may_share) ++pairs_[pair];
  }

  // Whether every use of the input's memory is one in whose place the step may write the output.
  bool is_read_in_place(const Pair& pair) {
    const BufferId memory = p_.root(pair.first).first;
    const auto [known, is_new] = answers_.try_emplace({memory, pair.second});
    if (is_new) {
      const std::map<BufferId, int>& uses = uses_[memory];
      known->second = std::all_of(uses.begin(), uses.end(), [&](const auto& use) {
        const auto found = pairs_.find({use.first, pair.second});
        return found != pairs_.end() && found->second >= use.second;
      });
    }
    return known->second;
  }

 private:
  const Program& p_;
  std::map<BufferId, std::map<BufferId, int>> uses_;  // by memory, then by buffer
  std::map<Pair, int> pairs_;
  std::map<Pair, bool> answers_;  // of a memory and an output
};

}  // namespace

void mark_alias_hazards(Program& program) {
  for (Step& step : program.steps) {
    if (step.may_share.empty()) continue;
    StepMemory memory(program, step);
    std::erase_if(step.may_share, [&](const Pair& pair) { return !memory.is_read_in_place(pair); });
  }
}

}  // namespace onnxc
