// Refuses what a target's types cannot hold: its compiler would take less, or fail far from the
// cause.
#include <fmt/format.h>

#include <set>

#include "compiler/ir/graph.hpp"
#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

constexpr std::int64_t kMaxShortObject = 32767;  // bytes, of which pointers of 16 bits differ

std::set<BufferId> used_buffers(const Program& program) {
  std::set<BufferId> used(program.inputs.begin(), program.inputs.end());
  used.insert(program.outputs.begin(), program.outputs.end());
  for (const Step& step : program.steps)
    Program::each_buffer(step, [&](BufferId id) { used.insert(program.root(id).first); });
  return used;
}

std::string too_large(std::int64_t bytes) {
  return fmt::format("takes {} bytes, and an object has at most {} there", bytes, kMaxShortObject);
}

std::string problem_of(const Program& program, BufferId id) {
  const Buffer& b = program.at(id);
  const std::int64_t bytes = program.capacity(id).value_or(0);
  if (b.elem == ElemType::float64 || b.elem == ElemType::complex128)
    return fmt::format("is {}, and a double has 32 bits there", info(b.elem).onnx_name);
  return bytes > kMaxShortObject ? too_large(bytes) : "";
}

}  // namespace

void check_target_limits(const Program& program, const Target& target, Diagnostics& diagnostics) {
  if (!target.short_types) return;
  const auto refuse = [&](const std::string& what, const std::string& problem) {
    if (!problem.empty())
      diagnostics.error("target-limit", "--target " + target.name, what + " " + problem);
  };
  for (const BufferId id : used_buffers(program)) {
    const Buffer& b = program.at(id);
    refuse(quoted(b.value ? b.value->name : b.name), problem_of(program, id));
  }
  // Each of its values may fit.
  if (program.arena_bytes > kMaxShortObject) refuse("the arena", too_large(program.arena_bytes));
}

}  // namespace onnxc
