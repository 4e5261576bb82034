// attention_grad_tiled.hpp - derivatives of float32 attention by row blocks: the weights of a row
// block are computed again and stay in the cache, and all products run in register tiles.
#pragma once

#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/attention/attention_grad.hpp"
#include "templates/attention/attention_tiled.hpp"
#include "templates/matmul/outer_products.hpp"

namespace onnxc {

// Floats of scratch that attention_grad_tiled needs.
template <class S>
constexpr auto attention_grad_scratch(const S& s, int rows, int key_panel, int query_panel) {
  const auto keys = attention_keys(s.kv_length, key_panel);
  return keys * (s.width + s.v_width + attention_block_tiles(keys, rows) * (2 * rows)) +
         round_up(s.width, query_panel) * s.kv_length;
}

// Keys and values of a head as columns, keys as rows, each in panels; room for a row block of
// weights and of derivatives by them.
struct AttentionGradScratch {
  float *keys, *values, *key_rows, *weights, *slopes;
  Index ld;  // of weights and slopes
};

// One head: where its derivatives go, and that of its result.
struct AttentionGradHead {
  AttentionHead x;
  const float* dy;
  AttentionGrads<float> d;
};

template <int NR, int NV, class S>
void pack_attention_grad_head(const S& s, const AttentionHead& h,
                              const AttentionGradScratch& scratch) {
  const Index ldk = s.k_strides[3], ldv = s.v_strides[3];
  for (Index j = 0; j < h.valid; j += NR) {
    pack_panel<NR>(h.k + j * ldk, s.width, h.valid - j, ldk, true, 1.0f,
                   scratch.keys + j * s.width);
    pack_panel<NR>(h.v + j * ldv, s.v_width, h.valid - j, ldv, true, 1.0f,
                   scratch.values + j * s.v_width);
  }
  for (Index j = 0; j < s.width; j += NV) {
    pack_panel<NV>(h.k + j, h.valid, s.width - j, ldk, false, 1.0f, scratch.key_rows + j * h.valid);
  }
}

// Turns derivatives by the weights of a query into those by its products with the keys.
[[gnu::noinline]] inline void slopes_of_products(const float* weights, Index count, float scale,
                                                 float* slopes) {
  const float mean = dot_product(weights, slopes, count);
  for_lanes(count, [&](Index j, auto lane) {
    using V = decltype(lane);
    store(slopes + j, load<V>(weights + j) * (load<V>(slopes + j) - mean) * scale);
  });
}

// The derivatives by keys and values get those of the queries [first, first + rows), which see the
// keys before `end`.
template <class S>
void add_key_grads(const S& s, const AttentionGradHead& h, const AttentionGradScratch& scratch,
                   Index first, Index rows, Index end) {
  const Index ldq = s.q_strides[3], ldk = s.k_strides[3], ldv = s.v_strides[3],
              ldy = s.y_strides[3];
  if (h.d.k != nullptr)
    outer_products({scratch.slopes, h.x.q + first * ldq, h.d.k, rows, end, s.width, scratch.ld, ldq,
                    ldk, true});
  if (h.d.v != nullptr)
    outer_products({scratch.weights, h.dy + first * ldy, h.d.v, rows, end, s.v_width, scratch.ld,
                    ldy, ldv, true});
}

// The tiles [row_block.begin, row_block.end) of a head that is packed.
template <int NR, int NV, class KeyTiles, class QueryTiles, class S>
void attention_grad_block(const S& s, const KeyTiles& key_tiles, const QueryTiles& query_tiles,
                          const AttentionGradHead& h, const AttentionGradScratch& scratch,
                          Span row_block) {
  const Index first = key_tiles.first_row(row_block.begin), ld = scratch.ld;
  const Index rows = key_tiles.first_row(row_block.end) - first;
  const Index end = end_of_keys(s, h.x, first + rows - 1);
  const Index ldq = s.q_strides[3], ldy = s.y_strides[3];
  const auto product = [&](Index t, const float* a, Index lda, Index depth, const float* packed,
                           float* y) {
    const Index row = key_tiles.first_row(t), at = (row - first) * ld;
    KeyTiles::run(key_tiles.rows(t),
                  matrix_tile<NR>(key_tiles.rows(t), a + row * lda, lda, depth, packed,
                                  {y + at, ld, NR, 0, 0, 0}),
                  NoEpilogue{});
  };
  for (Index j = 0; j < end; j += NR) {
    for (Index t = row_block.begin; t < row_block.end; ++t) {
      product(t, h.x.q, ldq, s.width, scratch.keys + j * s.width, scratch.weights + j);
      product(t, h.dy, ldy, s.v_width, scratch.values + j * s.v_width, scratch.slopes + j);
    }
  }
  weigh_rows(s, h.x, first, rows, end, scratch.weights, ld);
  for (Index r = 0; r < rows; ++r)
    slopes_of_products(scratch.weights + r * ld, end, s.scale, scratch.slopes + r * ld);
  add_key_grads(s, h, scratch, first, rows, end);
  for (Index j = 0; j < s.width && h.d.q != nullptr; j += NV) {
    for (Index t = row_block.begin; t < row_block.end; ++t) {
      const Index row = query_tiles.first_row(t), columns = s.width - j < NV ? s.width - j : NV;
      QueryTiles::run(query_tiles.rows(t),
                      matrix_tile<NV>(query_tiles.rows(t), scratch.slopes + (row - first) * ld, ld,
                                      end, scratch.key_rows + j * h.x.valid,
                                      {h.d.q + row * ldq + j, ldq, columns, 0, 0, 0}),
                      NoEpilogue{});
    }
  }
}

template <class T>
void clear_rows(T* x, Index rows, Index width, Index ld) {
  for (Index i = 0; x != nullptr && i < rows; ++i) fill_zeros(x + i * ld, width);
}

// The derivatives of attention_tiled, with its s: by q, k and v in d, given that by its result in
// dy. The derivatives lie as their operands do; neighbours in a row of k are neighbours in memory.
// Without softcap and divisor. scratch: attention_grad_scratch floats for the rows of
// attention_tile_rows<MR, NR, NV>, best on a cache line. Divisible.
template <int MR, int NR, int NV, class S>
void attention_grad_tiled(S s, const float* q, const float* k, const float* v, const float* mask,
                          const bool* bool_mask, const std::int64_t* lengths, const float* dy,
                          AttentionGrads<float> d, float* scratch) {
  constexpr int tile = attention_tile_rows<MR, NR, NV>;
  const RowTiles<tile, NR, fixed_extent(&S::q_length)> key_tiles(s.q_length);
  const RowTiles<tile, NV, fixed_extent(&S::q_length), fixed_extent(&S::width)> query_tiles(
      s.q_length);
  const Index keys = attention_keys<Index>(s.kv_length, NR), group = s.batch[2],
              per_block = attention_block_tiles(keys, tile);
  AttentionGradScratch parts{scratch, scratch + keys * s.width, nullptr, nullptr, nullptr, keys};
  parts.weights = parts.values + keys * s.v_width;
  parts.slopes = parts.weights + keys * (per_block * tile);
  parts.key_rows = parts.slopes + keys * (per_block * tile);
  const auto part = [](float* x, Index offset) { return x != nullptr ? x + offset : x; };
  // The heads of a group add to the same derivatives by keys and values.
  const Span own = chunk_range(s, s.batch[0] * s.batch[1]);
  for (Index n = own.begin * group; n < own.end * group; ++n) {
    AttentionGradHead h{};
    h.x = attention_head(s, n, q, k, v, mask, bool_mask, lengths, nullptr, scratch);
    h.dy = dy + batch_offset(s, s.y_strides, n);
    h.d = {part(d.q, batch_offset(s, s.q_strides, n)), part(d.k, batch_offset(s, s.k_strides, n)),
           part(d.v, batch_offset(s, s.v_strides, n))};
    if (n % group == 0) {
      clear_rows(h.d.k, s.kv_length, s.width, s.k_strides[3]);
      clear_rows(h.d.v, s.kv_length, s.v_width, s.v_strides[3]);
    }
    pack_attention_grad_head<NR, NV>(s, h.x, parts);
    const Index count = key_tiles.split.tiles;
    for (Index t = 0; t < count; t += per_block) {
      const Span row_block = {t, t + per_block < count ? t + per_block : count};
      attention_grad_block<NR, NV>(s, key_tiles, query_tiles, h, parts, row_block);
    }
  }
}

}  // namespace onnxc
