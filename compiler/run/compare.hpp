// Compares computed with recorded tensors, as the ONNX backend test runner does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/onnx/read/data.hpp"

namespace onnxc {

struct Tolerance {
  double rtol = 1e-3, atol = 1e-7;
  std::optional<double> scaled;
  double quanta = 0;  // between 8- and 16-bit integers
};

struct Comparison {
  bool match = true;
  double max_abs = 0;   // max|got - want|
  double max_rel = 0;   // max_abs / max|want|
  std::string message;  // reason for a mismatch, "" for a match
};

// The elements of a tensor of any numbers; a complex number is two.
std::vector<double> numbers(const Tensor& t);

// Types and shapes must agree; floats within the tolerance, NaN with NaN, infinities by sign;
// everything else exactly, 8- and 16-bit integers within the quanta.
Comparison compare(const Tensor& got, const Tensor& want, const Tolerance& tolerance);
// Containers element by element.
Comparison compare(const DataValue& got, const DataValue& want, const Tolerance& tolerance);

}  // namespace onnxc
