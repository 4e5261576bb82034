// Expand: broadcasts to a shape, in both directions.
#include "compiler/ops/check_shape.hpp"
#include "compiler/ops/elementwise.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::expand {
namespace {

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  const auto wanted = n.extents(1);
  if (!n.has_rank(0) || !wanted) return;
  for (const Dim& d : *wanted)
    n.require(!d.is_const() || d.value() >= 0, "input 1 \"shape\"", "negative extent {}",
              d.to_string());
  const Shape out = broadcast(n, n.shape(0), *wanted);
  n.output(0, n.elem(0), out);
  const auto contents = n.extents(0);
  if (contents && contents->size() == 1 && out.size() <= 1 && product(out).is_const() &&
      product(out).value() <= 64)
    n.output_extents(
        0, std::vector<Dim>(static_cast<std::size_t>(product(out).value()), (*contents)[0]));
}

Region spread(const Shape& from, const Shape& out) {
  Region r = whole(out);
  const Shape strides = row_major(from);
  const std::size_t skip = out.size() - from.size();
  for (std::size_t i = 0; i < out.size(); ++i)
    r.from[i] = i < skip || from[i - skip].is(1) ? Dim(0) : strides[i - skip];
  return r;
}

void fold(Fold& n) {
  if (!worth_folding(n)) return;
  const Region r = spread(to_shape(n.in(0).dims()), to_shape(n.out_dims(0)));
  n.out(0, fold_part(r, n.in(0), n.out_dims(0)));
}

// A wanted extent of 1 keeps the input's.
void check(Lower& n) {
  if (n.constant(1)) return;
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  const auto count = static_cast<std::size_t>(n.shape(1)[0].value());
  n.require(count <= y.size(), "input 1 \"shape\"", "has {} entries for rank {}", count, y.size());
  const std::size_t skip = y.size() - count;
  Shape expected(y.begin() + static_cast<std::ptrdiff_t>(skip), y.end()), also = expected;
  for (std::size_t i = skip; i < y.size(); ++i) {
    const std::size_t missing = y.size() - x.size();
    if (i >= missing && x[i - missing] == y[i]) also[i - skip] = 1;
  }
  check_shape(n, 1, expected, also, false);
}

void lower(Lower& n) {
  check(n);
  if (product(n.shape(0)) == product(n.out_shape(0))) return n.alias(0, 0);
  lower_region(n, spread(n.shape(0), n.out_shape(0)), n.in(0), n.out(0));
}

constexpr Op rows[] = {{
    .name = "Expand",
    .versions = "8 13",
    .inputs = "input:T shape:int64",
    .outputs = "output:T",
    .types = "T: numeric complex bool string",
    .limits = "strings; a shape that only the run tells",
    .infer = infer,
    .fold = fold,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::expand
