// The inputs and outputs of the generated functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/interface/sanitized_text.hpp"
#include "compiler/ir/type.hpp"

namespace onnxc {

// One input or output.
struct Port {
  std::string name;       // ONNX's
  Identifier identifier;  // member of <name>_inputs / <name>_outputs
  Type type;
  ElemType elem = ElemType::undefined;  // of a tensor, as are the following
  Shape shape;
  std::vector<std::int64_t> dims;  // -1 for a dynamic dimension
  std::int64_t elements = 0;       // -1 with a dynamic dimension
  // Of integers that stand for reals, or of reals that the model quantises at once.
  struct Scale {
    float scale = 1;
    std::int64_t zero_point = 0;
  };
  std::optional<Scale> scale;
  // Of an output whose columns are classes, without --zipmap a map: numbers or texts.
  struct Labels {
    std::vector<std::int64_t> numbers;
    std::vector<std::string> texts;
  };
  std::optional<Labels> labels;
  // Of an image that a user callback supplies: `count` rows of `planes` pieces, each of `width`
  // elements.
  struct Rows {
    std::int64_t count = 0, planes = 1, width = 0;
    std::int64_t elements() const { return planes * width; }
  };
  std::optional<Rows> rows;

  // A sequence, optional or map, or a tensor of unknown rank.
  bool is_object() const { return !type.is_tensor() || !type.has_rank(); }
  // Whether the caller passes or receives the dimensions.
  bool is_dynamic() const { return std::find(dims.begin(), dims.end(), -1) != dims.end(); }
};

}  // namespace onnxc
