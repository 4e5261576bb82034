// Unique: the distinct elements or slices of a tensor.
#include "compiler/kernels/reduction_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops::unique {
namespace {

void infer(Infer& n) {
  const auto given = n.find_int("axis");
  std::optional<Dim> most;
  if (n.has_rank(0))
    most =
        given ? n.shape(0)[n.axis(*given, n.rank(0), "attribute \"axis\"")] : product(n.shape(0));
  const Dim found = n.unknown_extent(most);
  n.output(0, n.elem(0), std::nullopt);
  n.output(1, ElemType::int64, Shape{found});
  n.output(2, ElemType::int64, Shape{n.unknown_extent()});
  n.output(3, ElemType::int64, Shape{found});
  const auto axis = n.find_int("axis");
  if (!axis) n.output(0, n.elem(0), Shape{found});
  if (!n.has_rank(0)) return;
  Shape out = n.shape(0);
  if (!axis) return n.output(2, ElemType::int64, Shape{product(out)});
  const std::size_t at = n.axis(*axis, out.size(), "attribute \"axis\"");
  n.output(2, ElemType::int64, Shape{out[at]});
  out[at] = found;
  n.output(0, n.elem(0), out);
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const auto axis = n.find_int("axis");
  const std::size_t at = axis ? n.axis(*axis, x.size()) : 0;
  const Dim extent = axis ? x[at] : product(x);
  const Dim outer = axis ? product(x, 0, at) : Dim(1),
            inner = axis ? product(x, at + 1, x.size()) : Dim(1);
  const BufferId group = n.scratch(ElemType::int64, Dim::max(extent * 2, 1), "group");
  // Every output that counts the groups may have declared a number.
  Shape counts;
  if (n.has_output(0)) counts.push_back(n.out_shape(0)[at]);
  if (n.has_output(1)) counts.push_back(n.out_shape(1)[0]);
  if (n.has_output(3)) counts.push_back(n.out_shape(3)[0]);
  const Dim found = counts.empty() ? Dim(0) : counts[0];
  n.call("unique_groups", UniqueGroupsShape<Dim>{outer, extent, inner, rank_of(counts)})
      .in(0)
      .write(group)
      .extents(counts);
  n.call("unique", UniqueShape<Dim>{outer, extent, inner, found, n.attr_int("sorted") != 0})
      .in(0)
      .out(0, n.elem(0))
      .out({1, 2, 3})
      .write(group);
}

constexpr Op rows[] = {{
    .name = "Unique",
    .versions = "11",
    .inputs = "X:T",
    .outputs = "Y:T indices:int64? inverse_indices:int64? counts:int64?",
    .types = "T: numeric complex bool string",
    .attributes = "axis:int sorted:int=1",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::unique
