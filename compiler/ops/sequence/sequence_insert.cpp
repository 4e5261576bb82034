// SequenceInsert: a sequence with one more tensor.
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops::sequence_insert {
namespace {

void infer(Infer& n) {
  const Type& sequence = n.input(0);
  if (!sequence.element) return n.output(0, sequence);
  n.output(0, Type::sequence(join(n, *sequence.element, n.input(1), "input 1 \"tensor\"")));
}

void lower(Lower& n) {
  const bool object = n.is_object(n.in(1));
  Call call = n.call(object ? "sequence_insert_value" : "sequence_insert").header("sequence");
  if (!object)
    call.dim("rank", static_cast<std::int64_t>(n.shape(1).size())).dims("dims", n.shape(1));
  call.in({0, 1}).in(2, ElemType::int64).out(0).fallible();
}

constexpr Op rows[] = {{
    .name = "SequenceInsert",
    .versions = "11",
    .inputs = "input_sequence:seq(T) tensor:T position:I?",
    .outputs = "output_sequence:seq(T)",
    .types = "T: classic; I: int32 int64",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sequence_insert
