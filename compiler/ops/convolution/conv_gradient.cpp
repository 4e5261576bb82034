// Derivatives of convolutions as convolutions and transposed convolutions.
#include "compiler/ops/convolution/conv_gradient.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace onnxc::ops {
namespace {

using Ints = std::vector<std::int64_t>;

bool all_const(const Shape& s) {
  for (const Dim& d : s)
    if (!d.is_const()) return false;
  return true;
}

bool same_spatial(const Value& a, const Value& b) {
  return spatial(*a.type.shape) == spatial(*b.type.shape);
}

Ints spatial_axes(std::size_t rank) {
  Ints axes(rank);
  std::iota(axes.begin(), axes.end(), 2);
  return axes;
}

// Every kernel in reverse order.
Term reversed_kernels(Term w) {
  NodeBuilder& b = *w.builder;
  const std::size_t rank = w.type().rank() - 2;
  return b.emit("Slice", {w, b.ints(Ints(rank, -1)),
                          b.ints(Ints(rank, std::numeric_limits<std::int64_t>::min())),
                          b.ints(spatial_axes(rank)), b.ints(Ints(rank, -1))});
}

// Weights [g * m, c, kernel] as those of the transposed convolution: [g * c, m, kernel], each
// kernel reversed.
Term reversed_weights(Term w, std::int64_t group) {
  const Shape& s = *w.type().shape;
  const std::int64_t m = s[0].value() / group, c = s[1].value();
  const std::size_t rank = s.size() - 2;
  Ints dims = {group, m, c}, perm = {0, 2, 1};
  for (std::size_t i = 0; i < rank; ++i) {
    dims.push_back(s[i + 2].value());
    perm.push_back(static_cast<std::int64_t>(i) + 3);
  }
  NodeBuilder& b = *w.builder;
  Term parts = permute(b.emit("Reshape", {w, b.ints(dims)}), perm);
  Ints merged = {group * c, m};
  merged.insert(merged.end(), dims.begin() + 3, dims.end());
  parts = b.emit("Reshape", {parts, b.ints(merged)});
  if (std::all_of(s.begin() + 2, s.end(), [](const Dim& d) { return d.is(1); })) return parts;
  return reversed_kernels(parts);
}

// With strides of 1 the derivative is a convolution, which has the fast kernels.
bool is_convolution_back(const ConvGeometry& g, const Value& weights) {
  const Window& w = g.window;
  if (!all_const(*weights.type.shape) || !all_const(w.pad_begin) || !all_const(w.pad_end))
    return false;
  for (std::size_t i = 0; i < w.rank(); ++i) {
    const std::int64_t reach = (w.kernel[i].value() - 1) * w.dilation[i];
    if (w.stride[i] != 1 || w.pad_begin[i].value() > reach || w.pad_end[i].value() > reach)
      return false;
    const Dim end = w.in[i] + w.pad_begin[i] + w.pad_end[i] - Dim(reach);
    if (!(w.out[i] == end)) return false;
  }
  return true;
}

Term convolution_back(const ConvGeometry& g, Term dy, Term weights) {
  const Window& w = g.window;
  Ints begin, end;
  for (std::size_t i = 0; i < w.rank(); ++i) {
    const std::int64_t reach = (w.kernel[i].value() - 1) * w.dilation[i];
    begin.push_back(reach - w.pad_begin[i].value());
    end.push_back(reach - w.pad_end[i].value());
  }
  begin.insert(begin.end(), end.begin(), end.end());
  return dy.builder->emit("Conv", {dy, reversed_weights(weights, g.group)},
                          {{"dilations", w.dilation}, {"group", g.group}, {"pads", begin}});
}

// With strides, results that are a stride apart read the same taps: one convolution computes the
// data of all such phases, and channels become positions.
bool has_phases(const ConvGeometry& g, const Value& weights) {
  const Window& w = g.window;
  if (!all_const(*weights.type.shape) || !all_const(w.pad_begin) || !all_const(w.in) ||
      !all_const(w.out))
    return false;
  for (std::size_t i = 0; i < w.rank(); ++i)
    if (w.out[i].is(0) || (w.stride[i] > 1 && w.dilation[i] > 1)) return false;
  return true;
}

// Taps of one phase along axis i.
std::int64_t phase_taps(const Window& w, std::size_t i) {
  return (w.kernel[i].value() + w.stride[i] - 1) / w.stride[i];
}

// [g * m, c, kernel] as [g * c * phases, m, taps of a phase].
Term phase_weights(const ConvGeometry& g, Term weights) {
  const Window& w = g.window;
  const Shape& s = *weights.type().shape;
  const std::size_t rank = w.rank();
  const std::int64_t m = s[0].value() / g.group, c = s[1].value();
  Ints pads(2 * s.size(), 0), split = {g.group, m, c}, perm = {0, 2}, merged = {g.group * c, m};
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t taps = phase_taps(w, i);
    pads[s.size() + 2 + i] = taps * w.stride[i] - w.kernel[i].value();
    split.insert(split.end(), {taps, w.stride[i]});
    perm.push_back(static_cast<std::int64_t>(2 * i) + 4);
    merged[0] *= w.stride[i];
    merged.push_back(taps);
  }
  perm.push_back(1);
  for (std::size_t i = 0; i < rank; ++i) perm.push_back(static_cast<std::int64_t>(2 * i) + 3);
  NodeBuilder& b = *weights.builder;
  const Term whole = b.emit("Pad", {weights, b.ints(pads)});
  const Term parts = permute(b.emit("Reshape", {whole, b.ints(split)}), perm);
  return reversed_kernels(b.emit("Reshape", {parts, b.ints(merged)}));
}

