// Estimates the work of parallel calls and chooses their number of chunks.
#include "compiler/schedule/schedule.hpp"

#include <algorithm>
#include <map>

#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// Least cycles of a chunk: handing a call to waiting threads and back costs some 1500.
constexpr std::int64_t kLeastCycles = 4000;
// A delayed thread leaves some of its chunks to the others. More chunks read operands more often,
// so each must be longer.
constexpr std::int64_t kChunksPerThread = 2;
constexpr std::int64_t kLongCycles = 40000;

bool is_narrow(ElemType elem) { return elem == ElemType::int8 || elem == ElemType::uint8; }

// The expression in sizes that have a value at run time; others count as 1, so that it is not more
// than the true value.
Dim least_known(const Program& p, const Dim& d) {
  return d.substitute([&](const std::string& name) -> std::optional<Dim> {
    return p.symbol(name) ? std::nullopt : std::optional<Dim>(1);
  });
}

// Rough number of cycles of a call on one thread: two vectors of multiply-accumulates, or eight
// bytes of its operands, per cycle.
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
  return Dim::floor_div(bytes, 8) + Dim::floor_div(least_known(p, step.macs), macs_per_cycle);
}

bool has_thread_scratch(const Program& p, const Step& step) {
  return std::any_of(step.args.begin(), step.args.end(), [&](const Arg& arg) {
    const auto* b = std::get_if<BufferArg>(&arg.value);
    return b && p.at(b->buffer).per_thread;
  });
}

// The number of chunks for a number of cycles: `most` for each thread, or fewer, but the same
// number for each thread unless the cycles are dynamic.
Dim chunks_for(const Dim& cycles, int threads, std::int64_t most) {
  const Dim worth = Dim::floor_div(cycles, kLeastCycles);
  if (!worth.is_const()) return Dim::max(1, Dim::min(threads, worth));
  if (worth.value() < threads) return std::max<std::int64_t>(worth.value(), 1);
  const std::int64_t more = cycles.value() / kLongCycles / threads;
  return threads * std::clamp<std::int64_t>(more, 1, most);
}

// Whether the size can be computed before the first step.
bool is_known_at_start(const Program& p, const Dim& size) {
  std::vector<std::string> symbols;
  size.collect_symbols(symbols);
  return std::all_of(symbols.begin(), symbols.end(), [&](const std::string& name) {
    const SizeSymbol* const s = p.symbol(name);
    return s && (s->input >= 0 || (s->definition && is_known_at_start(p, *s->definition)));
  });
}

// Scratch of the divided calls: all calls give a thread the same memory, so that it stays in the
// cache of its core. A call whose size a step decides has its own: the memory of all is allocated
// before the first of them.
class ThreadScratch {
 public:
  ThreadScratch(Program& program, int threads) : p_(program), threads_(threads) {}

  // Makes a divided call use it instead of its own scratch.
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
    if (!p_.at_most(size) && !is_known_at_start(p_, size)) return add(own.elem, size);
    const auto [it, fresh] = buffers_.emplace(own.elem, -1);
    if (fresh) it->second = add(own.elem, size);
    Buffer& b = p_.at(it->second);
    b.shape[1] = Dim::max(b.shape[1], size);
    return it->second;
  }

  BufferId add(ElemType elem, const Dim& size) {
    Buffer b;
    b.name = "thread_scratch";
    b.elem = elem;
    b.per_thread = true;
    b.shape = {threads_, size};
    p_.buffers.push_back(std::move(b));
    return static_cast<BufferId>(p_.buffers.size() - 1);
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
    // A call prepares its scratch separately for each chunk.
    const bool one = step.one_chunk_a_thread || has_thread_scratch(program, step);
    const std::int64_t most = one ? 1 : kChunksPerThread;
    step.chunks = chunks_for(cycles(program, step, target), threads, most);
    if (!step.chunks.is(1)) scratch.take_over(step);
  }
}

bool has_chunks(const Program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(),
                     [](const Step& s) { return !s.chunks.is(1); });
}

}  // namespace onnxc
