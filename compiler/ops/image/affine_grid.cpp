// AffineGrid: the sampling positions, for GridSample, of affine maps of an image.
#include "compiler/kernels/image_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::affine_grid {
namespace {

void infer(Infer& n) {
  const auto size = n.extents(1);
  std::optional<std::int64_t> axes;
  if (size) axes = static_cast<std::int64_t>(size->size()) - 2;
  if (n.has_rank(1)) {
    n.require(n.rank(1) == 1, input_field(1, "size"), "rank {}, needs 1", n.rank(1));
    if (const auto count = n.shape(1)[0].constant()) axes = *count - 2;
  }
  if (n.has_rank(0)) {
    const Shape& theta = n.shape(0);
    n.require(theta.size() == 3, input_field(0, "theta"), "rank {}, needs 3", theta.size());
    if (!axes) axes = theta[1].constant();
    for (std::size_t i : {1, 2})
      n.require(
          !axes || !theta[i].is_const() || theta[i].is(*axes + static_cast<std::int64_t>(i) - 1),
          input_field(0, "theta"), "shape {} for {} axes", to_string(theta), *axes);
  }
  n.output(0, n.elem(0), std::nullopt);
  // If their number is dynamic, it is the output's rank.
  if (!axes && n.output_value(0).type.has_rank())
    axes = static_cast<std::int64_t>(n.output_value(0).type.rank()) - 2;
  if (!axes) return;
  n.require(*axes == 2 || *axes == 3, input_field(1, "size"), "{} spatial axes, needs 2 or 3",
            *axes);
  if (size)
    for (const Dim& d : *size) n.at_least(d, 0, input_field(1, "size"));
  if (n.has_rank(0))
    for (std::size_t i : {1, 2})
      n.same(n.shape(0)[i], *axes + static_cast<std::int64_t>(i) - 1, input_field(0, "theta"));
  if (n.has_rank(0) && size) n.same(n.shape(0)[0], (*size)[0], input_field(0, "theta"));
  Shape out{size ? (*size)[0] : n.has_rank(0) ? n.shape(0)[0] : n.unknown_extent()};
  for (std::int64_t i = 0; i < *axes; ++i)
    out.push_back(size ? (*size)[static_cast<std::size_t>(i) + 2] : n.unknown_extent());
  out.push_back(*axes);
  n.output(0, n.elem(0), out);
}

void lower(Lower& n) {
  const Shape& y = n.out_shape(0);
  if (!n.extents(1))
    n.call("affine_grid_extents", AffineGridExtentsShape<Dim>{product(n.shape(1)), rank_of(y) - 2})
        .in(1)
        .extents({y.begin(), y.end() - 1});
  n.call("affine_grid",
         AffineGridShape<Dim>{y[0], {y.begin() + 1, y.end() - 1}, n.attr_int("align_corners") != 0})
      .template_arg(std::to_string(y.size() - 2))
      .in({0, 1})
      .out(0);
}

// The positions are theta times those of the identity, extended by 1.
void gradient(Gradient& n) {
  const std::int64_t axes = n.shape(0)[1].constant().value_or(0);
  n.require_known(axes > 0, input_field(0, "theta"),
                  "the gradient needs its shape at compile time");
  std::vector<std::int64_t> unit;
  for (std::int64_t i = 0; i < axes * (axes + 1); ++i)
    unit.push_back(i % (axes + 1) == i / (axes + 1) ? 1 : 0);
  const Term identity = n.emit("Reshape", {n.list(unit), n.list({1, axes, axes + 1})});
  const Term maps = expand_like(convert(identity, n.input(0).elem), n.x(0));
  const Term grid = n.emit("AffineGrid", {maps, n.x(1)}, n.node().attributes);
  const auto rows = [&](Term v) { return n.emit("Reshape", {v, n.list({0, -1, axes})}); };
  const Term dy = permute(rows(n.dy()), {0, 2, 1});
  const Term by_position = matmul(dy, rows(grid)), by_one = sum_over(dy, {2}, true);
  n.dx(0, n.emit("Concat", {by_position, by_one}, {{"axis", std::int64_t{2}}}));
}

constexpr Op rows[] = {{
    .name = "AffineGrid",
    .versions = "20",
    .inputs = "theta:T1 size:int64",
    .outputs = "grid:T1",
    .types = "T1: floats",
    .attributes = "align_corners:int=0",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::affine_grid
