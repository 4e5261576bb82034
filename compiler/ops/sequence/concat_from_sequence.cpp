// ConcatFromSequence: concatenates the tensors of a sequence along one axis, or stacks them.
#include "compiler/ops/sequence/container.hpp"
#include "templates/sequence/sequence_calls.hpp"

namespace onnxc::ops::concat_from_sequence {
namespace {

void infer(Infer& n) {
  const Type& sequence = n.input(0);
  if (!sequence.element) return;
  const Type& member = *sequence.element;
  n.output(0, member.elem, std::nullopt);
  const bool stack = n.attr_int("new_axis") != 0;
  if (!member.shape) return;
  Shape shape(member.rank() + (stack ? 1 : 0), Dim(0));
  const std::size_t axis = n.axis(n.attr_int("axis"), shape.size(), "attribute \"axis\"");
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::size_t from = stack && k > axis ? k - 1 : k;
    const bool known = k != axis && (*member.shape)[from].is_const();
    shape[k] = known ? (*member.shape)[from] : n.unknown_extent();
  }
  n.output(0, member.elem, shape);
}

void lower(Lower& n) {
  const Shape& y = n.out_shape(0);
  const std::size_t axis = n.axis(n.attr_int("axis"), y.size(), "attribute \"axis\"");
  const bool stack = n.attr_int("new_axis") != 0;
  n.call("concat_sequence_extents",
         ConcatSequenceExtentsShape<Dim>{rank_of(y), static_cast<std::int64_t>(axis), stack})
      .in(0)
      .extents(y);
  n.call("concat_sequence",
         ConcatSequenceShape<Dim>{product(y, 0, axis), y[axis], product(y, axis + 1, y.size()),
                                  static_cast<std::int64_t>(axis), stack})
      .in(0)
      .out(0);
}

constexpr Op rows[] = {{
    .name = "ConcatFromSequence",
    .versions = "11",
    .inputs = "input_sequence:seq(T)",
    .outputs = "concat_result:T",
    .types = "T: classic",
    .attributes = "axis:int! new_axis:int=0",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::concat_from_sequence
