// The attribute `reduction` and the gradient of scatter operators.
#include "compiler/ops/movement/scatter.hpp"

namespace onnxc::ops {

std::string scatter_op(const NodeView& n) {
  const std::string& how = n.attr_string("reduction");
  if (how == "none") return "ScatterOp::set";
  n.require(n.input(0).elem != ElemType::string, "attribute \"reduction\"",
            "strings can only replace each other");
  n.require(!is_complex(n.input(0).elem) || (how != "max" && how != "min"),
            "attribute \"reduction\"", "complex numbers have no order");
  for (const char* known : {"add", "mul", "max", "min"})
    if (how == known) return "ScatterOp::" + how;
  n.fail("attribute \"reduction\"", quoted(how) + " is none of none, add, mul, max, min");
}

namespace {

// The scatter and its gather for other tensors at the same indices.
struct AtIndices {
  const Gradient& n;
  const char* gather;

  Attributes axis() const {
    const auto found = n.find_int("axis");
    return found ? Attributes{{"axis", *found}} : Attributes{};
  }
  Term read(Term v) const { return n.emit(gather, {v, n.x(1)}, axis()); }
  Term write(Term to, Term updates, const char* reduction) const {
    Attributes attributes = axis();
    attributes["reduction"] = std::string(reduction);
    NodeBuilder& b = n.builder();
    return b.term(b.add(*n.node().op, {to, n.x(1), updates}, 1, std::move(attributes)).front());
  }
  Term zeros() const { return n.builder().filled(0, n.x(0)); }
};

// Of several updates of one element, the one that the result has.
void gradient_of_replacing(Gradient& n, const AtIndices& at) {
  const Term dy = n.dy();
  if (n.wants(0)) n.dx(0, at.write(dy, n.builder().filled(0, n.x(2)), "none"));
  if (!n.wants(2)) return;
  NodeBuilder& b = n.builder();
  const auto number = [&](std::int64_t v) { return b.term(b.constant(Tensor::scalar(v))); };
  const Term count = apply("Size", n.x(2));
  const Term own = b.reshape(n.emit("Range", {number(0), count, number(1)}), n.x(2));
  const Term none = n.emit("ConstantOfShape", {n.shape_of(n.x(0))},
                           {{"value", Tensor::ints(std::vector<std::int64_t>{-1})}});
  const Term won = at.read(at.write(none, own, "none")) == own;
  n.dx(2, choose(won, at.read(dy), 0.0));
}

// The product of the others is exact where factors are 0, too.
void gradient_of_product(Gradient& n, const AtIndices& at) {
  const Term dy = n.dy(), updates = n.x(2);
  const Term ones = n.builder().filled(1, n.x(0));
  if (n.wants(0)) n.dx(0, dy * at.write(ones, updates, "mul"));
  if (!n.wants(2)) return;
  const Term is_zero = updates == 0.0;
  const ElemType elem = updates.type().elem;
  const Term zeros = at.read(at.write(at.zeros(), convert(is_zero, elem), "add"));
  const Term product = at.read(at.write(ones, choose(is_zero, 1.0, updates), "mul"));
  const Term factor = choose(zeros == 0.0, product / choose(is_zero, 1.0, updates), 0.0);
  const Term others = choose(is_zero, choose(zeros == 1.0, product, 0.0), factor);
  n.dx(2, at.read(dy * n.x(0)) * others);
}

// Equals share the derivative.
void gradient_of_extremum(Gradient& n, const AtIndices& at) {
  const ElemType elem = n.y().type().elem;
  const Term kept = n.x(0) == n.y();
  const Term won = n.x(2) == at.read(n.y());
  const Term count = convert(kept, elem) + at.write(at.zeros(), convert(won, elem), "add");
  const Term share = n.dy() / count;
  n.dx(0, choose(kept, share, 0.0));
  if (n.wants(2)) n.dx(2, choose(won, at.read(share), 0.0));
}

}  // namespace

void gradient_of_scatter(Gradient& n, const char* gather) {
  const std::string& how = n.attr_string("reduction");
  const AtIndices at{n, gather};
  if (how == "none") return gradient_of_replacing(n, at);
  if (how == "mul") return gradient_of_product(n, at);
  if (how != "add") return gradient_of_extremum(n, at);
  n.dx(0, n.dy());
  if (n.wants(2)) n.dx(2, at.read(n.dy()));
}

}  // namespace onnxc::ops
