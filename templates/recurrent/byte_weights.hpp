// byte_weights.hpp - recurrent units of float32 whose weights stay 8-bit integers.
//
// Products are sums of integers. An operand becomes half words once a step: bytes less their zero
// point as they are; floats in fixed point of 28 bits below the largest of them, as two half words.
// The error is 2^-28 of the largest value times the sum of the weights, as that of a sum of floats
// is where no value has a weight of zero. A vector with an infinity or NaN gives NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime_min/flash.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/fn/requantize.hpp"
#include "templates/recurrent/gru.hpp"
#include "templates/recurrent/lstm.hpp"

namespace onnxc {

// Without optimisation there are too few registers for the loops in assembly.
#if defined(__OPTIMIZE__) && defined(__ARM_FEATURE_DSP) && !defined(__aarch64__)
#define ONNXC_HALF_WORDS
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define ONNXC_HALF_VECTORS
#endif
#endif

// Weights less their zero points, one row for each gate of each unit, and the scales of the rows:
// one, or scale_step 1.
struct ByteWeights {
  const std::int8_t* w;
  const float* scales;
};

// The half words of `count` values: for floats two for each, for bytes one.
constexpr Index half_word_row(Index count) { return (count + 3) & ~Index{3}; }
template <class T>
constexpr std::size_t half_words_of = std::is_same_v<T, float> ? 2 : 1;

// The place of half word `part` of value k. As instructions of two products read them, the values 0
// and 2, and 1 and 3, make a word.
template <std::size_t PARTS>
[[gnu::always_inline]] inline Index half_word_place(Index k, Index part, Index row) {
#if defined(ONNXC_HALF_WORDS) && !defined(ONNXC_HALF_VECTORS)
  static_cast<void>(row);
  constexpr Index parts = PARTS;
  return (k & ~Index{3}) * parts + part * 4 + (k & 1) * 2 + (k >> 1 & 1);
#else
  return part * row + k;
#endif
}

// A vector as half words, and what a product with it has to be multiplied with.
template <std::size_t PARTS>
struct HalfWordVector {
  const std::int16_t* halves;
  Index count;
  float step;
};

template <class T>
HalfWordVector<half_words_of<T>> half_word_vector(const T* x, Index count, Index zero, float scale,
                                                  std::int16_t* to) {
  constexpr std::size_t parts = half_words_of<T>;
  const Index row = half_word_row(count);
  if constexpr (parts == 1) {
    for (Index k = 0; k < row; ++k)
      to[half_word_place<1>(k, 0, row)] =
          static_cast<std::int16_t>(k < count ? static_cast<Index>(x[k]) - zero : 0);
    return {to, count, scale};
  } else {
    static_cast<void>(zero);
    static_cast<void>(scale);
    // The bits of positive floats are in their order; above all numbers are infinity and NaN.
    std::uint32_t largest = 0;
    for (Index k = 0; k < count; ++k) {
      const std::uint32_t bits = fn::float_bits(x[k]) & 0x7fffffffu;
      largest = bits > largest ? bits : largest;
    }
    const bool finite = largest < 0x7f800000u;
    // Values are below 2^(exponent - 126).
    std::uint32_t exponent = largest >> 23;
    exponent = exponent < 40 ? 40 : exponent;
    const auto power = [](std::uint32_t e) { return same_bits<float>(e << 23); };
    const float to_whole = finite ? power(127 + 154 - exponent) : 0.0f;
    for (Index k = 0; k < row; ++k) {
      const auto v = static_cast<std::int32_t>(k < count && finite ? x[k] * to_whole : 0.0f);
      to[half_word_place<2>(k, 0, row)] = static_cast<std::int16_t>(v >> 14);
      to[half_word_place<2>(k, 1, row)] = static_cast<std::int16_t>(v & 0x3fff);
    }
    const float none = same_bits<float>(std::uint32_t{0x7fc00000u});
    return {to, count, finite ? power(exponent - 27) : none};
  }
}

#if defined(ONNXC_HALF_VECTORS)
#define ONNXC_ROW(W, HIGH) \
  "vldrb.s16 q2, [%[" W    \
  "]], #8\n\t"             \
  "vmladava.s16 %[" HIGH "], q0, q2\n\t"
#define ONNXC_ROWS_IN "wlstp.16 lr, %[count], 2f\n1:\n\tvldrh.u16 q0, [%[x]], #16\n\t"
#define ONNXC_ROWS_OUT "letp lr, 1b\n2:"
#elif defined(ONNXC_HALF_WORDS)
#define ONNXC_ROW(W, HIGH)                 \
  "ldr %[a], [%[" W                        \
  "]], #4\n\t"                             \
  "sxtb16 %[b], %[a]\n\t"                  \
  "sxtb16 %[a], %[a], ror #8\n\t"          \
  "smlad %[" HIGH "], %[b], %[p], %[" HIGH \
  "]\n\t"                                  \
  "smlad %[" HIGH "], %[a], %[q], %[" HIGH "]\n\t"
#define ONNXC_LOW(LOW)                   \
  "ldrd %[p], %[q], [%[x], #8]\n\t"      \
  "smlad %[" LOW "], %[b], %[p], %[" LOW \
  "]\n\t"                                \
  "smlad %[" LOW "], %[a], %[q], %[" LOW "]\n\t"
#endif

// sums[i][part] = the products of x with row i of two, `next` bytes apart.
#if defined(ONNXC_HALF_VECTORS)
[[gnu::always_inline]] inline void two_row_products(const HalfWordVector<1>& v,
                                                    const std::int8_t* w, Index next,
                                                    std::int32_t (&sums)[2][1]) {
  const std::int16_t* x = v.halves;
  const std::int8_t *w0 = w, *w1 = w + next;
  std::int32_t s0 = 0, s1 = 0;
  asm(ONNXC_ROWS_IN ONNXC_ROW("w0", "s0") ONNXC_ROW("w1", "s1") ONNXC_ROWS_OUT
      : [x] "+r"(x), [w0] "+l"(w0), [w1] "+l"(w1), [s0] "+Te"(s0), [s1] "+Te"(s1)
      : [count] "r"(v.count)
      : "lr", "q0", "q2", "cc", "memory");
  sums[0][0] = s0, sums[1][0] = s1;
}
[[gnu::always_inline]] inline void two_row_products(const HalfWordVector<2>& v,
                                                    const std::int8_t* w, Index next,
                                                    std::int32_t (&sums)[2][2]) {
  const std::int16_t *x = v.halves, *low = x + half_word_row(v.count);
  const std::int8_t *w0 = w, *w1 = w + next;
  std::int32_t s0 = 0, s1 = 0, t0 = 0, t1 = 0;
  asm(ONNXC_ROWS_IN
      "vldrh.u16 q1, [%[low]], #16\n\t" ONNXC_ROW("w0", "s0")
      "vmladava.s16 %[t0], q1, q2\n\t" ONNXC_ROW("w1", "s1")
      "vmladava.s16 %[t1], q1, q2\n\t" ONNXC_ROWS_OUT
      : [x] "+r"(x), [low] "+r"(low), [w0] "+l"(w0), [w1] "+l"(w1), [s0] "+Te"(s0), [s1] "+Te"(s1),
        [t0] "+Te"(t0), [t1] "+Te"(t1)
      : [count] "r"(v.count)
      : "lr", "q0", "q1", "q2", "cc", "memory");
  sums[0][0] = s0, sums[0][1] = t0, sums[1][0] = s1, sums[1][1] = t1;
}
#elif defined(ONNXC_HALF_WORDS)
[[gnu::always_inline]] inline void two_row_products(const HalfWordVector<1>& v,
                                                    const std::int8_t* w, Index next,
                                                    std::int32_t (&sums)[2][1]) {
  const std::int16_t *x = v.halves, *const end = x + half_word_row(v.count);
  const std::int8_t *w0 = w, *w1 = w + next;
  std::int32_t s0 = 0, s1 = 0;
  std::uint32_t a, b, p, q;
  if (x != end)
    asm("1:\n\tldrd %[p], %[q], [%[x]], #8\n\t" ONNXC_ROW("w0", "s0")
            ONNXC_ROW("w1", "s1") "cmp %[x], %[end]\n\tbne 1b"
        : [x] "+r"(x), [w0] "+r"(w0), [w1] "+r"(w1), [s0] "+r"(s0), [s1] "+r"(s1), [a] "=&r"(a),
          [b] "=&r"(b), [p] "=&r"(p), [q] "=&r"(q)
        : [end] "r"(end)
        : "cc", "memory");
  sums[0][0] = s0, sums[1][0] = s1;
}
// The lower parts of four values follow their upper ones.
[[gnu::always_inline]] inline void two_row_products(const HalfWordVector<2>& v,
                                                    const std::int8_t* w, Index next,
                                                    std::int32_t (&sums)[2][2]) {
  const std::int16_t *x = v.halves, *const end = x + 2 * half_word_row(v.count);
  const std::int8_t *w0 = w, *w1 = w + next;
  std::int32_t s0 = 0, s1 = 0, t0 = 0, t1 = 0;
  std::uint32_t a, b, p, q;
  if (x != end)
    asm("1:\n\tldrd %[p], %[q], [%[x]]\n\t" ONNXC_ROW("w0", "s0")
            ONNXC_LOW("t0") "ldrd %[p], %[q], [%[x]]\n\t" ONNXC_ROW("w1", "s1")
                ONNXC_LOW("t1") "adds %[x], #16\n\tcmp %[x], %[end]\n\tbne 1b"
        : [x] "+r"(x), [w0] "+r"(w0), [w1] "+r"(w1), [s0] "+r"(s0), [s1] "+r"(s1), [t0] "+r"(t0),
          [t1] "+r"(t1), [a] "=&r"(a), [b] "=&r"(b), [p] "=&r"(p), [q] "=&r"(q)
        : [end] "r"(end)
        : "cc", "memory");
  sums[0][0] = s0, sums[0][1] = t0, sums[1][0] = s1, sums[1][1] = t1;
}
#else
template <std::size_t PARTS>
[[gnu::always_inline]] inline void two_row_products(const HalfWordVector<PARTS>& v,
                                                    const std::int8_t* w, Index next,
                                                    std::int32_t (&sums)[2][PARTS]) {
  const Index row = half_word_row(v.count);
  for (std::size_t i = 0; i < 2; ++i, w += next) {
    for (std::int32_t& sum : sums[i]) sum = 0;
    for (Index k = 0; k < v.count; ++k) {
      const std::int32_t weight = constant_at(w + k);
      for (std::size_t part = 0; part < PARTS; ++part)
        sums[i][part] += weight * v.halves[static_cast<Index>(part) * row + k];
    }
  }
}
#endif
#undef ONNXC_LOW
#undef ONNXC_ROW
#undef ONNXC_ROWS_IN
#undef ONNXC_ROWS_OUT
#undef ONNXC_HALF_VECTORS
#undef ONNXC_HALF_WORDS

// A sum as a number, by the scale of its row. Powers of two are exact: no target rounds otherwise.
template <std::size_t PARTS>
[[gnu::always_inline]] inline float as_number(const std::int32_t (&sum)[PARTS], float scale) {
  if constexpr (PARTS == 1) {
    return static_cast<float>(sum[0]) * scale;
  } else {
    return (static_cast<float>(sum[0]) * 16384.0f + static_cast<float>(sum[1])) * scale;
  }
}

// Units whose gates are computed together, so that their functions fill vectors.
constexpr std::size_t kGateUnits = 8;

// gates[unit] += the products of v with one row for each, `count` rows that follow each other.
template <std::size_t PARTS>
[[gnu::noinline]] void add_byte_gate(HalfWordVector<PARTS> v, const std::int8_t* w,
                                     const float* scales, Index scale_step, Index count,
                                     float* gates) {
  float factor = v.step * constant_at(scales);
  const auto add = [&](Index j, const std::int32_t(&sum)[PARTS]) {
    if (scale_step != 0) factor = v.step * constant_at(scales + j);
    gates[j] += as_number(sum, factor);
  };
  std::int32_t sums[2][PARTS];
  Index j = 0;
  for (; j + 2 <= count; j += 2, w += 2 * v.count) {
    two_row_products(v, w, v.count, sums);
    add(j, sums[0]);
    add(j + 1, sums[1]);
  }
  if (j < count) {
    two_row_products(v, w, 0, sums);
    add(j, sums[0]);
  }
}

// gates[i][unit of the block] += the products of v with the rows of gate FIRST + i, for `count`
// units from `first` on.
template <std::size_t FIRST, std::size_t GATES, std::size_t PARTS, class S>
[[gnu::always_inline]] inline void add_byte_gates(const S& s, const HalfWordVector<PARTS>& v,
                                                  ByteWeights w, Index scale_step, Index first,
                                                  Index count, float (*gates)[kGateUnits]) {
  for (std::size_t i = 0; i < GATES; ++i) {
    const Index row = static_cast<Index>(FIRST + i) * s.hidden + first;
    add_byte_gate(v, w.w + row * v.count, w.scales + row * scale_step, scale_step, count, gates[i]);
  }
}

// The biases of such gates, or zeros.
template <std::size_t FIRST, std::size_t GATES, class S>
[[gnu::always_inline]] inline void start_gates(const S& s, const float* bias, Index first,
                                               Index count, float (*gates)[kGateUnits]) {
  for (std::size_t i = 0; i < GATES; ++i)
    for (Index j = 0; j < count; ++j)
      gates[i][j] = bias != nullptr
                        ? constant_at(bias + static_cast<Index>(FIRST + i) * s.hidden + first + j)
                        : 0.0f;
}

// Scratch: the half words of a row of the input and of a state, and where the first state is bytes
// that state as floats.
struct ByteUnitScratch {
  std::int16_t *x, *h;
  float* first;
};

// The states before the first step: null for zeros.
template <class S, class H>
[[gnu::always_inline]] inline const float* first_states(const S& s, const H* h0, float* scratch) {
  if constexpr (std::is_same_v<H, float>) {
    static_cast<void>(s);
    static_cast<void>(scratch);
    return h0;
  } else {
    for (Index i = 0; i < s.batch * s.hidden; ++i)
      scratch[i] = static_cast<float>(static_cast<Index>(h0[i]) - s.h_zero) * s.h_scale;
    return scratch;
  }
}

// The state of sequence b as half words: its bytes, or floats.
template <class S, class H>
[[gnu::always_inline]] inline auto state_vector(const S& s, const H* h0, const float* old, Index b,
                                                std::int16_t* to) {
  if constexpr (std::is_same_v<H, float>) {
    static_cast<void>(h0);
    return half_word_vector(old + b * s.hidden, s.hidden, 0, 1.0f, to);
  } else {
    static_cast<void>(old);
    return half_word_vector(h0 + b * s.h_batch + s.direction * s.h_direction, s.hidden, s.h_zero,
                            s.h_scale, to);
  }
}

// x, h0: floats or bytes; where h0 is bytes there are one step and one direction, and it is not
// null. bias: [4 *
// hidden], the sums of both, or null; peephole: [directions, 3 * hidden] of i, o, f, or null.
// states.h0 is null.  s: as for lstm, inputs, x_zero, x_scale and h_zero, h_scale of bytes,
// w_scale_step, r_scale_step.
template <class S, class X, class H>
Status lstm_byte_weights(S s, const X* x, const H* h0, ByteWeights w, ByteWeights r,
                         const float* bias, const float* peephole, LstmStates<float> states,
                         LstmScratch<float> scratch, ByteUnitScratch own) {
  const Index n = s.hidden;
  const float* peepholes = peephole != nullptr ? peephole + s.direction * 3 * n : nullptr;
  states.h0 = first_states(s, h0, own.first);
  const LstmCells<float> cells = first_cells(s, states, scratch.c);
  const auto step = [&](Index i, const float* old_h, float* now_h) {
    for (Index b = 0; b < s.batch; ++b) {
      const Index t = time_of(s, states.lengths, i, b);
      if (t < 0) continue;
      const auto input = half_word_vector(x + (t * s.x_step + b * s.x_batch) * s.inputs, s.inputs,
                                          s.x_zero, s.x_scale, own.x);
      const auto state = state_vector(s, h0, old_h, b, own.h);
      constexpr Index block = kGateUnits;
      for (Index u = 0; u < n; u += block) {
        const Index count = n - u < block ? n - u : block;
        float gates[4][kGateUnits];
        start_gates<0, 4>(s, bias, u, count, gates);
        add_byte_gates<0, 4>(s, input, w, s.w_scale_step, u, count, gates);
        add_byte_gates<0, 4>(s, state, r, s.r_scale_step, u, count, gates);
        const Index unit = b * n + u;
        for_state_lanes<float>(count, [&](auto tag, Index j) {
          using V = decltype(tag);
          V sums[4];
          for (std::size_t gate = 0; gate < 4; ++gate) sums[gate] = get<V>(gates[gate] + j);
          const auto peep = [&](V sum, Index gate, V cell) {
            return peepholes != nullptr ? sum + get<V>(peepholes + gate * n + u + j) * cell : sum;
          };
          const LstmState<V> now = lstm_cell(s, sums, get<V>(cells.old + unit + j), peep);
          put(cells.now + unit + j, now.c);
          put(now_h + unit + j, now.h);
        });
      }
    }
  };
  const Status status =
      run_steps(s, states.lengths, states.h0, scratch.h, states.y, states.y_h, step);
  if (cells.now == scratch.c) save_state(s, scratch.c, states.y_c);
  return status;
}

// What a step of gru_byte_weights reads for one sequence.
template <class X, class H>
struct GruByteStep {
  HalfWordVector<half_words_of<X>> input;
  HalfWordVector<half_words_of<H>> state;
  ByteWeights w, r;
  const float *bias, *late_bias;
  const float* old;
  float *now, *update, *reset;
};

// Where the reset gate scales the product with the state.
template <class S, class X, class H>
[[gnu::always_inline]] inline void gru_bytes_reset_after(const GruCell<S, float>& c,
                                                         const GruByteStep<X, H>& q, Index u,
                                                         Index count) {
  // Gates z and r; the candidate's products with the input and with the state.
  float gates[4][kGateUnits];
  start_gates<0, 3>(c.s, q.bias, u, count, gates);
  start_gates<0, 1>(c.s, q.late_bias, u, count, gates + 3);
  add_byte_gates<0, 3>(c.s, q.input, q.w, c.s.w_scale_step, u, count, gates);
  add_byte_gates<0, 2>(c.s, q.state, q.r, c.s.r_scale_step, u, count, gates);
  add_byte_gates<2, 1>(c.s, q.state, q.r, c.s.r_scale_step, u, count, gates + 3);
  for_state_lanes<float>(count, [&](auto tag, Index j) {
    using V = decltype(tag);
    const V z = activate_f(c.s, clip_to(get<V>(gates[0] + j), c.s.clip));
    const V reset = activate_f(c.s, clip_to(get<V>(gates[1] + j), c.s.clip));
    put(q.now + u + j,
        c.renew(get<V>(gates[2] + j), reset * get<V>(gates[3] + j), z, get<V>(q.old + u + j)));
  });
}

// Where it scales the state before the product: the gates z and r, then the candidate.
template <class S, class X, class H>
[[gnu::always_inline]] inline void gru_bytes_gates(const GruCell<S, float>& c,
                                                   const GruByteStep<X, H>& q, Index u,
                                                   Index count) {
  float gates[2][kGateUnits];
  start_gates<0, 2>(c.s, q.bias, u, count, gates);
  add_byte_gates<0, 2>(c.s, q.input, q.w, c.s.w_scale_step, u, count, gates);
  add_byte_gates<0, 2>(c.s, q.state, q.r, c.s.r_scale_step, u, count, gates);
  for_state_lanes<float>(count, [&](auto tag, Index j) {
    using V = decltype(tag);
    const V reset = activate_f(c.s, clip_to(get<V>(gates[1] + j), c.s.clip));
    put(q.update + u + j, activate_f(c.s, clip_to(get<V>(gates[0] + j), c.s.clip)));
    put(q.reset + u + j, reset * get<V>(q.old + u + j));
  });
}
template <class S, class X, class H>
[[gnu::always_inline]] inline void gru_bytes_state(const GruCell<S, float>& c,
                                                   const GruByteStep<X, H>& q,
                                                   const HalfWordVector<2>& scaled, Index u,
                                                   Index count) {
  float gates[1][kGateUnits];
  start_gates<2, 1>(c.s, q.bias, u, count, gates);
  add_byte_gates<2, 1>(c.s, q.input, q.w, c.s.w_scale_step, u, count, gates);
  add_byte_gates<2, 1>(c.s, scaled, q.r, c.s.r_scale_step, u, count, gates);
  for_state_lanes<float>(count, [&](auto tag, Index j) {
    using V = decltype(tag);
    const V none{};
    put(q.now + u + j,
        c.renew(get<V>(gates[0] + j), none, get<V>(q.update + u + j), get<V>(q.old + u + j)));
  });
}

template <class S, class X, class H>
[[gnu::always_inline]] inline void gru_bytes_step(const GruCell<S, float>& c,
                                                  const GruByteStep<X, H>& q, std::int16_t* h) {
  constexpr Index block = kGateUnits;
  const Index n = c.s.hidden;
  const auto each_block = [&](auto f) {
    for (Index u = 0; u < n; u += block) f(u, n - u < block ? n - u : block);
  };
  if (c.s.reset_after) {
    each_block([&](Index u, Index count) { gru_bytes_reset_after(c, q, u, count); });
    return;
  }
  each_block([&](Index u, Index count) { gru_bytes_gates(c, q, u, count); });
  const auto scaled = half_word_vector(q.reset, n, 0, 1.0f, h);
  each_block([&](Index u, Index count) { gru_bytes_state(c, q, scaled, u, count); });
}

// As lstm_byte_weights. bias: [3 * hidden] or null; late_bias: [hidden], of the state's product in
// the candidate where the reset gate scales it, or null. own.h has two half words for each unit.
// scratch: update, reset: [hidden]; products is not used.
template <class S, class X, class H>
Status gru_byte_weights(S s, const X* x, const H* h0, ByteWeights w, ByteWeights r,
                        const float* bias, const float* late_bias, GruStates<float> states,
                        GruScratch<float> scratch, ByteUnitScratch own) {
  const GruCell<S, float> cell = {s,       nullptr, nullptr, nullptr, nullptr,
                                  nullptr, nullptr, nullptr, nullptr};
  const float* const first = first_states(s, h0, own.first);
  return run_steps(s, states.lengths, first, scratch.h, states.y, states.y_h,
                   [&](Index i, const float* old_h, float* now_h) {
                     for (Index b = 0; b < s.batch; ++b) {
                       const Index t = time_of(s, states.lengths, i, b), at = b * s.hidden;
                       if (t < 0) continue;
                       const X* const row = x + (t * s.x_step + b * s.x_batch) * s.inputs;
                       const GruByteStep<X, H> step = {
                           half_word_vector(row, s.inputs, s.x_zero, s.x_scale, own.x),
                           state_vector(s, h0, old_h, b, own.h),
                           w,
                           r,
                           bias,
                           late_bias,
                           old_h + at,
                           now_h + at,
                           scratch.update,
                           scratch.reset};
                       gru_bytes_step(cell, step, own.h);
                     }
                   });
}

}  // namespace onnxc
