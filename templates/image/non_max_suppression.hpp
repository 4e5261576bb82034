// non_max_suppression.hpp - greedy selection of boxes by score, without those that overlap a
// selected one.
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

// Whether box a comes before box b: by score, then by index.
inline bool scores_higher(const float* score, std::int64_t a, std::int64_t b) {
  return score[a] > score[b] || (score[a] == score[b] && a < b);
}

// Sinks the box at `at` of a heap of which the parts below are in order.
inline void sink_box(const float* score, std::int64_t* heap, Index size, Index at) {
  const std::int64_t box = heap[at];
  while (at < size / 2) {
    Index child = 2 * at + 1;
    if (child + 1 < size && scores_higher(score, heap[child + 1], heap[child])) ++child;
    if (!scores_higher(score, heap[child], box)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = box;
}

// Puts the boxes that score enough into a heap, the best at its top; how many they are.
template <class S>
Index heap_boxes(const S& s, const float* score, const float* least, std::int64_t* heap) {
  Index size = 0;
  for (Index i = 0; i < s.count; ++i) {
    if (score[i] == score[i] && (least == nullptr || score[i] > *least)) heap[size++] = i;
  }
  for (Index i = size / 2; i-- > 0;) sink_box(score, heap, size, i);
  return size;
}

// boxes: [batch, count, 4], scores: [batch, classes, count], y: [capacity, 3] of batch, class, box,
// with extents[0] used; scratch heap: [count]. most, iou, least (null: 0, 0, none) are scalars. s:
// batch, classes, count, capacity, centred.
template <class S>
Status non_max_suppression(S s, const float* boxes, const float* scores, const std::int64_t* most,
                           const float* iou, const float* least, std::int64_t* y, Index* extents,
                           std::int64_t* heap) {
  const std::int64_t limit = most != nullptr ? *most : 0;
  const float bound = iou != nullptr ? *iou : 0.0f;
  Index picked = 0;
  for (Index b = 0; b < s.batch; ++b) {
    const float* batch_boxes = boxes + b * s.count * 4;
    for (Index c = 0; c < s.classes; ++c) {
      const float* score = scores + (b * s.classes + c) * s.count;
      const Index first = picked;
      for (Index size = heap_boxes(s, score, least, heap); size > 0 && picked - first < limit;
           --size) {
        const std::int64_t best = heap[0];
        heap[0] = heap[size - 1];
        sink_box(score, heap, size - 1, 0);
        const auto hides = [&](Index i) {
          return overlap(batch_boxes + y[i * 3 + 2] * 4, batch_boxes + best * 4, s.centred) > bound;
        };
        Index i = first;
        while (i < picked && !hides(i)) ++i;
        if (i < picked) continue;
        if (picked == s.capacity) return Status::bad_shape;
        y[picked * 3] = b;
        y[picked * 3 + 1] = c;
        y[picked * 3 + 2] = best;
        ++picked;
      }
    }
  }
  extents[0] = picked;
  return Status::ok;
}

}  // namespace onnxc
