// The machine that the generated code runs on.
#pragma once

#include <string>
#include <vector>

namespace onnxc {

struct CompileOptions;

// Tile sizes follow from the registers: a register tile has `rows` output rows and `panel` columns
// of packed weights.
struct Target {
  std::string name = "generic";
  int vector_floats = 4;        // lanes of the widest float vector; 1 without SIMD
  int gemm_rows = 4;            // rows of the register tile
  int panel = 8;                // columns of the register tile: lanes times vectors per row
  int alignment = 64;           // of the arena and the weights
  bool small_memory = false;    // a microcontroller: a smaller arena is worth some work
  bool sums_bytes = false;      // an instruction sums the products of two vectors of bytes
  bool sums_pairs = false;      // likewise of 16-bit integers, and none does of bytes
  bool widens_float16 = false;  // an instruction converts float16 to float32
  bool no_library = false;      // compilers come without a C++ library
  bool flash_apart = false;     // loads do not reach constants: runtime_min/flash.hpp does
  bool short_types = false;     // int and pointers have 16 bits, double 32
  std::string guard_macro;      // must be defined when the code is compiled, e.g. __AVX512F__
  std::string flags;            // flags that the user should pass to the compiler
};

// Presets: generic, x86-64-v3, x86-64-v4, cortex-m4f, ... and native (this machine).
// Throws FatalError(usage) for an unknown name.
Target make_target(const std::string& name);

// The flags that generated code needs: those of its target, and OpenMP if it uses that.
std::string compiler_flags(const CompileOptions& options);

std::vector<std::string> target_names();
// The preset that is meant by another name of a processor, a board or an instruction set: "avx2",
// "stm32f407"; by the end of a preset's name, "m4f"; or by a typing error. "" if none is.
std::string target_meant_by(const std::string& name);

// One line for each name: what the machine has, and the flags of its compiler.
std::string describe_targets();

}  // namespace onnxc
