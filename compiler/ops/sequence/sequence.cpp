// SequenceConstruct, SequenceEmpty, SequenceAt, SequenceInsert, SequenceErase and SequenceLength.
#include "compiler/kernels/sequence_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops::sequence {
namespace {

void infer_construct(Infer& n) {
  Type element = n.input(0);
  for (std::size_t i = 1; i < n.input_count(); ++i)
    element = join(n, element, n.input(i), fmt::format("input {}", i));
  n.output(0, Type::sequence(element));
}

// Also SequenceEmpty, which has no inputs.
void lower_construct(Lower& n) {
  n.call("sequence_empty").out(0);
  for (std::size_t i = 0; i < n.input_count(); ++i) append(n, n.in(i), n.out(0));
}

void infer_empty(Infer& n) {
  Type element = Type::tensor(n.attr_elem_type("dtype"));
  element.vacant = true;
  n.output(0, Type::sequence(element));
}

// One element of rank 1 has one meaning, too.
void check_position(Infer& n, std::size_t i) {
  if (!n.has_rank(i) || n.rank(i) == 0) return;
  const std::string field = fmt::format("input {} \"position\"", i);
  n.require(n.rank(i) == 1 && (!n.shape(i)[0].is_const() || n.shape(i)[0].is(1)), field,
            "is {}, needs one element", n.input(i).to_string());
  n.same(n.shape(i)[0], 1, field);
  n.warn("tolerated-node", field, fmt::format("is {}, no scalar", n.input(i).to_string()));
}

void infer_at(Infer& n) {
  require_sequence(n);
  check_position(n, 1);
  n.output(0, member_type(n, n.input(0)));
}

void lower_at(Lower& n) {
  const BufferId member = n.is_object(n.out(0)) ? n.out(0) : n.scratch_like(n.input(0), "member");
  n.call("sequence_at").in({0, 1}).write(member);
  if (member != n.out(0)) copy_joined(n, member, n.out(0));
}

void infer_insert(Infer& n) {
  require_sequence(n);
  check_position(n, 2);
  const Type& sequence = n.input(0);
  if (!sequence.element) return n.output(0, sequence);
  n.output(0, Type::sequence(join(n, *sequence.element, n.input(1), "input 1 \"tensor\"")));
}

void lower_insert(Lower& n) {
  const bool object = n.is_object(n.in(1));
  const Shape& x = n.shape(1);
  Call call = object ? n.call("sequence_insert_value")
                     : n.call("sequence_insert", TensorDimsShape<Dim>{rank_of(x), x});
  call.in({0, 1}).in(2, ElemType::int64).out(0);
}

void infer_erase(Infer& n) {
  require_sequence(n);
  check_position(n, 1);
  infer_like_first(n);
}

void lower_erase(Lower& n) { n.call("sequence_erase").in(0).in(1, ElemType::int64).out(0); }

void infer_length(Infer& n) {
  require_sequence(n);
  n.output(0, ElemType::int64, Shape{});
}

void lower_length(Lower& n) { n.call("sequence_length").in(0).out(0); }

// Operand i, a position in the sequence that is operand 0, counted from the front as int64; left
// out, it is the length of the sequence plus `otherwise`.
Term position_of(const Gradient& n, std::size_t i, std::int64_t otherwise) {
  const Term length = n.emit("SequenceLength", {n.x()});
  if (!n.has_input(i)) return length + n.builder().integer(otherwise);
  const Term zero = n.builder().integer(0);
  const Term at = n.emit("Reshape", {convert(n.x(i), ElemType::int64), n.list({})});
  return choose(at < zero, at + length, at);
}

void gradient_of_construct(Gradient& n) {
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (n.wants(i))
      n.dx(i, n.emit("SequenceAt", {n.dy(), n.builder().integer(static_cast<std::int64_t>(i))}));
}

// The sequence of zeros, with the derivative in the place of the member.
void gradient_of_at(Gradient& n) {
  const Term at = position_of(n, 1, 0);
  const Term others = n.emit("SequenceErase", {n.builder().filled(0, n.x()), at});
  n.dx(0, n.emit("SequenceInsert", {others, n.dy(), at}));
}

void gradient_of_insert(Gradient& n) {
  const Term at = position_of(n, 2, 0);
  if (n.wants(0)) n.dx(0, n.emit("SequenceErase", {n.dy(), at}));
  if (n.wants(1)) n.dx(1, n.emit("SequenceAt", {n.dy(), at}));
}

// The member that is gone has no influence.
void gradient_of_erase(Gradient& n) {
  const Term at = position_of(n, 1, -1);
  const Term member = n.emit("SequenceAt", {n.x(), at});
  n.dx(0, n.emit("SequenceInsert", {n.dy(), n.builder().filled(0, member), at}));
}

constexpr Op rows[] = {{.name = "SequenceConstruct",
                        .versions = "11",
                        .inputs = "inputs:T+",
                        .outputs = "output_sequence:seq(T)",
                        .types = "T: classic",
                        .infer = infer_construct,
                        .lower = lower_construct,
                        .gradient = gradient_of_construct},
                       {.name = "SequenceEmpty",
                        .versions = "11",
                        .inputs = "",
                        .outputs = "output:seq(T)",
                        .types = "T: classic",
                        .attributes = "dtype:int=1",
                        .infer = infer_empty,
                        .lower = lower_construct},
                       {.name = "SequenceAt",
                        .versions = "11",
                        .inputs = "input_sequence:seq(T) position:I",
                        .outputs = "tensor:T",
                        .types = "T: classic; I: int32 int64",
                        .infer = infer_at,
                        .lower = lower_at,
                        .gradient = gradient_of_at},
                       {.name = "SequenceInsert",
                        .versions = "11",
                        .inputs = "input_sequence:seq(T) tensor:T position:I?",
                        .outputs = "output_sequence:seq(T)",
                        .types = "T: classic; I: int32 int64",
                        .infer = infer_insert,
                        .lower = lower_insert,
                        .gradient = gradient_of_insert},
                       {.name = "SequenceErase",
                        .versions = "11",
                        .inputs = "input_sequence:seq(T) position:I?",
                        .outputs = "output_sequence:seq(T)",
                        .types = "T: classic; I: int32 int64",
                        .infer = infer_erase,
                        .lower = lower_erase,
                        .gradient = gradient_of_erase},
                       {.name = "SequenceLength",
                        .versions = "11",
                        .inputs = "input_sequence:seq(T)",
                        .outputs = "length:I",
                        .types = "T: classic; I: int64",
                        .infer = infer_length,
                        .lower = lower_length}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sequence
