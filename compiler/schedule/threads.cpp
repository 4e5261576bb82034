#include "compiler/schedule/threads.hpp"

#include <algorithm>
#include <map>

#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// Cycles that a part has to last: handing a call to waiting threads and back costs some 1500.
constexpr std::int64_t kLeastCycles = 4000;
// A thread that is held up leaves some of its parts to the others. More parts read more operands
// more often, so they have to be longer.
constexpr std::int64_t kPartsPerThread = 2;
constexpr std::int64_t kLongCycles = 40000;

bool is_narrow(ElemType elem) { return elem == ElemType::int8 || elem == ElemType::uint8; }

// Whether the run has a value for every size in an expression.
bool is_known(const Program& p, const Dim& d) {
  std::vector<std::string> names;
  d.collect_symbols(names);
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return p.symbol(name) != nullptr; });
}

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
  const Dim macs = is_known(p, step.macs) ? step.macs : 0;
  return Dim::floor_div(bytes, 8) + Dim::floor_div(macs, macs_per_cycle);
}

bool has_thread_scratch(const Program& p, const Step& step) {
  return std::any_of(step.args.begin(), step.args.end(), [&](const Arg& arg) {
    const auto* b = std::get_if<BufferArg>(&arg.value);
    return b && p.at(b->buffer).per_thread;
  });
}

// How many parts so many cycles are worth: `most` for each thread, or fewer, but as many for each,
// unless the run decides.
Dim parts_for(const Dim& cycles, int threads, std::int64_t most) {
  const Dim worth = Dim::floor_div(cycles, kLeastCycles);
  if (!worth.is_const()) return Dim::max(1, Dim::min(threads, worth));
  if (worth.value() < threads) return std::max<std::int64_t>(worth.value(), 1);
  const std::int64_t more = cycles.value() / kLongCycles / threads;
  return threads * std::clamp<std::int64_t>(more, 1, most);
}

// Scratch of the divided calls: the same memory for each thread in all of them, so that it stays in
// the cache of that thread's processor.
class ThreadScratch {
 public:
  ThreadScratch(Program& program, int threads) : p_(program), threads_(threads) {}

  // Lets a divided call use it in the place of its own.
  void take_over(Step& step) {
    for (Arg& arg : step.args)
      if (auto* b = std::get_if<BufferArg>(&arg.value); b && p_.at(b->buffer).per_thread)
        b->buffer = shared(p_.at(b->buffer));
  }

 private:
  BufferId shared(const Buffer& own) {
    const auto per_line =
        static_cast<std::int64_t>(64 / std::min<std::size_t>(64, storage_bytes(own.elem)));
    const Dim size = Dim::ceil_div(product(own.shape), per_line) * per_line;
    const auto [it, fresh] = buffers_.emplace(own.elem, -1);
    if (fresh) {
      Buffer b;
      b.name = "thread_scratch";
      b.elem = own.elem;
      b.per_thread = true;
      b.shape = {threads_, size};
      p_.buffers.push_back(std::move(b));
      it->second = static_cast<BufferId>(p_.buffers.size() - 1);
    }
    Buffer& b = p_.at(it->second);
    b.shape[1] = Dim::max(b.shape[1], size);
    return it->second;
  }

  Program& p_;
  int threads_;
  std::map<ElemType, BufferId> buffers_;
};

}  // namespace

void plan_threads(Program& program, int threads, const Target& target) {
  if (threads < 2) return;
  ThreadScratch scratch(program, threads);
  for (Step& step : program.steps) {
    if (!step.divisible) continue;
    // What a call keeps in scratch it prepares for each part anew.
    const std::int64_t most = has_thread_scratch(program, step) ? 1 : kPartsPerThread;
    step.parts = parts_for(cycles(program, step, target), threads, most);
    if (!step.parts.is(1)) scratch.take_over(step);
  }
}

bool has_parts(const Program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(),
                     [](const Step& s) { return !s.parts.is(1); });
}

}  // namespace onnxc
