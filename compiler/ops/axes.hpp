// How the axes of an operator's operands belong together: the loops of the operation that several
// devices may share. From the rules of ONNX's sharding proposal (0007), and more of the same kind.
#pragma once

#include <functional>
#include <map>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"

namespace onnxc::ops {

// The loops of one node. A loop that is parallel may be cut into parts, and each device computes
// its part of the results. Cut along a reducing loop, devices have partial results, which an
// all-reduce joins.
class Axes : public NodeView {
 public:
  // whole: never cut. any_part: each part gives the same result, such as an element type or a rank.
  enum class Kind { parallel, sum, product, max, min, whole, any_part };
  struct Loop {
    Kind kind = Kind::parallel;
    Dim extent;
  };
  // Input positions that output positions [low, high) of a loop read: from low * stride - before up
  // to (high - 1) * stride - before + reach.
  struct Window {
    std::int64_t stride = 1, before = 0, reach = 1;
  };
  // By axis, the loops that it runs over, the last one varying fastest. Empty: it must be whole.
  using Operand = std::vector<std::vector<int>>;

  explicit Axes(const Node& node);

  // A loop over an axis, or over part of it; its number.
  int loop(const Dim& extent, Kind kind = Kind::parallel);
  void input(std::size_t i, std::size_t axis, std::vector<int> over) {
    inputs_[i][axis] = std::move(over);
  }
  void output(std::size_t i, std::size_t axis, std::vector<int> over) {
    outputs_[i][axis] = std::move(over);
  }
  // The axis of the input is read through a window that slides with the loop.
  void window(std::size_t i, std::size_t axis, int over, Window w);

  bool ranked(std::size_t i) const { return has_input(i) && this->input(i).has_rank(); }
  using NodeView::input;
  const Shape& shape(std::size_t i) const { return *this->input(i).shape; }
  std::size_t rank(std::size_t i) const { return this->input(i).rank(); }
  const Shape& out_shape(std::size_t i) const { return *output_value(i).type.shape; }
  std::size_t out_rank(std::size_t i) const { return out_shape(i).size(); }

  // One parallel loop for each axis of input 0 and output 0, but not for those from `first` up to,
  // not including, `last`.
  void same_but(std::size_t first, std::size_t last);

  const std::vector<Loop>& loops() const { return loops_; }
  const std::vector<Operand>& inputs() const { return inputs_; }
  const std::vector<Operand>& outputs() const { return outputs_; }
  const Window* window_of(std::size_t i, std::size_t axis) const;

  // A device's copy of the node, when loops are cut.
  struct Part {
    Node& node;
    GraphEditor& editor;                      // adds nodes at the end of the graph
    std::vector<Dim> extents;                 // of the loops, on this device
    std::vector<std::pair<Dim, Dim>> ranges;  // [low, high) of the loops
    const Axes& whole;
    std::vector<Value*> inputs;  // also those that only `finish` reads
    bool cut(int loop) const;
    // Input i becomes a constant list of integers.
    void set_ints(std::size_t i, const std::vector<std::int64_t>& list);
    // The extents of the part of output 0; -1 for a dynamic one.
    std::vector<std::int64_t> output_extents() const;
    // Input i, a shape, becomes that of the part of output 0. The dynamic extent of an axis that is
    // cut becomes 1, to which input 0 expands.
    void set_extents(std::size_t i);
    // The extents for Reshape, which may copy extents of the input.
    std::vector<std::int64_t> extents_for_reshape() const;
    // New nodes: sum + factor * addend, value * factor.
    Value* add_scaled(Value* sum, Value* addend, float factor);
    Value* scaled(Value* value, double factor);
    // A vector with `count` axes of extent 1 after it.
    Value* with_trailing_axes(Value* vector, std::size_t count);
    // The shape of the part of input 0, with the extents of the whole where it is cut.
    Value* with_whole_extents(Value* shape);
    // A shape with other extents where they are known.
    using Extents = std::vector<std::optional<std::int64_t>>;
    Value* with_extents(Value* shape, const Extents& known);
  };
  // Adapts what the node says of extents: attributes and shape inputs.
  std::function<void(Part&)> adapt;
  // What a device gives to the all-reduce: gets output 0. Called where a reducing loop is cut.
  std::function<Value*(Part&, Value*)> partial;
  // What follows the all-reduce, such as an addend that must not be added by every device: gets
  // output 0 as reduced, returns the result. Called where a loop is cut.
  std::function<Value*(Part&, Value*)> finish;

 private:
  std::vector<Loop> loops_;
  std::vector<Operand> inputs_, outputs_;
  std::map<std::pair<std::size_t, std::size_t>, Window> windows_;
};

inline bool reduces(Axes::Kind kind) {
  return kind == Axes::Kind::sum || kind == Axes::Kind::product || kind == Axes::Kind::max ||
         kind == Axes::Kind::min;
}

// Ready-made rules.
void axes_broadcast(Axes& n);   // all inputs broadcast to output 0
void axes_like_first(Axes& n);  // the axes of output 0 are those of input 0; other inputs whole
// The axis of the attribute "axis" is whole in input 0 and in all outputs.
void axes_but_one(Axes& n);
// The same for that axis and those after it.
void axes_before(Axes& n);
// Input i broadcasts to input 0, whose loops are there.
void axes_broadcast_to_first(Axes& n, std::size_t i);
// Output 0 has the elements of input 0 in the same order.
void axes_regrouped(Axes& n);
// NumPy's product of inputs a and b; `sums`: devices may have partial sums.
void axes_matmul(Axes& n, std::size_t a, std::size_t b, bool sums = true);
// Inputs 1 and 2 are scale and zero point, of the whole or along the attribute "axis".
void axes_quantized(Axes& n);
// Recurrent operators: the batch.
void axes_recurrent(Axes& n);
// Output 0 is [N, C, 1, ...]: of parts of a plane, devices have results of this kind.
void axes_of_planes(Axes& n, Axes::Kind kind);
// Where output 0 is a mean: of each device that of its part, times its share of the elements. A sum
// of all elements might not fit the type.
void join_means(Axes& n);

}  // namespace onnxc::ops
