// SequenceErase: a sequence without one of its tensors.
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops::sequence_erase {
namespace {

void lower(Lower& n) { n.call("sequence_erase").in(0).in(1, ElemType::int64).out(0); }

constexpr Op rows[] = {{
    .name = "SequenceErase",
    .versions = "11",
    .inputs = "input_sequence:seq(T) position:I?",
    .outputs = "output_sequence:seq(T)",
    .types = "T: classic; I: int32 int64",
    .infer = infer_like_first,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sequence_erase
