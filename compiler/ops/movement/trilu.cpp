// Trilu: the upper or lower triangle of the last two axes.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "compiler/kernels/movement_calls.hpp"
#include "templates/movement/trilu.hpp"

namespace onnxc::ops::trilu {
namespace {

void infer(Infer& n) {
  if (n.has_rank(0)) n.require(n.rank(0) >= 2, "input 0 \"input\"", "has no matrices");
  n.one_value(1, "input 1 \"k\"");
  infer_unary(n);
}

struct Matrices {
  Index batch, rows, cols;
  bool upper;
};

void fold(Fold& n) {
  const Shape x = to_shape(n.in(0).dims());
  const Matrices s{product(x, 0, x.size() - 2).value(), x[x.size() - 2].value(), x.back().value(),
                   n.attr_int("upper") != 0};
  const std::int64_t k = n.has_input(1) ? n.in(1).to_int64s()[0] : 0;
  with_any(n.in(0).elem(), [&](auto tag) {
    using T = decltype(tag);
    TensorBuilder y(n.out_elem(0), n.out_dims(0));
    onnxc::trilu(s, n.in(0).as<T>().data(), &k, y.data<T>());
    n.out(0, y.take());
  });
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  Call call = n.call("trilu", TriluShape<Dim>{product(x, 0, x.size() - 2), x[x.size() - 2],
                                              x.back(), n.attr_int("upper") != 0});
  call.in(0).read(n.has_input(1) ? n.in(1) : n.constant(Tensor::scalar(std::int64_t{0}), "k"));
  call.out(0).may_share(0);
}

void gradient(Gradient& n) {
  std::vector<Value*> inputs = {n.dy()};
  if (n.has_input(1)) inputs.push_back(n.x(1));
  n.dx(0, n.emit("Trilu", inputs, {{"upper", n.attr_int("upper")}}));
}

constexpr Op rows[] = {{
    .name = "Trilu",
    .versions = "14",
    .inputs = "input:T k:int64?",
    .outputs = "output:T",
    .types = "T: numeric complex bool string",
    .attributes = "upper:int=1",
    .infer = infer,
    .fold = fold,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::trilu
