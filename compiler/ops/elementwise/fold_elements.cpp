// The loop over broadcast operands that folds element-wise operators.
#include "compiler/ops/elementwise/fold_elements.hpp"

#include "compiler/support/checked.hpp"

namespace onnxc::ops {
namespace {

// Reads an operand in the order of the output it is broadcast to.
class BroadcastWalk {
 public:
  BroadcastWalk(const Tensor& x, const std::vector<std::int64_t>& out)
      : at_(x.bytes().data()), extent_(out), stride_(out.size(), 0), index_(out.size(), 0) {
    const std::vector<std::int64_t>& own = x.dims();
    const std::size_t skip = out.size() - own.size();
    std::int64_t stride = static_cast<std::int64_t>(elem_bytes(x.elem()));
    for (std::size_t k = own.size(); k-- > 0; stride = checked_mul(stride, own[k]))
      if (own[k] != 1) stride_[skip + k] = stride;
  }

  const void* next() {
    const std::byte* now = at_;
    for (std::size_t k = extent_.size(); k-- > 0;) {
      at_ += stride_[k];
      if (++index_[k] < extent_[k]) break;
      at_ -= stride_[k] * extent_[k];
      index_[k] = 0;
    }
    return now;
  }

 private:
  const std::byte* at_;
  std::vector<std::int64_t> extent_, stride_, index_;
};

}  // namespace

void fold_elements(Fold& n, ElementFn f, std::span<const float> attributes) {
  if (!worth_folding(n)) return;
  TensorBuilder y(n.out_elem(0), n.out_dims(0));
  std::vector<BroadcastWalk> walks;
  for (std::size_t k = 0; k < n.input_count(); ++k) walks.emplace_back(n.in(k), n.out_dims(0));
  std::vector<const void*> x(walks.size());
  const std::size_t bytes = elem_bytes(n.out_elem(0));
  std::byte* out = y.data<std::byte>();
  for (std::int64_t i = 0; i < y.size(); ++i, out += bytes) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = walks[k].next();
    f(out, {x, attributes});
  }
  n.out(0, y.take());
}

void fold_elements(Fold& n, std::span<const TypedElementFn> functions,
                   std::span<const float> attributes) {
  for (const auto& [elem, f] : functions)
    if (elem == n.in(0).elem()) fold_elements(n, f, attributes);
}

}  // namespace onnxc::ops
