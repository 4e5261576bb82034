#include "compiler/ops/fold.hpp"

#include "compiler/support/checked.hpp"

namespace onnxc::ops {

TensorBuilder::TensorBuilder(ElemType elem, std::vector<std::int64_t> dims)
    : elem_(elem),
      dims_(std::move(dims)),
      size_(checked_product(dims_)),
      bytes_(static_cast<std::size_t>(
          checked_mul(size_, static_cast<std::int64_t>(elem_bytes(elem))))) {}

}  // namespace onnxc::ops
