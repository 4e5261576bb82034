// Tile: repeats a tensor along its axes.
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/region.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::tile {
namespace {

constexpr const char* kRepeats = "input 1 \"repeats\"";

// Tile-1 repeats one axis. The list of repeats needs the rank, which is unknown yet:
// onnxc::TileAxis makes it.
void upgrade(Upgrade& u) {
  if (u.version() == 1) u.mutable_node().op = &get("TileAxis", "onnxc");
}

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  if (!n.has_rank(0)) return;
  const auto repeats = n.extents(1);
  Shape out = n.shape(0);
  require_vector(n, 1, "repeats", static_cast<std::int64_t>(out.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (repeats) n.at_least((*repeats)[i], 0, kRepeats);
    if (!out[i].is(0)) out[i] = repeats ? out[i] * (*repeats)[i] : n.unknown_extent();
  }
  n.output(0, n.elem(0), out);
  const auto contents = n.extents(0);
  if (!contents || !repeats || out.size() != 1 || !out[0].is_const() || out[0].value() > 64) return;
  std::vector<Dim> all;
  for (std::int64_t i = 0; i < out[0].value(); ++i)
    all.push_back((*contents)[static_cast<std::size_t>(i) % contents->size()]);
  n.output_extents(0, std::move(all));
}

// Every axis becomes two: the repetition, with stride 0 in the source, and the axis itself.
Region repeated(const Shape& from, const Shape& out, const std::vector<Dim>& repeats) {
  Region r;
  const Shape strides = row_major(from), targets = row_major(out);
  for (std::size_t i = 0; i < from.size(); ++i) {
    r.dims.insert(r.dims.end(), {repeats[i], from[i]});
    r.from.insert(r.from.end(), {Dim(0), strides[i]});
    r.to.insert(r.to.end(), {targets[i] * from[i], targets[i]});
  }
  return r;
}

std::vector<Dim> repeats_of(const NodeView& n) {
  if (const Tensor* t = n.constant(1)) {
    const auto ints = t->to_int64s();
    return {ints.begin(), ints.end()};
  }
  if (const auto& e = n.input_value(1).extent) return *e;
  // The repeats follow from the shapes.
  std::vector<Dim> repeats;
  const Shape &from = *n.input(0).shape, &out = *n.output_value(0).type.shape;
  for (std::size_t i = 0; i < from.size(); ++i)
    repeats.push_back(from[i].is(0) ? Dim(0) : Dim::floor_div(out[i], from[i]));
  return repeats;
}

void fold(Fold& n) {
  if (!worth_folding(n)) return;
  const Region r = repeated(to_shape(n.in(0).dims()), to_shape(n.out_dims(0)), repeats_of(n));
  n.out(0, fold_part(r, n.in(0), n.out_dims(0)));
}

void lower(Lower& n) {
  if (!n.extents(1))
    n.call("tile_extents",
           TileExtentsShape<Dim>{rank_of(n.shape(0)), n.shape(0), product(n.shape(1))})
        .in(1)
        .extents(n.out_shape(0));
  if (product(n.shape(0)) == product(n.out_shape(0))) return n.alias(0, 0);
  lower_region(n, repeated(n.shape(0), n.out_shape(0), repeats_of(n)), n.in(0), n.out(0));
}

// TileAxis: tiles and axis are single values, of the data's type in the old standard. nullopt when
// known only at run time.
std::optional<std::int64_t> number_of(const NodeView& n, std::size_t i, const char* name) {
  const std::string field = fmt::format("input {} \"{}\"", i, name);
  const Tensor* given = n.constant(i);
  if (!given) return {};
  double value = 0;
  with_number(given->elem(), [&](auto tag) {
    value =
        static_cast<double>(static_cast<compute_t<decltype(tag)>>(given->as<decltype(tag)>()[0]));
  });
  n.require(value > -1e15 && value < 1e15, field, "{} is no count", value);
  return static_cast<std::int64_t>(value);
}

std::optional<std::size_t> tiled_axis(const NodeView& n) {
  const auto axis = number_of(n, 2, "axis");
  if (!axis) return {};
  return n.axis(*axis, n.input(0).rank(), "input 2 \"axis\"");
}

void infer_axis(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  n.one_value(1, "input 1 \"tiles\"");
  n.one_value(2, "input 2 \"axis\"");
  if (!n.has_rank(0)) return;
  Shape out = n.shape(0);
  const auto tiles = number_of(n, 1, "tiles");
  n.require(!tiles || *tiles >= 0, "input 1 \"tiles\"", "negative count {}", tiles.value_or(0));
  const auto axis = tiled_axis(n);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if ((axis && *axis != i) || out[i].is(0)) continue;
    out[i] = axis && tiles ? out[i] * *tiles : n.unknown_extent();
  }
  n.output(0, n.elem(0), out);
}

// From the shapes, when the counts are known only at run time.
std::vector<Dim> axis_repeats(const NodeView& n) {
  const Shape &from = *n.input(0).shape, &out = *n.output_value(0).type.shape;
  std::vector<Dim> repeats;
  for (std::size_t i = 0; i < from.size(); ++i)
    repeats.push_back(from[i].is(0) ? Dim(0) : Dim::floor_div(out[i], from[i]));
  const auto tiles = number_of(n, 1, "tiles");
  const auto axis = tiled_axis(n);
  if (!tiles || !axis) return repeats;
  std::fill(repeats.begin(), repeats.end(), Dim(1));
  repeats[*axis] = *tiles;
  return repeats;
}

void fold_axis(Fold& n) {
  if (!worth_folding(n)) return;
  const Region r = repeated(to_shape(n.in(0).dims()), to_shape(n.out_dims(0)), axis_repeats(n));
  n.out(0, fold_part(r, n.in(0), n.out_dims(0)));
}

void lower_axis(Lower& n) {
  if (!n.constant(1) || !n.constant(2))
    n.call("tile_axis_extents", TileAxisExtentsShape<Dim>{rank_of(n.shape(0)), n.shape(0)})
        .in({1, 2})
        .extents(n.out_shape(0));
  lower_region(n, repeated(n.shape(0), n.out_shape(0), axis_repeats(n)), n.in(0), n.out(0));
}

// The sum over the repetitions, with an axis of its own for each.
void gradient(Gradient& n) {
  const auto rank = static_cast<std::int64_t>(n.shape(0).size());
  if (rank == 0) return n.dx(0, n.dy());
  const Term column = n.list({-1, 1});
  const Term repeats = n.emit("Reshape", {n.x(1), column});
  const Term extents = n.emit("Reshape", {n.shape_of(n.x(0)), column});
  const Term pairs = n.emit("Concat", {repeats, extents}, {{"axis", std::int64_t{1}}});
  const Term split = n.emit("Reshape", {n.dy(), n.emit("Reshape", {pairs, n.list({-1})})},
                            {{"allowzero", std::int64_t{1}}});
  std::vector<std::int64_t> axes;
  for (std::int64_t i = 0; i < rank; ++i) axes.push_back(2 * i);
  n.dx(0, n.builder().reshape(sum_over(split, axes, false), n.x(0)));
}

constexpr Op rows[] = {{
                           .name = "Tile",
                           .versions = "1 6 13",
                           .inputs = "input:T repeats:int64",
                           .outputs = "output:T",
                           .types = "T: numeric complex bool string",
                           .upgrade = upgrade,
                           .infer = infer,
                           .fold = fold,
                           .lower = lower,
                           .moves_elements = always,
                           .gradient = gradient,
                       },
                       internal({
                           .name = "TileAxis",
                           .inputs = "input:T tiles:any axis:any",
                           .outputs = "output:T",
                           .types = "T: all",
                           .infer = infer_axis,
                           .fold = fold_axis,
                           .lower = lower_axis,
                       })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::tile
