// SequenceInsert: a sequence with one more tensor.
#include "compiler/ops/sequence/container.hpp"
#include "compiler/ops/sequence/position.hpp"
#include "templates/sequence/sequence_calls.hpp"

namespace onnxc::ops::sequence_insert {
namespace {

void infer(Infer& n) {
  const Type& sequence = n.input(0);
  if (!sequence.element) return n.output(0, sequence);
  n.output(0, Type::sequence(join(n, *sequence.element, n.input(1), "input 1 \"tensor\"")));
}

void lower(Lower& n) {
  const bool object = n.is_object(n.in(1));
  const Shape& x = n.shape(1);
  Call call = object ? n.call("sequence_insert_value")
                     : n.call("sequence_insert", TensorDimsShape<Dim>{rank_of(x), x});
  call.in({0, 1}).in(2, ElemType::int64).out(0);
}

void gradient(Gradient& n) {
  const Term at = position_of(n, 2, 0);
  if (n.wants(0)) n.dx(0, n.emit("SequenceErase", {n.dy(), at}));
  if (n.wants(1)) n.dx(1, n.emit("SequenceAt", {n.dy(), at}));
}

constexpr Op rows[] = {{
    .name = "SequenceInsert",
    .versions = "11",
    .inputs = "input_sequence:seq(T) tensor:T position:I?",
    .outputs = "output_sequence:seq(T)",
    .types = "T: classic; I: int32 int64",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sequence_insert
