// Marks steps and buffers from the outputs and the state back, and removes what is not marked.
#include "compiler/schedule/schedule.hpp"

#include <algorithm>

#include "compiler/ir/kernel_declaration.hpp"

namespace onnxc {
namespace {

class DeadSteps {
 public:
  explicit DeadSteps(Program& program)
      : p_(program), live_(program.buffers.size(), false), kept_(program.steps.size(), false) {}

  void run() {
    for (BufferId id : p_.outputs) mark(id);
    for (std::size_t i = 0; i < p_.buffers.size(); ++i)
      if (p_.buffers[i].kind == Buffer::Kind::state) mark(static_cast<BufferId>(i));
    while (mark_steps()) {
    }
    std::vector<Step> steps;
    for (std::size_t i = 0; i < p_.steps.size(); ++i)
      if (kept_[i]) steps.push_back(std::move(p_.steps[i]));
    p_.steps = std::move(steps);
  }

 private:
  std::size_t root(BufferId id) const { return static_cast<std::size_t>(p_.root(id).first); }
  void mark(BufferId id) { live_[root(id)] = true; }

  // From the last step to the first; again while a loop reads what a later step writes. True if a
  // step was added.
  bool mark_steps() {
    bool added = false;
    for (std::size_t i = p_.steps.size(); i-- > 0;) {
      if (kept_[i] || !is_needed(p_.steps[i])) continue;
      kept_[i] = added = true;
      Program::each_buffer(p_.steps[i], [this](BufferId id) { mark(id); });
    }
    return added;
  }

  bool is_needed(const Step& step) const {
    if (step.kind == Step::Kind::allocate) return live_[root(step.buffer)];
    if (step.kind != Step::Kind::call || is_fallible(step) || is_probe(step)) return true;
    return std::any_of(step.args.begin(), step.args.end(), [this](const Arg& arg) {
      if (const auto* b = std::get_if<BufferArg>(&arg.value))
        return (b->writes || b->as_block) && live_[root(b->buffer)];
      return std::holds_alternative<ExtentsArg>(arg.value);
    });
  }

  Program& p_;
  std::vector<bool> live_;  // by root buffer
  std::vector<bool> kept_;
};

}  // namespace

void remove_dead_steps(Program& program) { DeadSteps(program).run(); }

}  // namespace onnxc
