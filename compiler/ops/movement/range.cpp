// Range: start, start + delta, ... before limit.
#include <cmath>

#include "compiler/ops/elementwise/elementwise.hpp"

#include "compiler/kernels/shape_struct.hpp"
#include "templates/movement/range.hpp"

namespace onnxc::ops::range {
namespace {

// The number of elements, by the standard's formula.
std::int64_t count_floats(const NodeView& n, double start, double limit, double delta) {
  const double count = std::ceil((limit - start) / delta);
  n.require(delta != 0 && count < 9e18, "input 2 \"delta\"", "the sequence has no end");
  return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

std::optional<double> float_of_scalar(const NodeView& n, std::size_t i) {
  std::optional<double> v;
  const Tensor* t = n.constant(i);
  if (t && t->size() == 1)
    with_real(t->elem(), [&](auto tag) {
      using T = decltype(tag);
      v = static_cast<double>(static_cast<compute_t<T>>(t->as<T>()[0]));
    });
  return v;
}

// Nullopt if the span of numbers does not fit 64 bits.
std::optional<Dim> count_integers(const Dim& start, const Dim& limit, std::int64_t step) {
  if (start.is_const() && limit.is_const()) {
    const std::int64_t first = start.value(), last = limit.value();
    Index count = 0;
    const bool fits = range_extents(&first, &last, &step, &count) == Status::ok;
    return fits ? std::optional(Dim(count)) : std::nullopt;
  }
  return unless_overflow([&] {
    const Dim span = step > 0 ? limit - start : start - limit;
    return Dim::max(0, Dim::ceil_div(span, step > 0 ? step : checked_sub(0, step)));
  });
}

std::optional<Dim> count_of(const NodeView& n) {
  if (is_integer(n.input(0).elem)) {
    const auto start = n.extents(0), limit = n.extents(1);
    const auto delta = n.ints(2);
    if (!start || !limit || !delta || start->size() != 1 || limit->size() != 1 ||
        delta->size() != 1)
      return std::nullopt;
    n.require((*delta)[0] != 0, "input 2 \"delta\"", "must not be 0");
    const auto count = count_integers((*start)[0], (*limit)[0], (*delta)[0]);
    n.require(count || !(*start)[0].is_const() || !(*limit)[0].is_const(), "input 1 \"limit\"",
              "is too far from the start");
    return count;
  }
  const auto start = float_of_scalar(n, 0), limit = float_of_scalar(n, 1),
             delta = float_of_scalar(n, 2);
  if (!start || !limit || !delta) return std::nullopt;
  return Dim(count_floats(n, *start, *limit, *delta));
}

void infer(Infer& n) {
  n.one_value(0, "input 0 \"start\"");
  n.one_value(1, "input 1 \"limit\"");
  n.one_value(2, "input 2 \"delta\"");
  const auto count = count_of(n);
  n.output(0, n.elem(0), Shape{count ? *count : n.unknown_extent()});
}

struct FoldShape {
  Index count;
};

void fold(Fold& n) {
  if (!worth_folding(n)) return;
  with_number(n.out_elem(0), [&](auto tag) {
    using T = decltype(tag);
    TensorBuilder y(n.out_elem(0), n.out_dims(0));
    onnxc::range(FoldShape{y.size()}, n.in(0).as<T>().data(), n.in(2).as<T>().data(), y.data<T>());
    n.out(0, y.take());
  });
}

void lower(Lower& n) {
  if (!count_of(n)) n.call("range_extents").in({0, 1, 2}).extents(n.out_shape(0));
  n.call("range", CountShape<Dim>{product(n.out_shape(0))}).in({0, 2}).out(0);
}

// start + k delta; the limit only decides how many there are.
void gradient(Gradient& n) {
  n.dx_summed(0, n.dy());
  if (n.wants(1)) n.zero(1);
  if (!n.wants(2)) return;
  const Term k = n.emit(
      "Range", {n.scalar(0), convert(apply("Size", n.y()), n.dy().type().elem), n.scalar(1)});
  n.dx_summed(2, n.dy() * k);
}

constexpr Op rows[] = {{
    .name = "Range",
    .versions = "11 27",
    .inputs = "start:T limit:T delta:T",
    .outputs = "output:T",
    .types = "T: floats int16 int32 int64",
    .attributes = "stash_type:int=1@27-",
    .infer = infer,
    .fold = fold,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::range
