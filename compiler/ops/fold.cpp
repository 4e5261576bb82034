// Which results are worth folding, and the construction of tensors.
#include "compiler/ops/fold.hpp"

#include "compiler/support/checked.hpp"

namespace onnxc::ops {

TensorBuilder::TensorBuilder(ElemType elem, std::vector<std::int64_t> dims)
    : elem_(elem),
      dims_(std::move(dims)),
      size_(checked_product(dims_)),
      bytes_(static_cast<std::size_t>(
          checked_mul(size_, static_cast<std::int64_t>(elem_bytes(elem))))) {}

bool worth_folding(const Fold& n) {
  if (n.out_elem(0) == ElemType::string) return false;
  constexpr std::int64_t kAlwaysWorth = 64 << 20;
  const auto bytes_of = [](std::int64_t count, ElemType elem) {
    return checked_mul(count, static_cast<std::int64_t>(elem_bytes(elem)));
  };
  std::int64_t from = 0;
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (n.has_input(i)) from = checked_add(from, bytes_of(n.in(i).size(), n.in(i).elem()));
  const std::int64_t to = bytes_of(checked_product(n.out_dims(0)), n.out_elem(0));
  return to <= kAlwaysWorth || to / 2 <= from;
}

}  // namespace onnxc::ops
