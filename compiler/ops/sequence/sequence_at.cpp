// SequenceAt: the member of a sequence at a position.
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops::sequence_at {
namespace {

void infer(Infer& n) { n.output(0, member_type(n, n.input(0))); }

void lower(Lower& n) {
  const BufferId member = n.is_object(n.out(0)) ? n.out(0) : n.scratch_like(n.input(0), "member");
  n.call("sequence_at").in({0, 1}).write(member);
  if (member != n.out(0)) copy_joined(n, member, n.out(0));
}

constexpr Op rows[] = {{
    .name = "SequenceAt",
    .versions = "11",
    .inputs = "input_sequence:seq(T) position:I",
    .outputs = "tensor:T",
    .types = "T: classic; I: int32 int64",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sequence_at
