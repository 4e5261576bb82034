// CenterCropPad: crops or zero-pads axes to given extents, around the centre.
#include <algorithm>
#include <numeric>

#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/movement/given_extents.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::center_crop_pad {
namespace {

std::vector<std::size_t> read_axes(const NodeView& n, std::size_t rank) {
  std::vector<std::size_t> axes;
  if (const auto* given = n.find_ints("axes")) {
    for (std::int64_t a : *given) axes.push_back(n.axis(a, rank, "attribute \"axes\""));
    auto sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    n.require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
              "attribute \"axes\"", "an axis twice");
    return axes;
  }
  axes.resize(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

void infer(Infer& n) {
  if (!n.has_rank(0)) return n.output(0, n.elem(0), std::nullopt);
  Shape out = n.shape(0);
  const auto axes = read_axes(n, out.size());
  const auto wanted = n.extents(1);
  require_vector(n, 1, "shape", static_cast<std::int64_t>(axes.size()));
  for (std::size_t i = 0; wanted && i < axes.size(); ++i)
    n.at_least((*wanted)[i], 0, input_field(1, "shape"));
  for (std::size_t i = 0; i < axes.size(); ++i)
    out[axes[i]] = wanted ? (*wanted)[i] : n.unknown_extent();
  n.output(0, n.elem(0), out);
}

void lower(Lower& n) {
  Shape in = n.shape(0), out = n.out_shape(0);
  Shape wanted;
  for (std::size_t a : read_axes(n, in.size())) wanted.push_back(out[a]);
  lower_given_extents(n, 1, wanted);
  if (in == out) return n.alias(0, 0);
  Call call = n.call("center_crop_pad", CenterCropPadShape<Dim>{in, out});
  call.template_arg(std::to_string(std::max<std::size_t>(in.size(), 1))).in(0).out(0);
}

// What was cropped gets zeros, what was padded is dropped: at the same places.
void gradient(Gradient& n) {
  Term shape = n.shape_of(n.x());
  Attributes axes;
  if (const auto* given = n.find_ints("axes")) {
    axes["axes"] = *given;
    shape = n.emit("Gather", {shape, n.list(*given)});
  }
  n.dx(0, n.emit("CenterCropPad", {n.dy(), shape}, axes));
}

constexpr Op rows[] = {{
    .name = "CenterCropPad",
    .versions = "18",
    .inputs = "input_data:T shape:Tind",
    .outputs = "output_data:T",
    .types = "T: all; Tind: int32 int64",
    .attributes = "axes:ints",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::center_crop_pad
