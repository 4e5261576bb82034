// The equation of an Einsum, parsed and checked against the shapes of its inputs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ops/node_view.hpp"

namespace onnxc::ops {

// An axis label is a letter, or a number below 32 for an axis of the ellipsis, counted from its
// end.
using Labels = std::vector<int>;

struct Equation {
  std::vector<Labels> inputs;
  Labels output, summed;
  std::map<int, Dim> extents;  // broadcast over the inputs
};

// One term for each input, and the output's where there is an arrow. Reports an error when there
// are more or fewer terms than inputs.
struct EquationTerms {
  std::vector<std::string> inputs;
  std::optional<std::string> output;
};
EquationTerms split_equation(const NodeView& n);

// For a node whose inputs have known ranks; reports labels that do not fit them.
Equation read_equation(const NodeView& n);

}  // namespace onnxc::ops
