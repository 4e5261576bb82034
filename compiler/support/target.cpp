// The presets of targets, and the properties of this machine.
#include "compiler/support/target.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <fmt/format.h>

#include "compiler/support/diagnostics.hpp"
#include "compiler/support/options.hpp"
#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

// Register tiles: rows x panel accumulators plus one row of weights fit the register file. Cores
// without float unit have few registers, and call functions for products.
struct Tiles {
  int lanes, rows, panel, alignment;
  bool small_memory = false, sums_bytes = false;
};
constexpr Tiles kAnySimd{4, 4, 8, 64}, kAvx2{8, 6, 16, 64}, kAvx512{16, 14, 32, 64};
constexpr Tiles kNeon{4, 6, 16, 64}, kScalar{1, 2, 4, 16, true};
constexpr Tiles kHelium{4, 4, 4, 16, true, true};
// Sums of bytes are computed one after the other, in few registers.
constexpr Tiles kBytes{1, 2, 4, 8, true, true};
// A float unit has 32 registers for single floats.
constexpr Tiles kFloatUnit{1, 6, 8, 16, true};

struct Preset {
  const char *name, *about, *flags;
  Tiles tiles;
  const char* guard = "";
  bool widens_float16 = false;
  bool sums_pairs = false;
  bool no_library = false;
  bool flash_apart = false;
  bool short_types = false;
};

const Preset kPresets[] = {
    {"generic", "any machine; vectors of 4 floats where the compiler has them", "", kAnySimd},
    {"x86-64-v2", "SSE4.2", "-march=x86-64-v2", kAnySimd, "__SSE4_2__", false, true},
    {"x86-64-v3", "AVX2, FMA, float16 conversions", "-march=x86-64-v3", kAvx2, "__AVX2__", true,
     true},
    {"x86-64-v4", "AVX-512", "-march=x86-64-v4", kAvx512, "__AVX512F__", true, true},
    {"armv8-a", "64-bit Arm: Neon; products of bytes with +dotprod or +i8mm", "", kNeon, "", true},
    {"cortex-m0plus", "Armv6-M: no float unit, no unaligned access, short multiplication",
     "-mcpu=cortex-m0plus -mthumb -mfloat-abi=soft", kScalar},
    {"cortex-m3", "Armv7-M: no float unit, no DSP", "-mcpu=cortex-m3 -mthumb -mfloat-abi=soft",
     kScalar},
    {"cortex-m4", "Armv7E-M: DSP, no float unit", "-mcpu=cortex-m4 -mthumb -mfloat-abi=soft",
     kScalar},
    {"cortex-m4f", "Armv7E-M: DSP, float unit",
     "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard", kFloatUnit},
    {"cortex-m7", "Armv7E-M: DSP, float unit",
     "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard", kFloatUnit},
    {"cortex-m33", "Armv8-M: DSP, float unit",
     "-mcpu=cortex-m33 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard", kFloatUnit},
    {"cortex-m55", "Armv8.1-M: DSP, float unit, MVE with vectors of 4 floats",
     "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard", kHelium},
    {"cortex-m85", "Armv8.1-M: DSP, float unit, MVE with vectors of 4 floats",
     "-mcpu=cortex-m85 -mthumb -mfloat-abi=hard", kHelium},
    {"cortex-m", "any Cortex-M, without MVE", "-mthumb", kScalar},
    {"riscv", "any RISC-V, without vectors", "", kScalar},
    {"rv32imc", "32-bit RISC-V: no float unit", "-march=rv32imc -mabi=ilp32", kScalar},
    {"rv32imafc", "32-bit RISC-V: float unit", "-march=rv32imafc -mabi=ilp32f", kFloatUnit},
    {"rv64gcv", "64-bit RISC-V: vectors of 4 floats", "-march=rv64gcv -mabi=lp64d", kAnySimd},
    {"xtensa-lx106", "ESP8266: no float unit, no C++ library", "-mlongcalls", kScalar, "", false,
     false, true},
    {"avr", "8-bit AVR: weights in flash, no C++ library; clang with --target=avr",
     "-mmcu=atmega2560", kBytes, "", false, false, true, true, true},
    {"wasm32", "WebAssembly: vectors of 4 floats", "-msimd128", kAnySimd},
};

