// non_max_suppression.hpp - picks boxes by score, dropping those that overlap a picked one.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

struct BoxEdges {
  float top, left, bottom, right;
};

inline BoxEdges box_edges(const float* box, bool centred) {
  if (centred) {
    const float w = box[2] / 2.0f, h = box[3] / 2.0f;
    return {box[1] - h, box[0] - w, box[1] + h, box[0] + w};
  }
  const bool down = box[0] <= box[2], right = box[1] <= box[3];
  return {box[down ? 0 : 2], box[right ? 1 : 3], box[down ? 2 : 0], box[right ? 3 : 1]};
}

inline float overlap(const float* first, const float* second, bool centred) {
  const BoxEdges a = box_edges(first, centred), b = box_edges(second, centred);
  const float top = a.top > b.top ? a.top : b.top,
              bottom = a.bottom < b.bottom ? a.bottom : b.bottom;
  const float left = a.left > b.left ? a.left : b.left,
              right = a.right < b.right ? a.right : b.right;
  const float common = bottom > top && right > left ? (bottom - top) * (right - left) : 0.0f;
  const float both =
      (a.bottom - a.top) * (a.right - a.left) + (b.bottom - b.top) * (b.right - b.left) - common;
  return both > 0.0f ? common / both : 0.0f;
}

// boxes: [batch, count, 4], scores: [batch, classes, count], y: [room, 3] of batch, class, box,
// with extents[0] used; scratch open: [count]. most, iou, least (null: 0, 0, none) are scalars. s:
// batch, classes, count, room, centred.
template <class S>
Status non_max_suppression(S s, const float* boxes, const float* scores, const std::int64_t* most,
                           const float* iou, const float* least, std::int64_t* y, Index* extents,
                           std::uint8_t* open) {
  const std::int64_t limit = most != nullptr ? *most : 0;
  const float bound = iou != nullptr ? *iou : 0.0f;
  Index picked = 0;
  for (Index b = 0; b < s.batch; ++b) {
    const float* batch_boxes = boxes + b * s.count * 4;
    for (Index c = 0; c < s.classes; ++c) {
      const float* score = scores + (b * s.classes + c) * s.count;
      for (Index i = 0; i < s.count; ++i)
        open[i] = score[i] == score[i] && (least == nullptr || score[i] > *least);
      for (std::int64_t round = 0; round < limit; ++round) {
        Index best = -1;
        for (Index i = 0; i < s.count; ++i)
          if (open[i] != 0 && (best < 0 || score[i] > score[best])) best = i;
        if (best < 0) break;
        if (picked == s.room) return Status::bad_shape;
        y[picked * 3] = b;
        y[picked * 3 + 1] = c;
        y[picked * 3 + 2] = best;
        ++picked;
        open[best] = 0;
        for (Index i = 0; i < s.count; ++i)
          if (open[i] != 0 &&
              overlap(batch_boxes + best * 4, batch_boxes + i * 4, s.centred) > bound)
            open[i] = 0;
      }
    }
  }
  extents[0] = picked;
  return Status::ok;
}

}  // namespace onnxc
