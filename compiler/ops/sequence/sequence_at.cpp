// SequenceAt: the member of a sequence at a position.
#include "compiler/ops/sequence/container.hpp"
#include "compiler/ops/sequence/position.hpp"

namespace onnxc::ops::sequence_at {
namespace {

void infer(Infer& n) { n.output(0, member_type(n, n.input(0))); }

void lower(Lower& n) {
  const BufferId member = n.is_object(n.out(0)) ? n.out(0) : n.scratch_like(n.input(0), "member");
  n.call("sequence_at").in({0, 1}).write(member);
  if (member != n.out(0)) copy_joined(n, member, n.out(0));
}

// The sequence of zeros, with the derivative in the place of the member.
void gradient(Gradient& n) {
  const Term at = position_of(n, 1, 0);
  const Term others = n.emit("SequenceErase", {n.builder().filled(0, n.x()), at});
  n.dx(0, n.emit("SequenceInsert", {others, n.dy(), at}));
}

constexpr Op rows[] = {{
    .name = "SequenceAt",
    .versions = "11",
    .inputs = "input_sequence:seq(T) position:I",
    .outputs = "tensor:T",
    .types = "T: classic; I: int32 int64",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sequence_at
