// Pad: adds a border to a tensor; negative pads crop.
#include <algorithm>

#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/region.hpp"
#include "compiler/support/checked.hpp"

#include "compiler/kernels/movement_calls.hpp"
#include "templates/movement/pad.hpp"

namespace onnxc::ops::pad {
namespace {

constexpr const char* kPads = "input 1 \"pads\"";

// Up to opset 10 pads and value are attributes; the value gets the type of the data.
void upgrade(Upgrade& u) {
  u.attribute_to_input("paddings", 1);
  u.attribute_to_input("pads", 1);
  const Attribute* value = u.node().find("value");
  if (value && std::get<float>(*value) != 0.0f) {
    Value* number = u.constant(Tensor::scalar(std::get<float>(*value)));
    u.set_input(2, u.emit("CastLike", {number, u.node().inputs[0]}));
  }
  u.remove("value");
}

PadMode mode_of(const NodeView& n) {
  const std::string& mode = n.attr_string("mode");
  if (mode == "constant") return PadMode::constant;
  if (mode == "reflect") return PadMode::reflect;
  if (mode == "edge") return PadMode::edge;
  n.require(mode == "wrap", "attribute \"mode\"", "{} is none of constant, reflect, edge, wrap",
            quoted(mode));
  return PadMode::wrap;
}

// One axis: removes `crop` elements, then adds `before` and `after`.
struct Border {
  Dim begin = 0, kept, before = 0, after = 0;
};

using Numbers = std::optional<std::vector<std::int64_t>>;

std::optional<std::vector<Border>> borders_of(const NodeView& n, const Shape& from,
                                              const Numbers& pads, const Numbers& axes) {
  if (!pads || (n.has_input(3) && !axes)) return std::nullopt;
  const std::size_t count = axes ? axes->size() : from.size();
  n.require(pads->size() == 2 * count, kPads, "has {} entries for {} axes", pads->size(), count);
  std::vector<Border> all;
  for (const Dim& d : from) all.push_back({0, d, 0, 0});
  const auto positive = [](std::int64_t v) { return v > 0 ? v : 0; };
  const auto negative = [](std::int64_t v) { return v < 0 ? checked_sub(0, v) : 0; };
  std::vector<bool> seen(from.size(), false);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t axis = axes ? n.axis((*axes)[i], from.size(), "input 3 \"axes\"") : i;
    n.require(!seen[axis], "input 3 \"axes\"", "names axis {} twice", axis);
    seen[axis] = true;
    const std::int64_t before = (*pads)[i], after = (*pads)[count + i];
    Border& b = all[axis];
    b.begin = negative(before);
    b.kept = from[axis] - b.begin - Dim(negative(after));
    b.before = positive(before);
    b.after = positive(after);
    n.require(!b.kept.is_const() || b.kept.value() >= 0, kPads, "crop axis {} below nothing", axis);
    const bool grows = !b.before.is(0) || !b.after.is(0);
    const bool copies = mode_of(n) != PadMode::constant && grows;
    n.require(!copies || !b.kept.is(0), kPads, "axis {} has nothing to copy into its border", axis);
    n.at_least(b.kept, copies ? 1 : 0, kPads);
  }
  return all;
}

// The pads of each axis, as far as they are known: before and after it. Axes without pads have 0.
using Pads = std::vector<std::pair<std::optional<Dim>, std::optional<Dim>>>;

Pads pads_of_axes(const Infer& n, const std::vector<std::size_t>& axes) {
  Pads pads(n.rank(0), std::pair(Dim(0), Dim(0)));
  const auto some = n.some_extents(1);
  if (some)
    n.require(some->size() == 2 * axes.size(), kPads, "has {} entries for {} axes", some->size(),
              axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    auto& [before, after] = pads[axes[i]];
    before = some ? (*some)[i] : std::nullopt;
    after = some ? (*some)[axes.size() + i] : std::nullopt;
  }
  return pads;
}

// Pads that are not constants: each axis is known by itself.
Shape padded_shape(Infer& n, const Numbers& axes) {
  Shape out = n.shape(0);
  if (n.has_input(3) && !axes) {
    for (Dim& d : out) d = n.unknown_extent();
    return out;
  }
  std::vector<std::size_t> named;
  for (std::size_t i = 0; i < (axes ? axes->size() : out.size()); ++i) {
    const std::size_t axis = axes ? n.axis((*axes)[i], out.size(), "input 3 \"axes\"") : i;
    n.require(std::find(named.begin(), named.end(), axis) == named.end(), "input 3 \"axes\"",
              "names axis {} twice", axis);
    named.push_back(axis);
  }
  const Pads pads = pads_of_axes(n, named);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto& [before, after] = pads[i];
    out[i] = before && after ? out[i] + *before + *after : n.unknown_extent();
  }
  return out;
}

