// SequenceMap: a subgraph applied to every member of one or more sequences.
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops::sequence_map {
namespace {

bool is_sequence(const NodeView& n, std::size_t i) {
  return n.input(i).kind == Type::Kind::sequence;
}

void infer(Infer& n) {
  Graph& body = n.attr_graph("body");
  n.require(body.inputs.size() == n.input_count(), "attribute \"body\"", "has {} inputs, needs {}",
            body.inputs.size(), n.input_count());
  n.require(body.outputs.size() >= n.output_count(), "attribute \"body\"",
            "has {} outputs, needs {}", body.outputs.size(), n.output_count());
  n.require(is_sequence(n, 0), "input 0 \"input_sequence\"", "is {}, no sequence",
            n.input(0).to_string());
  for (std::size_t i = 0; i < n.input_count(); ++i)
    body.inputs[i]->type = is_sequence(n, i) ? member_type(n, n.input(i)) : n.input(i);
  n.infer_body(body);
  for (std::size_t i = 0; i < n.output_count(); ++i)
    n.output(i, Type::sequence(body.outputs[i]->type));
}

// The member of this iteration, as the body's input.
BufferId take_member(Lower& n, std::size_t i, BufferId counter, const Value& inner) {
  const BufferId member = n.scratch_like(inner.type.has_rank() ? n.input(i) : inner.type, "member");
  n.call("sequence_at").in(i).read(counter).write(member);
  if (!inner.type.has_rank()) return member;
  const BufferId tensor = n.scratch_like(inner.type, "sample");
  copy_joined(n, member, tensor);
  return tensor;
}

void lower(Lower& n) {
  const Graph& body = n.attr_graph("body");
  const BufferId counter = n.scratch(ElemType::int64, 1, "iteration");
  const BufferId length = n.scratch(ElemType::int64, 1, "length");
  n.call("sequence_length").in(0).write(length);
  for (std::size_t i = 0; i < n.output_count(); ++i)
    if (n.has_output(i)) n.call("sequence_empty").out(i);
  n.open_loop(counter, length, -1);
  for (std::size_t i = 0; i < n.input_count(); ++i)
    n.bind(*body.inputs[i],
           is_sequence(n, i) ? take_member(n, i, counter, *body.inputs[i]) : n.in(i));
  n.lower_body(body);
  for (std::size_t i = 0; i < n.output_count(); ++i)
    if (n.has_output(i)) append(n, n.buffer_of(*body.outputs[i]), n.out(i));
  n.close();
}

constexpr Op rows[] = {{
    .name = "SequenceMap",
    .versions = "17",
    .inputs = "input_sequence:any additional_inputs:any~*",
    .outputs = "out_sequence:any~",
    .attributes = "body:graph!",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sequence_map
