// Squeeze and Unsqueeze: remove and insert axes of extent 1.
#include <algorithm>

#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::squeeze {
namespace {

constexpr const char* kAxes = "input 1 \"axes\"";

void upgrade(Upgrade& u) { u.attribute_to_input("axes", 1); }

// The axes sorted, non-negative, without duplicates.
std::vector<std::size_t> axes_of(const Infer& n, const std::vector<std::int64_t>& given,
                                 std::size_t rank) {
  std::vector<std::size_t> axes;
  for (std::int64_t a : given) axes.push_back(n.axis(a, rank, kAxes));
  std::sort(axes.begin(), axes.end());
  n.require(std::adjacent_find(axes.begin(), axes.end()) == axes.end(), kAxes,
            "names an axis twice");
  return axes;
}

// Whether all symbols of d come from inference, none from a model input.
bool is_inferred(const Dim& d) {
  std::vector<std::string> symbols;
  d.collect_symbols(symbols);
  return std::all_of(symbols.begin(), symbols.end(),
                     [](const std::string& s) { return s[0] == '?'; });
}

void keep_contents(Infer& n) {
  if (const auto contents = n.extents(0)) n.output_extents(0, *contents);
}

void check_rank_of_axes(const Infer& n) {
  if (n.has_rank(1)) n.require(n.rank(1) <= 1, kAxes, "has rank {}, not 1", n.rank(1));
}

void infer_squeeze(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  check_rank_of_axes(n);
  const auto given = n.ints(1);
  if (!n.has_rank(0)) return;
  const Shape& from = n.shape(0);
  if (n.has_input(1) && !given) {
    if (n.has_rank(1))
      n.at_most(product(n.shape(1)), static_cast<std::int64_t>(from.size()), kAxes);
    const auto count = n.has_rank(1) && n.rank(1) == 1 ? n.shape(1)[0].constant() : std::nullopt;
    if (!count || *count < 0 || *count > static_cast<std::int64_t>(from.size())) return;
    Shape unknown(from.size() - static_cast<std::size_t>(*count));
    for (Dim& d : unknown)
      d = n.unknown_extent(unknown.size() == 1 ? std::optional(product(from)) : std::nullopt);
    return n.output(0, n.elem(0), unknown);
  }
  std::vector<bool> gone(from.size(), false);
  if (given)
    for (std::size_t a : axes_of(n, *given, from.size())) {
      n.require(from[a].is(1) || !from[a].is_const(), kAxes, "axis {} has extent {}", a,
                from[a].to_string());
      n.same(from[a], 1, kAxes);
      gone[a] = true;
    }
  Shape out;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!given && !from[i].is_const()) {
      // The user can fix a model input's dimension with --dim; an inferred one is checked at run
      // time not to be 1.
      if (!is_inferred(from[i])) return;
      n.at_least(Dim::broadcast_stride(from[i], 1), 1, "input 0 \"data\"");
    }
    if (!gone[i] && (given || !from[i].is(1))) out.push_back(from[i]);
  }
  n.output(0, n.elem(0), out);
  if (from.size() <= 1) keep_contents(n);
}

void infer_unsqueeze(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  check_rank_of_axes(n);
  const auto given = n.ints(1);
  if (!n.has_rank(0)) return;
  if (!given) {
    const auto count = n.has_rank(1) && n.rank(1) == 1 ? n.shape(1)[0].constant() : std::nullopt;
    if (!count || *count < 0 || *count > 64) return;
    Shape unknown(n.rank(0) + static_cast<std::size_t>(*count));
    for (Dim& d : unknown) d = n.unknown_extent();
    return n.output(0, n.elem(0), unknown);
  }
  const std::size_t rank = n.rank(0) + given->size();
  const auto axes = axes_of(n, *given, rank);
  Shape out = n.shape(0);
  for (std::size_t a : axes) out.insert(out.begin() + static_cast<std::ptrdiff_t>(a), Dim(1));
  n.output(0, n.elem(0), out);
  if (rank <= 1) keep_contents(n);
}

void fold(Fold& n) { n.out(0, n.in(0).reshaped(n.out_dims(0))); }

bool needs_run(const Lower& n) {
  if (n.has_input(1)) return !n.ints(1);
  return n.node().op->name == "Squeeze" && std::any_of(n.shape(0).begin(), n.shape(0).end(),
                                                       [](const Dim& d) { return !d.is_const(); });
}

void lower(Lower& n) {
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  if (needs_run(n))
    n.call(n.node().op->name == "Squeeze" ? KernelName("squeeze_extents")
                                          : KernelName("unsqueeze_extents"),
           ExpandExtentsShape<Dim>{rank_of(x), x, n.has_input(1) ? product(n.shape(1)) : Dim(0),
                                   rank_of(y)})
        .in(1)
        .extents(y);
  n.alias(0, 0);
}

constexpr Op rows[] = {{
                           .name = "Squeeze",
                           .versions = "1 11 13 21 23 24 25",
                           .inputs = "data:T axes:int64?",
                           .outputs = "squeezed:T",
                           .types = "T: all",
                           .attributes = "axes:ints@1-12",
                           .upgrade = upgrade,
                           .infer = infer_squeeze,
                           .axes = axes_regrouped,
                           .fold = fold,
                           .lower = lower,
                           .moves_elements = always,
                           .gradient = gradient_of_reshape,
                       },
                       {
                           .name = "Unsqueeze",
                           .versions = "1 11 13 21 23 24 25",
                           .inputs = "data:T axes:int64",
                           .outputs = "expanded:T",
                           .types = "T: all",
                           .attributes = "axes:ints!@1-12",
                           .upgrade = upgrade,
                           .infer = infer_unsqueeze,
                           .axes = axes_regrouped,
                           .fold = fold,
                           .lower = lower,
                           .moves_elements = always,
                           .gradient = gradient_of_reshape,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::squeeze
