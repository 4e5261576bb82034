// A strided view: how elements of a tensor lie in the memory of another one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/type.hpp"

namespace onnxc {

struct Value;

// Element [i, j, ...] is element offset + i * strides[0] + j * strides[1] ... of a tensor, counted
// in its row-major order. An axis that is broadcast has the stride 0.
struct View {
  Shape dims, strides;
  Dim offset = 0;

  std::size_t rank() const { return dims.size(); }
  std::string to_string() const;  // "view([2,N], [N,1], 4)": dims, strides, offset
};
bool operator==(const View& a, const View& b);

// A view of a particular value.
struct ValueView {
  Value* base = nullptr;
  View view;
};

// The strides of a tensor whose elements lie together, the last axis innermost.
Shape row_major(const Shape& dims);
// A tensor in its own order.
View dense_view(const Shape& dims);
// Whether the elements lie together in row-major order. Axes of extent 1 have any stride.
bool is_dense(const View& v);

// Axis i of the result is axis perm[i].
View transpose(const View& v, const std::vector<std::int64_t>& perm);
// `count` elements of an axis, from `start` on; neighbours are `step` apart.
View slice(View v, std::size_t axis, const Dim& start, const Dim& count, std::int64_t step = 1);
// One slice along an axis, without this axis.
View select(View v, std::size_t axis, const Dim& index);
// ONNX's broadcast to more or wider axes; nullopt where an extent is neither equal nor 1.
std::optional<View> broadcast(const View& v, const Shape& dims);
// The elements in row-major order under another shape: axes split and merge. Nullopt where strides
// cannot express it.
std::optional<View> reshape(const View& v, const Shape& dims);

// Drops axes of extent 1 and merges neighbours that every list of strides walks as one. May leave
// no axis at all.
void collapse(Shape& dims, const std::vector<Shape*>& strides);

}  // namespace onnxc
