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

}  // namespace

std::vector<InPlace> in_place_ports(const Program& p) {
  const std::vector<StepUses> uses = uses_of(p);
  std::vector<InPlace> pairs;
  for (std::size_t i = 0; i < p.steps.size(); ++i)
    for (const auto& [input, output] : p.steps[i].may_share) {
      if (!is_port(p.at(input), Buffer::Kind::input)) continue;
      if (!is_port(p.at(output), Buffer::Kind::output)) continue;
      const StepUses &from = uses[static_cast<std::size_t>(input)],
                     &to = uses[static_cast<std::size_t>(output)];
      if (from.in_block || to.in_block || from.last != i || from.in_last != 1) continue;
      if (to.first != i || !(p.bytes(input) == p.bytes(output))) continue;
      const InPlace pair{position(p.inputs, input), position(p.outputs, output)};
      const bool taken = std::any_of(pairs.begin(), pairs.end(), [&](const InPlace& other) {
        return other.input == pair.input || other.output == pair.output;
      });
      if (!taken) pairs.push_back(pair);
    }
  return pairs;
}

}  // namespace onnxc
