// The loops of convolutions and pools.
#include "compiler/ops/window_axes.hpp"

#include <algorithm>

namespace onnxc::ops {
namespace {

// One loop for each spatial axis; their numbers, -1 for an axis that stays whole.
std::vector<int> slide(Axes& n, const Window& w, std::size_t x) {
  std::vector<int> loops;
  for (std::size_t i = 0; i < w.rank(); ++i) {
    const bool fixed = w.in[i].is_const() && w.out[i].is_const() && w.kernel[i].is_const() &&
                       w.pad_begin[i].is_const();
    loops.push_back(fixed ? n.loop(w.out[i]) : -1);
    if (!fixed) continue;
    const std::int64_t reach = (w.kernel[i].value() - 1) * w.dilation[i] + 1;
    n.window(x, i + 2, loops.back(), {w.stride[i], w.pad_begin[i].value(), reach});
    n.output(0, i + 2, {loops.back()});
  }
  return loops;
}

// What of the padding a part has: the rest is on other devices.
void adapt_pads(Axes::Part& p, const Window& w, const std::vector<int>& loops, std::size_t x) {
  std::vector<std::int64_t> begins, ends;
  for (std::size_t i = 0; i < w.rank(); ++i) {
    if (loops[i] < 0 || !p.cut(loops[i])) {
      if (!w.pad_begin[i].is_const() || !w.pad_end[i].is_const()) return;
      begins.push_back(w.pad_begin[i].value());
      ends.push_back(w.pad_end[i].value());
      continue;
    }
    const Axes::Window& slides = *p.whole.window_of(x, i + 2);
    const auto& [first, last] = p.ranges[static_cast<std::size_t>(loops[i])];
    const std::int64_t low = first.value() * slides.stride - slides.before;
    const std::int64_t high = (last.value() - 1) * slides.stride - slides.before + slides.reach;
    begins.push_back(std::max<std::int64_t>(0, -low));
    ends.push_back(std::max<std::int64_t>(0, high - w.in[i].value()));
  }
  begins.insert(begins.end(), ends.begin(), ends.end());
  p.node.attributes["pads"] = begins;
  p.node.attributes.erase("auto_pad");
}

bool any_cut(const Axes::Part& p, const std::vector<int>& loops) {
  return std::any_of(loops.begin(), loops.end(), [&](int l) { return l >= 0 && p.cut(l); });
}

}  // namespace

void axes_convolution(Axes& n, const ConvolutionOperands& operands) {
  const auto [x, weights, bias] = operands.inputs;
  const Convolution c = read_convolution(n, operands.inputs);
  if (!c.in_channels.is_const() || !c.out_channels.is_const()) return;
  const int batch = n.loop(c.batch), group = n.loop(c.group);
  const int in = n.loop(c.in_channels, operands.sums ? Axes::Kind::sum : Axes::Kind::whole);
  const int out = n.loop(c.out_channels);
  const std::vector<int> channels = {group, out};
  n.input(x, 0, {batch});
  n.input(x, 1, {group, in});
  n.input(weights, 0, channels);
  n.input(weights, 1, {in});
  n.output(0, 0, {batch});
  n.output(0, 1, channels);
  if (n.has_input(bias)) n.input(bias, 0, channels);
  for (const std::size_t i : operands.channel_operands)
    if (n.ranked(i) && n.rank(i) == 1 && !n.shape(i)[0].is(1)) n.input(i, 0, channels);
  const std::vector<int> rows = slide(n, c.window, x);
  n.adapt = [w = c.window, rows, group, in, bias = bias, x = x](Axes::Part& p) {
    p.node.attributes["group"] = p.extents[static_cast<std::size_t>(group)].value();
    if (any_cut(p, rows)) adapt_pads(p, w, rows, x);
    if (p.cut(in) && bias < p.node.inputs.size()) p.node.inputs.set(bias, nullptr);
  };
  const std::size_t rank = c.window.rank();
  n.finish = [in, bias = bias, rank](Axes::Part& p, Value* sum) {
    if (!p.cut(in) || bias >= p.inputs.size() || !p.inputs[bias]) return sum;
    return p.add_scaled(sum, p.with_trailing_axes(p.inputs[bias], rank), 1);
  };
}

void axes_transposed_convolution(Axes& n) {
  const Shape &x = n.shape(0), &w = n.shape(1), &y = n.out_shape(0);
  const std::int64_t groups = n.attr_int("group");
  if (!x[1].is_const() || !w[1].is_const()) return;
  const int batch = n.loop(x[0]), group = n.loop(groups), out = n.loop(w[1]);
  const int in = n.loop(x[1].value() / groups, Axes::Kind::sum);
  n.input(0, 0, {batch});
  n.input(0, 1, {group, in});
  n.input(1, 0, {group, in});
  n.input(1, 1, {out});
  if (n.has_input(2)) n.input(2, 0, {group, out});
  n.output(0, 0, {batch});
  n.output(0, 1, {group, out});
  // Without overlap and padding, each position makes its own block of results.
  const Window window = read_transposed_window(n, x, spatial(w));
  for (std::size_t i = 0; i < window.rank() && !n.has_attr("output_shape"); ++i) {
    const Dim& in_extent = x[i + 2];
    const bool disjoint = window.kernel[i].is(window.stride[i]) && window.dilation[i] == 1 &&
                          in_extent * window.kernel[i] == y[i + 2];
    if (!disjoint) continue;
    const int over = n.loop(in_extent);
    n.input(0, i + 2, {over});
    n.output(0, i + 2, {over, n.loop(window.kernel[i], Axes::Kind::whole)});
  }
  n.adapt = [group, in](Axes::Part& p) {
    p.node.attributes["group"] = p.extents[static_cast<std::size_t>(group)].value();
    if (p.cut(in) && p.node.inputs.size() > 2) p.node.inputs.set(2, nullptr);
  };
  n.finish = [in, rank = window.rank()](Axes::Part& p, Value* sum) {
    if (!p.cut(in) || p.inputs.size() < 3 || !p.inputs[2]) return sum;
    return p.add_scaled(sum, p.with_trailing_axes(p.inputs[2], rank), 1);
  };
}

// A pool that rounds up has windows that reach beyond the padded data.
void axes_pool(Axes& n) {
  if (n.has_output(1) || n.attr_int("ceil_mode") != 0) return n.same_but(2, n.rank(0));
  n.same_but(2, n.rank(0));
  const Window w = read_pool_window(n, n.shape(0));
  const std::vector<int> rows = slide(n, w, 0);
  n.adapt = [w, rows](Axes::Part& p) {
    if (any_cut(p, rows)) adapt_pads(p, w, rows, 0);
  };
}

}  // namespace onnxc::ops
