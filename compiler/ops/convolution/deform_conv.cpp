// DeformConv: convolution whose taps are shifted by offsets from an input.
#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/image/interpolation.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::deform_conv {
namespace {

constexpr ConvInputs kInputs{.x = 0, .w = 1, .bias = 3};

void require_channels(const NodeView& n, std::size_t input, const char* name, const Dim& channels,
                      const Convolution& c) {
  if (!n.has_input(input) || !n.input(input).has_rank()) return;
  const Shape& s = *n.input(input).shape;
  Shape want{c.batch, channels};
  want.insert(want.end(), c.window.out.begin(), c.window.out.end());
  const std::string field = input_field(input, name);
  n.require(s.size() == want.size(), field, "rank {}, needs {}", s.size(), want.size());
  for (std::size_t i = 0; i < s.size(); ++i) n.same(s[i], want[i], field);
}

Convolution read(const NodeView& n) {
  const Convolution c = read_convolution(n, kInputs);
  const std::int64_t groups = n.attr_int("offset_group");
  const Dim channels = c.in_channels * Dim(c.group);
  n.require(groups >= 1 && (!channels.is_const() || channels.value() % groups == 0),
            "attribute \"offset_group\"", "{} does not divide {} channels", groups,
            channels.to_string());
  n.same(Dim::floor_div(channels, groups) * groups, channels, "attribute \"offset_group\"");
  const Dim taps = Dim(groups) * product(c.window.kernel);
  require_channels(n, 2, "offset", taps * Dim(static_cast<std::int64_t>(c.window.rank())), c);
  require_channels(n, 4, "mask", taps, c);
  return c;
}

void infer(Infer& n) {
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, n.elem(0), std::nullopt);
  n.output(0, n.elem(0), read(n).out_shape());
}

void lower(Lower& n) {
  const Convolution c = read(n);
  Call call = n.call("deform_conv_nd",
                     DeformConvNdShape<Dim>{c.batch, c.group, n.attr_int("offset_group"),
                                            c.in_channels, c.out_channels, nd_window(c.window)});
  call.template_arg(std::to_string(c.window.rank()));
  call.in({0, 1, 2}).in(3, n.elem(0)).in(4, n.elem(0)).out(0).macs(n.macs());
}

// ---- the definition as nodes, which the gradient goes through --------------------------------

using Ints = std::vector<std::int64_t>;

// Where the elements of a box of extents `dims` lie along axis i, given their numbers.
Term coordinate(Term numbers, const std::vector<Term>& dims, std::size_t i) {
  for (std::size_t k = dims.size(); k-- > i + 1;) numbers = numbers / dims[k];
  return numbers.builder->emit("Mod", {numbers, dims[i]});
}

// Where the taps would read along axis i without offsets: [taps, positions].
Term fixed_position(const Gradient& n, const Window& w, std::size_t i) {
  NodeBuilder& b = n.builder();
  std::vector<Term> out, taps;
  Term positions = b.integer(1);
  std::int64_t tap_count = 1;
  for (std::size_t k = 0; k < w.rank(); ++k) {
    out.push_back(extent_of(n.y(), static_cast<std::int64_t>(k) + 2));
    taps.push_back(b.integer(w.kernel[k].value()));
    positions = positions * out[k];
    tap_count *= w.kernel[k].value();
  }
  const auto numbers = [&](Term count) {
    return n.emit("Range", {b.integer(0), count, b.integer(1)});
  };
  const Term start = coordinate(numbers(positions), out, i) * b.integer(w.stride[i]) -
                     b.integer(w.pad_begin[i].value());
  const Term tap = coordinate(numbers(b.integer(tap_count)), taps, i);
  const Term moved = n.emit("Unsqueeze", {tap * b.integer(w.dilation[i]), n.list({1})});
  return convert(start + moved, n.input(0).elem);
}

// What every tap reads: [batch, channels, taps * positions]. Channels that share offsets are images
// of their own meanwhile.
Term columns(const Gradient& n, const Convolution& c, std::int64_t taps) {
  const auto rank = static_cast<std::int64_t>(c.window.rank());
  const std::int64_t groups = n.attr_int("offset_group");
  const std::int64_t channels = c.in_channels.value() * c.group, each = channels / groups;
  // [batch, groups, ...] as [batch * groups, taps * positions].
  const auto by_image = [&](Term v) {
    const Term rows = n.emit("Reshape", {v, n.list({0, groups, -1})});
    return n.emit("Flatten", {rows}, {{"axis", std::int64_t{2}}});
  };
  const Term extents = n.emit(
      "Concat", {n.list({-1, each}), n.emit("Shape", {n.x(0)}, {{"start", std::int64_t{2}}})},
      {{"axis", std::int64_t{0}}});
  const Term images = n.emit("Reshape", {n.x(0), extents});
  const Term offsets = n.emit("Reshape", {n.x(2), n.list({0, groups, taps, rank, -1})});
  std::vector<Term> at;
  for (std::int64_t i = 0; i < rank; ++i) {
    const Term own =
        n.emit("Gather", {offsets, n.builder().integer(i)}, {{"axis", std::int64_t{3}}});
    const Term moved = own + fixed_position(n, c.window, static_cast<std::size_t>(i));
    at.push_back(by_image(moved));
  }
  Term read = sampled({}, images, at);
  if (n.has_input(4)) {
    const Term mask = n.emit("Reshape", {n.x(4), n.list({0, groups, -1})});
    read = read * n.emit("Unsqueeze", {by_image(mask), n.list({-1})});
  }
  const Term shape =
      n.emit("Concat", {n.emit("Shape", {n.x(0)}, {{"end", std::int64_t{2}}}), n.list({-1})},
             {{"axis", std::int64_t{0}}});
  return n.emit("Reshape", {permute(read, {0, 2, 1}), shape});
}

void gradient(Gradient& n) {
  for (std::size_t i = 0; i < 3; ++i) n.shape(i);
  const Convolution c = read(n);
  const Shape& w = n.shape(1);
  for (const Dim& d : w)
    n.require_known(d.is_const(), input_field(1, "W"),
                    "the gradient needs its shape at compile time");
  const std::int64_t taps = product(c.window.kernel).value();
  const std::int64_t depth = c.in_channels.value() * taps, out = c.out_channels.value();
  const Term read = n.emit("Reshape", {columns(n, c, taps), n.list({0, c.group, depth, -1})});
  const Term weights = n.emit("Reshape", {n.x(1), n.list({c.group, out, depth})});
  Term y = n.builder().reshape(matmul(weights, read), n.y());
  if (n.has_input(3)) {
    Ints along(n.shape(0).size(), 1);
    along[1] = -1;
    y = y + n.emit("Reshape", {n.x(3), n.list(along)});
  }
  n.by_definition({y});
}

constexpr Op rows[] = {{
    .name = "DeformConv",
    .versions = "19 22",
    .inputs = "X:T W:T offset:T B:T? mask:T?",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "dilations:ints group:int=1 kernel_shape:ints offset_group:int=1 pads:ints "
                  "strides:ints",
    .infer = infer,
    .lower = lower,
    .macs = convolution_macs<1>,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::deform_conv
