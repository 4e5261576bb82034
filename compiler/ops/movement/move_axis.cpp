// onnxc::MoveAxis: moves one axis to another position, for any rank; transposes matrices and moves
// channels.
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::move_axis {
namespace {

std::vector<std::size_t> permutation(const NodeView& n, std::size_t rank) {
  std::vector<std::size_t> perm(rank);
  for (std::size_t i = 0; i < rank; ++i) perm[i] = i;
  if (rank < 2) return perm;
  const std::size_t from = n.axis(n.attr_int("from"), rank), to = n.axis(n.attr_int("to"), rank);
  perm.erase(perm.begin() + static_cast<std::ptrdiff_t>(from));
  perm.insert(perm.begin() + static_cast<std::ptrdiff_t>(to), from);
  return perm;
}

void infer(Infer& n) {
  if (!n.has_rank(0)) return n.output(0, n.elem(0), std::nullopt);
  Shape out;
  for (std::size_t p : permutation(n, n.rank(0))) out.push_back(n.shape(0)[p]);
  n.output(0, n.elem(0), out);
}

Region moved(const Shape& out, const Shape& from, const std::vector<std::size_t>& perm) {
  Region r = whole(out);
  const Shape strides = row_major(from);
  for (std::size_t i = 0; i < perm.size(); ++i) r.from[i] = strides[perm[i]];
  return r;
}

void fold(Fold& n) {
  if (!worth_folding(n)) return;
  const Shape from = to_shape(n.in(0).dims());
  const Region r = moved(to_shape(n.out_dims(0)), from, permutation(n, from.size()));
  n.out(0, fold_part(r, n.in(0), n.out_dims(0)));
}

void lower(Lower& n) {
  // choose_layout lets one that moves the channels change the layout instead.
  if (n.layout(0) != n.output_value(0).layout) return n.alias(0, 0);
  const Shape& from = n.shape(0);
  const Region r = moved(n.out_shape(0), from, permutation(n, from.size()));
  if (is_dense(collapsed(r))) return n.alias(0, 0);
  lower_region(n, r, n.in(0), n.out(0));
}

void gradient(Gradient& n) {
  const Attributes back = {{"from", n.attr_int("to")}, {"to", n.attr_int("from")}};
  n.dx(0, n.builder().term(n.builder().add(*n.node().op, {n.dy()}, 1, back).front()));
}

constexpr Op rows[] = {internal({
    .name = "MoveAxis",
    .inputs = "data:T",
    .outputs = "output:T",
    .types = "T: all",
    .attributes = "from:int! to:int!",
    .infer = infer,
    .fold = fold,
    .lower = lower,
    .moves_elements = always,
    .gradient = gradient,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::move_axis
