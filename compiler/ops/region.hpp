// Boxes of elements that move between tensors: what Concat, Split, Slice, Expand, Tile and
// Transpose have in common.
#pragma once

#include "compiler/ir/view.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Element [i, j, ...] of the box lies at from_offset + i * from[0] + j * from[1] ... of the source
// and likewise in the target. Strides count elements.
struct Region {
  Shape dims, from, to;
  Dim from_offset = 0, to_offset = 0;
};

// The whole tensor, onto itself.
Region whole(const Shape& dims);
// Drops axes of extent 1 and merges those that both sides walk as one; at least one axis remains.
Region collapsed(Region r);
bool is_dense(const Region& collapsed_region);  // one run of neighbours on both sides

// Moves the axes of every part of `r` from the logical to the storage order.
Region in_layout(Region r, Layout layout);

// One copy of the fastest kind; nothing for an empty box.
void lower_region(Lower& n, const Region& r, BufferId source, BufferId target);
// Output i is a part of input j: a view where its bytes lie together, else a copy.
void lower_part(Lower& n, const Region& r, std::size_t input, std::size_t output);

// The same for constants of any type; strings too.
void fold_region(const Region& r, const Tensor& source, std::vector<std::byte>& target);
Tensor fold_part(const Region& r, const Tensor& source, std::vector<std::int64_t> dims);

}  // namespace onnxc::ops
