// What the Reduce operators share: which axes go, and the call of the kernel.
#pragma once

#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/region.hpp"

#include "templates/reduction/reduce.hpp"

namespace onnxc::ops {

void upgrade_reduce(Upgrade& u);
void infer_reduce(Infer& n);
// `op` is the name of a template in reduce_op.
void lower_reduce(Lower& n, const std::string& op);
LayoutRule layout_reduce(const Node& node);

// The axes that go, sorted; nullopt when only the run tells.
std::optional<std::vector<std::size_t>> reduced_axes(const NodeView& n, std::size_t rank);

// Kept axes first, reduced ones last.
Tensor with_reduced_last(const Tensor& x, const std::vector<std::size_t>& axes);

struct FoldReduce {
  Index kept[1], kept_strides[1], reduced[1], reduced_strides[1], count;
};

template <template <class> class Op>
void fold_reduce(Fold& n) {
  const auto axes = reduced_axes(n, n.in(0).dims().size());
  if (!axes || !worth_folding(n)) return;
  const Tensor x = with_reduced_last(n.in(0), *axes);
  with_any(x.elem(), [&](auto tag) {
    using T = decltype(tag);
    if constexpr (sizeof(T) > 1 || std::is_integral_v<T>) {
      TensorBuilder y(x.elem(), n.out_dims(0));
      std::int64_t count = 1;
      for (std::size_t a : *axes) count *= n.in(0).dims()[a];
      const FoldReduce s{{y.size()}, {count}, {count}, {1}, count};
      onnxc::reduce<Op, 1, 1>(s, x.as<T>().data(), y.template data<T>());
      n.out(0, y.take());
    }
  });
}

}  // namespace onnxc::ops
