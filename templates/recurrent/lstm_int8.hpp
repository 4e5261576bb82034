// lstm_int8.hpp - one direction of a long short-term memory with weights of 8 bits: the state is
// quantised in every step, by its own range.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/simd_int8.hpp"
#include "templates/convolution/conv2d_int8_nhwc.hpp"
#include "templates/matmul/int8_bias.hpp"
#include "templates/quantization/quantize.hpp"
#include "templates/recurrent/lstm.hpp"

namespace onnxc {

// Weights of the state as pack_conv2d_int8 has them for 4 * hidden columns; their sums, and what is
// added to what sums start from, or null, in panels; a scale for each column.
struct Int8StateWeights {
  const std::int8_t* w;
  const std::int32_t *residual_places, *sums, *bias;
  const float* scales;
};

// Scratch: h: [2, batch, hidden], c: [batch, hidden], gates: [batch, 4 * hidden], bytes: [batch *
// hidden + kByteSlack], start: as many as sums.
struct Int8StateScratch {
  float *h, *c, *gates;
  std::uint8_t* bytes;
  std::int32_t* start;
};

// The states of all sequences as pixels of an image; BATCH = -1: known at run time.
template <Index BATCH>
struct StatePixels {
  static constexpr Index in_w = BATCH, out_w = BATCH;
  explicit StatePixels(Index) {}
};
template <>
struct StatePixels<-1> {
  Index in_w, out_w;
  explicit StatePixels(Index batch) : in_w(batch), out_w(batch) {}
};
template <class S>
struct StateImage : StatePixels<fixed_extent(&S::batch)> {
  static constexpr Index batch = 1, in_h = 1, out_h = 1, k_h = 1, k_w = 1, stride_h = 1,
                         stride_w = 1, dilation_h = 1, dilation_w = 1, pad_top = 0, pad_left = 0,
                         group = 1, zero = 0;
  static constexpr bool copies = false;
  Index in_c, out_c, residual_words;
  explicit StateImage(const S& s)
      : StatePixels<fixed_extent(&S::batch)>(s.batch),
        in_c(s.hidden),
        out_c(4 * s.hidden),
        residual_words(s.residual_words) {}
};

// Sums as floats, by the scales of the columns and of the state.
struct StateScales {
  const float* scales;
  float step;
  template <class V>
  V operator()(V v, Index, Index column) const {
    return v * (load<V>(scales + column) * broadcast<V>(step));
  }
};

// gates[batch, 4 * hidden] = h[batch, hidden] quantised, times the weights.
template <int NR, class S>
void int8_state_product(const S& s, const float* h, const Int8StateWeights& r,
                        const Int8StateScratch& scratch) {
  struct {
    Index count;
  } all = {s.batch * s.hidden}, columns = {(4 * s.hidden + NR - 1) / NR * NR};
  float step;
  std::uint8_t zero;
  dynamic_quantize_linear(all, h, scratch.bytes, &step, &zero);
  // The last word of a row is read as a whole.
  std::memset(scratch.bytes + all.count, 0, 4);
  int8_bias(columns, &zero, r.sums, r.bias, scratch.start);
  conv2d_int8_nhwc<NR>(StateImage<S>(s), scratch.bytes, r.w, scratch.start, r.residual_places,
                       scratch.gates, static_cast<std::uint8_t*>(nullptr),
                       StateScales{r.scales, step});
}

// The states [batch, hidden] that count for the scale. As in ONNX Runtime, those of sequences that
// have ended do not where all states are outputs: they are zero there, which any scale includes.
template <class S>
const float* running_states(const S& s, const LstmStates<float>& states, Index i, const float* h,
                            float* scratch) {
  if (states.lengths == nullptr || states.y == nullptr) return h;
  for (Index b = 0; b < s.batch; ++b)
    for (Index j = b * s.hidden; j < (b + 1) * s.hidden; ++j)
      scratch[j] = i > states.lengths[b] ? 0.0f : h[j];
  return scratch;
}

// input: products of all steps with the input weights and the biases, gates i, o, f, c.  peephole:
// [directions, 3 * hidden] of i, o, f, or null.  s: as for lstm, and residual_words.
template <int NR, class S>
Status lstm_int8(S s, const float* input, Int8StateWeights r, const float* peephole,
                 LstmStates<float> states, Int8StateScratch scratch) {
  const Index n = s.hidden;
  const float* peepholes = peephole != nullptr ? peephole + s.direction * 3 * n : nullptr;
  const auto cell = [&](const float* x, const float* q, float* c, float* h) {
    for_state_lanes<float>(n, [&](auto tag, Index j) {
      using V = decltype(tag);
      V sums[4];
      for (Index gate = 0; gate < 4; ++gate)
        sums[gate] = get<V>(x + gate * n + j) + get<V>(q + gate * n + j);
      const auto peep = [&](V sum, Index gate, V state) {
        return peepholes != nullptr ? sum + get<V>(peepholes + gate * n + j) * state : sum;
      };
      const LstmState<V> now = lstm_cell(s, sums, get<V>(c + j), peep);
      put(c + j, now.c);
      put(h + j, now.h);
    });
  };
  load_state(s, states.c0, scratch.c);
  const auto step = [&](Index i, const float* old_h, float* now_h) {
    // The gates are written only when the state is in bytes.
    const float* const running = running_states(s, states, i, old_h, scratch.gates);
    int8_state_product<NR>(s, running, r, scratch);
    for (Index b = 0; b < s.batch; ++b) {
      const Index t = time_of(s, states.lengths, i, b);
      if (t < 0) continue;
      cell(input + (t * s.x_step + b * s.x_batch) * 4 * n, scratch.gates + b * 4 * n,
           scratch.c + b * n, now_h + b * n);
    }
  };
  const Status status =
      run_steps(s, states.lengths, states.h0, scratch.h, states.y, states.y_h, step);
  save_state(s, scratch.c, states.y_c);
  return status;
}

}  // namespace onnxc
