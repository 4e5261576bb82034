// Checks scales and zero points and computes their strides.
#include "compiler/ops/quantization/quantize.hpp"

#include "compiler/ops/window.hpp"

namespace onnxc::ops {
namespace {

bool single(const Shape& s) {
  for (const Dim& d : s)
    if (!d.is(1)) return false;
  return true;
}

// Per tensor, too: a scale of unknown length if the data have no such axis.
bool per_tensor(const NodeView& n) {
  const Shape& scale = *n.input(1).shape;
  if (n.attr_int("block_size") != 0 || scale.size() > 1) return false;
  const auto rank = static_cast<std::int64_t>(n.input(0).rank());
  const std::int64_t axis = n.attr_int("axis");
  return single(scale) || (!scale[0].is_const() && (axis >= rank || axis < -rank));
}

std::size_t scale_axis(const NodeView& n) {
  return n.axis(n.attr_int("axis"), n.input(0).rank(), "attribute \"axis\"");
}

void check_blocks(const NodeView& n, std::int64_t block) {
  const Shape &x = *n.input(0).shape, &scale = *n.input(1).shape;
  const std::size_t axis = scale_axis(n);
  n.require(scale.size() == x.size(), input_field(1, "scale"), "rank {}, blocks need {}",
            scale.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Dim want = i == axis ? Dim::ceil_div(x[i], block) : x[i];
    n.same(scale[i], want, input_field(1, "scale"));
  }
}

}  // namespace

void check_scale(const NodeView& n) {
  const std::int64_t block = n.attr_int("block_size");
  n.require(block >= 0, "attribute \"block_size\"", "{} is negative", block);
  if (!n.input(0).has_rank() || !n.input(1).has_rank()) return;
  const Shape &x = *n.input(0).shape, &scale = *n.input(1).shape;
  if (n.has_input(2) && n.input(2).has_rank()) {
    const Shape& zero = *n.input(2).shape;
    const bool may_be_single = zero.size() <= 1 && scale.size() <= 1;
    const bool both_single = single(zero) && single(scale);
    if (may_be_single) n.same(product(zero), product(scale), input_field(2, "zero_point"));
    n.require(may_be_single || both_single || zero.size() == scale.size(),
              input_field(2, "zero_point"), "shape {}, the scale has {}", to_string(zero),
              to_string(scale));
    for (std::size_t i = 0; i < zero.size() && !both_single && !may_be_single; ++i)
      n.same(zero[i], scale[i], input_field(2, "zero_point"));
  }
  if (per_tensor(n)) return n.one_value(1, input_field(1, "scale"));
  if (block > 0) return check_blocks(n, block);
  n.require(scale.size() == 1, input_field(1, "scale"), "rank {}, needs at most 1", scale.size());
  const Dim& extent = x[scale_axis(n)];
  n.require(!scale[0].is_const() || !extent.is_const() || scale[0] == extent,
            input_field(1, "scale"), "has {} elements, the axis {}", scale[0].to_string(),
            extent.to_string());
  one_or_all(n, scale[0], extent, input_field(1, "scale"));
}

ScaleStrides<Dim> scale_strides(const NodeView& n) {
  const Shape& x = *n.input(0).shape;
  ScaleStrides<Dim> w;
  if (per_tensor(n)) {
    w.inner = product(x);
    return w;
  }
  const std::size_t axis = scale_axis(n);
  const std::int64_t block = n.attr_int("block_size");
  w.outer = product(x, 0, axis);
  w.count = x[axis];
  w.inner = product(x, axis + 1, x.size());
  if (block > 0) {
    w.block = block;
    w.scale_outer = Dim::ceil_div(x[axis], block) * w.inner;
    w.scale_axis = w.inner;
    w.scale_inner = 1;
  } else {
    w.scale_axis = one_or_all(n, (*n.input(1).shape)[0], x[axis], "scale");
  }
  return w;
}

Dim vector_stride(const NodeView& n, std::size_t input, const std::string& name,
                  const Dim& extent) {
  if (!n.has_input(input) || !n.input(input).has_rank()) return 0;
  const Shape& s = *n.input(input).shape;
  const Dim count = product(s);
  if (count.is(1)) return 0;
  n.require(!count.is_const() || !extent.is_const() || count == extent, input_field(input, name),
            "shape {}, needs {} elements", to_string(s), extent.to_string());
  return one_or_all(n, count, extent, input_field(input, name));
}

}  // namespace onnxc::ops
