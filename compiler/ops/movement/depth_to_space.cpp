// DepthToSpace and SpaceToDepth: moves blocks of pixels to channels and back.
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::depth_to_space {
namespace {

std::int64_t block_of(const NodeView& n) {
  const std::int64_t b = n.attr_int("blocksize");
  n.require(b >= 1 && b <= INT32_MAX, "attribute \"blocksize\"", "{} is out of range", b);
  return b;
}

Dim divided(const NodeView& n, const Dim& d, std::int64_t by, const char* what) {
  n.require(!d.is_const() || d.value() % by == 0, "input 0 \"input\"",
            "{} of {} do not divide by {}", what, d.to_string(), by);
  n.same(Dim::floor_div(d, by) * by, d, "input 0 \"input\"");
  return Dim::floor_div(d, by);
}

bool channel_first(const NodeView& n) {
  const std::string& mode = n.attr_string("mode");
  n.require(mode == "DCR" || mode == "CRD", "attribute \"mode\"", "{} is neither DCR nor CRD",
            quoted(mode));
  return mode == "CRD";
}

void require_image(Infer& n) {
  n.require(n.rank(0) == 4, "input 0 \"input\"", "has rank {}, not 4", n.rank(0));
}

void infer_to_space(Infer& n) {
  const std::int64_t b = block_of(n);
  channel_first(n);
  if (!n.has_rank(0)) return n.output(0, n.elem(0), std::nullopt);
  require_image(n);
  const Shape& x = n.shape(0);
  n.output(0, n.elem(0), Shape{x[0], divided(n, x[1], b * b, "channels"), x[2] * b, x[3] * b});
}

void infer_to_depth(Infer& n) {
  const std::int64_t b = block_of(n);
  if (!n.has_rank(0)) return n.output(0, n.elem(0), std::nullopt);
  require_image(n);
  const Shape& x = n.shape(0);
  n.output(0, n.elem(0),
           Shape{x[0], x[1] * b * b, divided(n, x[2], b, "rows"), divided(n, x[3], b, "columns")});
}

// The output as [batch, channel, row, block row, column, block column] on the source.
Region to_space(const NodeView& n, const Shape& x, const Shape& y) {
  const std::int64_t b = block_of(n);
  const Shape s = row_major(x);
  const bool first = channel_first(n);
  const Dim channel = first ? s[1] * b * b : s[1], down = first ? s[1] * b : y[1] * s[1] * b;
  const Dim across = first ? s[1] : y[1] * s[1];
  Region r;
  r.dims = {x[0], y[1], x[2], b, x[3], b};
  r.from = {s[0], channel, s[2], down, s[3], across};
  r.to = row_major(r.dims);
  return r;
}

// The output as [batch, block row, block column, channel, row, column].
Region to_depth(const NodeView& n, const Shape& x, const Shape& y) {
  const std::int64_t b = block_of(n);
  const Shape s = row_major(x);
  Region r;
  r.dims = {x[0], b, b, x[1], y[2], y[3]};
  r.from = {s[0], s[2], s[3], s[1], s[2] * b, s[3] * b};
  r.to = row_major(r.dims);
  return r;
}

void lower_to_space(Lower& n) {
  lower_region(n, to_space(n, n.shape(0), n.out_shape(0)), n.in(0), n.out(0));
}
void lower_to_depth(Lower& n) {
  lower_region(n, to_depth(n, n.shape(0), n.out_shape(0)), n.in(0), n.out(0));
}

void gradient_of_depth_to_space(Gradient& n) {
  if (n.attr_string("mode") == "DCR")
    return n.dx(0, n.emit("SpaceToDepth", {n.dy()}, {{"blocksize", n.attr_int("blocksize")}}));
  // [N, C, H, b, W, b] -> [N, C, b, b, H, W]
  const Term shape = n.shape_of(n.x());
  const auto extent = [&](std::int64_t i) {
    return n.emit("Slice", {shape, n.list({i}), n.list({i + 1})});
  };
  const std::int64_t b = n.attr_int("blocksize");
  const Term block = n.list({b});
  const Term split =
      n.emit("Concat", {extent(0), extent(1) / n.list({b * b}), extent(2), block, extent(3), block},
             {{"axis", std::int64_t{0}}});
  const Term blocks = n.emit("Reshape", {n.dy(), split}, {{"allowzero", std::int64_t{1}}});
  n.dx(0, n.builder().reshape(permute(blocks, {0, 1, 3, 5, 2, 4}), n.x()));
}

constexpr Op rows[] = {
    {
        .name = "DepthToSpace",
        .versions = "1 11 13",
        .inputs = "input:T",
        .outputs = "output:T",
        .types = "T: numeric complex bool string",
        .attributes = "blocksize:int! mode:string=DCR@11-",
        .infer = infer_to_space,
        .lower = lower_to_space,
        .moves_elements = always,
        .gradient = gradient_of_depth_to_space,
    },
    {.name = "SpaceToDepth",
     .versions = "1 13",
     .inputs = "input:T",
     .outputs = "output:T",
     .types = "T: numeric complex bool string",
     .attributes = "blocksize:int!",
     .infer = infer_to_depth,
     .lower = lower_to_depth,
     .moves_elements = always,
     .gradient = [](Gradient& n) {
       n.dx(0, n.emit("DepthToSpace", {n.dy()}, {{"blocksize", n.attr_int("blocksize")}}));
     }}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::depth_to_space
