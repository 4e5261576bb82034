// ConcatFromSequence: concatenates the tensors of a sequence along one axis, or stacks them.
#include "compiler/kernels/sequence_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/sequence/container.hpp"
#include "compiler/ops/sequence/members.hpp"

namespace onnxc::ops::concat_from_sequence {
namespace {

void infer(Infer& n) {
  require_sequence(n);
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
  if (!n.output_value(0).type.has_rank())
    throw SymbolicExtent("the rank of the sequence's members has to be known; declare a shape");
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

// The parts of dy: of extent 1, or as long as the members are.
void gradient(Gradient& n) {
  const std::size_t rank = n.y().type().rank();
  const auto axis =
      static_cast<std::int64_t>(n.axis(n.attr_int("axis"), rank, "attribute \"axis\""));
  if (n.attr_int("new_axis") != 0)
    return n.dx(
        0, n.emit("SplitToSequence", {n.dy()}, {{"axis", axis}, {"keepdims", std::int64_t{0}}}));
  const Term extents =
      map_members(n.builder(), {n.x()}, [&](NodeBuilder& b, const std::vector<Value*>& members) {
        return b.emit("Gather", {b.shape_of(members[0]), b.ints({axis})});
      });
  const Term lengths = n.emit("ConcatFromSequence", {extents}, {{"axis", std::int64_t{0}}});
  n.dx(0, n.emit("SplitToSequence", {n.dy(), lengths}, {{"axis", axis}}));
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
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::concat_from_sequence
