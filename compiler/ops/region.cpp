// Lowers and folds strided copies.
#include "compiler/ops/region.hpp"

#include <algorithm>

#include "compiler/kernels/movement_calls.hpp"
#include "compiler/support/checked.hpp"
#include "templates/movement/strided_copy.hpp"

namespace onnxc::ops {

Region whole(const Shape& dims) { return {dims, row_major(dims), row_major(dims)}; }

Region collapsed(Region r) {
  collapse(r.dims, {&r.from, &r.to});
  if (r.dims.empty()) r.dims = r.from = r.to = {1};
  return r;
}

bool is_dense(const Region& r) {
  return r.dims.size() == 1 && (r.dims[0].is(1) || (r.from[0].is(1) && r.to[0].is(1)));
}

Region in_layout(Region r, Layout layout) {
  r.dims = stored_shape(r.dims, layout);
  r.from = stored_shape(r.from, layout);
  r.to = stored_shape(r.to, layout);
  return r;
}

namespace {

// The axis that is dense in the source if the last axis is dense only in the target: a
// transposition.
std::optional<std::size_t> transposed_axis(const Region& r) {
  const std::size_t last = r.dims.size() - 1;
  if (!r.to[last].is(1) || r.from[last].is(1) || r.from[last].is(0)) return std::nullopt;
  if (!r.from_offset.is(0) || !r.to_offset.is(0)) return std::nullopt;
  for (std::size_t i = 0; i < last; ++i)
    if (r.from[i].is(1)) return i;
  return std::nullopt;
}

bool is_empty(const Shape& dims) {
  return std::any_of(dims.begin(), dims.end(), [](const Dim& d) { return d.is(0); });
}

}  // namespace

namespace {

Call add_copy(Lower& n, const Region& r, BufferId source, BufferId target) {
  const auto inner = transposed_axis(r);
  Call call = inner ? n.call("transpose", TransposeShape<Dim>{r.dims, r.from, r.to})
                    : n.call("strided_copy", StridedCopyShape<Dim>{r.dims, r.from, r.to,
                                                                   r.from_offset, r.to_offset});
  call.divisible().template_arg(std::to_string(r.dims.size()));
  if (inner) call.template_arg(std::to_string(*inner));
  return call.read(source).write(target);
}

}  // namespace

void lower_region(Lower& n, const Region& r, BufferId source, BufferId target) {
  if (!is_empty(r.dims)) add_copy(n, collapsed(r), source, target);
}

void lower_joined(Lower& n, const Region& region, BufferId source, BufferId target) {
  if (is_empty(region.dims)) return;
  const Region r = collapsed(region);
  Call call = add_copy(n, r, source, target);
  const auto width = static_cast<std::int64_t>(storage_bytes(n.program().at(target).elem));
  if (is_dense(r) && r.from_offset.is(0)) call.is_part_at(r.to_offset * Dim(width));
}

void lower_part(Lower& n, const Region& r, std::size_t input, std::size_t output) {
  if (!n.has_output(output)) return;
  const Region c = collapsed(r);
  const BufferId source = n.in(input), target = n.out(output);
  const Buffer& b = n.program().at(target);
  const bool free = b.kind == Buffer::Kind::arena && b.view_of < 0;
  if (is_dense(c) && free && !is_empty(r.dims)) {
    const auto width = static_cast<std::int64_t>(storage_bytes(b.elem));
    return n.view(target, source, c.from_offset * Dim(width));
  }
  lower_region(n, r, source, target);
}

namespace {

// The kernel copies the innermost axes; the loop here iterates over the others.
constexpr std::size_t kKernelRank = 4;

struct KernelShape {
  Index dims[kKernelRank], from[kKernelRank], to[kKernelRank];
  Index from_offset, to_offset;
};

template <class T>
void copy_region(const Region& r, const T* x, T* y) {
  const std::size_t rank = r.dims.size(), outer = rank > kKernelRank ? rank - kKernelRank : 0;
  KernelShape s{};
  for (std::size_t k = 0; k < kKernelRank; ++k) {
    const bool real = k + rank >= kKernelRank + outer;
    const std::size_t axis = k + rank - kKernelRank;
    s.dims[k] = real ? r.dims[axis].value() : 1;
    s.from[k] = real ? r.from[axis].value() : 0;
    s.to[k] = real ? r.to[axis].value() : 0;
  }
  std::vector<std::int64_t> at(outer, 0);
  Index from = r.from_offset.value(), to = r.to_offset.value();
  for (;;) {
    s.from_offset = from;
    s.to_offset = to;
    onnxc::strided_copy<static_cast<int>(kKernelRank)>(s, x, y);
    std::size_t k = outer;
    for (; k-- > 0;) {
      from += r.from[k].value();
      to += r.to[k].value();
      if (++at[k] < r.dims[k].value()) break;
      from -= r.from[k].value() * at[k];
      to -= r.to[k].value() * at[k];
      at[k] = 0;
    }
    if (k >= outer) return;
  }
}

}  // namespace

void fold_region(const Region& region, const Tensor& source, std::vector<std::byte>& target) {
  if (is_empty(region.dims)) return;
  const Region r = collapsed(region);
  with_width(source.elem(), [&](auto tag) {
    using T = decltype(tag);
    copy_region(r, source.as<T>().data(), reinterpret_cast<T*>(target.data()));
  });
}

Tensor fold_part(const Region& r, const Tensor& source, std::vector<std::int64_t> dims) {
  const std::int64_t bytes =
      checked_mul(checked_product(dims), static_cast<std::int64_t>(elem_bytes(source.elem())));
  std::vector<std::byte> target(static_cast<std::size_t>(bytes));
  fold_region(r, source, target);
  return {source.elem(), std::move(dims), Blob::owned(std::move(target))};
}

}  // namespace onnxc::ops
