// Strided copies between tensors, for Concat, Split, Slice, Expand, Tile and Transpose.
#pragma once

#include "compiler/ir/view.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Element [i, j, ...] of the region is at from_offset + i * from[0] + j * from[1] ... of the source
// and likewise in the target. Strides count elements.
struct Region {
  Shape dims, from, to;
  Dim from_offset = 0, to_offset = 0;
};

// A plain copy of a dense tensor.
Region whole(const Shape& dims);
// Drops axes of extent 1 and merges axes that are contiguous on both sides; at least one axis
// remains.
Region collapsed(Region r);
bool is_dense(const Region& collapsed_region);  // contiguous on both sides

// Reorders the axes of `r` from the logical to the storage order.
Region in_layout(Region r, Layout layout);

// Adds the copy by the fastest kernel; nothing for an empty region.
void lower_region(Lower& n, const Region& r, BufferId source, BufferId target);
// The same for a target that only such copies write, each another part of it.
void lower_joined(Lower& n, const Region& r, BufferId source, BufferId target);
// Output i is a part of input j: a view where it is contiguous, else a copy.
void lower_part(Lower& n, const Region& r, std::size_t input, std::size_t output);

// The same for constants of any type; strings too.
void fold_region(const Region& r, const Tensor& source, std::vector<std::byte>& target);
Tensor fold_part(const Region& r, const Tensor& source, std::vector<std::int64_t> dims);

}  // namespace onnxc::ops
