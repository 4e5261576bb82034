// SequenceLength: the number of members of a sequence.
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops::sequence_length {
namespace {

void infer(Infer& n) { n.output(0, ElemType::int64, Shape{}); }

void lower(Lower& n) { n.call("sequence_length").in(0).out(0); }

constexpr Op rows[] = {{
    .name = "SequenceLength",
    .versions = "11",
    .inputs = "input_sequence:seq(T)",
    .outputs = "length:I",
    .types = "T: classic; I: int64",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sequence_length
