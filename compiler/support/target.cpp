// The presets of targets, and the properties of this machine.
#include "compiler/support/target.hpp"

#include <fmt/format.h>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

Target preset(const char* name, int lanes, int rows, int panel, int alignment, const char* guard,
              const char* flags) {
  Target t;
  t.name = name;
  t.vector_floats = lanes;
  t.gemm_rows = rows;
  t.panel = panel;
  t.alignment = alignment;
  t.guard_macro = guard;
  t.flags = flags;
  return t;
}

// Register tiles: rows x panel accumulators plus one row of weights fit the register file.
const Target kPresets[] = {
    preset("generic", 4, 4, 8, 64, "", ""),
    preset("x86-64-v3", 8, 6, 16, 64, "__AVX2__", "-march=x86-64-v3"),
    preset("x86-64-v4", 16, 14, 32, 64, "__AVX512F__", "-march=x86-64-v4"),
    preset("armv8-a", 4, 6, 16, 64, "", ""),
    preset("cortex-m", 1, 2, 4, 16, "", "-mthumb"),
    preset("cortex-m4f", 1, 2, 4, 16, "", "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard"),
    preset("cortex-m7", 1, 2, 4, 16, "", "-mcpu=cortex-m7 -mfpu=fpv5-sp-d16 -mfloat-abi=hard"),
    preset("cortex-m33", 1, 2, 4, 16, "", "-mcpu=cortex-m33 -mfpu=fpv5-sp-d16 -mfloat-abi=hard"),
    preset("cortex-m55", 4, 4, 4, 16, "", "-mcpu=cortex-m55 -mfloat-abi=hard"),
    preset("riscv", 1, 2, 4, 16, "", ""),
};

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

}  // namespace

Target make_target(const std::string& name) {
  const std::string wanted = name == "native" ? native_name() : name;
  std::string known = "native";
  for (const Target& t : kPresets) {
    if (t.name == wanted) {
      Target found = t;
      if (name == "native" && !found.guard_macro.empty()) found.flags = "-march=native";
      return found;
    }
    known += ", " + t.name;
  }
  throw FatalError(exit_code::usage, fmt::format("unknown target '{}'; known: {}", name, known));
}

}  // namespace onnxc
