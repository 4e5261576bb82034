// Col2Im: sums columns of windows back into an image.
#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::col2im_op {
namespace {

constexpr const char* kLists[] = {"", "image_shape", "block_shape"};

std::size_t spatial_rank(const NodeView& n) {
  for (std::size_t i : {1, 2}) {
    const Type& t = n.input(i);
    if (t.has_rank() && t.rank() == 1 && (*t.shape)[0].is_const())
      return static_cast<std::size_t>((*t.shape)[0].value());
  }
  // The declared rank, if the length of image_shape is dynamic.
  const Type& out = n.output_value(0).type;
  return out.has_rank() && out.rank() > 2 ? out.rank() - 2 : 0;
}

// The geometry of the image; the block is read at run time.
Window read(const NodeView& n, const Shape& image) {
  Shape whole{1, 1};
  whole.insert(whole.end(), image.begin(), image.end());
  return read_transposed_window(n, whole, Shape(image.size(), Dim(1)));
}

// How many windows of the block fit into the image.
Dim window_count(const Window& w, const Shape& block) {
  Dim count = 1;
  for (std::size_t i = 0; i < w.rank(); ++i) {
    const Dim reach = (block[i] - Dim(1)) * Dim(w.dilation[i]) + Dim(1);
    const Dim travel = w.in[i] + w.pad_begin[i] + w.pad_end[i] - reach;
    count = count * (Dim::floor_div(travel, w.stride[i]) + Dim(1));
  }
  return count;
}

void infer(Infer& n) {
  if (n.elem(0) == ElemType::string) n.unsupported("input 0 \"input\"", "strings have no sums");
  for (std::size_t i : {1, 2})
    if (n.has_rank(i))
      n.require(n.rank(i) <= 1, input_field(i, kLists[i]), "rank {}, needs 1", n.rank(i));
  const std::size_t rank = spatial_rank(n);
  n.output(0, n.elem(0), std::nullopt);
  if (!n.has_rank(0) || rank == 0) return;
  const Shape& x = n.shape(0);
  n.require(x.size() == 3, input_field(0, "input"), "rank {}, needs 3", x.size());
  const auto image = n.extents(1), block = n.extents(2);
  for (std::size_t i : {1, 2})
    if (n.has_rank(i) && n.rank(i) == 1)
      n.same(n.shape(i)[0], static_cast<std::int64_t>(rank), input_field(i, kLists[i]));
  n.require(!image || image->size() == rank, input_field(1, "image_shape"), "needs {} entries",
            rank);
  n.require(!block || block->size() == rank, input_field(2, "block_shape"), "needs {} entries",
            rank);
  Dim channels = n.unknown_extent(x[1]);
  if (block) {
    for (const Dim& d : *block) n.at_least(d, 1, input_field(2, "block_shape"));
    const Dim taps = product(*block);
    n.require(!taps.is_const() || !x[1].is_const() || x[1].value() % taps.value() == 0,
              input_field(2, "block_shape"), "{} taps do not divide {}", taps.to_string(),
              x[1].to_string());
    channels = Dim::floor_div(x[1], taps);
    n.same(channels * taps, x[1], input_field(2, "block_shape"));
  }
  Shape out{x[0], channels};
  for (std::size_t i = 0; i < rank; ++i) out.push_back(image ? (*image)[i] : n.unknown_extent());
  for (const Dim& d : spatial(out)) n.at_least(d, 0, input_field(1, "image_shape"));
  const Window w = read(n, spatial(out));
  const Dim windows = image && block ? window_count(w, *block) : x[2];
  n.require(!windows.is_const() || !x[2].is_const() || windows == x[2], input_field(0, "input"),
            "has {} columns, the image has {} windows", x[2].to_string(), windows.to_string());
  n.output(0, n.elem(0), out);
}

void lower(Lower& n) {
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  const Window w = read(n, spatial(y));
  n.require(
      !y[1].is(0) && (!x[1].is_const() || !y[1].is_const() || x[1].value() % y[1].value() == 0),
      "output 0", "{} channels from {}", y[1].to_string(), x[1].to_string());
  if (!n.extents(1) || !n.extents(2)) {
    Shape reported{y[1]};
    reported.insert(reported.end(), y.begin() + 2, y.end());
    n.call("col2im_extents", Col2imExtentsShape<Dim>{static_cast<std::int64_t>(w.rank()), x[1]})
        .in({1, 2})
        .extents(reported);
  }
  n.call("col2im", Col2imShape<Dim>{.batch = x[0],
                                    .channels = y[1],
                                    .taps = Dim::floor_div(x[1], y[1]),
                                    .windows = x[2],
                                    .out = spatial(y),
                                    .stride = to_shape(w.stride),
                                    .dilation = to_shape(w.dilation),
                                    .pad = w.pad_begin,
                                    .pad_end = w.pad_end})
      .template_arg(std::to_string(w.rank()))
      .in({0, 1, 2})
      .out(0);
}

// Along one axis of the padded image: the position of tap k of window i. [taps, windows].
Term places(const Gradient& n, const Window& w, std::size_t axis) {
  NodeBuilder& b = n.builder();
  const auto number = [&](std::int64_t v) { return b.integer(v); };
  const auto entry = [&](std::size_t input) {
    return n.emit("Gather", {n.x(input), number(static_cast<std::int64_t>(axis))});
  };
  const std::int64_t pads = w.pad_begin[axis].value() + w.pad_end[axis].value();
  const Term taps = entry(2), stride = number(w.stride[axis]), dilation = number(w.dilation[axis]);
  const Term last = entry(1) + number(pads) - dilation * (taps - number(1)) - number(1);
  const Term windows = last / stride + number(1);
  const auto multiples = [&](Term count, Term step, std::vector<std::int64_t> shape) {
    const Term all = n.emit("Range", {number(0), count, number(1)});
    return n.emit("Reshape", {all * step, n.list(std::move(shape))});
  };
  return multiples(taps, dilation, {-1, 1}) + multiples(windows, stride, {1, -1});
}

// Axes [.., taps, windows] of every dimension become [taps.., windows..], which is x.
Term columns(const Gradient& n, Term v, std::size_t rank) {
  std::vector<std::int64_t> perm = {0, 1};
  for (std::size_t first : {2, 3})
    for (std::size_t i = 0; i < rank; ++i) perm.push_back(static_cast<std::int64_t>(first + 2 * i));
  return n.builder().reshape(permute(v, perm), n.x());
}

// The windows of dY, cut out of it as they were added up.
void gradient(Gradient& n) {
  n.require_known(n.output_value(0).type.has_rank(), "output 0", "has no known rank");
  const Shape image = spatial(*n.output_value(0).type.shape);
  const Window w = read(n, image);
  std::vector<std::int64_t> pads(2 * (image.size() + 2), 0);
  for (std::size_t i = 0; i < image.size(); ++i) {
    pads[2 + i] = w.pad_begin[i].value();
    pads[image.size() + 4 + i] = w.pad_end[i].value();
  }
  Term v = n.emit("Pad", {n.dy(), n.list(pads)});
  for (std::size_t i = 0; i < image.size(); ++i)
    v = n.emit("Gather", {v, places(n, w, i)}, {{"axis", static_cast<std::int64_t>(2 + 2 * i)}});
  n.dx(0, columns(n, v, image.size()));
}

constexpr Op rows[] = {{
    .name = "Col2Im",
    .versions = "18",
    .inputs = "input:T image_shape:int64 block_shape:int64",
    .outputs = "output:T",
    .types = "T: all",
    .attributes = "dilations:ints pads:ints strides:ints",
    .limits = "strings, which have no sums",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::col2im_op
