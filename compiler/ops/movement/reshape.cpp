// Reshape: the same elements with another shape.
#include <algorithm>

#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::reshape {
namespace {

void upgrade(Upgrade& u) {
  u.remove("consumed_inputs");
  u.attribute_to_input("shape", 1);
}

constexpr const char* kShape = "input 1 \"shape\"";

// The dimension that -1 stands for. Equal factors cancel first, which needs no polynomial division.
Dim remainder(const NodeView& n, Shape from, const Shape& given) {
  Dim known = 1;
  for (const Dim& d : given) {
    const auto same = std::find(from.begin(), from.end(), d);
    if (same != from.end() && !d.is(0))
      from.erase(same);
    else
      known = known * d;
  }
  const Dim all = product(from);
  n.require(!known.is(0), kShape, "-1 together with an extent of 0 has no value");
  const Dim left = Dim::floor_div(all, known);
  n.require(!all.is_const() || !known.is_const() || left * known == all, kShape,
            "{} elements do not divide by {}", all.to_string(), known.to_string());
  n.same(left * known, all, kShape);
  return left;
}

// Without the constants that cap an extent, as in min(n, 512): both are 0 together.
Dim uncapped(const Dim& d) {
  std::vector<Dim> operands = d.operands_of(DimAtomKind::min);
  std::erase_if(operands, [](const Dim& o) { return o.is_const() && o.value() >= 1; });
  return operands.size() == 1 ? operands[0] : d;
}

// Whether an entry of `shape` is an extent in every valid run. What is computed at run time can
// also be -1 or 0, which stand for others, unless it is a product of the input's own extents.
bool is_extent(const Dim& entry, std::size_t i, const Shape& from, bool zero_copies) {
  if (entry.is_const() || entry.is_never_below(zero_copies ? 1 : 0)) return true;
  const Dim wanted = uncapped(entry);
  if (i < from.size() && entry == from[i]) return true;
  Dim following = 1;
  for (std::size_t k = from.size(); k-- > 0;) {
    const Dim own = uncapped(from[k]);
    following = own * following;
    if (own.is_multiple_of(wanted) || following.is_multiple_of(wanted)) return true;
  }
  return false;
}

bool are_extents(const std::vector<Dim>& entries, const Shape& from, bool zero_copies) {
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (!is_extent(entries[i], i, from, zero_copies)) return false;
  return true;
}

bool zero_copies(const NodeView& n) { return n.attr_int("allowzero") == 0; }

// Whether the model declares another size of axis 0 than a batch of this size.
bool is_declared_without(const Value& x, std::int64_t batch) {
  const Type* const declared = x.declared.get();
  return declared && declared->is_tensor() && declared->has_rank() && declared->rank() > 0 &&
         !(*declared->shape)[0].is(batch);
}

// A model of a fixed batch has it in its shapes, too. Where the caller replaced it, axis 0 of the
// input is the new one, and the elements of one index of axis 0 are those that the shape has, axis
// 0 stays.
std::vector<Dim> with_batch_of(const Infer& n, const Shape& from, std::vector<Dim> wanted) {
  if (from.empty() || wanted.empty()) return wanted;
  const auto& replaced = n.graph().root().replaced_batches;
  const bool is_batch = std::any_of(replaced.begin(), replaced.end(), [&](const auto& r) {
    return wanted[0].is(r.from) && from[0] == r.to &&
           !is_declared_without(n.input_value(0), r.from);
  });
  if (!is_batch) return wanted;
  Dim of_one = 1, wanted_of_one = 1;
  for (std::size_t i = 1; i < from.size(); ++i) of_one = of_one * from[i];
  bool open = false;
  for (std::size_t i = 1; i < wanted.size(); ++i) {
    const bool copies = wanted[i].is(0) && zero_copies(n) && i < from.size();
    open = open || wanted[i].is(-1);
    if (!wanted[i].is(-1)) wanted_of_one = wanted_of_one * (copies ? from[i] : wanted[i]);
  }
  const bool fits =
      open ? !wanted_of_one.is(0) && Dim::floor_div(of_one, wanted_of_one) * wanted_of_one == of_one
           : of_one == wanted_of_one;
  if (fits) wanted[0] = from[0];
  return wanted;
}

Shape target(const Infer& n, std::vector<Dim> wanted) {
  const Shape& from = n.shape(0);
  wanted = with_batch_of(n, from, std::move(wanted));
  Shape out, given;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Dim d = wanted[i];
    if (d.is(-1)) {
      n.require(!open, kShape, "more than one -1");
      open = i;
      out.push_back(d);
      continue;
    }
    n.at_least(d, 0, kShape);
    if (d.is(0) && zero_copies(n)) {
      n.require(i < from.size(), kShape, "0 at axis {} of an input of rank {}", i, from.size());
      d = from[i];
    }
    given.push_back(d);
    out.push_back(d);
  }
  if (open) out[*open] = remainder(n, from, given);
  const Dim before = product(from), after = product(out);
  n.require(!before.is_const() || !after.is_const() || before == after, kShape,
            "{} has {} elements, the input {}", to_string(out), after.to_string(),
            before.to_string());
  if (!open) n.same(before, after, kShape);
  return out;
}

