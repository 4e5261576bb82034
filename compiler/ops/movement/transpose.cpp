// Transpose: permutes the axes.
#include "compiler/ops/axes.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::transpose {
namespace {

std::vector<std::size_t> permutation(const NodeView& n, std::size_t rank) {
  std::vector<std::size_t> perm;
  if (const auto* given = n.find_ints("perm")) {
    n.require(given->size() == rank, "attribute \"perm\"", "has {} entries for rank {}",
              given->size(), rank);
    std::vector<bool> seen(rank, false);
    for (std::int64_t p : *given) {
      n.require(p >= 0 && p < static_cast<std::int64_t>(rank) && !seen[static_cast<std::size_t>(p)],
                "attribute \"perm\"", "is no permutation");
      seen[static_cast<std::size_t>(p)] = true;
      perm.push_back(static_cast<std::size_t>(p));
    }
    return perm;
  }
  for (std::size_t i = rank; i-- > 0;) perm.push_back(i);
  return perm;
}

void infer(Infer& n) {
  if (!n.has_rank(0)) return n.output(0, n.elem(0), std::nullopt);
  Shape out;
  for (std::size_t p : permutation(n, n.rank(0))) out.push_back(n.shape(0)[p]);
  n.output(0, n.elem(0), out);
  if (n.rank(0) <= 1)
    if (const auto contents = n.extents(0)) n.output_extents(0, *contents);
}

// The whole output, read with the permuted strides of the source.
Region permuted(const Shape& out, const Shape& source_strides,
                const std::vector<std::size_t>& perm) {
  Region r = whole(out);
  for (std::size_t i = 0; i < perm.size(); ++i) r.from[i] = source_strides[perm[i]];
  return r;
}

void fold(Fold& n) {
  if (!worth_folding(n)) return;
  const Shape from = to_shape(n.in(0).dims());
  const Region r = permuted(to_shape(n.out_dims(0)), row_major(from), permutation(n, from.size()));
  n.out(0, fold_part(r, n.in(0), n.out_dims(0)));
}

void lower(Lower& n) {
  // choose_layout lets a Transpose that moves the channels change the layout instead.
  if (n.layout(0) != n.output_value(0).layout) return n.alias(0, 0);
  const Shape& from = n.shape(0);
  const auto perm = permutation(n, from.size());
  const Region r = permuted(n.out_shape(0), row_major(from), perm);
  if (is_dense(collapsed(r))) return n.alias(0, 0);
  lower_region(n, r, n.in(0), n.out(0));
}

LayoutRule layout(const Node&) { return {}; }

void gradient(Gradient& n) {
  const auto perm = permutation(n, n.shape(0).size());
  std::vector<std::int64_t> inverse(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i) inverse[perm[i]] = static_cast<std::int64_t>(i);
  n.dx(0, permute(n.dy(), inverse));
}

void axes(Axes& n) {
  const auto perm = permutation(n, n.rank(0));
  for (std::size_t i = 0; i < perm.size(); ++i) {
    const int over = n.loop(n.out_shape(0)[i]);
    n.input(0, perm[i], {over});
    n.output(0, i, {over});
  }
}

constexpr Op rows[] = {{
    .name = "Transpose",
    .versions = "1 13 21 23 24 25",
    .inputs = "data:T",
    .outputs = "transposed:T",
    .types = "T: all",
    .attributes = "perm:ints",
    .infer = infer,
    .axes = axes,
    .fold = fold,
    .lower = lower,
    .layout = layout,
    .moves_elements = always,
    .sweep = true,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::transpose
