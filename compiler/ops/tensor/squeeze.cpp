// Squeeze and Unsqueeze: remove and insert axes of extent 1.
#include <algorithm>

#include "compiler/ops/fold.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::squeeze {
namespace {

constexpr const char* kAxes = "input 1 \"axes\"";

void upgrade(Upgrade& u) { u.attribute_to_input("axes", 1); }

// Sorted, without sign; each once.
std::vector<std::size_t> axes_of(const Infer& n, const std::vector<std::int64_t>& given,
                                 std::size_t rank) {
  std::vector<std::size_t> axes;
  for (std::int64_t a : given) axes.push_back(n.axis(a, rank, kAxes));
  std::sort(axes.begin(), axes.end());
  n.require(std::adjacent_find(axes.begin(), axes.end()) == axes.end(), kAxes,
            "names an axis twice");
  return axes;
}

void keep_contents(Infer& n) {
  if (const auto contents = n.extents(0)) n.output_extents(0, *contents);
}

void infer_squeeze(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  const auto given = n.ints(1);
  if (!n.has_rank(0) || (n.has_input(1) && !given)) return;
  const Shape& from = n.shape(0);
  std::vector<bool> gone(from.size(), false);
  if (given)
    for (std::size_t a : axes_of(n, *given, from.size())) {
      n.require(from[a].is(1) || !from[a].is_const(), kAxes, "axis {} has extent {}", a,
                from[a].to_string());
      gone[a] = true;
    }
  Shape out;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!given && !from[i].is_const()) return;  // the rank depends on the run
    if (!gone[i] && (given || !from[i].is(1))) out.push_back(from[i]);
  }
  n.output(0, n.elem(0), out);
  if (from.size() <= 1) keep_contents(n);
}

void infer_unsqueeze(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  const auto given = n.ints(1);
  if (!n.has_rank(0) || !given) return;
  const std::size_t rank = n.rank(0) + given->size();
  const auto axes = axes_of(n, *given, rank);
  Shape out = n.shape(0);
  for (std::size_t a : axes) out.insert(out.begin() + static_cast<std::ptrdiff_t>(a), Dim(1));
  n.output(0, n.elem(0), out);
  if (rank <= 1) keep_contents(n);
}

void fold(Fold& n) { n.out(0, n.in(0).reshaped(n.out_dims(0))); }

void lower(Lower& n) { n.alias(0, 0); }

constexpr Op rows[] = {{
                           .name = "Squeeze",
                           .versions = "1 11 13 21 23 24 25",
                           .inputs = "data:T axes:int64?",
                           .outputs = "squeezed:T",
                           .types = "T: all",
                           .attributes = "axes:ints@1-12",
                           .upgrade = upgrade,
                           .infer = infer_squeeze,
                           .fold = fold,
                           .lower = lower,
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
                           .fold = fold,
                           .lower = lower,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::squeeze
