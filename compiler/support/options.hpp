// The options of one compilation, as the command line sets them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/support/limits.hpp"

namespace onnxc {

// `--dim NAME=N` (low == high) or `--dim NAME=LO..HI`; NAME may be `input:axis`.
struct DimRange {
  std::int64_t low = 0, high = 0;
};

// `--memory NAME=SIZE:COST`: a memory that may hold a part of the arena. A byte that is moved costs
// `cost` times as much as one in a memory of cost 1.
struct MemoryRegion {
  std::string name;
  std::int64_t bytes = 0;
  double cost = 1;
};

// `--input NAME:ELEM,mean=...,scale=...,layout=...`: what the caller's input holds; the model reads
// (x - mean) * scale.
struct InputFormat {
  std::string elem;                            // "u8" or "uint8"
  std::vector<float> mean = {0}, scale = {1};  // one for all elements, or one per channel
  bool channels_last = false;
};

enum class WeightsMode { automatic, inline_arrays, incbin, string_literals, external };

struct CompileOptions {
  std::string model;
  std::string
      output_base;         // "out/kws" writes out/kws.h, out/kws.cpp, ...; "" from the model's name
  std::string name;        // C identifier prefix; "" from the base
  std::string name_space;  // C++ namespace, "a::b" allowed; "" is `name`
  std::map<std::string, DimRange> dims;
  std::string target = "generic";
  int threads = 1;
  bool openmp = false;  // OpenMP threads instead of a pool
  bool optimize_size = false;
  bool trees_as_code = false;  // decision trees as if and else, not as tables
  bool strict_fp = false;      // sums in the order of the plain loops, no rearranged algorithms
  bool plain = false;          // no rewrite that can be left out: an oracle for tests
  bool no_heap = false;
  // Inputs whose default value the caller replaces; "*" stands for all inputs with a default.
  std::set<std::string> overridden_initializers;
  std::map<std::string, std::string> fixed_inputs;   // constants in the place of inputs, as text
  std::map<std::string, InputFormat> input_formats;  // of inputs that get others than the model's
  bool train = false;                                // the functions that train the model, too
  bool recompute = false;     // training computes cheap results twice where that saves memory
  bool small_memory = false;  // as on a microcontroller: less memory, some more time
  // With small memory: the fastest plan whose arena has at most so many bytes, which is what
  // ram_limit leaves for it; without both the smallest.
  std::optional<std::int64_t> arena_limit;
  WeightsMode weights = WeightsMode::automatic;
  std::vector<std::string> reports;  // paths ending in .json or .html
  std::optional<std::int64_t> ram_limit, flash_limit;
  bool measure = false;              // compile the code, and take its size and stack from there
  std::vector<MemoryRegion> memory;  // fastest first; empty: one arena
  double selftest_quanta = 0;        // by which results of the self test may differ
  std::string selftest;              // folder with the data of a test that the code carries
  bool quantized_io = false;         // inputs and outputs that are quantised inside, as integers
  bool zipmap_tensors = false;       // an output that a ZipMap makes is the tensor of its scores
  std::string bundle;                // folder for a package of the model; "" for none
  std::string python;                // folder for a package of Python; "" for none
  Limits limits;
  bool write_depfile = false;
  std::string depends;    // what the dependency file is about; "": BASE.cpp
  std::string depfile;    // "" with write_depfile: BASE.d
  std::string dump_ir;    // folder for NN_pass.ir and NN_pass.program files; "" for none
  int passes_until = -1;  // number of the first pass that is left out if it is optional; -1: none
  std::map<std::string, std::string> operators;  // "DOMAIN::NAME" -> header with its function
  std::vector<std::string> outputs;  // tensors in the place of the outputs; none: the model's
  std::vector<std::string> probes;   // inner tensors that a user callback gets; "*": all
  bool hook = false;                 // calls a user callback between steps
  std::string input_rows;            // an input whose rows a user callback supplies
  bool steps = false;                // also a function that runs some of the steps
  bool profile = false;              // calls onnxc_profile(step) after every step, for bench
  std::string devices;               // `--devices`: a configuration of the model; "" for one device
  int device = -1;                   // of the configuration, whose part is compiled; -1: of each
  bool lint = false;                 // also warn of what the standard forbids and onnxc tolerates
  bool quiet = false;
  int verbosity = 0;
  // Shapes taken from data instead of the model, by position of the graph input (verify, bench).
  std::vector<std::optional<std::vector<std::int64_t>>> input_shapes;
};

}  // namespace onnxc