void infer(Infer& n) {
  mode_of(n);
  n.output(0, n.elem(0), std::nullopt);
  if (n.has_rank(1)) n.require(n.rank(1) == 1, kPads, "has rank {}, not 1", n.rank(1));
  if (!n.has_rank(0)) return;
  const auto borders = borders_of(n, n.shape(0), n.ints(1), n.ints(3));
  const auto axes = n.ints(3);
  if (!borders && n.has_rank(1)) {
    const auto all = static_cast<std::int64_t>(n.rank(0));
    if (!n.has_input(3)) n.same(n.shape(1)[0], 2 * all, kPads);
    if (n.has_rank(3) && n.rank(3) == 1) n.same(n.shape(1)[0], n.shape(3)[0] * 2, kPads);
  }
  Shape out;
  for (std::size_t i = 0; borders && i < n.rank(0); ++i)
    out.push_back((*borders)[i].kept + (*borders)[i].before + (*borders)[i].after);
  n.output(0, n.elem(0), borders ? out : padded_shape(n, axes));
  n.one_value(2, "input 2 \"constant_value\"");
}

Numbers numbers(const NodeView& n, std::size_t i) {
  const Tensor* t = n.constant(i);
  return t ? std::optional(t->to_int64s()) : std::nullopt;
}

std::vector<Border> known_borders(const NodeView& n, const Shape& from) {
  auto borders = borders_of(n, from, numbers(n, 1), numbers(n, 3));
  if (!borders) n.unsupported(kPads, "dynamic pads");
  return *borders;
}

// Axes without a border merge with the axis before them.
struct Plan {
  Shape dims, extent, before, from, inner;
  Dim from_offset = 0;
};

bool untouched(const Border& b, const Dim& extent) {
  return b.before.is(0) && b.after.is(0) && b.kept == extent;
}

// Mirroring modes repeat elements, so axes cannot merge.
Plan plan_of(const Shape& source, const std::vector<Border>& borders, bool join) {
  Plan p;
  const Shape strides = row_major(source);
  for (std::size_t i = 0; i < source.size(); ++i) {
    const Border& b = borders[i];
    p.from_offset = p.from_offset + b.begin * strides[i];
    const bool joins = join && !p.dims.empty() && untouched(b, source[i]);
    if (joins) {
      p.dims.back() = p.dims.back() * source[i];
      p.extent.back() = p.extent.back() * source[i];
      p.before.back() = p.before.back() * source[i];
      p.from.back() = strides[i];
      continue;
    }
    p.dims.push_back(b.kept + b.before + b.after);
    p.extent.push_back(b.kept);
    p.before.push_back(b.before);
    p.from.push_back(strides[i]);
  }
  if (p.dims.empty()) p.dims = p.extent = p.from = {1}, p.before = {0};
  p.inner = row_major(p.dims);
  return p;
}

const char* name_of(PadMode mode) {
  switch (mode) {
    case PadMode::constant:
      return "PadMode::constant";
    case PadMode::reflect:
      return "PadMode::reflect";
    case PadMode::edge:
      return "PadMode::edge";
    case PadMode::wrap:
      break;
  }
  return "PadMode::wrap";
}

template <class V>
std::vector<V> stored_order(std::vector<V> v, Layout layout) {
  if (layout == Layout::plain || v.size() < 3) return v;
  v.push_back(v[1]);
  v.erase(v.begin() + 1);
  return v;
}

bool widths_known(const NodeView& n) { return n.constant(1) && (!n.has_input(3) || n.constant(3)); }

