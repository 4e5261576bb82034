// Counts of multiply-accumulates for the rows of operators (Op::macs).
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/op.hpp"

namespace onnxc::ops {

// Product of dimensions [first, end) of a value's shape; nullopt while the shape is unknown.
std::optional<Dim> extent_product(const Value* v, std::size_t first = 0);
// An input or output of a node; null where it is left out.
const Value* value_at(const std::vector<Value*>& values, std::size_t i);

// A convolution whose weights, [out_c, in_c / group, kernel...], are input W: every element of the
// result reads one filter.
template <std::size_t W>
std::optional<Dim> convolution_macs(const Node& node) {
  const auto out = extent_product(value_at(node.outputs, 0)),
             filter = extent_product(value_at(node.inputs, W), 1);
  return out && filter ? std::optional(*out * *filter) : std::nullopt;
}

// A transposed convolution of weights [in_c, out_c / group, kernel...]: every element of X is
// multiplied by one filter.
std::optional<Dim> transposed_convolution_macs(const Node& node);

// A matrix product of input A, [..., m, k] or [k, m] under transA: every element of the result sums
// k products.
template <std::size_t A>
std::optional<Dim> matmul_macs(const Node& node) {
  const Value* a = value_at(node.inputs, A);
  const auto out = extent_product(value_at(node.outputs, 0));
  if (!out || !a || !a->type.has_rank() || a->type.rank() == 0) return std::nullopt;
  const Attribute* trans = node.find("transA");
  const bool transposed = trans && std::get<std::int64_t>(*trans) != 0;
  return *out * (transposed ? a->type.shape->front() : a->type.shape->back());
}

// LSTM, GRU and RNN: every time step multiplies by W, [directions, gates * hidden, inputs], and R.
std::optional<Dim> recurrent_macs(const Node& node);

}  // namespace onnxc::ops
