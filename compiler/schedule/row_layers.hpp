// Steps as layers of a chain that runs row by row (docs/decisions/0031).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/kernels/kernel_call.hpp"

namespace onnxc {

struct RowLayer {
  Step step;  // a call of a kernel of row_chain.hpp
  BufferId x = -1, y = -1;
  ImageWindow<std::int64_t> window = {};
  std::int64_t x_row = 0, y_row = 0;  // bytes; 0 for an output that has no rows
  std::int64_t in_c = 0;              // channels of the input
  BufferId scratch = -1;              // gets this many elements
  std::int64_t scratch_size = 0;
  std::int64_t sums = 0;  // int32 numbers that it also needs

  // The kernel of row_chain.hpp for that of a whole image.
  static std::string kernel_of(std::string_view whole) { return std::string(whole) + "_row"; }

  // Rows of the input that are in memory at a time.
  std::int64_t rows() const;
};

// The layers that the steps of a program can be, each linked to the next where that reads what it
// writes and nothing else does.
class RowLayers {
 public:
  explicit RowLayers(const Program& program);
  const std::optional<RowLayer>& at(std::size_t step) const { return layers_[step]; }
  // Whether the layers of this step and of the next one can run together.
  bool linked(std::size_t step) const { return linked_[step]; }

 private:
  std::vector<std::optional<RowLayer>> layers_;
  std::vector<bool> linked_;
};

}  // namespace onnxc
