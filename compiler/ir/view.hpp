// A strided view: the position of a tensor's elements in the memory of another one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/type.hpp"

namespace onnxc {

struct Value;

// Element [i, j, ...] is element offset + i * strides[0] + j * strides[1] ... of a tensor, counted
// in its row-major order. A broadcast axis has the stride 0.
struct View {
  Shape dims, strides;
  Dim offset = 0;

  std::size_t rank() const { return dims.size(); }
  std::string to_string() const;  // "view([2,N], [N,1], 4)": dims, strides, offset
};
bool operator==(const View& a, const View& b);

// A view of one value.
struct ValueView {
  Value* base = nullptr;
  View view;
};

// The strides of a dense row-major tensor.
Shape row_major(const Shape& dims);
// The identity view of a tensor.
View dense_view(const Shape& dims);
// Whether the elements are dense in row-major order. Axes of one element have any stride.
bool is_dense(const View& v);

// Axis i of the result is axis perm[i].
View transpose(const View& v, const std::vector<std::int64_t>& perm);
// `count` elements of an axis, from `start` on; neighbours are `step` apart.
View slice(View v, std::size_t axis, const Dim& start, const Dim& count, std::int64_t step = 1);
// One slice along an axis; the axis is removed.
View select(View v, std::size_t axis, const Dim& index);
// ONNX's broadcast to more or wider axes; nullopt if a dimension is neither equal nor 1.
std::optional<View> broadcast(const View& v, const Shape& dims);
// The elements in row-major order under another shape: axes split and merge. Nullopt if strides
// cannot express it.
std::optional<View> reshape(const View& v, const Shape& dims);

// Drops axes of one element and merges neighbours that are contiguous in every list of strides. The
// result may have no axes.
void collapse(Shape& dims, const std::vector<Shape*>& strides);

}  // namespace onnxc
