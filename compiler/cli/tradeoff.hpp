// What a model takes on a microcontroller, by how much of it is computed row by row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/session/session.hpp"

namespace onnxc {

// A program that the model can become.
struct Alternative {
  std::string form;        // "whole tensors", "12 layers row by row, 10 of them in 2 groups"
  std::string options;     // that give it; empty: the default
  CompileResult compiled;  // without its files
};

// The alternatives that have something for themselves, those for speed from the largest arena to
// the smallest, then those for size, and those that take an input row by row. `measure`: code and
// stack are those of a compiler, if there is one. Errors are those of a plain compilation.
std::vector<Alternative> tradeoff(const Model& model, const CompileOptions& options, bool measure,
                                  Diagnostics& diagnostics);

void print_tradeoff(const std::vector<Alternative>& list, const CompileOptions& options);
// An array of objects, for reports.
std::string alternatives_as_json(const std::vector<Alternative>& list);
std::string tradeoff_as_json(const std::vector<Alternative>& list, const CompileOptions& options);

}  // namespace onnxc
