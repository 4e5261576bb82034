// Lowering of the normalisations over mean and variance to normalize_nd.
#pragma once

#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// The attribute axis: LayerNormalization and its like normalise over the axes from it on.
std::size_t first_axis(const NodeView& n);
std::vector<bool> axes_from(std::size_t first, std::size_t rank);

// Splits a plain tensor's axes: those with inner[axis] are normalised over.
NormalizeNdShape<Dim> split_axes(const Shape& x, const std::vector<bool>& inner);
// Strides of an operand that broadcasts to x, along x's axes, split like them.
void add_operand(const Shape& operand, const Shape& x, const std::vector<bool>& inner,
                 Shape& outer_strides, Shape& inner_strides);

// Whether an operand has exactly the axes of x from `first` on.
bool covers_axes(const Shape& operand, const Shape& x, std::size_t first);

// Whether a float operand is one number for all elements, and that is 1.
bool is_one(const NodeView& n, std::size_t input);

Call normalize(Lower& n, const NormalizeNdShape<Dim>& z);  // arguments are still to be added

// Checks the attribute stash_type, which does not change how onnxc computes.
void require_float_stash(const NodeView& n);

// Checks that an operand broadcasts to x without changing its shape.
void require_broadcast(const NodeView& n, std::size_t input, const std::string& name,
                       const Shape& x);

// A tensor less its mean, and divided by its deviation, over `axes`.
struct Normalized {
  std::vector<std::int64_t> axes;
  bool is_centred = true;
  Term mean;     // only when it is centred
  Term inverse;  // 1 / sqrt(variance + epsilon)
  Term values;

  Term mean_of(Term v) const;
};
Normalized normalized(Term x, std::vector<std::int64_t> axes, double epsilon, bool is_centred);
// The derivative by x, given that of the values.
Term gradient_of_normalized(const Normalized& z, Term dy);

// The derivatives of a normalisation over the axes from `axis` on, with scale and perhaps bias as
// inputs 1 and 2, in few passes over the data; false if that is not possible.
bool gradient_of_rows(Gradient& n, bool is_centred);

// Which channels of [N, C, ...] have common statistics, and whether these have one scale and bias.
struct ChannelGroups {
  std::int64_t groups = 0;  // 0: every channel is a group
  bool per_group = false;   // one scale and bias for each group, not for each channel
  bool of_batch = false;    // statistics of the whole batch, else of each image
};
// The derivatives by data, scale and bias, which are inputs 0 to 2.
void gradient_of_channels(Gradient& n, const ChannelGroups& g);

// The axes from `first` on.
std::vector<std::int64_t> axis_numbers_from(std::size_t first, std::size_t rank);

}  // namespace onnxc::ops
