// SequenceMap: a subgraph applied to every member of one or more sequences.
#include "compiler/ir/clone.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/ops/control_flow/body.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/random/seed.hpp"
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
    body.inputs[i]->type = with_declared_rank(
        n, is_sequence(n, i) ? member_type(n, n.input(i)) : n.input(i), *body.inputs[i]);
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

// Another input, in every iteration: the body may declare the rank that it lacks.
BufferId whole_input(Lower& n, std::size_t i, const Value& inner) {
  if (!n.is_object(n.in(i)) || !inner.type.has_rank()) return n.in(i);
  const BufferId tensor = n.scratch_like(inner.type, "input");
  copy_joined(n, n.in(i), tensor);
  return tensor;
}

void lower(Lower& n) {
  const Graph& body = n.attr_graph("body");
  const BufferId counter = n.scratch(ElemType::int64, 1, "iteration");
  const BufferId length = n.scratch(ElemType::int64, 1, "length");
  n.call("sequence_length").in(0).write(length);
  for (std::size_t i = 0; i < n.output_count(); ++i)
    if (n.has_output(i)) n.call("sequence_empty").out(i);
  std::vector<BufferId> inputs;
  for (std::size_t i = 0; i < n.input_count(); ++i)
    inputs.push_back(is_sequence(n, i) ? -1 : whole_input(n, i, *body.inputs[i]));
  n.open_loop(counter, length, -1);
  for (std::size_t i = 0; i < n.input_count(); ++i)
    n.bind(*body.inputs[i],
           is_sequence(n, i) ? take_member(n, i, counter, *body.inputs[i]) : inputs[i]);
  n.lower_body(body);
  for (std::size_t i = 0; i < n.output_count(); ++i)
    if (n.has_output(i)) append(n, n.buffer_of(*body.outputs[i]), n.out(i));
  n.close();
}

// The sum of sequences, the members of `parts`, in a loop.
Term sum_of_sequences(const Gradient& n, Term parts, Value* like) {
  NodeBuilder& b = n.builder();
  auto body = std::make_shared<Graph>();
  body->parent = &b.graph();
  const auto input = [&](const char* name, Type type) {
    return body->inputs.emplace_back(body->add_value(body->fresh_name(name), std::move(type)));
  };
  Value* const number = input("number", Type::tensor(ElemType::int64, Shape{}));
  Value* const runs = input("runs", Type::tensor(ElemType::boolean, Shape{}));
  Value* const sum = input("sum", like->type);
  const auto inside = b.inside(*body);
  const Term next = inside->term(sum) + inside->emit("SequenceAt", {parts, number});
  body->outputs = {inside->emit("Identity", {runs}), next};
  clear_inferred(*body);
  const Term count = n.emit("SequenceLength", {parts});
  return n.emit("Loop", {count, nullptr, b.filled(0, like)}, {{"body", body}});
}

// The derivatives by values that every iteration reads come as sequences, too, and are summed.
// With a zero in front: there may be no iteration.
Term sum_of_iterations(const Gradient& n, Term parts, Value* like) {
  if (!like->type.is_tensor()) return sum_of_sequences(n, parts, like);
  const Term zero = n.builder().filled(0, like), front = n.builder().integer(0);
  const Attributes stacked = {{"axis", std::int64_t{0}}, {"new_axis", std::int64_t{1}}};
  const Term all = n.emit("SequenceInsert", {parts, zero, front});
  return sum_over(n.emit("ConcatFromSequence", {all}, stacked), {0}, false);
}

// The map of a body that computes its results again, and from the members of dy the derivatives.
class ReverseMap {
 public:
  explicit ReverseMap(Gradient& n) : n_(n) {
    Graph& forward = n.attr_graph("body");
    keep_streams(forward);
    body_ = copy_graph(forward, n.builder().graph(), {});
    for (std::size_t i = 0; i < n.input_count(); ++i) operands_.push_back(n.x(i));
  }

  void run() {
    const std::vector<Value*> results = body_->outputs;
    for (std::size_t i = 0; i < body_->inputs.size(); ++i)
      if (n_.wants(i)) add(*operands_[i], body_->inputs[i], is_sequence(n_, i));
    for (Value* v : captured_values(n_.node()))
      if (n_.wants(*v)) add(*v, v, false);
    const auto inside = n_.builder().inside(*body_);
    std::vector<Cotangent> cotangents;
    for (std::size_t i = 0; i < results.size(); ++i)
      if (n_.has_dy(i)) cotangents.push_back({results[i], new_operand(n_.dy(i))});
    std::vector<Value*> gradients = inside->vjp(cotangents, xs_);
    for (std::size_t i = 0; i < xs_.size(); ++i)
      if (!gradients[i]) gradients[i] = inside->filled(0, xs_[i]);
    body_->outputs = gradients;
    finish();
  }

 private:
  void add(const Value& wanted, Value* inner, bool is_member) {
    wanted_.push_back(&wanted);
    xs_.push_back(inner);
    is_member_.push_back(is_member);
  }

  Value* new_operand(Term sequence) {
    operands_.push_back(sequence);
    body_->inputs.push_back(body_->add_value(body_->fresh_name("grad"), *sequence.type().element));
    return body_->inputs.back();
  }

  void finish() {
    clear_inferred(*body_);
    const auto parts =
        n_.builder().add(get("SequenceMap"), operands_, xs_.size(), {{"body", body_}});
    for (std::size_t i = 0; i < xs_.size(); ++i) {
      const Term part = n_.builder().term(parts[i]);
      Value* const like = const_cast<Value*>(wanted_[i]);
      n_.dx_of(*wanted_[i], is_member_[i] ? part : sum_of_iterations(n_, part, like));
    }
  }

  Gradient& n_;
  std::shared_ptr<Graph> body_;
  std::vector<Value*> operands_, xs_;
  std::vector<const Value*> wanted_;
  std::vector<bool> is_member_;
};

void gradient(Gradient& n) { ReverseMap(n).run(); }

constexpr Op rows[] = {{
    .name = "SequenceMap",
    .versions = "17",
    .inputs = "input_sequence:any additional_inputs:any~*",
    .outputs = "out_sequence:any~",
    .attributes = "body:graph!",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sequence_map