// One extent of the result if some entries of `shape` are known only at run time.
Dim partly_known(Infer& n, const std::optional<Dim>& entry, std::size_t i) {
  const Shape& from = n.shape(0);
  if (!entry || entry->is(-1)) return n.unknown_extent();
  if (entry->is(0) && zero_copies(n)) {
    n.require(i < from.size(), kShape, "0 at axis {} of an input of rank {}", i, from.size());
    return from[i];
  }
  if (is_extent(*entry, i, from, zero_copies(n))) {
    n.at_least(*entry, 0, kShape);
    return *entry;
  }
  if (!entry->is_never_below(0)) return n.unknown_extent();
  return n.unknown_extent(i < from.size() ? Dim::max(*entry, from[i]) : *entry);
}

Shape partly_known(Infer& n, const std::vector<std::optional<Dim>>& wanted) {
  n.require(std::count(wanted.begin(), wanted.end(), Dim(-1)) <= 1, kShape, "more than one -1");
  Shape out;
  for (std::size_t i = 0; i < wanted.size(); ++i) out.push_back(partly_known(n, wanted[i], i));
  return out;
}

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  if (n.has_rank(1)) n.require(n.rank(1) == 1, kShape, "has rank {}, not 1", n.rank(1));
  const auto wanted = n.extents(1);
  if (wanted && n.has_rank(0) && are_extents(*wanted, n.shape(0), zero_copies(n))) {
    n.output(0, n.elem(0), target(n, *wanted));
    if (const auto& e = n.input_value(0).extent; e && wanted->size() <= 1) n.output_extents(0, *e);
  } else if (const auto some = n.some_extents(1); some && n.has_rank(0)) {
    n.output(0, n.elem(0), partly_known(n, *some));
  } else if (n.has_rank(1) && n.shape(1)[0].is_const() && n.shape(1)[0].value() <= 64) {
    Shape unknown;
    std::optional<Dim> most;
    if (n.shape(1)[0].is(1) && n.has_rank(0)) most = product(n.shape(0));
    for (std::int64_t i = 0; i < n.shape(1)[0].value(); ++i)
      unknown.push_back(n.unknown_extent(most));
    n.output(0, n.elem(0), unknown);
  }
}

void fold(Fold& n) { n.out(0, n.in(0).reshaped(n.out_dims(0))); }

// Whether all extents of the result are expressions of what is known before the node.
bool is_known(Lower& n) {
  const auto entries = n.extents(1);
  if (!entries) return false;
  std::vector<std::string> known, used;
  for (const Shape& dims : {n.shape(0), *entries})
    for (const Dim& d : dims) d.collect_symbols(known);
  for (const Dim& d : n.out_shape(0)) d.collect_symbols(used);
  return std::all_of(used.begin(), used.end(), [&](const std::string& name) {
    const SizeSymbol* symbol = n.program().symbol(name);
    return (symbol && symbol->definition) ||
           std::find(known.begin(), known.end(), name) != known.end();
  });
}

void lower(Lower& n) {
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  if (!is_known(n))
    n.call("reshape_extents",
           ReshapeExtentsShape<Dim>{rank_of(x), x, product(n.shape(1)), rank_of(y), zero_copies(n)})
        .in(1)
        .extents(y);
  n.alias(0, 0);
}

void axes(Axes& n) {
  axes_regrouped(n);
  n.adapt = [](Axes::Part& p) {
    p.set_ints(1, p.extents_for_reshape());
    p.node.attributes.erase("allowzero");  // 0 copies
  };
}

constexpr Op rows[] = {{
    .name = "Reshape",
    .versions = "1 5 13 14 19 21 23 24 25",
    .inputs = "data:T shape:int64",
    .outputs = "reshaped:T",
    .types = "T: all",
    .attributes = "allowzero:int=0@14- shape:ints@1-4 consumed_inputs:ints@1-4",
    .upgrade = upgrade,
    .infer = infer,
    .axes = axes,
    .fold = fold,
    .lower = lower,
    .moves_elements = always,
    .gradient = gradient_of_reshape,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reshape
