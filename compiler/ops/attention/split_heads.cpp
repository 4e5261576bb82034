// onnxc::SplitHeads: [batch, length, heads * width], or one slice of packed heads, as [batch,
// heads, length, width], plus a part of a bias. onnxc::MaskBias: a key mask as a bias of the
// scores.
#include "compiler/kernels/attention_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::split_heads {
namespace {

struct Sizes {
  Dim batch, length, heads, width, bias_at = 0;
  bool split = false;  // rank 4: the input has an axis of heads already
};

Sizes read(const NodeView& n) {
  const Shape& x = *n.input(0).shape;
  const std::int64_t heads = n.attr_int("heads"), parts = n.attr_int("parts");
  const std::string name = n.attr_string("role");
  Sizes s;
  if (parts > 1) {
    n.require(x.size() == 5, name, "rank {}, packed needs 5", x.size());
    s = {x[0], x[1], n.same(x[2], heads, name), x[4]};
    n.same(x[3], parts, name);
  } else {
    n.require(x.size() == 3 || x.size() == 4, name, "rank {}, needs 3 or 4", x.size());
    s.split = x.size() == 4;
    if (s.split) return {x[0], x[2], n.same(x[1], heads, name), x[3], 0, true};
    s = {x[0], x[1], heads, Dim::floor_div(x[2], heads)};
    n.require(!x[2].is_const() || x[2].value() % heads == 0, "attribute \"num_heads\"",
              "{} does not divide {}", heads, x[2].to_string());
    n.same(s.width * heads, x[2], name);
  }
  if (n.has_input(1) && n.input(1).has_rank()) {
    const Shape& bias = *n.input(1).shape;
    const std::int64_t part = n.attr_int("part");
    n.require(bias.size() == 1, "input \"bias\"", "rank {}, needs 1", bias.size());
    const Dim own = s.heads * s.width;
    s.bias_at = part == 2 ? bias[0] - own : own * part;
    if (parts > 1)
      n.same(bias[0], own * 3, "input \"bias\"");
    else if (n.has_input(2) && n.input(2).has_rank())
      n.same(bias[0], own + s.heads * (*n.input(2).shape)[3] * 2, "input \"bias\"");
    else
      n.at_most(part == 2 ? own : own * (part + 1), bias[0], "input \"bias\"");
  }
  return s;
}

void infer(Infer& n) {
  if (!n.has_rank(0)) return n.output(0, n.elem(0), std::nullopt);
  const Sizes s = read(n);
  n.output(0, n.elem(0), Shape{s.batch, s.heads, s.length, s.width});
}

void lower(Lower& n) {
  const Sizes s = read(n);
  if (s.split) return n.alias(0, 0);
  Call call =
      n.call("split_heads", SplitHeadsShape<Dim>{s.batch, s.length, s.heads, n.attr_int("parts"),
                                                 n.attr_int("slot"), s.width, s.bias_at});
  call.divisible().in(0).in(1, n.elem(0)).out(0);
}

// [batch, length, heads, width] of [batch, length, heads * width].
Term extents_of(const Gradient& n, Term x, std::int64_t heads) {
  const Term all = n.shape_of(x);
  const Term width = n.emit("Slice", {all, n.list({2}), n.list({3})}) / n.list({heads});
  const Term outer = n.emit("Slice", {all, n.list({0}), n.list({2})});
  return n.emit("Concat", {outer, n.list({heads}), width}, {{"axis", std::int64_t{0}}});
}

// A part of the vector of biases, which is used for the queries, the keys and the values.
Term bias_of_part(const Gradient& n, const Sizes& s) {
  n.require_known(s.bias_at.is_const() && s.width.is_const(), n.attr_string("role"),
                  "the gradient needs head sizes that are known at compile time");
  const std::int64_t heads = n.attr_int("heads"), first = s.bias_at.value();
  const Term part =
      n.emit("Slice", {n.x(1), n.list({first}), n.list({first + heads * s.width.value()})});
  return n.emit("Reshape", {part, n.list({heads, 1, -1})});
}

// As Reshape, Transpose and Add.
void gradient(Gradient& n) {
  n.shape(0);
  const Sizes s = read(n);
  const std::int64_t heads = n.attr_int("heads");
  if (s.split) return n.dx(0, n.dy());
  Term y = n.x();
  if (n.attr_int("parts") > 1)
    y = n.emit("Gather", {y, n.builder().integer(n.attr_int("slot"))}, {{"axis", std::int64_t{3}}});
  else
    y = n.emit("Reshape", {y, extents_of(n, y, heads)}, {{"allowzero", std::int64_t{1}}});
  y = permute(y, {0, 2, 1, 3});
  if (n.has_input(1)) y = y + convert(bias_of_part(n, s), y.type().elem);
  n.by_definition({y});
}

// ---- the mask ----

struct Mask {
  Dim batch, rows = 1, columns, at = 0, batch_stride = 0, row_stride = 0;
  bool ends = false;
  Dim starts = 0;  // 1 if a mask of lengths also has the first keys
};

// One length or two for each sequence.
Dim has_starts(const NodeView& n, const Dim& lengths, const Dim& batch, const std::string& name) {
  if (lengths == batch) return 0;
  if (lengths == batch * 2) return 1;
  n.require(!lengths.is_const() || !batch.is_const(), name, "{} lengths for a batch of {}",
            lengths.to_string(), batch.to_string());
  const Dim starts = Dim::max(0, Dim::min(1, lengths - batch));
  n.same(lengths, batch + batch * starts, name);
  return starts;
}

Mask read_mask(const NodeView& n) {
  const Shape &mask = *n.input(0).shape, &q = *n.input(1).shape, &k = *n.input(2).shape;
  const bool cached = n.has_input(3);
  const Dim past = cached ? (*n.input(3).shape)[2] : Dim(0);
  const std::string name = n.attr_string("role");
  Mask m;
  m.batch = q[0];
  m.columns = past + k[2];
  n.require(mask.size() >= 1 && mask.size() <= 4, name, "rank {}, needs 1 to 4", mask.size());
  if (mask.size() == 1) {
    m.ends = true;
    m.starts = has_starts(n, mask[0], m.batch, name);
    return m;
  }
  n.same(mask[0], m.batch, name);
  if (mask.size() == 4) {
    n.same(mask[1], 1, name);
    n.same(mask[2], mask[3], name);
    n.at_most(m.columns, mask[3], name);
    m.rows = q[2];
    m.at = past * mask[3];
    m.batch_stride = mask[2] * mask[3];
    m.row_stride = mask[3];
    return m;
  }
  n.same(mask.back(), m.columns, name);
  if (mask.size() == 3) {
    m.rows = n.same(mask[1], q[2], name);
    m.row_stride = m.columns;
  }
  m.batch_stride = m.rows * m.columns;
  return m;
}

void infer_mask(Infer& n) {
  if (!n.has_rank(0) || !n.has_rank(1) || !n.has_rank(2) || (n.has_input(3) && !n.has_rank(3)))
    return n.output(0, n.elem(1), std::nullopt);
  n.require(n.rank(1) == 4 && n.rank(2) == 4 && (!n.has_input(3) || n.rank(3) == 4), "inputs",
            "past and heads need rank 4");
  const Mask m = read_mask(n);
  n.output(0, n.elem(1), Shape{m.batch, 1, m.rows, m.columns});
}

void lower_mask(Lower& n) {
  const Mask m = read_mask(n);
  n.call("mask_bias", MaskBiasShape<Dim>{.batch = m.batch,
                                         .rows = m.rows,
                                         .columns = m.columns,
                                         .ends = m.ends,
                                         .starts = m.starts,
                                         .mask_at = m.at,
                                         .mask_batch = m.batch_stride,
                                         .mask_row = m.row_stride,
                                         .filter = n.attr_float("filter")})
      .in(0)
      .out(0);
}

void axes(Axes& n) {
  if (n.attr_int("parts") > 1 || n.has_input(1)) return;
  const Sizes s = read(n);
  const int batch = n.loop(s.batch), length = n.loop(s.length), heads = n.loop(s.heads);
  const int width = n.loop(s.width, Axes::Kind::whole);
  const std::vector<std::vector<int>> split = {{batch}, {heads}, {length}, {width}};
  const std::vector<std::vector<int>> joined = {{batch}, {length}, {heads, width}};
  for (std::size_t axis = 0; axis < n.rank(0); ++axis)
    n.input(0, axis, s.split ? split[axis] : joined[axis]);
  for (std::size_t axis = 0; axis < 4; ++axis) n.output(0, axis, split[axis]);
  n.adapt = [heads](Axes::Part& p) {
    p.node.attributes["heads"] = p.extents[static_cast<std::size_t>(heads)].value();
  };
}

// keys is given where data holds the values: the bias of all is checked against both.
constexpr Op rows[] = {internal({
                           .name = "SplitHeads",
                           .inputs = "data:T bias:T? keys:T?",
                           .outputs = "output:T",
                           .types = "T: floats",
                           .attributes = "heads:int! part:int=0 parts:int=1 slot:int=0 "
                                         "role:string=data",
                           .infer = infer,
                           .axes = axes,
                           .lower = lower,
                           .gradient = gradient,
                       }),
                       internal({
                           .name = "MaskBias",
                           .inputs = "mask:int32 q:T k:T past:T?",
                           .outputs = "output:T",
                           .types = "T: floats",
                           .attributes = "filter:float=-10000 role:string=mask",
                           .infer = infer_mask,
                           .lower = lower_mask,
                           .gradient = gradient_is_zero,
                       })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::split_heads
