#include "compiler/plan/threads.hpp"

#include <algorithm>

#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// Cycles that a part has to last: handing a call to waiting threads and back costs some 1500.
constexpr std::int64_t kLeastCycles = 4000;
// Parts for each thread, so that one which is held up leaves some of its own to the others.
constexpr std::int64_t kPartsPerThread = 4;

bool is_narrow(ElemType elem) { return elem == ElemType::int8 || elem == ElemType::uint8; }

// About how many cycles a call takes on one thread: two vectors of multiply-accumulates, or eight
// bytes of its operands, in each.
Dim cycles(const Program& p, const Step& step, const Target& target) {
  Dim bytes = 0;
  bool narrow = false;
  for (const Arg& arg : step.args) {
    const auto* b = std::get_if<BufferArg>(&arg.value);
    if (!b || p.at(b->buffer).kind == Buffer::Kind::object) continue;
    if (p.at(b->buffer).kind != Buffer::Kind::constant) bytes = bytes + p.bytes(b->buffer);
    narrow = narrow || is_narrow(p.at(b->buffer).elem);
  }
  const std::int64_t macs_per_cycle = 2 * target.vector_floats * (narrow ? 4 : 1);
  return Dim::floor_div(bytes, 8) + step.macs / macs_per_cycle;
}

// Scratch of each thread on cache lines of its own.
void give_each_thread(Buffer& b, int threads) {
  const auto per_line = static_cast<std::int64_t>(64 / std::min<std::size_t>(64, storage_bytes(b.elem)));
  b.shape = {threads, Dim::ceil_div(product(b.shape), per_line) * per_line};
}

}  // namespace

void plan_threads(Program& program, int threads, const Target& target) {
  if (threads < 2) return;
  for (Step& step : program.steps) {
    if (!step.divisible) continue;
    const Dim worth = Dim::floor_div(cycles(program, step, target), kLeastCycles);
    step.parts = Dim::max(1, Dim::min(threads * kPartsPerThread, worth));
    if (step.parts.is(1)) continue;
    for (const Arg& arg : step.args)
      if (const auto* b = std::get_if<BufferArg>(&arg.value); b && program.at(b->buffer).per_thread)
        give_each_thread(program.at(b->buffer), threads);
  }
}

bool has_parts(const Program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(),
                     [](const Step& s) { return !s.parts.is(1); });
}

}  // namespace onnxc