// [batch, channels * phases, positions] as the data, from its first element on.
Term interleaved_phases(const ConvGeometry& g, Term phases, std::int64_t channels) {
  const Window& w = g.window;
  const std::size_t rank = w.rank();
  Ints split = {0, channels}, perm = {0, 1}, merged = {0, channels};
  Ints begin, end, pads(2 * rank, 0);
  split.insert(split.end(), w.stride.begin(), w.stride.end());
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t count = (*phases.type().shape)[i + 2].value();
    split.push_back(count);
    perm.push_back(static_cast<std::int64_t>(rank + i) + 2);
    perm.push_back(static_cast<std::int64_t>(i) + 2);
    merged.push_back(count * w.stride[i]);
    begin.push_back(w.pad_begin[i].value());
    end.push_back(std::min(begin[i] + w.in[i].value(), merged.back()));
    pads[rank + i] = w.in[i].value() - std::max<std::int64_t>(end[i] - begin[i], 0);
  }
  NodeBuilder& b = *phases.builder;
  const Term parts = permute(b.emit("Reshape", {phases, b.ints(split)}), perm);
  const Term whole = b.emit("Reshape", {parts, b.ints(merged)});
  const Term axes = b.ints(spatial_axes(rank));
  const Term cut = b.emit("Slice", {whole, b.ints(begin), b.ints(end), axes});
  if (std::all_of(pads.begin(), pads.end(), [](std::int64_t v) { return v == 0; })) return cut;
  return b.emit("Pad", {cut, b.ints(pads), nullptr, axes});
}

Term phases_back(const ConvGeometry& g, Term dy, Term weights) {
  const Window& w = g.window;
  Ints pads;
  for (std::size_t i = 0; i < w.rank(); ++i) pads.push_back((phase_taps(w, i) - 1) * w.dilation[i]);
  const Ints begin = pads;
  pads.insert(pads.end(), begin.begin(), begin.end());
  const std::int64_t channels = g.group * (*weights.type().shape)[1].value();
  const Term phases =
      dy.builder->emit("Conv", {dy, phase_weights(g, weights)},
                       {{"dilations", w.dilation}, {"group", g.group}, {"pads", pads}});
  return interleaved_phases(g, phases, channels);
}

// Pads and output padding of a transposed convolution whose result has the extents of the data;
// false where the extents are not known, then it covers them and is to be cut.
bool exact_pads(const Window& w, Ints& pads, Ints& padding) {
  const std::size_t rank = w.rank();
  pads.assign(2 * rank, 0);
  padding.assign(rank, 0);
  if (!all_const(w.in) || !all_const(w.out) || !all_const(w.kernel) || !all_const(w.pad_begin)) {
    for (std::size_t i = 0; i < rank; ++i) padding[i] = w.stride[i] - 1;
    return false;
  }
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t whole = (w.out[i].value() - 1) * w.stride[i] +
                               (w.kernel[i].value() - 1) * w.dilation[i] + 1 -
                               w.pad_begin[i].value();
    pads[i] = w.pad_begin[i].value();
    pads[rank + i] = std::max<std::int64_t>(whole - w.in[i].value(), 0);
    padding[i] = std::max<std::int64_t>(w.in[i].value() - whole, 0);
  }
  return true;
}

