// EyeLike: 1 on a diagonal, else 0, in the shape of the input.
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops::eye_like {
namespace {

void infer(Infer& n) {
  if (n.has_rank(0))
    n.require(n.rank(0) == 2, "input 0 \"input\"", "has rank {}, not 2", n.rank(0));
  const ElemType elem = n.has_attr("dtype") ? n.attr_elem_type("dtype") : n.elem(0);
  n.require(elem != ElemType::string, "attribute \"dtype\"", "must be numeric");
  n.output(0, elem, n.input(0).shape);
}

void lower(Lower& n) {
  const Shape& y = n.out_shape(0);
  n.call("eye", EyeShape<Dim>{y[0], y[1], n.attr_int("k")}).out(0);
}

constexpr Op rows[] = {{
    .name = "EyeLike",
    .versions = "9 22",
    .inputs = "input:T1",
    .outputs = "output:any",
    .types = "T1: numeric bool",
    .attributes = "dtype:int k:int=0",
    .infer = infer,
    .lower = lower,
    .gradient = gradient_is_zero,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::eye_like
