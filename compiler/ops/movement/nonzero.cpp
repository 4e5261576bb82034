// NonZero and Compress: indices of nonzero elements; slices selected by a condition.
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops::nonzero {
namespace {

void infer_nonzero(Infer& n) {
  if (!n.has_rank(0)) return n.output(0, ElemType::int64, std::nullopt);
  // A scalar is one element without axes.
  n.output(0, ElemType::int64,
           Shape{static_cast<std::int64_t>(n.rank(0)), n.unknown_extent(product(n.shape(0)))});
}

void infer_compress(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  if (n.has_rank(1)) n.require(n.rank(1) == 1, "input 1 \"condition\"", "has rank {}", n.rank(1));
  // At most as many as conditions, or as elements.
  const auto chosen = [&](const Dim& extent) {
    const bool known = n.has_rank(1) && !n.shape(1)[0].as_symbol();
    return n.unknown_extent(known ? Dim::min(extent, n.shape(1)[0]) : extent);
  };
  if (!n.find_int("axis"))
    return n.output(0, n.elem(0),
                    Shape{n.has_rank(0) ? chosen(product(n.shape(0))) : n.unknown_extent()});
  if (!n.has_rank(0)) return;
  Shape out = n.shape(0);
  const std::size_t axis = n.axis(n.attr_int("axis"), out.size(), "attribute \"axis\"");
  out[axis] = chosen(out[axis]);
  n.output(0, n.elem(0), out);
}

void lower_nonzero(Lower& n) {
  const Shape& x = n.shape(0);
  n.call("nonzero_extents", NonzeroExtentsShape<Dim>{product(x)})
      .in(0)
      .extents({n.out_shape(0)[1]});
  n.call("nonzero", NonzeroShape<Dim>{rank_of(x), x, product(x), n.out_shape(0)[1]}).in(0).out(0);
}

void lower_compress(Lower& n) {
  const Shape& x = n.shape(0);
  const auto given = n.find_int("axis");
  const std::size_t axis = given ? n.axis(*given, x.size()) : 0;
  n.call("compress_extents",
         CompressExtentsShape<Dim>{product(n.shape(1)), given ? x[axis] : product(x)})
      .in(1)
      .extents({n.out_shape(0)[given ? axis : 0]});
  n.call("compress",
         CompressShape<Dim>{given ? product(x, 0, axis) : Dim(1), given ? x[axis] : product(x),
                            given ? product(x, axis + 1, x.size()) : Dim(1), product(n.shape(1)),
                            n.out_shape(0)[given ? axis : 0]})
      .in({0, 1})
      .out(0);
}

constexpr Op rows[] = {{
                           .name = "NonZero",
                           .versions = "9 13",
                           .inputs = "X:T",
                           .outputs = "Y:int64",
                           .types = "T: numeric complex bool string",
                           .infer = infer_nonzero,
                           .lower = lower_nonzero,
                       },
                       {
                           .name = "Compress",
                           .versions = "9 11",
                           .inputs = "input:T condition:T1",
                           .outputs = "output:T",
                           .types = "T: numeric complex bool string; T1: bool",
                           .attributes = "axis:int",
                           .infer = infer_compress,
                           .lower = lower_compress,
                           .gradient = gradient_of_moved_elements,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::nonzero
