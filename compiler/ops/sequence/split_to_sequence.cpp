// SplitToSequence: the parts of a tensor along one axis, as a sequence.
#include "compiler/kernels/sequence_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops::split_to_sequence {
namespace {

constexpr const char* kSplit = "input 1 \"split\"";

bool keeps_axis(const NodeView& n) { return n.has_input(1) || n.attr_int("keepdims") != 0; }

// A scalar is the length of every part, the last one may be shorter.
void check_split(const Infer& n, const Dim& extent) {
  if (n.has_rank(1)) n.require(n.rank(1) <= 1, kSplit, "has rank {}, not 0 or 1", n.rank(1));
  const auto given = n.ints(1);
  if (!given || !n.has_rank(1)) return;
  if (n.rank(1) == 0) return n.at_least((*given)[0], 1, kSplit);
  Dim sum = 0;
  for (std::int64_t length : *given) {
    n.at_least(length, 0, kSplit);
    sum = sum + length;
  }
  n.require(!extent.is_const() || sum == extent, kSplit, "lengths add up to {}, the axis has {}",
            sum.to_string(), extent.to_string());
}

void infer(Infer& n) {
  Type element = Type::tensor(n.elem(0));
  if (n.has_rank(0)) {
    Shape shape = n.shape(0);
    const std::size_t axis = n.axis(n.attr_int("axis"), shape.size(), "attribute \"axis\"");
    check_split(n, shape[axis]);
    if (!keeps_axis(n))
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    else
      shape[axis] = n.has_input(1) ? n.unknown_extent() : Dim(1);
    element.shape = shape;
  }
  n.output(0, Type::sequence(element));
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const std::size_t axis = n.axis(n.attr_int("axis"), x.size(), "attribute \"axis\"");
  const bool given = n.has_input(1);
  Call call = n.call("split_to_sequence",
                     SplitToSequenceShape<Dim>{.rank = rank_of(x),
                                               .dims = x,
                                               .axis = static_cast<std::int64_t>(axis),
                                               .outer = product(x, 0, axis),
                                               .extent = x[axis],
                                               .inner = product(x, axis + 1, x.size()),
                                               .count = given ? product(n.shape(1)) : Dim(1),
                                               .equal = !given || n.shape(1).empty(),
                                               .keep = keeps_axis(n)});
  call.in(0);
  if (given)
    call.in(1);
  else
    call.read(n.constant(Tensor::scalar(std::int64_t{1}), "one"));
  call.out(0);
}

void gradient(Gradient& n) {
  n.dx(0, n.emit("ConcatFromSequence", {n.dy()},
                 {{"axis", n.attr_int("axis")}, {"new_axis", std::int64_t{!keeps_axis(n)}}}));
}

constexpr Op rows[] = {{
    .name = "SplitToSequence",
    .versions = "11 24",
    .inputs = "input:T split:I?",
    .outputs = "output_sequence:seq(T)",
    .types = "T: all; I: int32 int64",
    .attributes = "axis:int=0 keepdims:int=1",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::split_to_sequence
