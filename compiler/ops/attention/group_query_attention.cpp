// com.microsoft GroupQueryAttention: causal attention. Groups of query heads share keys and values;
// every sequence has a cache and a length.
#include "compiler/kernels/attention_calls.hpp"
#include "compiler/ops/attention/attention_tiled.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"
#include "compiler/ops/window.hpp"
#include "compiler/support/checked.hpp"
#include "templates/attention/attention_quantized.hpp"
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
  kSinks,
  kKeyScale,
  kValueScale,
  kQueryNorm,
  kKeyNorm
};

struct Sizes {
  Dim batch, length, width, past = 0;
  std::int64_t heads = 0, kv_heads = 0;
  bool packed = false;
  Dim rotated = 0, positions = 0;
  std::optional<Dim> total;  // length of the longest sequence, where it is known
  std::int64_t bits = 0;     // of the caches' numbers; 0: floats
  bool keeps_window = false;

  // Elements of a row of the caches.
  Dim stored_width() const { return bits == 4 ? Dim::ceil_div(width, 2) : width; }
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
    n.same(p[3], s.stored_width(), field);
    if (i == kPastValue) n.same(p[2], s.past, field);
    s.past = p[2];
  }
}

constexpr const char* kQuantTypes[] = {"k_quant_type", "v_quant_type"};

// Caches of integers: their scales, and the attributes that go with them.
void read_scales(const NodeView& n, Sizes& s) {
  const bool quantized = n.attr_string(kQuantTypes[0]) != "NONE";
  s.bits = n.attr_int("kv_cache_bit_width");
  n.require(quantized ? s.bits == 4 || s.bits == 8 : s.bits == 0,
            "attribute \"kv_cache_bit_width\"", "{} for {} caches", s.bits,
            quantized ? "quantised" : "unquantised");
  for (std::size_t i : {kKeyScale, kValueScale}) {
    const char* const name = kQuantTypes[i - kKeyScale];
    const std::string &type = n.attr_string(name), attribute = "attribute " + quoted(name);
    const std::string field = input_field(i, i == kKeyScale ? "k_scale" : "v_scale");
    n.require(type == "NONE" || type == "PER_TENSOR" || type == "PER_CHANNEL", attribute,
              "{} is none of NONE, PER_TENSOR and PER_CHANNEL", quoted(type));
    n.require((type != "NONE") == quantized, attribute, "keys and values differ");
    n.require(n.has_input(i) == quantized, field, "{} caches",
              quantized ? "is needed for quantised" : "does not go with unquantised");
    if (!quantized || !n.input(i).has_rank()) continue;
    n.same(product(*n.input(i).shape), type == "PER_TENSOR" ? Dim(1) : s.width * s.kv_heads, field);
  }
}

