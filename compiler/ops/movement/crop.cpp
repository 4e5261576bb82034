// Crop, an experimental operator of the first opsets: removes the borders of an image, or cuts out
// a given size.
#include <limits>

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::crop {
namespace {

void upgrade(Upgrade& n) {
  const std::vector<std::int64_t> border = n.attr_ints("border");  // left, top, right, bottom
  n.require(border.size() == 4, "attribute \"border\"", "has {} entries, needs 4", border.size());
  for (std::int64_t b : border) n.require(b >= 0, "attribute \"border\"", "{} is negative", b);
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  const std::int64_t starts[] = {border[1], border[0]};
  std::int64_t ends[] = {border[3] > 0 ? -border[3] : kEnd, border[2] > 0 ? -border[2] : kEnd};
  if (const auto* scale = n.find_ints("scale")) {
    n.require(scale->size() == 2, "attribute \"scale\"", "has {} entries, needs 2", scale->size());
    for (std::size_t i = 0; i < 2; ++i) {
      n.require((*scale)[i] > 0 && (*scale)[i] < kEnd / 2 && starts[i] < kEnd / 2,
                "attribute \"scale\"", "{} is out of range", (*scale)[i]);
      ends[i] = starts[i] + (*scale)[i];
    }
  }
  const std::int64_t axes[] = {2, 3};
  Value* x = n.mutable_node().inputs[0];
  n.to("Slice");
  n.mutable_node().attributes.clear();
  n.mutable_node().inputs = {x, n.constant(Tensor::ints(starts)), n.constant(Tensor::ints(ends)),
                             n.constant(Tensor::ints(axes))};
}

constexpr Op rows[] = {{
    .name = "Crop",
    .versions = "1",
    .deprecated = 10,
    .inputs = "input:T",
    .outputs = "output:T",
    .types = "T: classic_floats",
    .attributes = "border:ints! scale:ints",
    .upgrade = upgrade,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::crop
