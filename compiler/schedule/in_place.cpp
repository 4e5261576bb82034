// Finds outputs of the program that may share the memory of an input.
#include "compiler/schedule/in_place.hpp"

#include <algorithm>
#include <cstdint>

#include "compiler/ir/nesting.hpp"

namespace onnxc {
namespace {

// The steps that use a buffer, views of it included.
struct StepUses {
  std::size_t first = SIZE_MAX, last = 0;
  int in_last = 0;        // number of uses in the last step
  bool in_block = false;  // of an If or a Loop
};

std::vector<StepUses> uses_of(const Program& p) {
  std::vector<StepUses> uses(p.buffers.size());
  const Nesting nesting(p);
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    Program::each_buffer(p.steps[i], [&](BufferId id) {
      StepUses& u = uses[static_cast<std::size_t>(p.root(id).first)];
      u.in_last = u.first != SIZE_MAX && u.last == i ? u.in_last + 1 : 1;
      u.first = std::min(u.first, i);
      u.last = i;
      u.in_block = u.in_block || nesting.is_nested(i);
    });
  }
  return uses;
}

bool is_port(const Buffer& b, Buffer::Kind kind) {
  return b.kind == kind && b.view_of < 0 && b.elem != ElemType::string;
}

template <class T>
std::size_t position(const std::vector<T>& list, const T& wanted) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), wanted) - list.begin());
}

class InPlacePorts {
 public:
  explicit InPlacePorts(const Program& p) : p_(p), uses_(uses_of(p)) {}

  std::vector<InPlace> find() {
    for (std::size_t i = 0; i < p_.steps.size(); ++i)
      for (const auto& [input, output] : p_.steps[i].may_share) {
        if (!may_pair(input, output)) continue;
        const StepUses& from = uses(input);
        if (from.last == i && from.in_last == 1 && uses(output).first == i) add(input, output);
      }
    add_shifted_states();
    return std::move(pairs_);
  }

 private:
  const StepUses& uses(BufferId id) const { return uses_[static_cast<std::size_t>(id)]; }

  bool may_pair(BufferId input, BufferId output) const {
    return is_port(p_.at(input), Buffer::Kind::input) &&
           is_port(p_.at(output), Buffer::Kind::output) && !uses(input).in_block &&
           !uses(output).in_block && p_.bytes(input) == p_.bytes(output);
  }

  // A past of a fixed length: one step puts it next to new elements, a later one takes the next
  // past out of what that wrote.
  void add_shifted_states() {
    std::vector<std::vector<BufferId>> made_from(p_.buffers.size());
    for (const Step& step : p_.steps) {
      const std::vector<BufferId> read = arguments(step, false), written = arguments(step, true);
      for (const BufferId output : written)
        for (const BufferId joined : read)
          for (const BufferId input : made_from[static_cast<std::size_t>(joined)])
            if (may_pair(input, output) && uses(input).last < uses(output).first)
              add(input, output);
      if (!step.part_offset) continue;  // a copy into a part of what it writes
      for (const BufferId w : written)
        for (const BufferId r : read)
          if (is_port(p_.at(r), Buffer::Kind::input))
            made_from[static_cast<std::size_t>(w)].push_back(r);
    }
  }

  // The buffers that a step reads, or those that it writes.
  std::vector<BufferId> arguments(const Step& step, bool writes) const {
    std::vector<BufferId> found;
    for (const Arg& arg : step.args)
      if (const auto* b = std::get_if<BufferArg>(&arg.value); b && b->writes == writes)
        found.push_back(p_.root(b->buffer).first);
    return found;
  }

  void add(BufferId input, BufferId output) {
    const InPlace pair{position(p_.inputs, input), position(p_.outputs, output)};
    const bool taken = std::any_of(pairs_.begin(), pairs_.end(), [&](const InPlace& other) {
      return other.input == pair.input || other.output == pair.output;
    });
    if (!taken) pairs_.push_back(pair);
  }

  const Program& p_;
  std::vector<StepUses> uses_;
  std::vector<InPlace> pairs_;
};

}  // namespace

std::vector<InPlace> in_place_ports(const Program& p) { return InPlacePorts(p).find(); }

}  // namespace onnxc
