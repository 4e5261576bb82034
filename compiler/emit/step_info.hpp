// The steps of a program as rows of a table: what each computes, and how much it moves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/program.hpp"

namespace onnxc {

// One kernel call.
struct StepInfo {
  std::string name, work, shapes;  // "conv1", "Conv + Relu", "[1,3,8,8] -> [1,4,8,8]"
  Dim macs = 0;
  std::int64_t bytes = 0;  // of all that it reads and writes, once; dynamic tensors count 0
};

// One for every step; those that are no call have no name.
std::vector<StepInfo> describe_steps(const Program& program);

// Multiply-accumulates of all steps. Throws OverflowError.
Dim total_macs(const Program& program);

}  // namespace onnxc
