// ArgMax and ArgMin: where along an axis the largest or smallest element is.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "compiler/kernels/reduction_calls.hpp"
#include "templates/reduction/arg_reduce.hpp"

namespace onnxc::ops::arg_max {
namespace {

void infer(Infer& n) {
  n.output(0, ElemType::int64, std::nullopt);
  if (!n.has_rank(0)) return;
  if (n.rank(0) == 0) {
    n.require(n.attr_int("axis") == 0 || n.attr_int("axis") == -1, "attribute \"axis\"",
              "a scalar has no axis {}", n.attr_int("axis"));
    return n.output(0, ElemType::int64, Shape{});
  }
  const std::size_t axis = n.axis(n.attr_int("axis"), n.rank(0), "attribute \"axis\"");
  Shape out = n.shape(0);
  const Dim extent = out[axis];
  out[axis] = 1;
  n.require(!extent.is(0) || product(out).is(0), "input 0 \"data\"", "axis {} is empty", axis);
  if (!extent.is_never_below(1))  // nor at run time, where there is a result
    n.same(extent, Dim::max(extent, Dim::min(1, product(out))), "input 0 \"data\"");
  if (n.attr_int("keepdims") == 0) out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  n.output(0, ElemType::int64, out);
}

struct Parts {
  Dim outer = 1, extent = 1, inner = 1;
};

Parts parts_of(const NodeView& n, const Shape& from) {
  if (from.empty()) return {};
  const std::size_t axis = n.axis(n.attr_int("axis"), from.size());
  return {product(from, 0, axis), from[axis], product(from, axis + 1, from.size())};
}

bool takes_last(const NodeView& n) { return n.attr_int("select_last_index") != 0; }

struct FoldShape {
  Index outer, extent, inner;
  bool largest, last;
};

// A type that holds T's values in the same order: one that many element types share.
template <class T, class C = onnxc::compute_t<T>>
using Wide =
    std::conditional_t<std::is_floating_point_v<C>, double,
                       std::conditional_t<std::is_signed_v<C>, std::int64_t, std::uint64_t>>;

template <class T>
std::vector<Wide<T>> widened(std::span<const T> x) {
  std::vector<Wide<T>> wide(x.size());
  std::transform(x.begin(), x.end(), wide.begin(),
                 [](T v) { return static_cast<Wide<T>>(static_cast<onnxc::compute_t<T>>(v)); });
  return wide;
}

void fold(Fold& n, bool largest) {
  const Parts p = parts_of(n, to_shape(n.in(0).dims()));
  const FoldShape s{p.outer.value(), p.extent.value(), p.inner.value(), largest, takes_last(n)};
  with_number(n.in(0).elem(), [&](auto tag) {
    TensorBuilder y(ElemType::int64, n.out_dims(0));
    if (s.extent > 0)
      onnxc::arg_reduce(s, widened(n.in(0).as<decltype(tag)>()).data(), y.data<std::int64_t>());
    n.out(0, y.take());
  });
}

void lower(Lower& n, bool largest) {
  const Parts p = parts_of(n, n.shape(0));
  if (p.extent.is(0)) return;
  n.call("arg_reduce", ArgReduceShape<Dim>{p.outer, p.extent, p.inner, largest, takes_last(n)})
      .in(0)
      .out(0);
}

void fold_max(Fold& n) { fold(n, true); }
void fold_min(Fold& n) { fold(n, false); }
void lower_max(Lower& n) { lower(n, true); }
void lower_min(Lower& n) { lower(n, false); }

constexpr Op rows[] = {{
                           .name = "ArgMax",
                           .versions = "1 11 12 13",
                           .inputs = "data:T",
                           .outputs = "reduced:int64",
                           .types = "T: numeric",
                           .attributes = "axis:int=0 keepdims:int=1 select_last_index:int=0@12-",
                           .infer = infer,
                           .fold = fold_max,
                           .lower = lower_max,
                       },
                       {
                           .name = "ArgMin",
                           .versions = "1 11 12 13",
                           .inputs = "data:T",
                           .outputs = "reduced:int64",
                           .types = "T: numeric",
                           .attributes = "axis:int=0 keepdims:int=1 select_last_index:int=0@12-",
                           .infer = infer,
                           .fold = fold_min,
                           .lower = lower_min,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::arg_max
