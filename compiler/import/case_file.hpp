// Test cases as text: models in ONNX's textual syntax with their inputs and what is expected of
// them. docs/cases.md describes the form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/lexer.hpp"

namespace onnxc {

// A case as the contents of the files that ONNX's own test suite keeps for one.
struct TextCase {
  struct DataSet {
    std::vector<std::string> inputs, outputs;  // of input_N.pb, output_N.pb
  };
  std::string name;
  std::string model;  // of model.onnx
  std::vector<DataSet> data_sets;
  std::optional<double> rtol, atol;
  std::string refusal;  // a part of the error that the model must cause; then there are no data
};

// Names are unique in a file, and fit for one. Throws ParseError.
std::vector<TextCase> parse_case_file(std::string_view text);

}  // namespace onnxc
