// Joins types and copies values of sequences and optionals.
#include "compiler/ops/sequence/container.hpp"
#include "compiler/kernels/sequence_calls.hpp"

namespace onnxc::ops {

Type join(Infer& n, const Type& a, const Type& b, const std::string& field) {
  if (a.vacant || a.kind == Type::Kind::unknown) return b;
  if (b.vacant || b.kind == Type::Kind::unknown) return a;
  n.require(a.kind == b.kind && a.elem == b.elem, field, "{} and {} do not go together",
            a.to_string(), b.to_string());
  if (a.element && b.element) {
    Type t = a;
    t.element = std::make_shared<const Type>(join(n, *a.element, *b.element, field));
    return t;
  }
  if (!a.shape || !b.shape || a.rank() != b.rank()) return Type::tensor(a.elem);
  Shape shape;
  for (std::size_t k = 0; k < a.rank(); ++k)
    shape.push_back((*a.shape)[k] == (*b.shape)[k] ? (*a.shape)[k] : n.unknown_extent());
  return Type::tensor(a.elem, shape);
}

void require_sequence(const NodeView& n) {
  const Type& x = n.input(0);
  n.require(x.kind == Type::Kind::sequence || x.kind == Type::Kind::unknown,
            "input 0 \"input_sequence\"", "is {}, no sequence", x.to_string());
}

Type member_type(Infer& n, const Type& container) {
  if (!container.element) return {};
  Type t = *container.element;
  t.vacant = false;
  if (t.shape)
    for (Dim& d : *t.shape)
      if (!d.is_const()) d = n.unknown_extent();
  return t;
}

void copy_joined(Lower& n, BufferId from, BufferId to) {
  Program& p = n.program();
  if (n.is_object(from) || n.is_object(to)) {
    // An object has its own dimensions at run time.
    if (n.is_object(from) && !n.is_object(to)) {
      const Shape shape = p.at(to).shape;
      n.call("value_extents", ValueExtentsShape<Dim>{rank_of(shape)}).read(from).extents(shape);
      if (!product(shape).is_const()) n.allocate(to);
      n.call("unbox_value").read(from).write(to);
      return;
    }
    return n.copy(from, to);
  }
  const Shape source = p.at(from).shape, target = p.at(to).shape;
  if (source.size() != target.size())
    n.unsupported("", fmt::format("{} in the place of {}", to_string(source), to_string(target)));
  std::vector<std::pair<Dim, Dim>> sizes;
  std::vector<Relation> relations;
  for (std::size_t k = 0; k < target.size(); ++k) {
    if (source[k] == target[k]) continue;
    if (target[k].as_symbol())
      sizes.emplace_back(target[k], source[k]);
    else
      relations.push_back({source[k], target[k], false});
  }
  n.check_sizes(std::move(relations));
  if (!sizes.empty()) {
    n.set_sizes(std::move(sizes));
    n.allocate(to);
  }
  n.copy(from, to);
}

void append(Lower& n, BufferId member, BufferId sequence) {
  if (n.is_object(member)) {
    n.call("sequence_append_value").read(member).write(sequence);
    return;
  }
  const Shape shape = n.program().at(member).shape;
  n.call("sequence_append", TensorDimsShape<Dim>{rank_of(shape), shape})
      .read(member)
      .write(sequence);
}

}  // namespace onnxc::ops
