// Counts of multiply-accumulates by operator.
#include "compiler/ops/macs.hpp"

#include <algorithm>

namespace onnxc::ops {

std::optional<Dim> extent_product(const Value* v, std::size_t first) {
  if (!v || !v->type.has_rank()) return std::nullopt;
  const Shape& s = *v->type.shape;
  return product(s, std::min(first, s.size()), s.size());
}

const Value* value_at(const std::vector<Value*>& values, std::size_t i) {
  return i < values.size() ? values[i] : nullptr;
}

std::optional<Dim> transposed_convolution_macs(const Node& node) {
  const auto x = extent_product(value_at(node.inputs, 0)),
             filter = extent_product(value_at(node.inputs, 1), 1);
  return x && filter ? std::optional(*x * *filter) : std::nullopt;
}

std::optional<Dim> recurrent_macs(const Node& node) {
  const Value* x = value_at(node.inputs, 0);
  const auto w = extent_product(value_at(node.inputs, 1)),
             r = extent_product(value_at(node.inputs, 2));
  if (!w || !r || !x || !x->type.has_rank() || x->type.rank() != 3) return std::nullopt;
  return (*x->type.shape)[0] * (*x->type.shape)[1] * (*w + *r);
}

}  // namespace onnxc::ops
