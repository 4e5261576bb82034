// SequenceErase: a sequence without one of its tensors.
#include "compiler/ops/sequence/container.hpp"
#include "compiler/ops/sequence/position.hpp"

namespace onnxc::ops::sequence_erase {
namespace {

void lower(Lower& n) { n.call("sequence_erase").in(0).in(1, ElemType::int64).out(0); }

// The member that is gone has no influence.
void gradient(Gradient& n) {
  const Term at = position_of(n, 1, -1);
  const Term member = n.emit("SequenceAt", {n.x(), at});
  n.dx(0, n.emit("SequenceInsert", {n.dy(), n.builder().filled(0, member), at}));
}

constexpr Op rows[] = {{
    .name = "SequenceErase",
    .versions = "11",
    .inputs = "input_sequence:seq(T) position:I?",
    .outputs = "output_sequence:seq(T)",
    .types = "T: classic; I: int32 int64",
    .infer = infer_like_first,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sequence_erase
