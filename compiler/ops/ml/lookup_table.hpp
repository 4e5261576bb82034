// Sorted tables from keys to values, for operators that map elements by binary search.
#pragma once

#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Indices of the keys in sorted order, NaN last; of equal keys only the last.
std::vector<std::size_t> sorted_keys(const Tensor& keys);

// The chosen elements of a 1-D tensor, followed by the element of `rest`.
Tensor picked(const Tensor& t, const std::vector<std::size_t>& chosen,
              const Tensor* rest = nullptr);

// Maps each element of input 0 to its value, unknown ones to `fallback`.
void lower_lookup(Lower& n, const Tensor& keys, const Tensor& values, const Tensor& fallback);

}  // namespace onnxc::ops
