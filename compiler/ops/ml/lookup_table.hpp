// Tables from keys to values, for operators that map elements: sorted, for a binary search.
#pragma once

#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// The numbers of the keys in their order, NaN last; of equal ones the last alone.
std::vector<std::size_t> sorted_keys(const Tensor& keys);

// The chosen elements of a 1-D tensor, and the one of `rest` behind them.
Tensor picked(const Tensor& t, const std::vector<std::size_t>& chosen,
              const Tensor* rest = nullptr);

// Output 0 has the value of each element of input 0, or that of `fallback` for unknown ones.
void lower_lookup(Lower& n, const Tensor& keys, const Tensor& values, const Tensor& fallback);

}  // namespace onnxc::ops
