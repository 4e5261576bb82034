// Test cases as text: models in ONNX's textual syntax with inputs and expected outputs.
// docs/cases.md describes the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/lexer.hpp"

namespace onnxc {

// A case as the contents of the files in a folder of ONNX's own test suite.
struct TextCase {
  struct DataSet {
    std::vector<std::string> inputs, outputs;  // of input_N.pb, output_N.pb
  };
  struct Step : DataSet {
    std::vector<std::string> states;  // of state_N.pb
    std::optional<std::int64_t> algorithm;
  };
  std::string name;
  std::string model;                 // of model.onnx
  bool trains = false;               // it has a training_info
  std::vector<std::string> initial;  // state_N.pb after the initialization
  std::vector<Step> steps;
  std::vector<DataSet> data_sets;
  std::optional<double> rtol, atol;
  std::string warning;  // part of one that `check` gives; empty: not asked for
  std::string refusal;  // part of the error that the model must cause; then there are no data
};

// Names are unique in a file, and valid as file names. Side files that the text names are in
// `folder`. Throws ParseError.
std::vector<TextCase> parse_case_file(std::string_view text,
                                      const std::filesystem::path& folder = {});

}  // namespace onnxc