// How else people call what a preset is for. The first row that the name begins with counts.
struct OtherName {
  std::string_view name, preset;
};
constexpr OtherName kOtherNames[] = {
    {"avx512", "x86-64-v4"},
    {"avx", "x86-64-v3"},
    {"fma", "x86-64-v3"},
    {"haswell", "x86-64-v3"},
    {"zen", "x86-64-v3"},
    {"sse", "x86-64-v2"},
    {"x64", "x86-64-v3"},
    {"x8664", "x86-64-v3"},
    {"amd64", "x86-64-v3"},
    {"aarch64", "armv8-a"},
    {"arm64", "armv8-a"},
    {"armv8", "armv8-a"},
    {"neon", "armv8-a"},
    {"cortex-a", "armv8-a"},
    {"apple", "armv8-a"},
    {"jetson", "armv8-a"},
    {"raspberry", "armv8-a"},
    {"rpi", "armv8-a"},
    {"esp8266", "xtensa-lx106"},
    {"esp32c", "rv32imc"},
    {"esp32h", "rv32imc"},
    {"esp32p", "rv32imafc"},
    {"esp32", "generic"},  // Xtensa
    {"cortex-m0", "cortex-m0plus"},
    {"m0", "cortex-m0plus"},
    {"stm32f0", "cortex-m0plus"},
    {"stm32g0", "cortex-m0plus"},
    {"stm32l0", "cortex-m0plus"},
    {"stm32f1", "cortex-m3"},
    {"stm32f2", "cortex-m3"},
    {"stm32l1", "cortex-m3"},
    {"stm32f3", "cortex-m4f"},
    {"stm32f4", "cortex-m4f"},
    {"stm32g4", "cortex-m4f"},
    {"stm32l4", "cortex-m4f"},
    {"stm32w", "cortex-m4f"},
    {"stm32f7", "cortex-m7"},
    {"stm32h7", "cortex-m7"},
    {"stm32h5", "cortex-m33"},
    {"stm32l5", "cortex-m33"},
    {"stm32u5", "cortex-m33"},
    {"stm32n6", "cortex-m55"},
    {"stm32", "cortex-m"},
    {"nrf51", "cortex-m0plus"},
    {"nrf52", "cortex-m4f"},
    {"nrf", "cortex-m33"},
    {"rp2350", "cortex-m33"},
    {"pico2", "cortex-m33"},
    {"rp2040", "cortex-m0plus"},
    {"pico", "cortex-m0plus"},
    {"teensy", "cortex-m7"},
    {"helium", "cortex-m55"},
    {"atmega", "avr"},
    {"atxmega", "avr"},
    {"arduino-mega", "avr"},
    {"arduino-uno", "avr"},
    {"arduino-nano", "avr"},
    {"arduino", "cortex-m"},
    {"thumb", "cortex-m"},
    {"rvv", "rv64gcv"},
    {"host", "native"},
};

// "Raspberry Pi" and "ESP32-S3" as the rows have them: the dash counts in presets' names alone.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name)
    if (c != ' ' && c != '_')
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (plain.starts_with("esp32-")) plain.erase(5, 1);
  return plain;
}

Target make(const Preset& p) {
  Target t;
  t.name = p.name;
  t.vector_floats = p.tiles.lanes;
  t.gemm_rows = p.tiles.rows;
  t.panel = p.tiles.panel;
  t.alignment = p.tiles.alignment;
  t.small_memory = p.tiles.small_memory;
  t.sums_bytes = p.tiles.sums_bytes;
  t.sums_pairs = p.sums_pairs;
  t.widens_float16 = p.widens_float16;
  t.no_library = p.no_library;
  t.flash_apart = p.flash_apart;
  t.short_types = p.short_types;
  t.guard_macro = p.guard;
  t.flags = p.flags;
  return t;
}

#if defined(__x86_64__)
// GCC 12 has no name for it.
bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a >> 4 & 1) != 0;
}
#endif

std::string native_name() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return "x86-64-v4";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "x86-64-v3";
#elif defined(__aarch64__)
  return "armv8-a";
#endif
  return "generic";
}

// Whether -march=native has products of bytes.
bool has_vnni() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vnni") || has_avx_vnni();
#else
  return false;
#endif
}

}  // namespace

Target make_target(const std::string& name) {
  const std::string wanted = name == "native" ? native_name() : name;
  const auto found = std::find_if(std::begin(kPresets), std::end(kPresets),
                                  [&](const Preset& p) { return p.name == wanted; });
  if (found == std::end(kPresets))
    throw FatalError(exit_code::usage, fmt::format("unknown target '{}'", name));
  Target target = make(*found);
  if (name == "native" && !target.guard_macro.empty()) {
    target.flags = "-march=native";
    if (has_vnni()) target.sums_pairs = false;
  }
  return target;
}

std::string compiler_flags(const CompileOptions& options) {
  return make_target(options.target).flags + (options.openmp ? " -fopenmp" : "");
}

std::vector<std::string> target_names() {
  std::vector<std::string> names = {"native"};
  for (const Preset& p : kPresets) names.emplace_back(p.name);
  return names;
}

std::string target_meant_by(const std::string& name) {
  const std::vector<std::string> names = target_names();
  const auto first = [&](const auto& is_meant) {
    const auto found = std::find_if(names.begin(), names.end(), is_meant);
    return found == names.end() ? std::string() : *found;
  };
  if (name.empty()) return "";
  const std::string ended = first([&](const std::string& n) { return n.ends_with("-" + name); });
  if (!ended.empty()) return ended;
  const std::string plain = plain_name(name);
  for (const OtherName& other : kOtherNames)
    if (plain.starts_with(other.name)) return std::string(other.preset);
  const std::string near = closest(name, names);
  return near.empty() ? first([&](const std::string& n) { return n.starts_with(name); }) : near;
}

std::string describe_targets() {
  const auto line = [](const std::string& name, const std::string& about, const char* flags) {
    return fmt::format("{:<14} {}{}{}\n", name, about, *flags != 0 ? "; " : "", flags);
  };
  std::string text = line("native", "this machine: " + native_name(), "");
  for (const Preset& p : kPresets) text += line(p.name, p.about, p.flags);
  return text;
}

}  // namespace onnxc
