// int8_operands.hpp - what products of 8-bit integers read, and how their sums become results.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// Words of four bytes in x and w.
struct ByteProduct {
  static constexpr Index in_word = 4;
  // Registers that a product needs in addition to those of the weights. Targets without a product
  // of bytes need some more for half words.
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__) || defined(__ARM_FEATURE_DOTPROD)
  static constexpr int copies = 1, spare = 2;
#else
  static constexpr int copies = 2, spare = 3;
#endif
  template <class W>
  [[gnu::always_inline]] static W broadcast(const std::uint8_t* x) {
    return broadcast_word<W>(x);
  }
  template <class W>
  [[gnu::always_inline]] static W load(const std::int8_t* w) {
    return load_words<W>(w);
  }
  template <class W>
  [[gnu::always_inline]] static W add(W sum, W a, W b) {
    return dot_int8(sum, a, b);
  }
};

// Words of two 16-bit integers, where the pointers say bytes.
struct PairProduct {
  static constexpr Index in_word = 2;
  static constexpr int copies = 1, spare = 3;
  template <class W>
  [[gnu::always_inline]] static W broadcast(const std::uint8_t* x) {
    std::uint32_t pair;
    std::memcpy(&pair, x, sizeof pair);
    return W{} + pair;
  }
  template <class W>
  [[gnu::always_inline]] static W load(const std::int8_t* w) {
    return load_words<W>(static_cast<const void*>(w));
  }
  template <class W>
  [[gnu::always_inline]] static W add(W sum, W a, W b) {
    return dot_pairs(sum, a, b);
  }
};

// Rows whose accumulators stay in registers.
template <int NR, class Product = ByteProduct>
constexpr int max_int8_rows() {
  constexpr int spare = Product::copies * tile_vectors<NR> + Product::spare;
  // Without vectors the sums share the general registers with addresses.
  constexpr int fit =
      kLanes == 1 ? (kJoinsBytes ? 2 : 1) : (kVectorRegisters - spare) / tile_vectors<NR>;
  return fit < 1 ? 1 : fit < 24 ? fit : 24;
}

// Columns that are computed together.
template <int NR>
constexpr int int8_width = NR == 1 ? 4 : NR;

// The rows of each tile so that `extent` rows take the fewest tiles. Tiles may overlap, or some
// have one row less, where one height would compute more than every thirtieth row twice.
template <int NR, class Product = ByteProduct>
constexpr int even_int8_rows(Index extent) {
  constexpr Index most = max_int8_rows<NR, Product>();
  if (extent <= 0) return static_cast<int>(most);
  const Index tiles = (extent + most - 1) / most;
  return static_cast<int>((extent + tiles - 1) / tiles);
}

// Whether tiles of one height over `extent` rows would compute many of them twice.
constexpr bool wastes_rows(Index extent, Index rows) {
  return rows > 2 && extent > rows && (rows - extent % rows) % rows * 30 > extent;
}

// y[i][j] = epilogue(start[j] + sum over taps and run of x[i][...] * w[...][j]).
//
// x is read as taps_h * taps_w runs of `words` words, as Product has them; the last word of a run
// may reach beyond what counts, where the weights are zero. Weights of more than 8 bits are sums of
// two: the few words where the second one is not zero are read again, at the places {row of taps,
// run, word} that `residual_places` lists.
template <class Y, class Product = ByteProduct>
struct Int8Tile {
  Index ldx, taps_h, taps_w, x_step_h, x_step_w, words;
  const std::int8_t* w;
  const std::int32_t* start;  // of all NR columns
  const std::int32_t* residual_places;
  Index residual_words;  // of the panel
  Index ldy;
  Index columns;               // of the panel that exist in y
  Index ld_epilogue, channel;  // for the epilogue

  // The same for sums.
  Int8Tile<std::int32_t, Product> summed() const {
    return {ldx,   taps_h,          taps_w,         x_step_h, x_step_w, words,       w,
            start, residual_places, residual_words, ldy,      columns,  ld_epilogue, channel};
  }
};

// Where the first row of a tile is in the input, in the output and for the epilogue. In a function
// of its own, so that compilers see constants there.
template <class Y>
struct Int8Place {
  const std::uint8_t* x;
  Y* y;
  Index at;
};

template <class Y, class Product>
[[gnu::always_inline]] inline Int8Place<Y> place_of_row(const Int8Tile<Y, Product>& t,
                                                        const Int8Place<Y>& first, Index i) {
  return {first.x + i * t.ldx, first.y + i * t.ldy, first.at + i * t.ld_epilogue};
}

// Epilogues of sums themselves, not of floats, name the type that they take.
template <class Epilogue, class = void>
constexpr bool takes_sums = false;
template <class Epilogue>
constexpr bool takes_sums<Epilogue, std::void_t<typename Epilogue::V>> = true;

// Stores the first `count` of the sums as results.
template <class V, class Y, class Epilogue>
[[gnu::always_inline]] inline void finish_sums(words<lanes<V>> sums, Index count, Y* y, Index at,
                                               Index channel, const Epilogue& epilogue) {
  constexpr int n = lanes<V>;
  if constexpr (takes_sums<Epilogue>) {
    constexpr std::size_t all = n;
    std::int32_t each[all];
    std::memcpy(each, &sums, sizeof sums);
    for (Index j = 0; j < n && j < count; ++j)
      y[j] = static_cast<Y>(epilogue(each[j], at + j, channel + j));
  } else if (count >= n) {
    if constexpr (std::is_same_v<Y, std::int32_t>) {
      store_words(y, sums);
    } else {
      store(y, epilogue(sums_as_floats<V>(sums), at, channel));
    }
  } else if constexpr (n > 4) {
    words<n / 2> halves[2];
    std::memcpy(halves, &sums, sizeof sums);
    finish_sums<vec<n / 2>>(halves[0], count, y, at, channel, epilogue);
    if (count > n / 2) {
      finish_sums<vec<n / 2>>(halves[1], count - n / 2, y + n / 2, at + n / 2, channel + n / 2,
                              epilogue);
    }
  } else if constexpr (n > 1) {
    constexpr std::size_t all = n;
    std::uint32_t each[all];
    std::memcpy(each, &sums, sizeof sums);
    for (Index j = 0; j < n - 1 && j < count; ++j) {
      finish_sums<float>(each[j], 1, y + j, at + j, channel + j, epilogue);
    }
  }
}

}  // namespace onnxc
