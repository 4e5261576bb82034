// Geometry of sliding windows, for convolutions and pools of any rank.
#pragma once

#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// One entry per spatial axis.
struct Window {
  Shape in, out, kernel;
  std::vector<std::int64_t> stride, dilation;
  Shape pad_begin, pad_end;

  std::size_t rank() const { return in.size(); }
};

enum class Rounding { floor, ceil };

// The window of extents `kernel` over the spatial axes of `x` (those from 2 on), from the
// attributes strides, dilations, pads and auto_pad. Reports an error for an invalid geometry.
Window read_window(const NodeView& n, const Shape& x, const Shape& kernel,
                   Rounding rounding = Rounding::floor);

// The same attributes without the check that the kernel fits the data; `out` stays empty, and only
// explicit pads are read.
Window read_transposed_window(const NodeView& n, const Shape& x, const Shape& kernel);

// The attribute kernel_shape, checked; empty when the node has none.
Shape read_kernel_shape(const NodeView& n, std::size_t spatial_rank);

// The window of a pooling node whose data is input 0 of shape `x`.
Window read_pool_window(const NodeView& n, const Shape& x);

struct ConvInputs {
  std::size_t x = 0, w = 1, bias = 2;
};

// Channels are counted per group.
struct Convolution {
  Dim batch, in_channels, out_channels;
  std::int64_t group = 1;
  Window window;

  Shape out_shape() const;
  bool has_fixed_images() const;  // their height and width are constants
  bool is_plain_3x3() const;      // ungrouped, of stride and dilation 1: Winograd's form
};

// Reads a node whose x and w have known ranks.
Convolution read_convolution(const NodeView& n, ConvInputs inputs = {});

// Sets output 0: element type `elem`, and the convolution's shape where the ranks of x and w are
// known.
void infer_convolution(Infer& n, ElemType elem, ConvInputs inputs = {});

// Checks a per-channel operand such as a bias: of rank 1 and of the given extent.
void require_vector(const NodeView& n, std::size_t input, const std::string& name,
                    const Dim& extent);

// The stride of an operand that has one value (0) or `extent` values (1); checks it.
Dim one_or_all(const NodeView& n, const Dim& count, const Dim& extent, const std::string& field);

// Members in, out, kernel, stride, dilation, pad, pad_end of a kernel's shape struct.
NdWindow<Dim> nd_window(const Window& window);

// The same for the kernels of images: in_h, k_w, pad_top and so on. A window of one axis counts as
// an image of one row.
ImageWindow<Dim> image_window(const Window& window);

Shape spatial(const Shape& x);                                    // the axes from 2 on
std::string input_field(std::size_t i, const std::string& name);  // input 1 "W"

}  // namespace onnxc::ops
