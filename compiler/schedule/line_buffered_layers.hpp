// Steps as layers that run line-buffered (docs/decisions/0031).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/kernels/kernel_call.hpp"

namespace onnxc {

struct LineBufferedLayer {
  Step step;  // a call of a layer of templates/convolution/line_buffered_layers.hpp
  BufferId x = -1, y = -1;
  ImageWindow<std::int64_t> window = {};
  std::int64_t batch = 1;
  bool runs_alone = false;            // has a kernel for whole images, which knows of edges
  std::int64_t x_row = 0, y_row = 0;  // bytes; 0 for an output that has no rows
  std::int64_t in_c = 0;              // channels of the input
  BufferId scratch = -1;              // gets this many elements
  std::int64_t scratch_size = 0;
  std::int64_t sums = 0;  // int32 numbers that it also needs

  // Rows of its line buffer.
  std::int64_t rows() const;
};

// The layers that the steps of a program can be, each linked to the next where that reads what it
// writes and nothing else does.
class LineBufferedLayers {
 public:
  explicit LineBufferedLayers(const Program& program);
  const std::optional<LineBufferedLayer>& at(std::size_t step) const { return layers_[step]; }
  // Whether the layers of this step and of the next one can run together.
  bool linked(std::size_t step) const { return linked_[step]; }

 private:
  std::vector<std::optional<LineBufferedLayer>> layers_;
  std::vector<bool> linked_;
};

}  // namespace onnxc
