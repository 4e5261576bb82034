// GridSample: samples an image at positions given by a second tensor.
#include "compiler/kernels/image_calls.hpp"
#include "compiler/ops/image/interpolation.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::grid_sample {
namespace {

std::int64_t choice(const NodeView& n, const char* attribute,
                    std::initializer_list<const char*> names) {
  const std::string& value = n.attr_string(attribute);
  std::int64_t i = 0;
  for (const char* name : names) {
    if (value == name) return i;
    ++i;
  }
  n.fail("attribute " + quoted(attribute), quoted(value) + " is no choice");
}

std::int64_t filter(const NodeView& n) { return choice(n, "mode", {"nearest", "linear", "cubic"}); }
std::int64_t padding(const NodeView& n) {
  return choice(n, "padding_mode", {"zeros", "border", "reflection"});
}

void upgrade(Upgrade& n) {
  if (n.version() >= 20) return;
  const std::string mode = n.node().find("mode") ? n.attr_string("mode") : "bilinear";
  if (mode == "bilinear") n.set("mode", std::string("linear"));
  if (mode == "bicubic") n.set("mode", std::string("cubic"));
}

void infer(Infer& n) {
  n.require(filter(n) == 0 || n.elem(0) != ElemType::string, "attribute \"mode\"",
            "strings have no {} between them", quoted(n.attr_string("mode")));
  padding(n);
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, n.elem(0), std::nullopt);
  const Shape &x = n.shape(0), &grid = n.shape(1);
  n.require(x.size() >= 3, input_field(0, "X"), "rank {}, needs at least 3", x.size());
  n.require(grid.size() == x.size(), input_field(1, "grid"), "rank {}, needs {}", grid.size(),
            x.size());
  n.require(!grid.back().is_const() || grid.back().is(static_cast<std::int64_t>(x.size()) - 2),
            input_field(1, "grid"), "{} coordinates for {} axes", grid.back().to_string(),
            x.size() - 2);
  n.require(!grid[0].is_const() || !x[0].is_const() || grid[0] == x[0], input_field(1, "grid"),
            "batch {}, X has {}", grid[0].to_string(), x[0].to_string());
  n.same(grid.back(), static_cast<std::int64_t>(x.size()) - 2, input_field(1, "grid"));
  n.same(grid[0], x[0], input_field(1, "grid"));
  Shape out{x[0], x[1]};
  out.insert(out.end(), grid.begin() + 1, grid.end() - 1);
  n.output(0, n.elem(0), out);
}

void lower(Lower& n) {
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  Call call = n.call("grid_sample",
                     GridSampleShape<Dim>{x[0], x[1], spatial(x), product(y, 2, y.size()),
                                          filter(n), padding(n), n.attr_int("align_corners") != 0});
  call.template_arg(std::to_string(x.size() - 2)).in({0, 1}).out(0);
}

// Coordinate i of the grid, [batch, count], in pixels of the axis that it belongs to.
Term in_pixels(const Gradient& n, Term grid, std::int64_t i, Term extent) {
  const Term at = n.emit("Gather", {grid, n.builder().integer(i)}, {{"axis", std::int64_t{2}}});
  const Term length = convert(extent, at.type().elem);
  if (n.attr_int("align_corners") != 0) return (at + 1.0) / 2.0 * (length - 1.0);
  return ((at + 1.0) * length - 1.0) / 2.0;
}

void gradient(Gradient& n) {
  const auto rank = static_cast<std::int64_t>(n.shape(0).size()) - 2;
  n.shape(1);
  const Term positions = n.emit("Reshape", {n.x(1), n.list({0, -1, rank})});
  const Term grid = convert(positions, n.input(0).elem);
  std::vector<Term> at;
  for (std::int64_t i = 0; i < rank; ++i)
    at.push_back(in_pixels(n, grid, rank - 1 - i, extent_of(n.x(0), i + 2)));
  const Sampling how = {n.attr_string("mode"), n.attr_string("padding_mode"),
                        n.attr_int("align_corners") != 0};
  n.by_definition({n.builder().reshape(permute(sampled(how, n.x(0), at), {0, 2, 1}), n.y())});
}

constexpr Op rows[] = {{
    .name = "GridSample",
    .versions = "16 20 22",
    .inputs = "X:T1 grid:T2",
    .outputs = "Y:T1",
    .types = "T1: all; T2: floats",
    .attributes = "align_corners:int=0 mode:string=linear padding_mode:string=zeros",
    .upgrade = upgrade,
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::grid_sample
