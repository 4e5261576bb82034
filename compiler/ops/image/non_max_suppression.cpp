// NonMaxSuppression: selects boxes by score and drops those that overlap a selected one.
#include "compiler/kernels/image_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::non_max_suppression {
namespace {

// Upper bound of the boxes of one class: all boxes, or the limit in the model.
Dim max_boxes(const NodeView& n) {
  const Shape &boxes = *n.input(0).shape, &scores = *n.input(1).shape;
  Dim each = boxes[1];
  if (!n.has_input(2)) each = 0;
  if (const Tensor* limit = n.constant(2); limit && limit->size() == 1)
    each = Dim::min(each, std::max<std::int64_t>(limit->to_int64s()[0], 0));
  return boxes[0] * scores[1] * each;
}

void check_options(const NodeView& n) {
  const std::int64_t center = n.attr_int("center_point_box");
  n.require(center == 0 || center == 1, "attribute \"center_point_box\"", "{} is neither 0 nor 1",
            center);
  const Tensor* iou = n.constant(3);
  if (!iou) return;
  const float v = iou->as<float>()[0];
  n.require(v >= 0 && v <= 1, input_field(3, "iou_threshold"), "{} is outside [0, 1]", v);
}

void infer(Infer& n) {
  if (n.has_rank(0) && n.has_rank(1)) {
    const Shape &boxes = n.shape(0), &scores = n.shape(1);
    n.require(boxes.size() == 3, input_field(0, "boxes"), "shape {}, needs [N,M,4]",
              to_string(boxes));
    n.require(scores.size() == 3, input_field(1, "scores"), "rank {}, needs 3", scores.size());
    for (const auto& [a, b] : {std::pair(boxes[0], scores[0]), std::pair(boxes[1], scores[2])})
      n.same(a, b, input_field(1, "scores"));
    n.same(boxes[2], 4, input_field(0, "boxes"));
  }
  n.one_value(2, input_field(2, "max_output_boxes_per_class"));
  n.one_value(3, input_field(3, "iou_threshold"));
  n.one_value(4, input_field(4, "score_threshold"));
  check_options(n);
  const bool bounded = n.has_rank(0) && n.has_rank(1);
  n.output(0, ElemType::int64,
           Shape{n.unknown_extent(bounded ? std::optional(max_boxes(n)) : std::nullopt), 3});
}

// The selected boxes are the first rows of a buffer that holds the upper bound.
void lower(Lower& n) {
  const Shape &boxes = n.shape(0), &scores = n.shape(1);
  const Dim capacity = max_boxes(n);
  const BufferId picks = n.scratch(ElemType::int64, Dim::max(capacity * 3, 1), "picks");
  Call call = n.call("non_max_suppression",
                     NonMaxSuppressionShape<Dim>{boxes[0], scores[1], boxes[1], capacity,
                                                 n.attr_int("center_point_box") != 0});
  for (std::size_t i = 0; i < 5; ++i) call.in(i);
  call.write(picks).extents({n.out_shape(0)[0]});
  call.write(n.scratch(ElemType::int64, Dim::max(boxes[1], 1), "heap"));
  const Buffer& out = n.program().at(n.out(0));
  if (out.kind == Buffer::Kind::arena && out.view_of < 0)
    n.view(n.out(0), picks, 0);
  else
    n.copy(picks, n.out(0));
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
