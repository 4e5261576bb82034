// com.microsoft GroupQueryAttention: causal attention. Groups of query heads share keys and values;
// every sequence has a cache and a length.
#include "compiler/ops/attention/attention_tiled.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"
#include "compiler/support/checked.hpp"
#include "templates/attention/attention_calls.hpp"
#include "templates/attention/head_scale.hpp"

namespace onnxc::ops::group_query_attention {
namespace {

enum : std::size_t {
  kQuery,
  kKey,
  kValue,
  kPastKey,
  kPastValue,
  kLastKey,
  kTotal,
  kCos,
  kSin,
  kIds,
  kBias,
  kSinks
};

struct Sizes {
  Dim batch, length, width, past = 0;
  std::int64_t heads = 0, kv_heads = 0;
  bool packed = false;
  Dim rotated = 0, positions = 0;
  std::optional<Dim> total;  // length of the longest sequence, where it is known
};

void read_heads(const NodeView& n, Sizes& s) {
  s.heads = n.attr_int("num_heads");
  s.kv_heads = n.attr_int("kv_num_heads");
  n.require(s.heads >= 1, "attribute \"num_heads\"", "{} heads", s.heads);
  n.require(s.kv_heads >= 1 && s.heads % s.kv_heads == 0, "attribute \"kv_num_heads\"",
            "{} heads do not divide {}", s.kv_heads, s.heads);
  const Shape& q = *n.input(kQuery).shape;
  n.require(q.size() == 3, input_field(kQuery, "query"), "rank {}, needs 3", q.size());
  n.require(n.has_input(kKey) == n.has_input(kValue), "inputs", "key and value go together");
  s.packed = !n.has_input(kKey);
  s.batch = q[0];
  s.length = q[1];
  const std::int64_t count = s.heads + (s.packed ? checked_mul(2, s.kv_heads) : 0);
  s.width = Dim::floor_div(q[2], count);
  n.same(s.width * count, q[2], input_field(kQuery, "query"));
  n.at_least(s.width, 1, input_field(kQuery, "query"));
  for (std::size_t i : {kKey, kValue}) {
    if (s.packed) break;
    const std::string field = input_field(i, i == kKey ? "key" : "value");
    if (!n.input(i).has_rank()) continue;
    const Shape& k = *n.input(i).shape;
    n.require(k.size() == 3, field, "rank {}, needs 3", k.size());
    n.same(k[0], s.batch, field);
    n.same(k[1], s.length, field);
    n.same(k[2], s.width * s.kv_heads, field);
  }
}

void read_past(const NodeView& n, Sizes& s) {
  n.require(n.has_input(kPastKey) == n.has_input(kPastValue), "inputs",
            "past_key and past_value go together");
  for (std::size_t i : {kPastKey, kPastValue}) {
    if (!n.has_input(i)) continue;
    const std::string field = input_field(i, i == kPastKey ? "past_key" : "past_value");
    const Shape& p = *n.input(i).shape;
    n.require(p.size() == 4, field, "rank {}, needs 4", p.size());
    n.same(p[0], s.batch, field);
    n.same(p[1], s.kv_heads, field);
    n.same(p[3], s.width, field);
    if (i == kPastValue) n.same(p[2], s.past, field);
    s.past = p[2];
  }
}

void read_angles(const NodeView& n, Sizes& s) {
  if (n.attr_int("do_rotary") == 0) return;
  for (std::size_t i : {kCos, kSin}) {
    const std::string field = input_field(i, i == kCos ? "cos_cache" : "sin_cache");
    n.require(n.has_input(i), field, "is needed with do_rotary");
    const Shape& c = *n.input(i).shape;
    n.require(c.size() == 2, field, "rank {}, needs 2", c.size());
    if (i == kSin) {
      n.same(c[0], s.positions, field);
      n.same(c[1] * 2, s.rotated, field);
    }
    s.positions = c[0];
    s.rotated = c[1] * 2;
    n.at_most(s.rotated, s.width, field);
  }
  if (!n.has_input(kIds) || !n.input(kIds).has_rank()) return;
  const Shape& ids = *n.input(kIds).shape;
  n.require(ids.size() == 2, input_field(kIds, "position_ids"), "rank {}, needs 2", ids.size());
  n.same(ids[0], s.batch, input_field(kIds, "position_ids"));
  n.same(ids[1], s.length, input_field(kIds, "position_ids"));
}

Sizes read(const NodeView& n) {
  Sizes s;
  read_heads(n, s);
  read_past(n, s);
  read_angles(n, s);
  const Dim lengths = product(*n.input(kLastKey).shape);
  n.same(lengths, s.batch, input_field(kLastKey, "seqlens_k"));
  n.one_value(kTotal, input_field(kTotal, "total_sequence_length"));
  if (n.has_input(kSinks)) require_vector(n, kSinks, "head_sink", s.heads);
  const auto total = n.extents(kTotal);
  if (total && total->size() == 1) s.total = (*total)[0];
  return s;
}

bool known(const NodeView& n) {
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (n.has_input(i) && !n.input(i).has_rank()) return false;
  return true;
}

void refuse_limits(const NodeView& n) {
  const auto only = [&](const char* name, std::int64_t value) {
    if (n.attr_int(name) != value)
      n.unsupported("attribute " + quoted(name), fmt::format("only {} is supported", value));
  };
  only("qk_output", 0);
  only("sliding_window_cache", 0);
  for (const char* name : {"k_quant_type", "v_quant_type"})
    if (n.attr_string(name) != "NONE")
      n.unsupported("attribute " + quoted(name), "only NONE is supported");
  for (std::size_t i = kSinks + 1; i < 16; ++i)
    if (n.has_input(i)) n.unsupported(fmt::format("input {}", i), "is not supported");
  if (n.has_output(3)) n.unsupported("output 3 \"output_qk\"", "is not supported");
}

void infer(Infer& n) {
  refuse_limits(n);
  const std::int64_t window = n.attr_int("local_window_size");
  n.require(window >= -1, "attribute \"local_window_size\"", "{} is below -1", window);
  if (!known(n)) {
    for (std::size_t i = 0; i < 3; ++i) n.output(i, n.elem(kQuery), std::nullopt);
    return;
  }
  const Sizes s = read(n);
  n.output(0, n.elem(kQuery), Shape{s.batch, s.length, s.width * s.heads});
  if (!n.has_output(1) && !n.has_output(2)) return;
  const Dim capacity = s.total ? Dim::max(s.past, *s.total) : n.unknown_extent();
  const Shape cache = {s.batch, s.kv_heads, capacity, s.width};
  n.output(1, n.elem(kQuery), cache);
  n.output(2, n.elem(kQuery), cache);
}

Dim capacity_of(Lower& n, const Sizes& s) {
  if (s.total) return Dim::max(s.past, *s.total);
  const std::size_t there = n.has_output(1) ? 1 : 2;
  // Without a cache as output, the past and the new positions are enough.
  if (!n.has_output(there)) return s.past + s.length;
  Shape reported = {n.out_shape(there)[2]};
  if (there == 1 && n.has_output(2)) reported.push_back(n.out_shape(2)[2]);
  n.call("grouped_extents", GroupedExtentsShape<Dim>{s.past, rank_of(reported)})
      .in(kTotal)
      .extents(reported);
  return reported[0];
}

// Members that cache and attention share. Heads of input `of` are adjacent columns.
GroupedSizes<Dim> sizes(const Lower& n, const Sizes& s, const Dim& capacity, std::size_t of,
                        bool rotates) {
  const Dim columns = n.shape(of)[2];
  return {.batch = s.batch,
          .length = s.length,
          .past = s.past,
          .capacity = capacity,
          .width = s.width,
          .batch_stride = s.length * columns,
          .position_stride = columns,
          .rotated = rotates ? s.rotated : Dim(0),
          .positions = s.positions,
          .interleaved = n.attr_int("rotary_interleaved") != 0};
}

void add_tokens(Call& call, const Lower& n, bool rotates) {
  const ElemType elem = n.elem(kQuery);
  call.begin_struct("GroupedTokens").in({kLastKey, kTotal});
  if (rotates)
    call.in({kCos, kSin, kIds});
  else
    call.null(elem).null(elem).null(ElemType::int64);
  call.end_struct();
}

// The buffer of the cache of keys (output 1) or values (output 2) after this call.
BufferId lower_cache(Lower& n, const Sizes& s, const Dim& capacity, std::size_t output) {
  const bool keys = output == 1;
  const ElemType elem = n.elem(kQuery);
  const BufferId cache =
      n.has_output(output)
          ? n.out(output)
          : n.scratch(elem, Dim::max(s.batch * s.kv_heads * capacity * s.width, 1), "cache");
  const std::size_t of = s.packed ? kQuery : keys ? kKey : kValue;
  const bool rotates = keys && n.attr_int("do_rotary") != 0;
  // Packed inputs hold queries, keys and values in this order.
  const std::int64_t before = s.packed ? s.heads + (keys ? 0 : s.kv_heads) : 0;
  Call call = n.call("grouped_cache", GroupedCacheShape<Dim>{s.kv_heads, s.width * before,
                                                             sizes(n, s, capacity, of, rotates)});
  call.in(of).in(keys ? kPastKey : kPastValue, elem);
  add_tokens(call, n, rotates);
  call.write(cache);
  if (s.past == capacity) call.may_share(keys ? kPastKey : kPastValue, output);
  return cache;
}

// Strides of the bias along batch, heads and rows.
struct BiasStrides {
  Dim batch = 0, head = 0, row = 0;
};

BiasStrides bias_strides(const Lower& n, const Sizes& s) {
  BiasStrides strides;
  if (n.has_input(kBias)) {
    const Shape& bias = n.shape(kBias);
    const std::string field = input_field(kBias, "attention_bias");
    n.require(bias.size() == 4, field, "rank {}, needs 4", bias.size());
    n.same(bias[2], s.length, field);
    if (s.total) n.same(bias[3], *s.total, field);
    strides.row = bias[3];
    strides.head = one_or_all(n, bias[1], s.heads, field) * bias[2] * bias[3];
    strides.batch = one_or_all(n, bias[0], s.batch, field) * bias[1] * bias[2] * bias[3];
  }
  return strides;
}

float scale_of(const NodeView& n) {
  const float given = n.has_attr("scale") ? n.attr_float("scale") : 0.0f;
  return given != 0.0f ? given : kNaN;
}

// Whether attention_tiled computes it: float32 without attention sinks.
bool fits_rows(const Lower& n, const Sizes& s) {
  const bool sinks = n.has_input(kSinks) || n.attr_int("smooth_softmax") != 0;
  return n.elem(kQuery) == ElemType::float32 && !sinks && s.width.is_const() &&
         !n.options().optimize_size;
}

BufferId lower_rotated_queries(Lower& n, const Sizes& s, const Dim& capacity) {
  const Dim count = s.batch * s.length * s.width * s.heads;
  const BufferId queries = n.scratch(ElemType::float32, Dim::max(count, 1), "queries");
  Call call = n.call("grouped_queries",
                     GroupedQueriesShape<Dim>{s.heads, sizes(n, s, capacity, kQuery, true)});
  call.in(kQuery);
  add_tokens(call, n, true);
  call.write(queries);
  return queries;
}

// Computes the lengths and positions of all sequences into these buffers.
void lower_lengths(Lower& n, const Sizes& s, const Dim& capacity, BufferId lengths,
                   BufferId positions) {
  Call call =
      n.call("grouped_lengths", GroupedLengthsShape<Dim>{s.batch, s.length, s.past, capacity});
  call.in({kLastKey, kTotal}).write(lengths).write(positions);
}

void lower_rows(Lower& n, const Sizes& s, const Dim& capacity, BufferId k, BufferId v) {
  const bool rotates = n.attr_int("do_rotary") != 0;
  const std::int64_t group = s.heads / s.kv_heads;
  const BiasStrides bias = bias_strides(n, s);
  AttentionTiledShape<Dim> a;
  a.batch = {s.batch, s.kv_heads, group};
  a.q_length = s.length;
  a.kv_length = a.kv_valid = capacity;
  a.width = a.v_width = s.width;
  const std::int64_t window = n.attr_int("local_window_size");
  a.causal = n.attr_int("causal") != 0;
  a.left = window > 0 ? window - 1 : -1;
  a.scale = head_scale(scale_of(n), s.width.value());
  a.softcap = n.attr_float("softcap");
  a.zero_fully_masked_rows = true;
  a.y_strides = position_strides(group, s.length, s.width, s.width * s.heads);
  a.q_strides =
      rotates ? a.y_strides : position_strides(group, s.length, s.width, n.shape(kQuery)[2]);
  a.v_strides = head_strides(s.kv_heads, 1, capacity, s.width);
  a.k_strides = a.v_strides;
  a.k_strides.push_back(1);
  a.mask_strides = {bias.batch, bias.head * group, bias.head, bias.row};
  AttentionBuffers b{rotates ? lower_rotated_queries(n, s, capacity) : n.in(kQuery), k, v,
                     n.out(0)};
  if (n.has_input(kBias)) b.mask = n.in(kBias);
  b.lengths = n.scratch(ElemType::int64, Dim::max(s.batch, 1), "lengths");
  b.positions = n.scratch(ElemType::int64, Dim::max(s.batch, 1), "positions");
  lower_lengths(n, s, capacity, b.lengths, b.positions);
  lower_attention_tiled(n, a, b);
}

void lower(Lower& n) {
  const Sizes s = read(n);
  const Dim capacity = capacity_of(n, s);
  const ElemType elem = n.elem(kQuery);
  const bool rotates = n.attr_int("do_rotary") != 0;
  const BufferId k = lower_cache(n, s, capacity, 1), v = lower_cache(n, s, capacity, 2);
  if (fits_rows(n, s)) return lower_rows(n, s, capacity, k, v);
  const BiasStrides bias = bias_strides(n, s);
  Call call = n.call("grouped_attention",
                     GroupedAttentionShape<Dim>{
                         .heads = s.heads,
                         .kv_heads = s.kv_heads,
                         .sizes = sizes(n, s, capacity, kQuery, rotates),
                         .causal = n.attr_int("causal") != 0,
                         .window = std::max<std::int64_t>(n.attr_int("local_window_size"), 0),
                         .scale = scale_of(n),
                         .softcap = n.attr_float("softcap"),
                         .smooth = n.attr_int("smooth_softmax") != 0,
                         .bias_batch = bias.batch,
                         .bias_head = bias.head,
                         .bias_row = bias.row});
  call.in(kQuery).read(k).read(v);
  add_tokens(call, n, rotates);
  call.in(kBias, elem).in(kSinks, elem).out(0);
  call.begin_struct("GroupedRow").write(n.scratch(elem, Dim::max(s.width, 1), "query"));
  call.write(n.scratch(ElemType::float32, Dim::max(capacity, 1), "scores"));
  call.write(n.scratch(ElemType::float32, Dim::max(s.width, 1), "sum")).end_struct();
  call.macs(s.batch * s.heads * s.length * capacity * s.width * 2);
}

constexpr Op rows[] = {contrib({
    .name = "GroupQueryAttention",
    .inputs = "query:T key:T? value:T? past_key:T? past_value:T? seqlens_k:int32 "
              "total_sequence_length:int32 cos_cache:T? sin_cache:T? position_ids:int64? "
              "attention_bias:T? head_sink:T? k_scale:float? v_scale:float? q_norm_weight:T? "
              "k_norm_weight:T?",
    .outputs = "output:T present_key:T? present_value:T? output_qk:T?",
    .types = "T: float float16 bfloat16",
    .attributes = "num_heads:int! kv_num_heads:int! causal:int=1 do_rotary:int=0 "
                  "k_quant_type:string=NONE kv_cache_bit_width:int=0 local_window_size:int=-1 "
                  "qk_norm_epsilon:float=1e-6 qk_output:int=0 rotary_interleaved:int=0 "
                  "scale:float sliding_window_cache:int=0 smooth_softmax:int=0 softcap:float=0 "
                  "v_quant_type:string=NONE",
    .limits = "quantised caches, sliding_window_cache, norms of q and k, output_qk",
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::group_query_attention
