// TopK: the k largest or smallest elements along an axis.
#include "compiler/kernels/reduction_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/movement/given_extents.hpp"

namespace onnxc::ops::top_k {
namespace {

void upgrade(Upgrade& u) { u.attribute_to_input("k", 1); }

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  n.output(1, ElemType::int64, std::nullopt);
  n.one_value(1, "input 1 \"K\"");
  if (!n.has_rank(0)) return;
  n.require(n.rank(0) >= 1, "input 0 \"X\"", "a scalar has no axis");
  const std::size_t axis = n.axis(n.attr_int("axis"), n.rank(0), "attribute \"axis\"");
  Shape out = n.shape(0);
  const auto k = n.extents(1);
  if (k) {
    n.require(k->size() == 1, "input 1 \"K\"", "must hold one value");
    const Dim& count = (*k)[0];
    n.at_least(count, 0, "input 1 \"K\"");
    n.at_most(count, out[axis], "input 1 \"K\"");
    out[axis] = count;
  } else {
    out[axis] = n.unknown_extent(out[axis]);
  }
  n.output(0, n.elem(0), out);
  n.output(1, ElemType::int64, out);
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const std::size_t axis = n.axis(n.attr_int("axis"), x.size());
  const Shape out = n.has_output(0) ? n.out_shape(0) : n.out_shape(1);
  lower_given_extents(n, 1, {out[axis]}, x[axis]);
  Call call =
      n.call("top_k", TopKShape<Dim>{product(x, 0, axis), x[axis], product(x, axis + 1, x.size()),
                                     out[axis], n.attr_int("largest") != 0});
  call.in(0);
  if (n.has_output(0))
    call.out(0);
  else
    call.write(n.scratch(n.elem(0), product(out), "values"));
  if (n.has_output(1))
    call.out(1);
  else
    call.write(n.scratch(ElemType::int64, product(out), "indices"));
}

// Of equals, those whose indices were chosen.
void gradient(Gradient& n) {
  n.dx(0, n.emit("ScatterElements", {n.builder().filled(0, n.x()), n.y(1), n.dy()},
                 {{"axis", n.attr_int("axis")}, {"reduction", std::string("add")}}));
}

constexpr Op rows[] = {{
    .name = "TopK",
    .versions = "1 10 11 24",
    .inputs = "X:T K:int64",
    .outputs = "Values:T Indices:int64",
    .types = "T: numeric",
    .attributes = "axis:int=-1 largest:int=1@11- sorted:int=1@11- k:int!@1-9",
    .upgrade = upgrade,
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::top_k
