// Attention: scaled dot-product attention with masks, windows, soft cap and key-value cache.
#include <limits>

#include "compiler/kernels/attention_calls.hpp"
#include "compiler/ops/attention/attention_tiled.hpp"
#include "compiler/ops/attention/heads.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"
#include "templates/attention/head_scale.hpp"

namespace onnxc::ops::attention {
namespace {

// The input of AttentionGrad after those of Attention: the derivative of its result.
constexpr std::size_t kGradOf = 7;

struct Sizes {
  Heads q, k, v;
  Dim past = 0, total;
};

void require_equal(const NodeView& n, const Dim& a, const Dim& b, const std::string& field,
                   const char* what) {
  n.require(!a.is_const() || !b.is_const() || a == b, field, "{} {}, needs {}", what, a.to_string(),
            b.to_string());
  n.same(a, b, field);
}

Sizes read(const NodeView& n) {
  Sizes s;
  s.q = read_heads(n, 0, "Q", n.find_int("q_num_heads"), "q_num_heads");
  s.k = read_heads(n, 1, "K", n.find_int("kv_num_heads"), "kv_num_heads");
  s.v = read_heads(n, 2, "V", n.find_int("kv_num_heads"), "kv_num_heads");
  n.require(s.q.rank3 == s.k.rank3 && s.q.rank3 == s.v.rank3, "inputs", "Q, K, V differ in rank");
  require_equal(n, s.k.batch, s.q.batch, input_field(1, "K"), "batch");
  require_equal(n, s.v.batch, s.q.batch, input_field(2, "V"), "batch");
  require_equal(n, s.k.width, s.q.width, input_field(1, "K"), "head size");
  require_equal(n, s.v.length, s.k.length, input_field(2, "V"), "length");
  require_equal(n, s.v.heads, s.k.heads, input_field(2, "V"), "heads");
  n.require(!s.k.heads.is_const() || s.k.heads.value() >= 1, input_field(1, "K"), "no heads");
  n.require(
      !s.q.heads.is_const() || !s.k.heads.is_const() || s.q.heads.value() % s.k.heads.value() == 0,
      input_field(1, "K"), "{} heads do not divide the {} of Q", s.k.heads.to_string(),
      s.q.heads.to_string());
  n.at_least(s.k.heads, 1, input_field(1, "K"));
  n.same(Dim::floor_div(s.q.heads, s.k.heads) * s.k.heads, s.q.heads, input_field(1, "K"));
  for (std::size_t i : {4, 5}) {
    if (!n.has_input(i) || !n.input(i).has_rank()) continue;
    const Shape& p = *n.input(i).shape;
    const std::string field = input_field(i, i == 4 ? "past_key" : "past_value");
    n.require(p.size() == 4, field, "rank {}, needs 4", p.size());
    require_equal(n, p[0], s.q.batch, field, "batch");
    require_equal(n, p[1], s.k.heads, field, "heads");
    require_equal(n, p[3], i == 4 ? s.k.width : s.v.width, field, "head size");
    if (i == 5) require_equal(n, p[2], s.past, field, "length");
    s.past = p[2];
  }
  require_vector(n, 6, "nonpad_kv_seqlen", s.q.batch);
  s.total = s.past + s.k.length;
  return s;
}

// Strides along batch, heads, rows and columns, 0 where the mask broadcasts.
struct MaskStrides {
  Dim strides[4] = {0, 0, 0, 0};
  Dim length = 0;
};

MaskStrides read_mask(const NodeView& n, const Sizes& s) {
  MaskStrides m;
  if (!n.has_input(3)) return m;
  const Shape& mask = *n.input(3).shape;
  const std::string field = input_field(3, "attn_mask");
  n.require(mask.size() >= 1 && mask.size() <= 4, field, "rank {}", mask.size());
  const Dim want[4] = {s.q.batch, s.q.heads, s.q.length, s.total};
  Dim stride = 1;
  for (std::size_t i = mask.size(); i-- > 0;) {
    const std::size_t at = 4 - mask.size() + i;
    const Dim& d = mask[i];
    const bool known = d.is_const() && want[at].is_const();
    if (at == 3) {
      n.require(!known || d.value() <= want[3].value(), field, "{} columns, at most {}",
                d.to_string(), want[3].to_string());
      n.at_most(d, want[3], field);
      m.length = d;
    } else {
      n.require(!known || d.is(1) || d == want[at], field, "{} does not broadcast",
                to_string(mask));
      if (!d.is(1)) n.same(n.broadcast(d, want[at], field), want[at], field);
    }
    if (at == 3 || d == want[at])
      m.strides[at] = stride;
    else
      m.strides[at] = Dim::broadcast_stride(d, stride);
    stride = stride * d;
  }
  return m;
}

std::int64_t window(const NodeView& n, const char* name) {
  const std::int64_t v = n.attr_int(name);
  n.require(v >= -1, "attribute " + quoted(name), "{} is below -1", v);
  return v;
}

void infer(Infer& n) {
  const ElemType t1 = n.elem(0), t2 = n.elem(2);
  const std::int64_t mode = n.attr_int("qk_matmul_output_mode");
  n.require(mode >= 0 && mode <= 3, "attribute \"qk_matmul_output_mode\"", "{} is no mode", mode);
  window(n, "left_window_size");
  window(n, "right_window_size");
  if (n.find_int("softmax_precision").value_or(0) != 0)
    n.require(is_float(n.attr_elem_type("softmax_precision")), "attribute \"softmax_precision\"",
              "is no floating-point type");
  n.require(n.has_input(4) == n.has_input(5), "inputs", "past_key and past_value go together");
  n.require(!n.has_input(4) || !n.has_input(6), "inputs", "nonpad_kv_seqlen excludes past_key");
  const bool known = n.has_rank(0) && n.has_rank(1) && n.has_rank(2) &&
                     (!n.has_input(4) || (n.has_rank(4) && n.has_rank(5)));
  if (!known) {
    for (std::size_t i = 0; i < 4; ++i) n.output(i, i == 2 ? t2 : t1, std::nullopt);
    return;
  }
  const Sizes s = read(n);
  if (!n.has_input(3) || n.has_rank(3)) read_mask(n, s);
  n.output(0, t1,
           s.q.rank3 ? Shape{s.q.batch, s.q.length, s.q.heads * s.v.width}
                     : Shape{s.q.batch, s.q.heads, s.q.length, s.v.width});
  n.output(1, t1, Shape{s.q.batch, s.k.heads, s.total, s.k.width});
  n.output(2, t2, Shape{s.q.batch, s.k.heads, s.total, s.v.width});
  n.output(3, t1, Shape{s.q.batch, s.q.heads, s.q.length, s.total});
}

// The cache of keys (input and output 1) or values (2) after this call.
void lower_cache(Lower& n, const Sizes& s, std::size_t which, BufferId to) {
  const Heads& x = which == 1 ? s.k : s.v;
  Call call = n.call("attention_cache", AttentionCacheShape<Dim>{x.batch, x.heads, x.length, s.past,
                                                                 x.width, x.rank3});
  call.in(which + 3, n.elem(which)).in(which).write(to);
}

float scale_of(const NodeView& n, const Sizes& s) {
  if (n.has_attr("scale")) return n.attr_float("scale");
  return s.q.width.is_const() ? head_scale(kNaN, s.q.width.value()) : kNaN;
}

// Whether attention_tiled computes it: float32, and no output for the scores.
bool fits_rows(const Lower& n, const Sizes& s) {
  const bool floats = n.elem(0) == ElemType::float32 && n.elem(2) == ElemType::float32;
  const bool mask =
      !n.has_input(3) || n.elem(3) == ElemType::float32 || n.elem(3) == ElemType::boolean;
  if (n.options().optimize_size) return false;
  return floats && mask && !n.has_output(3) && (n.has_attr("scale") || s.q.width.is_const());
}

// The past keys (1) or values (2) followed by the new ones; only the new ones without a past.
BufferId keys_or_values(Lower& n, const Sizes& s, std::size_t which) {
  const Heads& x = which == 1 ? s.k : s.v;
  const bool cached = n.has_input(which + 3);
  if (!cached && !n.has_output(which)) return n.in(which);
  const Dim count = Dim::max(x.batch * x.heads * s.total * x.width, 1);
  const BufferId whole =
      n.has_output(which) ? n.out(which) : n.scratch(n.elem(which), count, "cache");
  lower_cache(n, s, which, whole);
  return cached ? whole : n.in(which);
}

Shape strides_of(const Heads& x, const Dim& heads, const Dim& group, const Dim& length) {
  return x.rank3 ? position_strides(group, length, x.width, heads * group * x.width)
                 : head_strides(heads, group, length, x.width);
}

AttentionTiledShape<Dim> tiled_shape(const Lower& n, const Sizes& s, const MaskStrides& m) {
  const Dim group = Dim::floor_div(s.q.heads, s.k.heads);
  AttentionTiledShape<Dim> a;
  a.batch = {s.q.batch, s.k.heads, group};
  a.q_length = s.q.length;
  a.kv_length = s.total;
  a.kv_valid = n.has_input(3) ? m.length : s.total;
  a.width = s.q.width;
  a.v_width = s.v.width;
  a.past = s.past;
  a.causal = n.attr_int("is_causal") != 0;
  a.left = window(n, "left_window_size");
  a.right = window(n, "right_window_size");
  a.scale = scale_of(n, s);
  a.softcap = n.attr_float("softcap");
  a.masked_value = -std::numeric_limits<float>::infinity();
  a.zero_fully_masked_rows = true;
  a.q_strides = strides_of(s.q, s.k.heads, group, s.q.length);
  Heads y = s.q;
  y.width = s.v.width;
  a.y_strides = strides_of(y, s.k.heads, group, s.q.length);
  // The cache has a layout of its own.
  const auto shared = [&](Heads x) {
    x.rank3 = x.rank3 && !n.has_input(4);
    Shape strides = strides_of(x, x.heads, 1, s.total);
    strides[2] = 0;
    return strides;
  };
  a.k_strides = shared(s.k);
  a.k_strides.push_back(1);
  a.v_strides = shared(s.v);
  a.mask_strides =
      a.bool_mask_strides = {m.strides[0], group * m.strides[1], m.strides[1], m.strides[2]};
  return a;
}

// The masks and lengths that the kernels of rows read; checks the lengths.
void add_masks(Lower& n, const Sizes& s, AttentionBuffers& b) {
  if (n.has_input(3)) (n.elem(3) == ElemType::boolean ? b.bool_mask : b.mask) = n.in(3);
  if (!n.has_input(6)) return;
  b.lengths = n.in(6);
  n.call("check_lengths", CheckLengthsShape<Dim>{s.q.batch, s.total}).read(b.lengths);
}

void lower_rows(Lower& n, const Sizes& s, const MaskStrides& m) {
  AttentionBuffers b{n.in(0), keys_or_values(n, s, 1), keys_or_values(n, s, 2), n.out(0)};
  add_masks(n, s, b);
  lower_attention_tiled(n, tiled_shape(n, s, m), b);
}

AttentionShape<Dim> plain_shape(const Lower& n, const Sizes& s, const MaskStrides& m) {
  return {.batch = s.q.batch,
          .q_heads = s.q.heads,
          .kv_heads = s.k.heads,
          .q_length = s.q.length,
          .kv_length = s.k.length,
          .past = s.past,
          .width = s.q.width,
          .v_width = s.v.width,
          .rank3 = s.q.rank3,
          .causal = n.attr_int("is_causal") != 0,
          .left = window(n, "left_window_size"),
          .right = window(n, "right_window_size"),
          .scale = scale_of(n, s),
          .softcap = n.attr_float("softcap"),
          .mask_batch = m.strides[0],
          .mask_head = m.strides[1],
          .mask_row = m.strides[2],
          .mask_column = m.strides[3],
          .mask_length = m.length,
          .mode = n.attr_int("qk_matmul_output_mode")};
}

void lower(Lower& n) {
  const Sizes s = read(n);
  const MaskStrides m = read_mask(n, s);
  if (fits_rows(n, s)) return lower_rows(n, s, m);
  for (std::size_t i : {1, 2})
    if (n.has_output(i)) lower_cache(n, s, i, n.out(i));
  const ElemType sum = n.elem(0) == ElemType::float64 ? ElemType::float64 : ElemType::float32;
  Call call = n.call("attention", plain_shape(n, s, m));
  call.in({0, 1, 2}).in(3, ElemType::boolean).begin_struct("AttentionPast");
  call.in(4, n.elem(0)).in(5, n.elem(2)).in(6).end_struct().out(0).out(3, n.elem(0));
  call.begin_struct("AttentionRow").write(n.scratch(sum, Dim::max(s.total, 1), "scores"));
  call.write(n.scratch(sum, Dim::max(s.v.width, 1), "sum")).end_struct();
  call.macs(s.q.batch * s.q.heads * s.q.length * s.total * (s.q.width + s.v.width));
}

// ---- the definition as nodes, which the gradient goes through --------------------------------

// [batch, heads, length, width].
Term heads_first(const Gradient& n, std::size_t i, const Heads& x) {
  if (!x.rank3) return n.x(i);
  const Term parts = n.emit("Reshape", {n.x(i), n.list({0, 0, x.heads.value(), -1})});
  return permute(parts, {0, 2, 1, 3});
}

// With the entries of the cache before the new ones.
Term with_past(const Gradient& n, std::size_t which, Term v) {
  if (!n.has_input(which + 3)) return v;
  return n.emit("Concat", {n.x(which + 3), v}, {{"axis", std::int64_t{2}}});
}

// Every head of keys or values once for each head of queries that reads it.
Term for_queries(const Gradient& n, Term v, const Sizes& s) {
  const std::int64_t heads = s.q.heads.value(), group = heads / s.k.heads.value();
  if (group == 1) return v;
  std::vector<std::int64_t> at;
  for (std::int64_t i = 0; i < heads; ++i) at.push_back(i / group);
  return n.emit("Gather", {v, n.list(at)}, {{"axis", std::int64_t{1}}});
}

Term both(Term a, Term b) { return a.value && b.value ? a && b : a.value ? a : b; }

// [length, total] or [batch, 1, length, total]: whether a query may attend to a key by position;
// none if every query attends to every key.
Term allowed_by_position(const Gradient& n, Term scores) {
  const auto numbers = [&](std::int64_t axis) {
    return n.emit("Range",
                  {n.builder().integer(0), extent_of(scores, axis), n.builder().integer(1)});
  };
  const Term keys = numbers(3);
  Term queries = n.emit("Unsqueeze", {numbers(2), n.list({1})}), allowed, lengths;
  if (n.has_input(6)) {
    lengths = n.emit("Reshape", {n.x(6), n.list({-1, 1, 1, 1})});
    allowed = keys < lengths;
    queries = queries + (lengths - extent_of(scores, 2));
  } else if (n.has_input(4)) {
    queries = queries + extent_of(n.x(4), 2);
  }
  const Term distance = keys - queries;
  const std::int64_t left = window(n, "left_window_size"), right = window(n, "right_window_size");
  if (n.attr_int("is_causal") != 0) allowed = both(allowed, distance <= n.builder().integer(0));
  if (left >= 0) allowed = both(allowed, distance >= n.builder().integer(-left));
  if (right >= 0) allowed = both(allowed, distance <= n.builder().integer(right));
  return allowed;
}

// A mask with fewer columns than there are keys forbids the others.
Term mask_of_all_keys(const Gradient& n, Term mask, Term scores) {
  if (mask.type().shape->back() == scores.type().shape->back()) return mask;
  const auto last = static_cast<std::int64_t>(mask.type().rank()) - 1;
  const Term more = extent_of(scores, 3) - extent_of(mask, last);
  const Term pads = n.emit("Concat", {n.list({0}), n.emit("Reshape", {more, n.list({1})})},
                           {{"axis", std::int64_t{0}}});
  const double forbidden = -std::numeric_limits<double>::infinity();
  return n.emit("Pad", {mask, pads, number_like(mask, forbidden), n.list({last})});
}

struct Masked {
  Term scores;   // with a mask of numbers added
  Term allowed;  // or none
};

Masked masked(const Gradient& n, Term scores) {
  Masked m{scores, allowed_by_position(n, scores)};
  if (!n.has_input(3)) return m;
  const double forbidden = -std::numeric_limits<double>::infinity();
  const bool is_bool = n.input(3).elem == ElemType::boolean;
  const ElemType elem = scores.type().elem;
  Term mask = convert(n.x(3), elem);
  if (is_bool) mask = choose(n.x(3), 0.0, number_like(scores, forbidden));
  mask = mask_of_all_keys(n, mask, scores);
  const Term finite = mask > forbidden;
  m.allowed = both(m.allowed, finite);
  if (!is_bool) m.scores = scores + choose(finite, mask, 0.0);
  return m;
}

// The weights of the values; 0 throughout where a query attends to no key.
Term attention_weights(const Masked& m) {
  if (!m.allowed.value) return apply("Softmax", m.scores);
  // Finite, so that no row is without a largest element.
  const double low = m.scores.type().elem == ElemType::float16 ? -6e4 : -1e30;
  return choose(m.allowed, apply("Softmax", choose(m.allowed, m.scores, low)), 0.0);
}

Term scaled_products(const Gradient& n, const Sizes& s, Term q, Term k) {
  const Term products = matmul(q, permute(k, {0, 1, 3, 2}));
  const float scale = scale_of(n, s);
  if (scale == scale) return products * double{scale};
  const Term width = convert(extent_of(q, 3), q.type().elem);
  return products / apply("Sqrt", width);
}

// The results of the operator, as nodes.
std::vector<Value*> definition(const Gradient& n) {
  for (std::size_t i = 0; i < 3; ++i) n.shape(i);
  const Sizes s = read(n);
  n.require_known(s.q.heads.is_const() && s.k.heads.is_const(), input_field(0, "Q"),
                  "the gradient needs a number of heads known at compile time");
  const Term k = with_past(n, 1, heads_first(n, 1, s.k));
  const Term v = with_past(n, 2, heads_first(n, 2, s.v));
  const Term products = scaled_products(n, s, heads_first(n, 0, s.q), for_queries(n, k, s));
  const double cap = double{n.attr_float("softcap")};
  const Term capped = cap > 0 ? cap * apply("Tanh", products / cap) : products;
  const Masked m = masked(n, capped);
  const Term weights = attention_weights(m);
  Term y = matmul(convert(weights, v.type().elem), for_queries(n, v, s));
  if (s.q.rank3) y = n.emit("Reshape", {permute(y, {0, 2, 1, 3}), n.list({0, 0, -1})});
  Term scores[] = {products, capped, m.scores, weights};
  if (m.allowed.value)
    scores[2] = choose(m.allowed, m.scores, -std::numeric_limits<double>::infinity());
  return {convert(y, n.input(0).elem), k, v, scores[n.attr_int("qk_matmul_output_mode")]};
}

// ---- the derivatives by Q, K and V, without the matrix of weights -----------------------------

// Whether AttentionGrad has the derivatives that are asked for.
bool has_own_gradient(const Gradient& n) {
  const ElemType elem = n.input(0).elem;
  if (elem != n.input(2).elem || (elem != ElemType::float32 && elem != ElemType::float64))
    return false;
  for (std::size_t i = 1; i < 4; ++i)
    if (n.has_dy(i)) return false;
  return !n.has_input(4) && !n.wants(3) && n.attr_float("softcap") == 0.0f;
}

void gradient(Gradient& n) {
  if (!has_own_gradient(n)) return n.by_definition(definition(n));
  std::vector<Value*> inputs = n.node().inputs;
  inputs.resize(kGradOf);
  inputs.push_back(n.dy());
  Attributes attributes = n.node().attributes;
  for (const char* own : {"qk_matmul_output_mode", "softcap", "softmax_precision"})
    attributes.erase(own);
  const auto found = n.builder().add(get("AttentionGrad", "onnxc"), inputs, 3, attributes);
  for (std::size_t i = 0; i < 3; ++i) n.dx(i, n.builder().term(found[i]));
  if (n.has_input(3)) n.zero(3);
}

void infer_grad(Infer& n) {
  for (std::size_t i = 0; i < 3; ++i) n.output(i, n.input(i));
}

void lower_grad(Lower& n) {
  const Sizes s = read(n);
  const MaskStrides m = read_mask(n, s);
  if (fits_rows(n, s)) {
    AttentionBuffers b{n.in(0), n.in(1), n.in(2), n.in(kGradOf)};
    add_masks(n, s, b);
    return lower_attention_grad_tiled(n, tiled_shape(n, s, m), b);
  }
  Call call = n.call("attention_grad", plain_shape(n, s, m));
  call.in({0, 1, 2}).in(3, ElemType::boolean).in(6, ElemType::int64).in(kGradOf);
  call.begin_struct("AttentionGrads").out({0, 1, 2}).end_struct();
  call.begin_struct("AttentionGradRows");
  for (const char* role : {"weights", "slopes"})
    call.write(n.scratch(n.elem(0), Dim::max(s.total, 1), role));
  call.end_struct();
  call.macs(s.q.batch * s.q.heads * s.q.length * s.total * (s.q.width * 3 + s.v.width * 2));
}

// By the derivatives of the definition.
void gradient_of_grad(Gradient& n) {
  std::vector<Value*> xs;
  for (std::size_t i = 0; i < 3; ++i) xs.push_back(n.x(i));
  n.by_definition(n.builder().vjp({{definition(n)[0], n.x(kGradOf)}}, xs));
}

// Heads and batch. A key head keeps its query heads.
void axes(Axes& n) {
  if (n.has_input(6) || n.has_output(3)) return;
  const bool joined = n.rank(0) == 3;
  const std::size_t heads = joined ? 2 : 1;
  const Dim& all = n.shape(0)[joined ? 2 : 1];
  const Dim queries = joined ? Dim(n.attr_int("q_num_heads")) : all;
  const Dim keys = joined ? Dim(n.attr_int("kv_num_heads")) : n.shape(1)[1];
  if (!queries.is_const() || !keys.is_const()) return;
  const int batch = n.loop(n.shape(0)[0]), head = n.loop(keys);
  const int group = n.loop(queries.value() / keys.value(), Axes::Kind::whole);
  const auto split = [&](const Dim& extent, const Dim& parts) {
    return n.loop(Dim::floor_div(extent, parts), Axes::Kind::whole);
  };
  for (const std::size_t i : {0, 1, 2}) {
    n.input(i, 0, {batch});
    std::vector<int> over = {head};
    if (i == 0) over.push_back(group);
    if (joined) over.push_back(split(n.shape(i)[2], i == 0 ? queries : keys));
    n.input(i, heads, over);
  }
  std::vector<int> over = {head, group};
  if (joined) over.push_back(split(n.out_shape(0)[2], queries));
  n.output(0, 0, {batch});
  n.output(0, heads, over);
  for (std::size_t i = 1; i < 3; ++i) {
    if (n.has_output(i)) n.output(i, 0, {batch}), n.output(i, 1, {head});
    if (n.has_input(i + 3)) n.input(i + 3, 0, {batch}), n.input(i + 3, 1, {head});
  }
  // The mask broadcasts to [batch, queries, tokens, tokens].
  if (n.ranked(3)) {
    const std::size_t rank = n.rank(3);
    if (rank == 4 && !n.shape(3)[0].is(1)) n.input(3, 0, {batch});
    if (rank >= 3 && !n.shape(3)[rank - 3].is(1)) n.input(3, rank - 3, {head, group});
  }
  if (!joined) return;
  n.adapt = [head](Axes::Part& p) {
    const std::int64_t own = p.extents[static_cast<std::size_t>(head)].value();
    const std::int64_t each = std::get<std::int64_t>(p.node.attributes.at("q_num_heads")) /
                              std::get<std::int64_t>(p.node.attributes.at("kv_num_heads"));
    p.node.attributes["q_num_heads"] = own * each;
    p.node.attributes["kv_num_heads"] = own;
  };
}

constexpr Op rows[] = {
    {
        .name = "Attention",
        .versions = "23 24 25",
        .inputs = "Q:T1 K:T1 V:T2 attn_mask:U? past_key:T1? past_value:T2? nonpad_kv_seqlen:int64?",
        .outputs = "Y:T1 present_key:T1? present_value:T2? qk_matmul_output:T1?",
        .types = "T1: floats; T2: floats; U: numeric bool",
        .attributes =
            "is_causal:int=0 kv_num_heads:int left_window_size:int=-1@25- q_num_heads:int "
            "qk_matmul_output_mode:int=0 right_window_size:int=-1@25- scale:float "
            "softcap:float=0 softmax_precision:int",
        .infer = infer,
        .axes = axes,
        .lower = lower,
        .gradient = gradient,
    },
    internal({
        .name = "AttentionGrad",
        .inputs = "Q:T K:T V:T attn_mask:U? past_key:T? past_value:T? nonpad_kv_seqlen:int64? dY:T",
        .outputs = "dQ:T dK:T dV:T",
        .types = "T: float double; U: numeric bool",
        .attributes = "is_causal:int=0 kv_num_heads:int left_window_size:int=-1 q_num_heads:int "
                      "qk_matmul_output_mode:int=0 right_window_size:int=-1 scale:float "
                      "softcap:float=0",
        .infer = infer_grad,
        .lower = lower_grad,
        .gradient = gradient_of_grad,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::attention
