// How Loop and Scan put the slices of a scan output together.
#pragma once

#include <optional>

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Whether the inputs or earlier steps tell all extents.
bool is_told(Lower& n, const Shape& shape);

// One scan output while its loop is lowered. Where there is room for all slices before the loop
// starts they are put in their places; where the first slice tells their size, memory grows; where
// not even their rank is fixed, a sequence collects them.
class ScanOutput {
 public:
  // Call before the loop is opened. `slice`: the type of the body's result. `room`: the shape that
  // all slices fit in, when memory for it can be taken now.
  ScanOutput(Lower& n, std::size_t output, const Type& slice, std::optional<Shape> room,
             std::size_t axis = 0, bool reverse = false);
  void add(Lower& n, BufferId slice, BufferId counter) const;  // at the end of the body
  void finish(Lower& n) const;                                 // behind the loop

 private:
  Shape element(Lower& n) const;
  void put(Lower& n, BufferId slice, BufferId counter) const;
  void grow(Lower& n, BufferId slice, BufferId counter) const;
  void turn(Lower& n) const;
  void stack(Lower& n) const;

  std::size_t output_, axis_;
  bool reverse_;
  std::optional<Shape> room_;
  BufferId collected_ = -1;  // memory that grows, or the sequence
  bool listed_ = false;
};

}  // namespace onnxc::ops