Term spatial_shape(Value* v, NodeBuilder& b) {
  return b.emit("Shape", {v}, {{"start", std::int64_t{2}}});
}

// The zeros before the first element; with auto_pad they depend on the run-time extents.
Term pads_before(const ConvGeometry& g, Term dy, Value* x) {
  const Window& w = g.window;
  NodeBuilder& b = *dy.builder;
  Ints begin, reach, strides = w.stride;
  if (all_const(w.pad_begin)) {
    for (const Dim& d : w.pad_begin) begin.push_back(d.value());
    return b.ints(begin);
  }
  for (std::size_t i = 0; i < w.rank(); ++i)
    reach.push_back((w.kernel[i].value() - 1) * w.dilation[i] + 1);
  const Term steps = (spatial_shape(dy, b) - b.ints({1})) * b.ints(strides);
  const Term total = b.emit("Max", {steps + b.ints(reach) - spatial_shape(x, b), b.ints({0})});
  const Term half = total / b.ints({2});
  return g.auto_pad == "SAME_UPPER" ? half : total - half;
}

// The spatial axes from `begin` on, with the extents of `like`.
Term crop_spatial(Term v, Term begin, Value* like) {
  NodeBuilder& b = *v.builder;
  const Term end = begin + spatial_shape(like, b);
  return b.emit("Slice", {v, begin, end, b.ints(spatial_axes(v.type().rank() - 2))});
}

}  // namespace

Attributes ConvGeometry::attributes() const {
  Attributes a = {{"strides", window.stride}, {"dilations", window.dilation}, {"group", group}};
  if (auto_pad != "NOTSET") {
    a["auto_pad"] = auto_pad;
    return a;
  }
  Ints pads;
  for (const Dim& d : window.pad_begin) pads.push_back(d.value());
  for (const Dim& d : window.pad_end) pads.push_back(d.value());
  a["pads"] = pads;
  return a;
}

ConvGeometry geometry_of(const NodeView& n, const Window& window) {
  ConvGeometry g;
  g.window = window;
  if (n.has_attr("group")) g.group = n.attr_int("group");
  if (!all_const(window.pad_begin) || !all_const(window.pad_end))
    g.auto_pad = n.attr_string("auto_pad");
  return g;
}

Term conv_by_data(const ConvGeometry& g, Term dy, Term weights, Value* x) {
  if (is_convolution_back(g, *weights)) return convolution_back(g, dy, weights);
  if (has_phases(g, *weights)) return phases_back(g, dy, weights);
  Ints pads, padding;
  const bool exact = exact_pads(g.window, pads, padding);
  const Term whole = dy.builder->emit("ConvTranspose", {dy, weights},
                                      {{"strides", g.window.stride},
                                       {"dilations", g.window.dilation},
                                       {"group", g.group},
                                       {"pads", pads},
                                       {"output_padding", padding}});
  return exact ? whole : crop_spatial(whole, pads_before(g, dy, x), x);
}

Term conv_by_weights(const ConvGeometry& g, Term x, Term dy) {
  Attributes attributes = g.attributes();
  Ints kernel;
  for (const Dim& d : g.window.kernel) kernel.push_back(d.value());
  attributes["kernel_shape"] = kernel;
  NodeBuilder& b = *x.builder;
  return b.term(b.add(get("ConvGradWeights", "onnxc"), {x, dy}, 1, std::move(attributes)).front());
}

Term conv_like(const ConvGeometry& g, Term x, Term weights, Value* y) {
  const Term conv = x.builder->emit("Conv", {x, weights}, g.attributes());
  if (same_spatial(*conv, *y)) return conv;
  return crop_spatial(conv, x.builder->ints(Ints(g.window.rank(), 0)), y);
}

Term sum_but_channels(Term dy) {
  Ints axes = spatial_axes(dy.type().rank() - 2);
  axes.insert(axes.begin(), 0);
  return sum_over(dy, axes, false);
}

}  // namespace onnxc::ops
