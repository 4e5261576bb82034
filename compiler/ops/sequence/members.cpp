// Derivatives by the members of sequences and optionals.
#include "compiler/ops/sequence/members.hpp"

#include "compiler/ops/control_flow/body.hpp"

namespace onnxc::ops {

Term map_members(NodeBuilder& b, const std::vector<Value*>& sequences,
                 const std::function<Term(NodeBuilder&, const std::vector<Value*>&)>& f) {
  auto body = std::make_shared<Graph>();
  body->parent = &b.graph();
  for (const Value* sequence : sequences)
    body->inputs.push_back(body->add_value(body->fresh_name("member"), *sequence->type.element));
  const auto inside = b.inside(*body);
  body->outputs = {f(*inside, body->inputs)};
  clear_inferred(*body);
  return b.emit("SequenceMap", sequences, {{"body", body}});
}

Term filled_members(NodeBuilder& b, double v, Value* like) {
  if (like->type.kind == Type::Kind::optional)
    return b.emit("Optional", {b.filled(v, b.emit("OptionalGetElement", {like}))});
  return map_members(b, {like}, [v](NodeBuilder& inside, const std::vector<Value*>& members) {
    return inside.filled(v, members[0]);
  });
}

Term sum_of_members(Term x, Term y) {
  NodeBuilder& b = *x.builder;
  if (x.type().kind == Type::Kind::optional)
    return b.emit("Optional",
                  {b.emit("OptionalGetElement", {x}) + b.emit("OptionalGetElement", {y})});
  return map_members(b, {x, y}, [](NodeBuilder& inside, const std::vector<Value*>& members) {
    return inside.term(members[0]) + inside.term(members[1]);
  });
}

}  // namespace onnxc::ops
