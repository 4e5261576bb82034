// Inference and calls of training optimisers, tensor by tensor.
#include "compiler/ops/training/optimizer.hpp"

namespace onnxc::ops {
namespace {

// The number of optimised tensors.
std::size_t optimized_count(const NodeView& n, std::size_t groups) {
  const std::size_t tensors = n.input_count() < 2 ? 0 : n.input_count() - 2;
  n.require(tensors > 0 && tensors % groups == 0, "inputs", "{} tensors are no {} groups", tensors,
            groups);
  return tensors / groups;
}

}  // namespace

void infer_optimizer(Infer& n, std::size_t groups) {
  const std::size_t count = optimized_count(n, groups);
  n.require(n.output_count() == count * (groups - 1), "outputs", "{}, needs {}", n.output_count(),
            count * (groups - 1));
  for (std::size_t i = 0; i < 2; ++i) n.one_value(i, fmt::format("input {}", i));
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = 2 + g * count + i;
      n.require(n.has_input(at), fmt::format("input {}", at), "is left out");
      const Type &x = n.input(2 + i), &other = n.input(at);
      const bool known = x.is_static() && other.is_static();
      n.require(x.elem == other.elem && (!known || *x.shape == *other.shape),
                fmt::format("input {}", at), "is {}, the tensor is {}", other.to_string(),
                x.to_string());
      if (x.has_rank() && other.has_rank()) {
        n.require(x.rank() == other.rank(), fmt::format("input {}", at), "rank {}, needs {}",
                  other.rank(), x.rank());
        for (std::size_t k = 0; k < x.rank(); ++k)
          n.same((*x.shape)[k], (*other.shape)[k], fmt::format("input {}", at));
      }
      if (g != 1) n.output((g == 0 ? 0 : g - 1) * count + i, n.input(2 + i));
    }
  }
}

void lower_optimizer(Lower& n, std::size_t groups,
                     const std::function<Call(const Dim& count)>& start) {
  const std::size_t count = optimized_count(n, groups);
  for (std::size_t i = 0; i < count; ++i) {
    Call call = start(product(n.shape(2 + i))).in({0, 1});
    for (std::size_t g = 0; g < groups; ++g) call.in(2 + g * count + i);
    for (std::size_t g = 0; g + 1 < groups; ++g) call.out(g * count + i);
    // A tensor and its states change in place; the gradient is the second group.
    for (std::size_t g = 0; g + 1 < groups; ++g)
      call.may_share(2 + (g == 0 ? 0 : g + 1) * count + i, g * count + i);
  }
}

}  // namespace onnxc::ops
