// The steps of a program as rows of a table: the work of each, and the bytes that it moves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.hpp"
#include "compiler/support/json.hpp"

namespace onnxc {

// One kernel call.
struct StepInfo {
  std::string name, work, shapes;  // "conv1", "Conv + Relu", "[1,3,8,8] -> [1,4,8,8]"
  Dim macs = 0;
  std::optional<std::int64_t> max_macs;
  std::int64_t weight_bytes = 0;  // of the constants it reads
  Dim bytes = 0;                  // read and written, each tensor once; objects count 0
  bool on_int8 = false;           // computes with 8-bit integers
  int group = -1;                 // number of the line-buffered group that it is a layer of
};

// How long a step takes, measured.
struct StepTime {
  std::size_t step = 0;    // in Program::steps
  double seconds = 0;      // in one run
  std::int64_t calls = 0;  // in one run
};

// A measured run of a program, and what the machine reaches at most: 10^9 multiply-accumulates, of
// floats and of int8, and bytes per second of one core; 0: not measured.
struct Profile {
  std::vector<StepTime> steps;
  std::map<std::string, std::int64_t> sizes;  // of the run, by symbol
  double peak_gmacs = 0, peak_int8_gmacs = 0, peak_gbytes = 0;
};

// One row for every step; steps that are not calls have no name.
std::vector<StepInfo> describe_steps(const Program& program);

// Multiply-accumulates of all steps, of those in loops as often as they run: see executions().
Dim total_macs(const Program& program);

// A dimension or a work count: a number, or the text of an expression of dynamic dimensions.
void write_dim(JsonWriter& json, const Dim& d);
// The fields `macs` and, where that is not a number but has a bound, `most_macs`.
void write_macs(JsonWriter& json, const Dim& macs, const std::optional<std::int64_t>& at_most);

}  // namespace onnxc
