// onnxc::Reorder: converts a tensor to another storage layout.
#include "templates/movement/reorder.hpp"
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::reorder {
namespace {

// [batch, rows, cols] -> [batch, cols, rows] moves the channels after the spatial axes or back.
struct Moves {
  Dim batch, rows, cols;
};

Moves moves(const Shape& s, Layout to) {
  const Dim channels = s[1], spatial = product(s, 2, s.size());
  return to == Layout::channels_last ? Moves{s[0], channels, spatial}
                                     : Moves{s[0], spatial, channels};
}

void fold(Fold& n) {
  const Tensor& x = n.in(0);
  const Moves m = moves(*n.input(0).shape, n.output_value(0).layout);
  const ReorderShape<Index> s = numbers(ReorderShape<Dim>{m.batch, m.rows, m.cols});
  with_width(x.elem(), [&](auto tag) {
    using T = decltype(tag);
    TensorBuilder y(x.elem(), x.dims());
    onnxc::reorder(s, x.as<T>().data(), y.data<T>());
    n.out(0, y.take());
  });
}

void lower(Lower& n) {
  const Moves m = moves(n.shape(0), n.output_value(0).layout);
  if (m.batch.is(0) || m.rows.is(1) || m.cols.is(1)) return n.alias(0, 0);
  n.call(onnxc::Reorder<Dim, Arg>{{m.batch, m.rows, m.cols}, {n.input_arg(0), n.output_arg(0)}});
}

constexpr Op rows[] = {internal({
    .name = "Reorder",
    .inputs = "input:T",
    .outputs = "output:T",
    .types = "T: all",
    .infer = infer_like_first,
    .fold = fold,
    .lower = lower,
    .sweep = true,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reorder
