// attention_tiled.hpp - float32 attention by row blocks: the scores of a row block stay in
// the cache, and both products run in register tiles.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/math.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/gemm_dynamic.hpp"
#include "templates/matmul/matmul_tile.hpp"
#include "templates/normalization/softmax.hpp"

namespace onnxc {

// The most floats and tiles of a row block of scores: each row block reads all keys
// and values again.
constexpr Index kAttentionBlockFloats = 64 * 1024;
constexpr Index kAttentionBlockTiles = 4;

// Rows of one tile, the same for both products.
template <int MR, int NR, int NV>
constexpr int attention_tile_rows =
    tile_rows<MR, NR> < tile_rows<MR, NV> ? tile_rows<MR, NR> : tile_rows<MR, NV>;

template <class N>
constexpr N round_up(N count, Index step) {
  return (count + (step - 1)) / step * step;
}

// The width of a row of scores: whole panels, and whole vectors on every target.
template <class N>
constexpr N attention_keys(N kv_length, int panel) {
  return round_up(kv_length, panel > 16 ? panel : 16);
}

// Tiles of `rows` rows in a row block of scores that are `keys` wide.
template <class N>
constexpr N attention_block_tiles(N keys, Index rows) {
  return max_extent(1, min_extent(kAttentionBlockTiles, kAttentionBlockFloats / (keys * rows + 1)));
}

// Floats of scratch that attention_tiled needs for up to kFewRows queries, and for more of them.
template <class S>
constexpr auto attention_scratch_few(const S& s) {
  return attention_keys(s.kv_length, 1) * 4;
}
template <class S>
constexpr auto attention_scratch_many(const S& s, int rows, int key_panel, int value_panel) {
  const auto keys = attention_keys(s.kv_length, key_panel);
  return keys * (s.width + attention_block_tiles(keys, rows) * rows) +
         round_up(s.v_width, value_panel) * s.kv_length;
}

template <int MR, int NR, int NV, class S>
constexpr Index attention_scratch(const S& s) {
  return s.q_length <= kFewRows
             ? attention_scratch_few(s)
             : attention_scratch_many(s, attention_tile_rows<MR, NR, NV>, NR, NV);
}

// Distances of a head's rows.
struct AttentionSteps {
  Index q, mask, bool_mask, y;
  Index position;  // 1, or 0 where the rows are the same query of neighbouring heads
};

// One head of one batch.
struct AttentionHead {
  const float *q, *k, *v, *mask;
  const bool* bool_mask;
  float* y;
  Index valid;   // keys that count
  Index offset;  // the position of the first query among the keys
  AttentionSteps steps;
};

// The offset of combination n of the batch axes.
template <class S>
constexpr Index batch_offset(const S& s, const Index* strides, Index n) {
  return n / (s.batch[1] * s.batch[2]) * strides[0] + n / s.batch[2] % s.batch[1] * strides[1] +
         n % s.batch[2] * strides[2];
}

template <class S>
AttentionHead attention_head(const S& s, Index n, const float* q, const float* k, const float* v,
                             const float* mask, const bool* bool_mask, const std::int64_t* lengths,
                             const std::int64_t* positions, float* y) {
  AttentionHead h;
  h.q = q + s.q_offset + batch_offset(s, s.q_strides, n);
  h.k = k + s.k_offset + batch_offset(s, s.k_strides, n);
  h.v = v + s.v_offset + batch_offset(s, s.v_strides, n);
  h.mask = mask != nullptr ? mask + s.mask_offset + batch_offset(s, s.mask_strides, n) : nullptr;
  h.bool_mask = bool_mask != nullptr
                    ? bool_mask + s.bool_mask_offset + batch_offset(s, s.bool_mask_strides, n)
                    : nullptr;
  h.y = y + batch_offset(s, s.y_strides, n);
  h.valid = s.kv_valid;
  h.offset = s.past;
  h.steps = {s.q_strides[3], s.mask_strides[3], s.bool_mask_strides[3], s.y_strides[3], 1};
  if (lengths != nullptr) {
    const Index b = n / (s.batch[1] * s.batch[2]), length = static_cast<Index>(lengths[b]);
    h.offset = positions != nullptr ? static_cast<Index>(positions[b]) : length - s.q_length;
    h.valid = length < s.kv_valid ? length : s.kv_valid;
  }
  return h;
}

// No query up to row i sees keys from here on.
template <class S>
Index end_of_keys(const S& s, const AttentionHead& h, Index i) {
  const Index ahead = s.causal ? 0 : s.right;  // -1: all
  const Index end = i * h.steps.position + h.offset + ahead + 1;
  return ahead < 0 || end > h.valid ? h.valid : end > 0 ? end : 0;
}

// The keys that the query of row i sees.
template <class S>
Span keys_of_query(const S& s, const AttentionHead& h, Index i) {
  const Index end = end_of_keys(s, h, i), first = i * h.steps.position + h.offset - s.left;
  const Index begin = s.left >= 0 && first > 0 ? first : 0;
  return begin < end ? Span{begin, end} : Span{0, 0};
}

// Factor and cap of the scores.
template <class S, class V>
[[gnu::always_inline]] inline V scaled_score(const S& s, V v) {
  if (s.divisor != 1.0f) v = v / s.divisor;
  v = v * s.scale;
  if (s.softcap > 0.0f) v = math::tanh(v / s.softcap) * s.softcap;
  return v;
}

// The larger of two, or `b` when one is NaN: sums find NaN soon enough.
template <class V>
[[gnu::always_inline]] inline V larger(V a, V b) {
  return select(greater_than(a, b), a, b);
}

// Scales `count` scores, then replaces those whose bool_mask is not s.mask_keeps.
template <class S>
void replace_scores(const S& s, float* row, Index count, const bool* bool_mask) {
  for_lanes(count, [&](Index j, auto lane) {
    store(row + j, scaled_score(s, load<decltype(lane)>(row + j)));
  });
  for (Index j = 0; j < count; ++j) row[j] = bool_mask[j] == s.mask_keeps ? row[j] : s.masked_value;
}

// Scales and masks a row of `count` scores; returns the largest. mask and bool_mask may be null.
template <class S>
[[gnu::noinline]] float finish_scores(const S& s, float* row, Index count, const float* mask,
                                      const bool* bool_mask) {
  if (bool_mask != nullptr) replace_scores(s, row, count, bool_mask);
  vfloat largest = broadcast(-kInfinity);
  float last = -kInfinity;
  for_lanes(count, [&](Index j, auto lane) {
    using V = decltype(lane);
    V v = load<V>(row + j);
    if (bool_mask == nullptr) v = scaled_score(s, v);
    if (mask != nullptr) v = v + load<V>(mask + j);
    store(row + j, v);
    if constexpr (lanes<V> == kLanes) {
      largest = larger(v, largest);
    } else {
      last = larger(v, last);
    }
  });
  return larger(reduce(largest, [](auto a, auto b) { return larger(a, b); }), last);
}

// Raises e to each element less `base`, whole vectors; returns the sum.
[[gnu::noinline]] inline float exp_row(float* row, Index count, float base) {
  vfloat sum = {};
  for (Index j = 0; j < count; j += kLanes) {
    const vfloat e = math::exp_below_one(load(row + j) - base);
    sum += e;
    store(row + j, e);
  }
  return horizontal_sum(sum);
}

// Replaces the scores of R queries from i on by weights, zeros for keys before `end` that a query
// does not see. Rows are ld floats apart, whole vectors. Several rows at a time hide how long a
// maximum or a sum of lanes takes.
template <int R, class S>
void weigh_keys(const S& s, const AttentionHead& h, Index i, Index end, float* scores, Index ld) {
  constexpr std::size_t count = R;
  const Index padded = round_up(end, kLanes);
  float base[count], factor[count];
  for (int r = 0; r < R; ++r) {
    float* row = scores + r * ld;
    const Span keys = keys_of_query(s, h, i + r);
    const float* mask = h.mask != nullptr ? h.mask + (i + r) * h.steps.mask + keys.begin : nullptr;
    const bool* bool_mask =
        h.bool_mask != nullptr ? h.bool_mask + (i + r) * h.steps.bool_mask + keys.begin : nullptr;
    const float largest = finish_scores(s, row + keys.begin, keys.size(), mask, bool_mask);
    for (Index j = 0; j < keys.begin; ++j) row[j] = -kInfinity;
    for (Index j = keys.end; j < padded; ++j) row[j] = -kInfinity;
    const bool blind = keys.size() == 0 || (s.zero_fully_masked_rows && largest == -kInfinity);
    base[r] = blind ? 0.0f : largest;
    factor[r] = blind ? 0.0f : 1.0f;
  }
  for (int r = 0; r < R; ++r) {
    const float sum = exp_row(scores + r * ld, padded, base[r]);
    if (factor[r] > 0.0f) factor[r] = 1.0f / sum;
    if (s.nan_is_zero && sum != sum) {
      for (Index j = 0; j < padded; ++j) scores[r * ld + j] = 0.0f;
      factor[r] = 0.0f;
    }
  }
  for (int r = 0; r < R; ++r) {
    for (Index j = 0; j < padded; j += kLanes)
      store(scores + r * ld + j, load(scores + r * ld + j) * factor[r]);
  }
}

// The same for any number of rows.
template <class S>
void weigh_rows(const S& s, const AttentionHead& h, Index i, Index rows, Index end, float* scores,
                Index ld) {
  Index r = 0;
  for (; r + 4 <= rows; r += 4) weigh_keys<4>(s, h, i + r, end, scores + r * ld, ld);
  for (; r < rows; ++r) weigh_keys<1>(s, h, i + r, end, scores + r * ld, ld);
}

// R rows from i on, without packing anything, of which `columns` results are computed. scores: R
// rows, ld floats apart.
template <int R, class S>
void attention_few_rows(const S& s, const AttentionHead& h, Index i, Index columns, float* scores,
                        Index ld) {
  const float* q = h.q + i * h.steps.q;
  const Index end = end_of_keys(s, h, i + R - 1);
  if (s.k_strides[4] == 1) {
    rows_times_transposed<R>(q, h.steps.q, h.k, s.width, end, s.k_strides[3], 1.0f, scores, ld);
  } else {
    rows_times_matrix<R>(q, h.steps.q, h.k, s.width, end, s.k_strides[4], 1.0f, scores, ld);
  }
  weigh_keys<R>(s, h, i, end, scores, ld);
  rows_times_matrix<R>(scores, ld, h.v, end, columns, s.v_strides[3], 1.0f, h.y + i * h.steps.y,
                       h.steps.y);
}

template <class S>
void attention_rows_in_place(const S& s, const AttentionHead& h, Index rows, Index columns,
                             float* scores) {
  const Index ld = attention_keys<Index>(h.valid, 1);
  Index i = 0;
  for (; i + 4 <= rows; i += 4) attention_few_rows<4>(s, h, i, columns, scores, ld);
  if (rows - i == 3) attention_few_rows<3>(s, h, i, columns, scores, ld);
  if (rows - i == 2) attention_few_rows<2>(s, h, i, columns, scores, ld);
  if (rows - i == 1) attention_few_rows<1>(s, h, i, columns, scores, ld);
}

// Whether heads along the last batch axis share keys and values, and have one query each: these are
// rows of one product then, which reads the keys once.
template <class S>
bool heads_are_rows(const S& s) {
  return s.q_length == 1 && s.batch[2] > 1 && s.k_strides[2] == 0 && s.v_strides[2] == 0;
}

// Sets of heads that are computed together, for each combination of the first two batch axes.
template <class S>
Index head_sets(const S& s) {
  return heads_are_rows(s) ? (s.batch[2] + 3) / 4 : s.batch[2];
}

// Fetches the first of `count` rows of keys or values into the second-level cache: what follows
// comes by itself once they are read in order.
inline void fetch_first_rows(const float* p, Index row, Index count) {
  constexpr Index most = 2048;
  if constexpr (kLittleCode) count = 0;
  for (Index i = 0; i < row * count && i < most; i += 16) prefetch<0, 2>(p + i);
}

// Some columns of the results of one set of all that the caller computes.
template <class S, class HeadOf>
void attention_head_set(const S& s, Index set, Span all, Span columns, HeadOf head_of,
                        float* scores) {
  const Index sets = head_sets(s);
  const auto heads_of = [&](Index n) { return share(n % sets, sets, s.batch[2]); };
  const auto first_of = [&](Index n) { return head_of(n / sets * s.batch[2] + heads_of(n).begin); };
  const Span heads = heads_of(set);
  AttentionHead h = first_of(set);
  if (set == all.begin) fetch_first_rows(h.k, s.k_strides[3], h.valid);
  fetch_first_rows(h.v, s.v_strides[3], h.valid);
  if (set + 1 < all.end) {
    const AttentionHead next = first_of(set + 1);
    fetch_first_rows(next.k, s.k_strides[3], next.valid);
  }
  h.v += columns.begin;
  h.y += columns.begin;
  Index rows = s.q_length;
  if (heads_are_rows(s)) {
    h.steps = {s.q_strides[2], s.mask_strides[2], s.bool_mask_strides[2], s.y_strides[2], 0};
    rows = heads.size();
  }
  attention_rows_in_place(s, h, rows, columns.size(), scores);
}

// The parts `own` of the sets of heads with few queries: the columns of each set are divided into
// `parts`. head_of(n) is head n.
template <class S, class HeadOf>
void attention_few_queries(const S& s, Span own, Index parts, HeadOf head_of, float* scores) {
  const Span all = {own.begin / parts, (own.end + parts - 1) / parts};
  for (Index u = own.begin, end; u < own.end; u = end) {
    const Index set = u / parts, next = (set + 1) * parts;
    end = next < own.end ? next : own.end;
    const Span columns = {share(u % parts, parts, s.v_width, kLanes).begin,
                          share((end - 1) % parts, parts, s.v_width, kLanes).end};
    if (columns.size() > 0) attention_head_set(s, set, all, columns, head_of, scores);
  }
}

// All heads with few queries. Where there are few sets of them, threads divide the columns of one
// that would have none to itself: both compute its scores.
template <class S, class HeadOf>
void attention_all_few(const S& s, HeadOf head_of, float* scores) {
  const Index sets = s.batch[0] * s.batch[1] * head_sets(s), chunks = chunk_of(s).count;
  const Index parts = sets % chunks == 0 || sets >= 4 * chunks ? 1 : 2;
  attention_few_queries(s, chunk_range(s, sets * parts), parts, head_of, scores);
}

// Keys and values of a head as panels, and room for a row block of scores.
struct AttentionScratch {
  float *keys, *values, *scores;
  Index ld;  // of the scores
};

template <int NR, int NV, class S>
void pack_attention_head(const S& s, const AttentionHead& h, const AttentionScratch& scratch) {
  const bool rows = s.k_strides[4] == 1;
  for (Index j = 0; j < h.valid; j += NR) {
    pack_panel<NR>(h.k + j * s.k_strides[3], s.width, h.valid - j,
                   rows ? s.k_strides[3] : s.k_strides[4], rows, 1.0f, scratch.keys + j * s.width);
  }
  for (Index j = 0; j < s.v_width; j += NV) {
    pack_panel<NV>(h.v + j, h.valid, s.v_width - j, s.v_strides[3], false, 1.0f,
                   scratch.values + j * h.valid);
  }
}

// The tiles [row_block.begin, row_block.end) of a head that is packed.
template <int NR, int NV, class ScoreTiles, class ValueTiles, class S>
void attention_row_block(const S& s, const ScoreTiles& score_tiles, const ValueTiles& value_tiles,
                         const AttentionHead& h, const AttentionScratch& scratch, Span row_block) {
  const Index first = score_tiles.first_row(row_block.begin);
  const Index ldq = s.q_strides[3], ldy = s.y_strides[3];
  const auto scores_of = [&](Index tile) {
    return scratch.scores + (score_tiles.first_row(tile) - first) * scratch.ld;
  };
  const auto end_of = [&](Index tile) {
    return end_of_keys(s, h, score_tiles.first_row(tile + 1) - 1);
  };
  for (Index j = 0; j < h.valid; j += NR) {
    for (Index t = row_block.begin; t < row_block.end; ++t) {
      if (j >= end_of(t)) continue;
      ScoreTiles::run(
          score_tiles.rows(t),
          matrix_tile<NR>(score_tiles.rows(t), h.q + score_tiles.first_row(t) * ldq, ldq, s.width,
                          scratch.keys + j * s.width, {scores_of(t) + j, scratch.ld, NR, 0, 0, 0}),
          NoEpilogue{});
    }
  }
  for (Index t = row_block.begin; t < row_block.end; ++t) {
    weigh_rows(s, h, score_tiles.first_row(t), score_tiles.rows(t), end_of(t), scores_of(t),
               scratch.ld);
  }
  for (Index j = 0; j < s.v_width; j += NV) {
    for (Index t = row_block.begin; t < row_block.end; ++t) {
      const Index columns = s.v_width - j < NV ? s.v_width - j : NV;
      ValueTiles::run(
          value_tiles.rows(t),
          matrix_tile<NV>(value_tiles.rows(t), scores_of(t), scratch.ld, end_of(t),
                          scratch.values + j * h.valid,
                          {h.y + value_tiles.first_row(t) * ldy + j, ldy, columns, 0, 0, 0}),
          NoEpilogue{});
    }
  }
}

// For every combination of three batch axes, y [q_length, v_width] = softmax(f(q * k transposed)) *
// v with q [q_length, width], k [kv_length, width] and v [kv_length, v_width]. The operands lie in
// their tensors by strides: of the batch axes, and of the rows; k's has a fifth one, that of its
// columns; one of its last two is 1. Neighbours along the other columns are neighbours in memory. f
// divides by `divisor`, multiplies by `scale` and caps at `softcap` (0: no cap), sets to
// `masked_value` where the bool_mask is not `mask_keeps`, and adds the mask. A query sees only the
// first kv_valid keys; those that are not after its own position if causal; those up to `left`
// before and `right` after it (-1: all). Query 0 has the position `past`. With lengths [batch[0]],
// from 0 to kv_length, only so many keys are seen, and query 0 has its one of positions [batch[0]],
// or, if that is null, the last query that of the last key. A query that sees nothing gets zeros,
// one whose scores are all minus infinity only if zero_fully_masked_rows, one with NaN among its
// weights only if nan_is_zero. s: batch[3], q_length, kv_length, kv_valid, width, v_width, past,
// left, right, causal, q_strides[4], k_strides[5], v_strides[4], mask_strides[4],
// bool_mask_strides[4], y_strides[4], q_offset, k_offset, v_offset, mask_offset, bool_mask_offset,
// scale, divisor, softcap, masked_value, mask_keeps, zero_fully_masked_rows, nan_is_zero. mask,
// bool_mask, lengths and positions may be null. scratch: attention_scratch<MR, NR, NV>(s) floats,
// best on a cache line. Divisible.
template <int MR, int NR, int NV, class S>
void attention_tiled(S s, const float* q, const float* k, const float* v, const float* mask,
                     const bool* bool_mask, const std::int64_t* lengths,
                     const std::int64_t* positions, float* y, float* scratch) {
  const Index heads = s.batch[0] * s.batch[1] * s.batch[2];
  const auto head_of = [&](Index n) {
    return attention_head(s, n, q, k, v, mask, bool_mask, lengths, positions, y);
  };
  if (s.q_length <= kFewRows) return attention_all_few(s, head_of, scratch);
  if constexpr (fixed_extent(&S::q_length) < 0 || fixed_extent(&S::q_length) > kFewRows) {
    constexpr int rows = attention_tile_rows<MR, NR, NV>;
    const RowTiles<rows, NR, fixed_extent(&S::q_length)> score_tiles(s.q_length);
    const RowTiles<rows, NV, fixed_extent(&S::q_length), fixed_extent(&S::v_width)> value_tiles(
        s.q_length);
    const auto [own, tiles] =
        chunk_grid(chunk_of(s), heads, s.kv_length, score_tiles.split.tiles, rows);
    for (Index n = own.begin; n < own.end && tiles.size() > 0; ++n) {
      const AttentionHead head = head_of(n);
      // Rows as long as the keys that count, not as the room for them.
      const Index keys = attention_keys<Index>(head.valid, NR),
                  per_block = attention_block_tiles(keys, rows);
      float* const values = scratch + keys * s.width;
      const AttentionScratch parts = {scratch, values,
                                      values + round_up<Index>(s.v_width, NV) * head.valid, keys};
      pack_attention_head<NR, NV>(s, head, parts);
      for (Index t = tiles.begin; t < tiles.end; t += per_block) {
        const Span row_block = {t, t + per_block < tiles.end ? t + per_block : tiles.end};
        attention_row_block<NR, NV>(s, score_tiles, value_tiles, head, parts, row_block);
      }
    }
  }
}

}  // namespace onnxc
