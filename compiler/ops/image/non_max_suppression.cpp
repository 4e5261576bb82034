// NonMaxSuppression: picks boxes by score, dropping those that overlap a picked one.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::non_max_suppression {
namespace {

void require_scalar(const NodeView& n, std::size_t i, const char* name) {
  if (!n.has_input(i) || !n.input(i).has_rank()) return;
  const Dim count = product(*n.input(i).shape);
  n.require(!count.is_const() || count.is(1), input_field(i, name), "{} elements, needs 1",
            count.to_string());
}

void infer(Infer& n) {
  if (n.has_rank(0) && n.has_rank(1)) {
    const Shape &boxes = n.shape(0), &scores = n.shape(1);
    n.require(boxes.size() == 3 && (!boxes[2].is_const() || boxes[2].is(4)),
              input_field(0, "boxes"), "shape {}, needs [N,M,4]", to_string(boxes));
    n.require(scores.size() == 3, input_field(1, "scores"), "rank {}, needs 3", scores.size());
    for (const auto& [a, b] : {std::pair(boxes[0], scores[0]), std::pair(boxes[1], scores[2])})
      n.require(!a.is_const() || !b.is_const() || a == b, input_field(1, "scores"),
                "shape {} for boxes {}", to_string(scores), to_string(boxes));
  }
  require_scalar(n, 2, "max_output_boxes_per_class");
  require_scalar(n, 3, "iou_threshold");
  require_scalar(n, 4, "score_threshold");
  n.output(0, ElemType::int64, Shape{n.unknown_extent(), 3});
}

void lower(Lower& n) {
  const Shape &boxes = n.shape(0), &scores = n.shape(1);
  Call call = n.call("non_max_suppression");
  call.dim("batch", boxes[0]).dim("classes", scores[1]).dim("count", boxes[1]);
  call.dim("selected", n.out_shape(0)[0]);
  call.flag("centred", n.attr_int("center_point_box") != 0);
  for (std::size_t i = 0; i < 5; ++i) call.in(i);
  call.out(0).write(n.scratch(ElemType::uint8, Dim::max(boxes[1], 1), "open")).fallible();
}

constexpr Op rows[] = {{
    .name = "NonMaxSuppression",
    .versions = "10 11",
    .inputs = "boxes:float scores:float max_output_boxes_per_class:int64? iou_threshold:float? "
              "score_threshold:float?",
    .outputs = "selected_indices:int64",
    .attributes = "center_point_box:int=0",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::non_max_suppression