BufferId value_of(Lower& n) {
  return n.has_input(2) ? n.in(2) : n.constant(Tensor::zeros(n.elem(0), {1}), "value");
}

// The output's shape is declared; the kernel checks that the pads lead to it.
void lower_run_time_widths(Lower& n) {
  if (n.shape(0).empty()) return n.alias(0, 0);
  n.call("pad_extents", PadExtentsShape<Dim>{n.shape(0), Dim::floor_div(product(n.shape(1)), 2)})
      .template_arg(std::to_string(n.shape(0).size()))
      .in(1)
      .in(3, ElemType::int64)
      .extents(n.out_shape(0));
  n.call("pad_widths",
         PadWidthsShape<Dim>{n.shape(0), n.out_shape(0), Dim::floor_div(product(n.shape(1)), 2)})
      .template_arg(std::to_string(n.shape(0).size()))
      .template_arg(name_of(mode_of(n)))
      .in({0, 1})
      .read(value_of(n))
      .in(3, ElemType::int64)
      .out(0);
}

void lower(Lower& n) {
  if (!widths_known(n)) return lower_run_time_widths(n);
  const PadMode mode = mode_of(n);
  const auto borders = stored_order(known_borders(n, n.shape(0)), n.layout(0));
  const Shape from = n.stored(0);
  const Plan p = plan_of(from, borders, mode == PadMode::constant);
  Call call =
      n.call("pad", PadShape<Dim>{p.dims, p.extent, p.before, p.from, p.inner, p.from_offset});
  call.template_arg(std::to_string(p.dims.size())).template_arg(name_of(mode)).in(0);
  call.read(value_of(n)).out(0);
}

// Folds weights: constant mode only, as a copy into a filled tensor.
void fold(Fold& n) {
  if (mode_of(n) != PadMode::constant || !worth_folding(n)) return;
  const Shape from = to_shape(n.in(0).dims()), out = to_shape(n.out_dims(0));
  const auto borders = known_borders(n, from);
  Region r{{}, row_major(from), row_major(out)};
  for (std::size_t i = 0; i < from.size(); ++i) {
    r.dims.push_back(borders[i].kept);
    r.from_offset = r.from_offset + borders[i].begin * r.from[i];
    r.to_offset = r.to_offset + borders[i].before * r.to[i];
  }
  const std::size_t width = elem_bytes(n.out_elem(0));
  std::vector<std::byte> bytes(static_cast<std::size_t>(checked_product(n.out_dims(0))) * width);
  if (n.has_input(2))
    for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = n.in(2).bytes()[at % width];
  fold_region(r, n.in(0), bytes);
  n.out(0, {n.out_elem(0), n.out_dims(0), Blob::owned(std::move(bytes))});
}

LayoutRule layout(const Node& node) { return {.accepts = widths_known(NodeView(node))}; }

// Negative pads crop: the derivative of a constant border. Other borders are copies of elements.
void gradient(Gradient& n) {
  if (mode_of(n) != PadMode::constant) return gradient_of_moved_elements(n);
  std::vector<Value*> inputs = {n.dy(), -n.x(1)};
  if (n.has_input(3)) inputs.insert(inputs.end(), {nullptr, n.x(3)});
  const Term inner = n.builder().reshape(n.emit("Pad", inputs), n.x());
  n.dx(0, inner);
  if (!n.wants(2)) return;
  const Term border = sum_over(n.dy(), {}, false) - sum_over(inner, {}, false);
  n.dx(2, n.builder().reshape(border, n.x(2)));
}

constexpr Op rows[] = {{
    .name = "Pad",
    .versions = "1 2 11 13 18 19 21 23 24 25",
    .inputs = "data:T pads:int64 constant_value:T? axes:Tind?",
    .outputs = "output:T",
    .types = "T: all; Tind: int32 int64",
    .attributes = "mode:string=constant paddings:ints!@1 pads:ints!@2-10 value:float=0@1-10",
    .settings = "constant_value",
    .upgrade = upgrade,
    .infer = infer,
    .fold = fold,
    .lower = lower,
    .layout = layout,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::pad
