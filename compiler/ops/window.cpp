// Reads and checks kernels, strides, dilations and pads.
#include "compiler/ops/window.hpp"

#include <algorithm>

#include "compiler/ops/infer.hpp"

namespace onnxc::ops {
namespace {

using Ints = std::vector<std::int64_t>;

// No real model exceeds this, and sums of such values do not overflow.
constexpr std::int64_t kLargest = std::int64_t{1} << 31;

Ints read_list(const NodeView& n, const std::string& name, std::size_t count, std::int64_t fallback,
               std::int64_t least) {
  const Ints* given = n.find_ints(name);
  if (!given) return Ints(count, fallback);
  const std::string field = "attribute \"" + name + "\"";
  n.require(given->size() == count, field, "has {} entries, needs {}", given->size(), count);
  for (std::int64_t v : *given)
    n.require(v >= least && v < kLargest, field, "{} is outside [{}, 2^31)", v, least);
  return *given;
}

enum class AutoPad { notset, valid, same_upper, same_lower };

// Zeros in pads mean nothing together with auto_pad; exporters write them.
void require_no_pads(const NodeView& n, const std::string& auto_pad) {
  const Ints* pads = n.find_ints("pads");
  const auto is_zero = [](std::int64_t v) { return v == 0; };
  n.require(!pads || std::all_of(pads->begin(), pads->end(), is_zero), "attribute \"pads\"",
            "cannot be used with auto_pad {}", quoted(auto_pad));
}

AutoPad read_auto_pad(const NodeView& n) {
  if (!n.has_attr("auto_pad")) return AutoPad::notset;
  const std::string& s = n.attr_string("auto_pad");
  if (s == "NOTSET" || s.empty()) return AutoPad::notset;
  require_no_pads(n, s);
  if (s == "VALID") return AutoPad::valid;
  if (s == "SAME_UPPER") return AutoPad::same_upper;
  if (s == "SAME_LOWER") return AutoPad::same_lower;
  n.fail("attribute \"auto_pad\"", quoted(s) + " is no padding mode");
}

void pad_same(Window& w, std::size_t i, const Dim& reach, bool upper) {
  w.out.push_back(Dim::ceil_div(w.in[i], w.stride[i]));
  const Dim total = Dim::max((w.out[i] - Dim(1)) * Dim(w.stride[i]) + reach - w.in[i], Dim(0));
  const Dim less = Dim::floor_div(total, Dim(2));
  w.pad_begin.push_back(upper ? less : total - less);
  w.pad_end.push_back(upper ? total - less : less);
}

void require_kernel(const NodeView& n, const Dim& extent, std::size_t axis) {
  const bool too_large = extent.is_const() && extent.value() >= kLargest;
  n.require(!too_large, "attribute \"kernel_shape\"", "extent {} of axis {} is too large",
            extent.to_string(), axis);
  n.require(!extent.is_const() || extent.value() >= 1, "attribute \"kernel_shape\"",
            "extent {} of axis {} is not positive", extent.to_string(), axis);
  n.at_least(extent, 1, "attribute \"kernel_shape\"");
}

Window window_without_pads(const NodeView& n, const Shape& x, const Shape& kernel) {
  Window w;
  w.in = spatial(x);
  w.kernel = kernel;
  w.stride = read_list(n, "strides", w.in.size(), 1, 1);
  w.dilation = read_list(n, "dilations", w.in.size(), 1, 1);
  return w;
}

}  // namespace

std::string input_field(std::size_t i, const std::string& name) {
  return fmt::format("input {} \"{}\"", i, name);
}

Shape spatial(const Shape& x) { return {x.begin() + 2, x.end()}; }

Window read_window(const NodeView& n, const Shape& x, const Shape& kernel, Rounding rounding) {
  Window w = window_without_pads(n, x, kernel);
  const std::size_t rank = w.rank();
  const Ints pads = read_list(n, "pads", 2 * rank, 0, 0);
  const AutoPad mode = read_auto_pad(n);
  for (std::size_t i = 0; i < rank; ++i) {
    require_kernel(n, kernel[i], i);
    const Dim reach = (kernel[i] - Dim(1)) * Dim(w.dilation[i]) + Dim(1);
    if (mode == AutoPad::same_upper || mode == AutoPad::same_lower) {
      pad_same(w, i, reach, mode == AutoPad::same_upper);
      continue;
    }
    const bool valid = mode == AutoPad::valid;
    w.pad_begin.push_back(valid ? 0 : pads[i]);
    w.pad_end.push_back(valid ? 0 : pads[rank + i]);
    const Dim travel = w.in[i] + w.pad_begin[i] + w.pad_end[i] - reach;
    // When rounding up, the first window may reach past the padded input by less than a stride.
    const std::int64_t least = rounding == Rounding::floor ? 0 : 1 - w.stride[i];
    n.require(!travel.is_const() || travel.value() >= least, "attribute \"kernel_shape\"",
              "the kernel covers {} positions of axis {}, the padded input has {}",
              reach.to_string(), i, (travel + reach).to_string());
    n.at_least(travel, least, "attribute \"kernel_shape\"");
    if (rounding == Rounding::floor) {
      w.out.push_back(Dim::floor_div(travel, w.stride[i]) + Dim(1));
      continue;
    }
    // A window that would start in the end padding is left out.
    const Dim started = Dim::floor_div(w.in[i] + w.pad_begin[i] - Dim(1), w.stride[i]) + Dim(1);
    w.out.push_back(Dim::min(Dim::ceil_div(travel, w.stride[i]) + Dim(1), started));
  }
  return w;
}

Window read_transposed_window(const NodeView& n, const Shape& x, const Shape& kernel) {
  Window w = window_without_pads(n, x, kernel);
  const std::size_t rank = w.rank();
  const Ints pads = read_list(n, "pads", 2 * rank, 0, 0);
  const bool explicit_pads = read_auto_pad(n) == AutoPad::notset;
  for (std::size_t i = 0; i < rank; ++i) {
    require_kernel(n, kernel[i], i);
    w.pad_begin.push_back(explicit_pads ? pads[i] : 0);
    w.pad_end.push_back(explicit_pads ? pads[rank + i] : 0);
  }
  return w;
}

Shape read_kernel_shape(const NodeView& n, std::size_t spatial_rank) {
  if (!n.find_ints("kernel_shape")) return {};
  return to_shape(read_list(n, "kernel_shape", spatial_rank, 1, 1));
}

Window read_pool_window(const NodeView& n, const Shape& x) {
  n.require(x.size() >= 3, input_field(0, "X"), "rank {}, needs at least 3", x.size());
  const Shape kernel = read_kernel_shape(n, x.size() - 2);
  n.require(!kernel.empty(), "attribute \"kernel_shape\"", "required");
  const bool ceil = n.has_attr("ceil_mode") && n.attr_int("ceil_mode") != 0;
  return read_window(n, x, kernel, ceil ? Rounding::ceil : Rounding::floor);
}

void require_vector(const NodeView& n, std::size_t input, const std::string& name,
                    const Dim& extent) {
  if (!n.has_input(input) || !n.input(input).has_rank()) return;
  const Shape& s = *n.input(input).shape;
  const std::string field = input_field(input, name);
  n.require(s.size() == 1, field, "rank {}, needs 1", s.size());
  n.require(!s[0].is_const() || !extent.is_const() || s[0] == extent, field,
            "has {} elements, needs {}", s[0].to_string(), extent.to_string());
  n.same(s[0], extent, field);
}

Dim one_or_all(const NodeView& n, const Dim& count, const Dim& extent, const std::string& field) {
  if (count == extent) return 1;
  if (count.is(1)) return 0;
  n.same(n.broadcast(count, extent, field), extent, field);
  return Dim::broadcast_stride(count, 1);
}

bool Convolution::has_fixed_images() const {
  for (std::size_t i = 0; i < window.rank(); ++i)
    if (!window.in[i].is_const() || !window.out[i].is_const()) return false;
  return true;
}

bool Convolution::is_plain_3x3() const {
  if (window.rank() != 2 || group != 1) return false;
  for (std::size_t i = 0; i < 2; ++i)
    if (!window.kernel[i].is(3) || window.stride[i] != 1 || window.dilation[i] != 1) return false;
  return true;
}

Shape Convolution::out_shape() const {
  Shape s{batch, out_channels * Dim(group)};
  s.insert(s.end(), window.out.begin(), window.out.end());
  return s;
}

Convolution read_convolution(const NodeView& n, ConvInputs inputs) {
  const Shape& x = *n.input(inputs.x).shape;
  const Shape& w = *n.input(inputs.w).shape;
  const std::string x_field = input_field(inputs.x, "X"), w_field = input_field(inputs.w, "W");
  n.require(x.size() >= 3, x_field, "rank {}, needs at least 3", x.size());
  n.require(w.size() == x.size(), w_field, "rank {}, needs {} like X", w.size(), x.size());
  Convolution c;
  c.group = n.attr_int("group");
  n.require(c.group >= 1, "attribute \"group\"", "{} is not positive", c.group);
  n.require(c.group < kLargest, "attribute \"group\"", "{} is too large", c.group);
  const Dim group(c.group);
  if (w[0].is_const()) {
    n.require(w[0].value() > 0, w_field, "has no output channels");
    n.require(w[0].value() % c.group == 0, "attribute \"group\"",
              "{} does not divide the {} output channels", c.group, w[0].value());
  }
  if (x[1].is_const() && w[1].is_const())
    n.require(x[1] == w[1] * group, w_field, "takes {} channels in {} groups, X has {}",
              w[1].value(), c.group, x[1].value());
  n.same(x[1], w[1] * group, w_field);
  const Shape kernel = spatial(w);
  const Shape given = read_kernel_shape(n, kernel.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    n.require(!kernel[i].is_const() || kernel[i] == given[i], "attribute \"kernel_shape\"",
              "says {} for axis {}, W has {}", given[i].value(), i, kernel[i].to_string());
    n.same(kernel[i], given[i], "attribute \"kernel_shape\"");
  }
  c.batch = x[0];
  c.in_channels = w[1];
  c.out_channels = Dim::floor_div(w[0], group);
  n.same(c.out_channels * group, w[0], "attribute \"group\"");
  c.window = read_window(n, x, kernel);
  require_vector(n, inputs.bias, "B", w[0]);
  return c;
}

void infer_convolution(Infer& n, ElemType elem, ConvInputs inputs) {
  if (!n.has_rank(inputs.x) || !n.has_rank(inputs.w)) return n.output(0, elem, std::nullopt);
  n.output(0, elem, read_convolution(n, inputs).out_shape());
}

ImageWindow<Dim> image_window(const Window& w) {
  ImageWindow<Dim> s;
  const std::size_t x = w.rank() - 1;
  s.in_w = w.in[x];
  s.out_w = w.out[x];
  s.k_w = w.kernel[x];
  s.stride_w = w.stride[x];
  s.dilation_w = w.dilation[x];
  s.pad_left = w.pad_begin[x];
  if (w.rank() < 2) return s;
  s.in_h = w.in[0];
  s.out_h = w.out[0];
  s.k_h = w.kernel[0];
  s.stride_h = w.stride[0];
  s.dilation_h = w.dilation[0];
  s.pad_top = w.pad_begin[0];
  return s;
}

NdWindow<Dim> nd_window(const Window& w) {
  return {w.in, w.out, w.kernel, to_shape(w.stride), to_shape(w.dilation), w.pad_begin, w.pad_end};
}

}  // namespace onnxc::ops
