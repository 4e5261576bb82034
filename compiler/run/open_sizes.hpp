// The sizes that a model leaves to its inputs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/size_values.hpp"
#include "compiler/session/session.hpp"

namespace onnxc {

// A size of the inputs that neither the model nor --dim fixes or bounds.
struct OpenSize {
  std::string name;       // for --dim
  bool is_batch = false;  // the first axis of an input that has several
  bool is_image = false;  // another axis of an image or a volume
};

std::vector<OpenSize> open_sizes(const Graph& graph, const CompileOptions& options);
// Of the functions of its training, too.
std::vector<OpenSize> open_sizes(const Model& model, const CompileOptions& options);

// Values for open sizes with which the model can be compiled: those of recorded data in the folder
// of the model; else images of 224 rows and columns, sequences of 32, or less; 1 for all if none
// fit. The batch is 1.
SizeValues example_sizes(const ModelFile& file, const Model& model,
                         const std::vector<OpenSize>& open, const CompileOptions& options);

// "--dim batch=1 --dim length=32"
std::string as_dim_options(const std::vector<OpenSize>& open, const SizeValues& sizes);
// "batch and length are open"
std::string are_open(const std::vector<OpenSize>& open);

// Ports in which sizes with a bound have their largest value. `fixed` gets them: "batch=8".
std::vector<Port> at_largest(std::vector<Port> ports, const std::vector<SizeSymbol>& symbols,
                             std::vector<std::string>& fixed);

// What the symbols of a program are when its inputs have these dimensions; without those that the
// data decide.
SizeValues sizes_of(const std::vector<Port>& inputs, const std::vector<SizeSymbol>& symbols);

}  // namespace onnxc
