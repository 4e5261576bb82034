// cycles_plugin.cpp - a plugin of QEMU that estimates the cycles of a program on Cortex-M cores:
// each instruction that runs counts what the manual of the core says of its kind.
//
//   g++ -O2 -shared -fPIC cycles_plugin.cpp -o cycles.so
//   qemu-system-arm -plugin cycles.so,mark=0x1234,constants=0x2000,end=0x3000 ...
//
// For each time that the instruction at `mark` runs it prints what was counted since the last time:
// instructions, loads of constants, from their first address to their end, and cycles of the cores
// in the order of kCores. Memory has no wait states.
//
// Sources, all by Arm: the Technical Reference Manuals of Cortex-M0+ (DDI 0484, 3.3), Cortex-M3
// (DDI 0337, 3.3.1), Cortex-M4 (DDI 0439, 3.3.1 and table 7-1), Cortex-M7 (DDI 0489, 2.1: two
// instructions in a cycle, one of them a multiplication or of the floating-point unit, two loads);
// the Cortex-M55 Software Optimization Guide (102692, chapters 3 and 4: a vector instruction is two
// cycles, which overlap with one of another unit; loops by LE have no branch). Cortex-M33 publishes
// no table: it counts as a Cortex-M4 whose loads take one cycle.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>

// The part of QEMU's plugin interface, version 1, that is used here.
extern "C" {
struct qemu_plugin_tb;
struct qemu_plugin_insn;
using Id = std::uint64_t;
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(Id, void (*)(Id, qemu_plugin_tb*));
void qemu_plugin_register_vcpu_tb_exec_cb(qemu_plugin_tb*, void (*)(unsigned, void*), int, void*);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn*,
                                      void (*)(unsigned, std::uint32_t, std::uint64_t, void*), int,
                                      int, void*);
std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb*);
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb*, std::size_t);
std::uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn*);
std::size_t qemu_plugin_insn_size(const qemu_plugin_insn*);
const void* qemu_plugin_insn_data(const qemu_plugin_insn*);
unsigned qemu_plugin_mem_size_shift(std::uint32_t);
}

