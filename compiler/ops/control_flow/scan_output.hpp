// Collects the slices of a scan output of Loop and Scan.
#pragma once

#include <optional>

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Whether inputs or earlier steps set all symbols of the shape.
bool is_size_known(Lower& n, const Shape& shape);

// Whether an output is a tape: the sequence of all slices, which may be of any type and may differ
// in their shapes. The backward loop reads its state there.
bool is_tape(const NodeView& n, std::size_t output);
void make_tape(Node& node, std::size_t output);

// An attribute of the Scan that computes the derivative of a loop: its state may change shape, as
// that of the loop does.
inline constexpr const char* kReversed = "reversed_loop";

// One scan output while its loop is lowered. If memory for all slices can be allocated before the
// loop, slices are stored in place. If only the first slice has the size, a buffer grows. If the
// rank is not fixed either, a sequence collects them.
class ScanOutput {
 public:
  // Call before the loop is opened. `slice`: the type of the body's result. `capacity`: a shape
  // that holds all slices, when memory for it can be allocated now.
  ScanOutput(Lower& n, std::size_t output, const Type& slice, std::optional<Shape> capacity,
             std::size_t axis = 0, bool reverse = false);
  void add(Lower& n, BufferId slice, BufferId counter) const;  // at the end of the body
  void finish(Lower& n) const;                                 // after the loop

 private:
  Shape element(Lower& n) const;
  void put(Lower& n, BufferId slice, BufferId counter) const;
  void grow(Lower& n, BufferId slice, BufferId counter) const;
  void copy_in_order(Lower& n) const;
  void stack(Lower& n) const;

  std::size_t output_, axis_;
  bool reverse_;
  std::optional<Shape> capacity_;
  BufferId collected_ = -1;  // memory that grows, or the sequence
  bool in_sequence_ = false, is_tape_ = false;
};

}  // namespace onnxc::ops
