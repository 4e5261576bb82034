// Positions in sequences count from the front or, below zero, from the end.
#include "compiler/ops/sequence/position.hpp"

namespace onnxc::ops {

Term position_of(const Gradient& n, std::size_t i, std::int64_t otherwise) {
  const Term length = n.emit("SequenceLength", {n.x()});
  if (!n.has_input(i)) return length + n.builder().integer(otherwise);
  const Term zero = n.builder().integer(0);
  const Term at = n.emit("Reshape", {convert(n.x(i), ElemType::int64), n.list({})});
  return choose(at < zero, at + length, at);
}

}  // namespace onnxc::ops