namespace {

enum Kind {
  kAlu,
  kLoad,
  kStore,
  kMultiply,
  kMultiplyAdd,
  kMultiplyLong,
  kDivide,
  kBranch,
  kLoopEnd,
  kFloat,
  kFloatMultiplyAdd,
  kFloatDivide,
  kVector,
  kVectorMemory,
  kVectorGather,
  kKinds
};

struct Instruction {
  Kind kind = kAlu;
  int words = 1;  // that it loads or stores
};

Instruction memory(bool loads, int words) { return {loads ? kLoad : kStore, words}; }

Instruction decode_short(unsigned h) {
  switch (h >> 12) {
    case 4:
      if ((h & 0xFFC0) == 0x4340) return {kMultiply};
      if ((h & 0xFF00) == 0x4700) return {kBranch};
      return (h & 0xF800) == 0x4800 ? memory(true, 1) : Instruction{};
    case 5:
      return memory((h >> 9 & 7) >= 3, 1);
    case 6:
    case 7:
    case 8:
    case 9:
      return memory((h >> 11 & 1) != 0, 1);
    case 11:
      if ((h & 0xF600) == 0xB400) return memory((h & 0x800) != 0, std::popcount(h & 0x1FFu));
      return (h & 0xF500) == 0xB100 ? Instruction{kBranch} : Instruction{};
    case 12:
      return memory((h & 0x800) != 0, std::popcount(h & 0xFFu));
    case 13:
      return (h & 0xE00) == 0xE00 ? Instruction{} : Instruction{kBranch};
    case 14:
      return {kBranch};
    default:
      return {};
  }
}

Instruction decode_float(unsigned a, unsigned b) {
  if ((a & 0xFE00) == 0xEC00) {
    const bool one = (a & 0x0120) == 0x0100, between = (a & 0x0FE0) == 0x0C40;
    if (between) return {};
    return memory((a & 0x10) != 0, one ? 1 : static_cast<int>(b & 0xFF));
  }
  if ((b & 0x10) != 0) return {};  // moves from and to the core
  switch (a & 0xB0) {
    case 0x00:
    case 0x10:
    case 0x90:
    case 0xA0:
      return {kFloatMultiplyAdd};
    case 0x80:
      return {(a & 0xFF00) == 0xEE00 ? kFloatDivide : kFloat};
    case 0xB0:
      return {(a & 0xFF0F) == 0xEE01 && (b & 0xC0) == 0xC0 ? kFloatDivide : kFloat};
    default:
      return {kFloat};
  }
}

Instruction decode_vector(unsigned a) {
  if ((a & 0xE00) != 0xC00) return {kVector};
  return {(a & 0x120) == 0 ? kVectorGather : kVectorMemory};
}

Instruction decode_long(unsigned a, unsigned b) {
  if ((a & 0xEC00) == 0xEC00) {
    const unsigned processor = b >> 9 & 7;
    if (processor == 5) return decode_float(a, b);
    if (processor == 7 || (a & 0xEF00) == 0xEF00) return decode_vector(a);
    return {};
  }
  if ((a & 0xFE40) == 0xE800) return memory((a & 0x10) != 0, std::popcount(b));
  if ((a & 0xFE40) == 0xE840) {
    if ((a & 0xFFF0) == 0xE8D0 && (b & 0xFFE0) == 0xF000) return {kBranch};
    return memory((a & 0x10) != 0, 2);
  }
  if ((a & 0xFE00) == 0xF800) return memory((a & 0x10) != 0, 1);
  if ((a & 0xFF80) == 0xFB00) return {b >> 12 == 15 ? kMultiply : kMultiplyAdd};
  if ((a & 0xFFD0) == 0xFB90) return {kDivide};
  if ((a & 0xFF80) == 0xFB80) return {kMultiplyLong};
  if ((a & 0xFFF0) == 0xF000 && (b & 0xF001) == 0xC001) return {kLoopEnd};
  return {(a & 0xF800) == 0xF000 && (b & 0x8000) != 0 ? kBranch : kAlu};
}

enum Core { kM0Plus, kM3, kM4F, kM7, kM33, kM55, kCores };

// Cycles of cores that start one instruction at a time; of a load its first word.
constexpr double kCycles[kCores][kKinds] = {
    //   alu load store mul mla long div branch le float fma fdiv
    /* M0+ */ {1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    /* M3  */ {1, 2, 1, 1, 2, 4, 7, 1, 1, 1, 1, 1, 1, 1, 1},
    /* M4F */ {1, 2, 1, 1, 1, 1, 7, 1, 1, 1, 3, 14, 1, 1, 1},
    /* M7  */ {1, 1, 1, 1, 1, 1, 7, 1, 1, 1, 1, 14, 1, 1, 1},
    /* M33 */ {1, 1, 1, 1, 1, 1, 7, 1, 1, 1, 3, 14, 1, 1, 1},
    /* M55 */ {1, 1, 1, 1, 1, 1, 7, 1, 0, 1, 1, 14, 2, 2, 8},
};
// That a branch takes more when it is taken. Cortex-M7 and Cortex-M55 predict those of loops.
constexpr double kTaken[kCores] = {1, 2, 2, 0.5, 1, 0.5};

struct Block {
  std::uint64_t begin = 0, end = 0;
  bool branches = false;  // at its end, at a cost
  double instructions = 0;
  double cycles[kCores] = {};
};

struct Counts {
  double instructions = 0, constant_loads = 0;
  double cycles[kCores] = {};
};

std::deque<Block> blocks;  // whose addresses stay
const Block* last = nullptr;
Counts counts, at_mark;
std::uint64_t mark = 0, constants = 0, constants_end = 0;

void print_counts() {
  std::fprintf(stderr, "counted %.0f %.0f", counts.instructions - at_mark.instructions,
               counts.constant_loads - at_mark.constant_loads);
  for (int core = 0; core < kCores; ++core)
    std::fprintf(stderr, " %.0f", counts.cycles[core] - at_mark.cycles[core]);
  std::fprintf(stderr, "\n");
  at_mark = counts;
}

void run_block(unsigned, void* data) {
  const auto& block = *static_cast<const Block*>(data);
  if (last && last->branches && block.begin != last->end)
    for (int core = 0; core < kCores; ++core) counts.cycles[core] += kTaken[core];
  last = &block;
  if (block.begin == mark) print_counts();
  counts.instructions += block.instructions;
  for (int core = 0; core < kCores; ++core) counts.cycles[core] += block.cycles[core];
}

// A vector instruction calls this for each element; it reads words.
void load(unsigned, std::uint32_t info, std::uint64_t address, void* is_vector) {
  if (address < constants || address >= constants_end) return;
  const unsigned bytes = 1u << qemu_plugin_mem_size_shift(info);
  counts.constant_loads += is_vector ? bytes / 4.0 : 1.0;
}

// Pairs of instructions, of which one multiplies or is of the floating-point unit; two loads.
double dual_issue(const double* n, double words) {
  const double narrow =
      n[kMultiply] + n[kMultiplyAdd] + n[kMultiplyLong] + n[kFloat] + n[kFloatMultiplyAdd];
  double all = 0;
  for (int kind = 0; kind < kKinds; ++kind)
    if (kind != kDivide && kind != kFloatDivide) all += n[kind];
  double cycles = all / 2;
  for (const double bound : {narrow, words / 2, n[kBranch]})
    if (bound > cycles) cycles = bound;
  return cycles + n[kDivide] * kCycles[kM7][kDivide] + n[kFloatDivide] * kCycles[kM7][kFloatDivide];
}

// Vector instructions of two units overlap.
double overlapped(const double* n, double scalar) {
  const double arithmetic = 2 * n[kVector], moves = 2 * n[kVectorMemory] + 8 * n[kVectorGather];
  const double issued = n[kVector] + n[kVectorMemory] + n[kVectorGather];
  double cycles = issued;
  for (const double bound : {arithmetic, moves})
    if (bound > cycles) cycles = bound;
  return scalar + cycles;
}

// The address of memory that was registered with QEMU stays valid.
void translate(Id, qemu_plugin_tb* code) {
  Block& block = blocks.emplace_back();
  double of_kind[kKinds] = {}, words = 0, scalar = 0;
  bool after_load = false;
  const std::size_t count = qemu_plugin_tb_n_insns(code);
  for (std::size_t i = 0; i < count; ++i) {
    qemu_plugin_insn* const instruction = qemu_plugin_tb_get_insn(code, i);
    const auto* const halves =
        static_cast<const std::uint16_t*>(qemu_plugin_insn_data(instruction));
    const bool is_short = qemu_plugin_insn_size(instruction) == 2;
    const Instruction found =
        is_short ? decode_short(halves[0]) : decode_long(halves[0], halves[1]);
    if (i == 0) block.begin = qemu_plugin_insn_vaddr(instruction);
    block.end = qemu_plugin_insn_vaddr(instruction) + (is_short ? 2 : 4);
    block.branches = found.kind == kBranch;
    ++block.instructions;
    ++of_kind[found.kind];
    const bool moves = found.kind == kLoad || found.kind == kStore;
    if (moves) words += found.words;
    // A load right after another one waits no more on Cortex-M3 and -M4.
    const bool pipelined = found.kind == kLoad && after_load;
    after_load = found.kind == kLoad;
    for (int core = 0; core < kCores; ++core) {
      double cycles = kCycles[core][found.kind] + (moves ? found.words - 1 : 0);
      if (pipelined && core != kM0Plus && kCycles[core][kLoad] > 1) --cycles;
      block.cycles[core] += cycles;
      if (core == kM55 && found.kind < kVector) scalar += cycles;
    }
    const bool is_vector = found.kind == kVectorMemory || found.kind == kVectorGather;
    // Of both directions: QEMU 7.2 does not call for loads alone.
    if (found.kind == kLoad || is_vector)
      qemu_plugin_register_vcpu_mem_cb(instruction, load, 0, 3, is_vector ? &block : nullptr);
  }
  block.cycles[kM7] = dual_issue(of_kind, words);
  block.cycles[kM55] = overlapped(of_kind, scalar);
  qemu_plugin_register_vcpu_tb_exec_cb(code, run_block, 0, &block);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int qemu_plugin_install(Id id, const void*,
                                                                          int count, char** words) {
  const auto take = [](const char* word, const char* name, std::uint64_t& value) {
    const std::size_t length = std::strlen(name);
    if (std::strncmp(word, name, length) == 0) value = std::strtoull(word + length, nullptr, 0);
  };
  for (int i = 0; i < count; ++i) {
    take(words[i], "mark=", mark);
    take(words[i], "constants=", constants);
    take(words[i], "end=", constants_end);
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
  return 0;
}
