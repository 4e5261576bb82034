// A gradient by the numbers of elements.
#include "compiler/ops/movement/moved_elements.hpp"

namespace onnxc::ops {

void gradient_of_moved_elements(Gradient& n) {
  if (!n.wants(0)) return;
  NodeBuilder& b = n.builder();
  const auto number = [&](std::int64_t v) { return b.term(b.constant(Tensor::scalar(v))); };
  const Term count = apply("Size", n.x());
  const Term all = b.reshape(n.emit("Range", {number(0), count, number(1)}), n.x());
  std::vector<Value*> inputs = n.node().inputs;
  inputs[0] = all;
  const Term numbers =
      b.term(b.add(*n.node().op, inputs, n.output_count(), n.node().attributes).front());
  const Term flat = n.list({-1});
  const Term zeros = n.emit("Reshape", {b.filled(0, n.x()), flat});
  const Term sum =
      n.emit("ScatterElements",
             {zeros, n.emit("Reshape", {numbers, flat}), n.emit("Reshape", {n.dy(), flat})},
             {{"axis", std::int64_t{0}}, {"reduction", std::string("add")}});
  n.dx(0, b.reshape(sum, n.x()));
}

}  // namespace onnxc::ops