// A cache that keeps a window of the newest tokens, from a buffer of its own size.
void read_cache_window(const NodeView& n, Sizes& s) {
  s.keeps_window = n.attr_int("sliding_window_cache") != 0;
  if (!s.keeps_window) return;
  const std::string field = "attribute \"sliding_window_cache\"";
  const std::int64_t window = n.attr_int("local_window_size");
  n.require(window > 0, field, "needs local_window_size");
  n.require(n.has_input(kPastKey), field, "needs past_key");
  n.at_least(s.past, window, input_field(kPastKey, "past_key"));
  n.require(!n.has_output(3), field, "does not go with output 3 \"output_qk\"");
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
  read_scales(n, s);
  read_past(n, s);
  read_cache_window(n, s);
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

// The elements of the caches: those of the queries, or integers.
ElemType cache_elem(const NodeView& n) {
  if (n.attr_string(kQuantTypes[0]) == "NONE") return n.input(kQuery).elem;
  return n.attr_int("kv_cache_bit_width") == 4 ? ElemType::uint8 : ElemType::int8;
}

void check_attributes(const NodeView& n) {
  const std::int64_t window = n.attr_int("local_window_size"), scores = n.attr_int("qk_output");
  n.require(window >= -1, "attribute \"local_window_size\"", "{} is below -1", window);
  n.require(scores >= 0 && scores <= 2, "attribute \"qk_output\"", "{} is not 0, 1 or 2", scores);
  n.require(n.has_output(3) == (scores != 0), "attribute \"qk_output\"", "is {} {} output_qk",
            scores, n.has_output(3) ? "with" : "without");
  for (std::size_t i : {kPastKey, kPastValue}) {
    if (!n.has_input(i)) continue;
    n.require(n.input(i).elem == cache_elem(n),
              input_field(i, i == kPastKey ? "past_key" : "past_value"),
              "its elements are not those of the cache, {}", info(cache_elem(n)).onnx_name);
  }
}

// The rows of the caches after a run: as many as before, or as the longest sequence needs. A bound
// that the user promises may show that the former are enough, so that the caches stay in place.
Dim rows_after(Infer& n, const Sizes& s) {
  if (s.keeps_window) return s.past;
  if (!s.total) return n.unknown_extent();
  const std::map<std::string, ExtentRange>& ranges = n.graph().root().ranges;
  const auto largest = [&](const std::string& symbol) {
    const auto range = ranges.find(symbol);
    return range != ranges.end() ? range->second.high : std::nullopt;
  };
  const auto smallest = [](const std::string&) { return std::optional<std::int64_t>(0); };
  const auto most = s.total->at_most(largest, smallest);
  if (most && s.past.is_const() && *most <= s.past.value()) return s.past;
  return Dim::max(s.past, *s.total);
}

// Strides of the bias along batch, heads and rows.
struct BiasStrides {
  Dim batch = 0, head = 0, row = 0;
};

BiasStrides bias_strides(const NodeView& n, const Sizes& s) {
  BiasStrides strides;
  if (n.has_input(kBias)) {
    const Shape& bias = *n.input(kBias).shape;
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

void infer(Infer& n) {
  check_attributes(n);
  const ElemType cached = cache_elem(n);
  if (!known(n)) {
    for (std::size_t i : {0, 3}) n.output(i, n.elem(kQuery), std::nullopt);
    for (std::size_t i : {1, 2}) n.output(i, cached, std::nullopt);
    return;
  }
  const Sizes s = read(n);
  bias_strides(n, s);  // for its checks
  n.output(0, n.elem(kQuery), Shape{s.batch, s.length, s.width * s.heads});
  if (n.has_output(3)) {
    const Dim total = s.total ? *s.total : n.unknown_extent();
    n.output(3, n.elem(kQuery), Shape{s.batch, s.heads, s.length, total});
  }
  if (!n.has_output(1) && !n.has_output(2)) return;
  const Shape cache = {s.batch, s.kv_heads, rows_after(n, s), s.stored_width()};
  n.output(1, cached, cache);
  n.output(2, cached, cache);
}

// Normalises the queries and keys of every head before anything else: an operator of its own.
void upgrade(Upgrade& n) {
  if (!n.has_input(kQueryNorm) && !n.has_input(kKeyNorm)) return;
  n.require(n.has_input(kQueryNorm) && n.has_input(kKeyNorm), "inputs",
            "q_norm_weight and k_norm_weight go together");
  const std::int64_t heads[] = {n.attr_int("num_heads"), n.attr_int("kv_num_heads")};
  n.require(heads[0] >= 1 && heads[1] >= 1, "attribute \"num_heads\"", "{} and {} heads", heads[0],
            heads[1]);
  n.require(n.has_input(kKey), input_field(kQueryNorm, "q_norm_weight"),
            "does not go with packed queries, keys and values");
  for (std::size_t i : {kQuery, kKey}) {
    const auto ints = [&](std::vector<std::int64_t> list) {
      return n.constant(Tensor::ints(std::move(list)));
    };
    Value* split = n.emit("Reshape", {n.node().inputs[i], ints({0, 0, heads[i], -1})});
    Value* norm = n.emit("RMSNormalization", {split, n.node().inputs[kQueryNorm + i]},
                         {{"epsilon", n.attr_float("qk_norm_epsilon")}});
    n.set_input(i, n.emit("Reshape", {norm, ints({0, 0, -1})}));
  }
  n.mutable_node().inputs.resize(kQueryNorm);
  while (!n.mutable_node().inputs.back()) n.mutable_node().inputs.pop_back();
}

// The rows of the caches during the call: those of the outputs, or, for a window, all that the
// queries may see.
Dim capacity_of(Lower& n, const Sizes& s) {
  if (s.keeps_window) return s.past + s.length;
  const std::size_t there = n.has_output(1) ? 1 : 2;
  if (s.total) return n.has_output(there) ? n.out_shape(there)[2] : Dim::max(s.past, *s.total);
  // Without a cache as output, the past and the new positions are enough.
  if (!n.has_output(there)) return s.past + s.length;
  Shape reported = {n.out_shape(there)[2]};
  if (there == 1 && n.has_output(2)) reported.push_back(n.out_shape(2)[2]);
  n.call("grouped_extents", GroupedExtentsShape<Dim>{s.past, rank_of(reported)})
      .in(kTotal)
      .extents(reported);
  return reported[0];
}

Dim cache_window(const NodeView& n, const Sizes& s) {
  return s.keeps_window ? n.attr_int("local_window_size") : 0;
}

// Strides of the scales of keys or values along heads and columns.
struct ScaleStrides {
  Dim head = 0, column = 0;
};

ScaleStrides scale_strides(const NodeView& n, const Sizes& s, bool keys) {
  if (n.attr_string(kQuantTypes[keys ? 0 : 1]) != "PER_CHANNEL") return {};
  return {s.width, 1};
}

GroupedScales<Dim> scale_strides(const NodeView& n, const Sizes& s) {
  const ScaleStrides k = scale_strides(n, s, true), v = scale_strides(n, s, false);
  return {k.head, k.column, v.head, v.column};
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
          .interleaved = n.attr_int("rotary_interleaved") != 0,
          .cache_window = cache_window(n, s)};
}

// Scratch for a row of numbers that are quantised or dequantised.
void add_numbers(Call& call, Lower& n, const Sizes& s) {
  if (s.bits == 0)
    call.null(ElemType::float32, true);
  else
    call.write(n.thread_scratch(ElemType::float32, Dim::max(s.width, 1), "numbers"));
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

// Copies what a window keeps to the output.
void lower_evict(Lower& n, const Sizes& s, const Dim& capacity, BufferId rows, std::size_t output) {
  if (!n.has_output(output)) return;
  Call call = n.call("grouped_evict",
                     GroupedEvictShape<Dim>{s.batch, s.kv_heads, s.length, s.past, capacity,
                                            cache_window(n, s), s.stored_width()});
  call.divisible().read(rows).in({kLastKey, kTotal}).out(output);
}

// The buffer of the cache of keys (output 1) or values (output 2) after this call.
BufferId lower_cache(Lower& n, const Sizes& s, const Dim& capacity, std::size_t output) {
  const bool keys = output == 1;
  const ElemType elem = cache_elem(n);
  const Dim count = s.batch * s.kv_heads * capacity * s.stored_width();
  const BufferId cache = n.has_output(output) && !s.keeps_window
                             ? n.out(output)
                             : n.scratch(elem, Dim::max(count, 1), "cache");
  const std::size_t of = s.packed ? kQuery : keys ? kKey : kValue;
  const bool rotates = keys && n.attr_int("do_rotary") != 0;
  // Packed inputs hold queries, keys and values in this order.
  const std::int64_t before = s.packed ? s.heads + (keys ? 0 : s.kv_heads) : 0;
  const ScaleStrides scales = scale_strides(n, s, keys);
  Call call = n.call("grouped_cache", GroupedCacheShape<Dim>{s.kv_heads, s.width * before,
                                                             sizes(n, s, capacity, of, rotates),
                                                             scales.head, scales.column});
  call.divisible().template_arg(std::to_string(s.bits));
  call.in(of).in(keys ? kPastKey : kPastValue, elem);
  add_tokens(call, n, rotates);
  call.in(keys ? kKeyScale : kValueScale, ElemType::float32).write(cache);
  add_numbers(call, n, s);
  if (s.past == capacity) call.may_share(keys ? kPastKey : kPastValue, output);
  return cache;
}

float scale_of(const NodeView& n) {
  const float given = n.has_attr("scale") ? n.attr_float("scale") : 0.0f;
  return given != 0.0f ? given : kNaN;
}

// Whether attention_tiled computes it: float32 without attention sinks.
bool fits_rows(const Lower& n, const Sizes& s) {
  const bool sinks = n.has_input(kSinks) || n.attr_int("smooth_softmax") != 0;
  return n.elem(kQuery) == ElemType::float32 && !sinks && !n.has_output(3) && s.width.is_const() &&
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
  Call call = n.call("grouped_lengths", GroupedLengthsShape<Dim>{s.batch, s.length, s.past,
                                                                 capacity, cache_window(n, s)});
  call.in({kLastKey, kTotal}).write(lengths).write(positions);
}

void lower_attention_quantized(Lower& n, const Sizes& s, AttentionTiledShape<Dim> a,
                               const AttentionBuffers& b) {
  a.bool_mask_strides.assign(4, 0);
  const BufferId scratch =
      n.thread_scratch(ElemType::float32, Dim::max(attention_quantized_scratch(a), 1));
  Call call = n.call("attention_quantized", QuantizedAttentionShape<Dim>{a, scale_strides(n, s)});
  call.divisible().template_arg(std::to_string(s.bits)).read(b.q);
  call.begin_struct("GroupedCaches").read(b.k).read(b.v).in({kKeyScale, kValueScale}).end_struct();
  call.in(kBias, ElemType::float32).read(b.lengths).read(b.positions).write(b.y).write(scratch);
  call.macs(product(a.batch) * a.q_length * a.kv_length * (a.width + a.v_width));
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
  if (s.bits == 0) return lower_attention_tiled(n, a, b);
  lower_attention_quantized(n, s, a, b);
}

// The columns of output_qk; they may depend on run-time values.
Dim lower_total(Lower& n, const Sizes& s) {
  if (!n.has_output(3)) return 0;
  if (s.total) return *s.total;
  const Dim total = n.out_shape(3)[3];
  n.call("grouped_extents", GroupedExtentsShape<Dim>{0, 1}).in(kTotal).extents({total});
  return total;
}

// All types and every output, query by query.
void lower_queries(Lower& n, const Sizes& s, const Dim& capacity, BufferId k, BufferId v) {
  const ElemType elem = n.elem(kQuery);
  const bool rotates = n.attr_int("do_rotary") != 0;
  const BiasStrides bias = bias_strides(n, s);
  const Dim total = lower_total(n, s);
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
                         .bias_row = bias.row,
                         .total = total,
                         .raw_scores = n.attr_int("qk_output") == 1,
                         .scales = scale_strides(n, s)});
  call.template_arg(std::to_string(s.bits)).in(kQuery);
  call.begin_struct("GroupedCaches").read(k).read(v);
  call.in(kKeyScale, ElemType::float32).in(kValueScale, ElemType::float32).end_struct();
  add_tokens(call, n, rotates);
  call.begin_struct("GroupedScores").in(kBias, elem).in(kSinks, elem).end_struct();
  call.out(0).out(3, elem);
  call.begin_struct("GroupedRow").write(n.scratch(elem, Dim::max(s.width, 1), "query"));
  call.write(n.scratch(ElemType::float32, Dim::max(capacity, 1), "scores"));
  call.write(n.scratch(ElemType::float32, Dim::max(s.width, 1), "sum"));
  add_numbers(call, n, s);
  call.end_struct();
  call.macs(s.batch * s.heads * s.length * capacity * s.width * 2);
}

void lower(Lower& n) {
  const Sizes s = read(n);
  const Dim capacity = capacity_of(n, s);
  const BufferId k = lower_cache(n, s, capacity, 1), v = lower_cache(n, s, capacity, 2);
  if (fits_rows(n, s))
    lower_rows(n, s, capacity, k, v);
  else
    lower_queries(n, s, capacity, k, v);
  if (!s.keeps_window) return;
  lower_evict(n, s, capacity, k, 1);
  lower_evict(n, s, capacity, v, 2);
}

constexpr Op rows[] = {contrib({
    .name = "GroupQueryAttention",
    .inputs = "query:T key:T? value:T? past_key:C? past_value:C? seqlens_k:int32 "
              "total_sequence_length:int32 cos_cache:T? sin_cache:T? position_ids:int64? "
              "attention_bias:T? head_sink:T? k_scale:float? v_scale:float? q_norm_weight:T? "
              "k_norm_weight:T?",
    .outputs = "output:T present_key:C? present_value:C? output_qk:T?",
    .types = "T: float float16 bfloat16; C: float float16 bfloat16 int8 uint8",
    .attributes = "num_heads:int! kv_num_heads:int! causal:int=1 do_rotary:int=0 "
                  "k_quant_type:string=NONE kv_cache_bit_width:int=0 local_window_size:int=-1 "
                  "qk_norm_epsilon:float=1e-6 qk_output:int=0 rotary_interleaved:int=0 "
                  "scale:float sliding_window_cache:int=0 smooth_softmax:int=0 softcap:float=0 "
                  "v_quant_type:string=NONE",
    .limits = "caches of float8",
    .upgrade = upgrade,
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::group_query_attention
