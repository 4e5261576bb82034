// MaxUnpool: the partial inverse of MaxPool.
#include "compiler/kernels/pooling_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/movement/given_extents.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::max_unpool {
namespace {

// The shape before pooling, which the indices refer to.
Shape grid(const NodeView& n, const Shape& x) {
  n.require(x.size() >= 3, input_field(0, "X"), "rank {}, needs at least 3", x.size());
  const Shape kernel = read_kernel_shape(n, x.size() - 2);
  const Window w = read_transposed_window(n, x, kernel);
  Shape out{x[0], x[1]};
  for (std::size_t i = 0; i < w.rank(); ++i) {
    out.push_back((w.in[i] - Dim(1)) * Dim(w.stride[i]) + kernel[i] - w.pad_begin[i] -
                  w.pad_end[i]);
    n.at_least(out.back(), 0, "attribute \"pads\"");
  }
  return out;
}

void infer(Infer& n) {
  if (!n.has_rank(0)) return n.output(0, n.elem(0), std::nullopt);
  Shape out = grid(n, n.shape(0));
  if (n.has_rank(1))
    n.require(n.shape(1).size() == n.rank(0), input_field(1, "I"), "rank {}, needs {}",
              n.shape(1).size(), n.rank(0));
  for (std::size_t i = 0; n.has_rank(1) && i < n.rank(0); ++i)
    n.same(n.shape(1)[i], n.shape(0)[i], input_field(1, "I"));
  if (n.has_input(2)) {
    const std::string field = input_field(2, "output_shape");
    n.require(!n.has_rank(2) || n.rank(2) == 1, field, "needs rank 1");
    const auto given = n.extents(2);
    n.require(!given || given->size() == out.size(), field, "needs {} entries", out.size());
    for (Dim& d : out) {
      d = given ? (*given)[static_cast<std::size_t>(&d - out.data())] : n.unknown_extent();
      n.at_least(d, 0, field);
    }
  }
  n.output(0, n.elem(0), out);
}

void lower(Lower& n) {
  if (n.has_input(2)) lower_given_extents(n, 2, n.out_shape(0));
  Call call = n.call("max_unpool",
                     MaxUnpoolShape<Dim>{product(n.shape(0)), grid(n, n.shape(0)), n.out_shape(0)});
  call.template_arg(std::to_string(n.shape(0).size())).in({0, 1}).out(0);
}

// The derivative of the result in the extents that the indices count in: cut or filled up at the
// end of each spatial axis.
Term in_grid(const Gradient& n) {
  if (!n.has_input(2)) return n.dy();
  const std::size_t rank = n.shape(0).size() - 2;
  const Window w = read_transposed_window(n, n.shape(0), read_kernel_shape(n, rank));
  Term dy = n.dy();
  for (std::size_t i = 0; i < rank; ++i) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    const Dim more = w.kernel[i] - w.pad_begin[i] - w.pad_end[i];
    const Term steps = extent_of(n.x(), axis) - n.builder().integer(1);
    const Term extent =
        steps * n.builder().integer(w.stride[i]) + n.builder().integer(more.value());
    dy = fit_extent(dy, axis, extent);
  }
  return dy;
}

// Where several elements have one place, the last of them is the result.
void gradient(Gradient& n) {
  n.shape(0);
  const auto flat = [&](Term v) { return n.emit("Reshape", {v, n.list({-1})}); };
  const Term dy = flat(in_grid(n)), at = flat(n.x(1));
  const Term numbers =
      n.emit("Range", {n.builder().integer(0), apply("Size", at), n.builder().integer(1)});
  const Term none = convert(n.builder().filled(0, dy), ElemType::int64);
  const Term last = n.emit("ScatterElements", {none, at, numbers});
  const Term counts = n.emit("Gather", {last, at}) == numbers;
  const Term dx = choose(counts, n.emit("Gather", {dy, at}), 0.0);
  n.dx(0, n.builder().reshape(dx, n.x()));
}

constexpr Op rows[] = {{
    .name = "MaxUnpool",
    .versions = "9 11 22",
    .inputs = "X:T1 I:int64 output_shape:int64?",
    .outputs = "output:T1",
    .types = "T1: floats",
    .attributes = "kernel_shape:ints! pads:ints strides:ints",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::max_unpool
