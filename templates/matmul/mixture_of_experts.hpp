// mixture_of_experts.hpp - networks of two layers, a few of which each token passes: those with the
// largest router scores. Weights are floats, or integers of 2, 4 or 8 bits in blocks that share a
// scale and a zero point.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/math.hpp"
#include "runtime_min/types.hpp"
#include "templates/attention/attention.hpp"
#include "templates/fn/activation.hpp"
#include "templates/fn/gated_activation.hpp"
#include "templates/matmul/matmul_nbits.hpp"

namespace onnxc {

enum : Index { kExpertRelu, kExpertGelu, kExpertSilu, kExpertIdentity, kExpertSwiglu };
// Where the factor of a gate is stored: nowhere or in separate weights; after each gate; after all.
enum : Index { kGateSeparate, kGateInterleaved, kGateHalves };

// Weights of one layer of all experts, [expert, outputs, inputs], and the bias or null. For kBits:
// bytes, scales as for matmul_nbits, zeros likewise or null.
template <class W>
struct ExpertLayer {
  const W* w;
  const float* scales;
  const std::uint8_t* zeros;
  const float* bias;
};
template <class W>
ExpertLayer(const W*, const float*, const std::uint8_t*, const float*) -> ExpertLayer<W>;

struct ExpertInputs {
  Index k, block;
};

// Floats of an input as expert_column reads it.
template <int kBits, class N>
constexpr N expert_row(N inputs, N block) {
  if constexpr (kBits == 0) {
    static_cast<void>(block);
    return inputs;
  } else {
    const N blocks = (inputs + (block - 1)) / block;
    return blocks * block + blocks;
  }
}

template <int kBits>
void prepare_row(const float* x, const ExpertInputs& s, float* row) {
  if constexpr (kBits == 0) {
    for (Index i = 0; i < s.k; ++i) row[i] = x[i];
  } else {
    split_row<kBits>(s, x, row);
  }
}

// Output `column`, counted over all experts, for a prepared row.
template <int kBits, class W>
float expert_column(const ExpertLayer<W>& layer, const ExpertInputs& s, const float* row,
                    Index column) {
  float sum;
  if constexpr (kBits == 0) {
    sum = dot_product(row, layer.w + column * s.k, s.k);
  } else {
    const Index bytes = (s.k + s.block - 1) / s.block * (s.block * kBits / 8);
    sum = nbits_column<kBits>(s, row, layer.w + column * bytes, layer.scales, layer.zeros, column);
  }
  return layer.bias != nullptr ? sum + layer.bias[column] : sum;
}

// A gate after the activation, times its factor.
template <class S>
float gated(const S& s, float gate, float factor) {
  switch (s.activation) {
    case kExpertRelu:
      return fn::relu(gate) * factor;
    case kExpertGelu:
      return fn::gelu_tanh(gate) * factor;
    case kExpertSilu:
      return gate * math::sigmoid(gate) * factor;
    case kExpertSwiglu: {
      const bool limited = s.limit >= 0.0f;
      const float g = limited && gate > s.limit ? s.limit : gate;
      float l = limited && factor > s.limit ? s.limit : factor;
      l = limited && l < -s.limit ? -s.limit : l;
      return g * math::sigmoid(s.alpha * g) * (l + s.beta);
    }
    default:
      return gate * factor;
  }
}

// For each token the k experts with the largest scores, in this order, of equal ones the first, and
// their shares: the softmax of the scores over all experts or over the chosen ones; or weights,
// [tokens, experts]. normalize: shares are divided by their sum. scores: [tokens, experts]; weights
// may be null; chosen, shares: [tokens, k]. s: tokens, experts, k, over_all, normalize.
template <class S>
void choose_experts(S s, const float* scores, const float* weights, std::int32_t* chosen,
                    float* shares) {
  for (Index t = 0; t < s.tokens; ++t, scores += s.experts, chosen += s.k, shares += s.k) {
    for (Index i = 0; i < s.k; ++i) {
      Index best = -1;
      for (Index e = 0; e < s.experts; ++e) {
        bool taken = false;
        for (Index j = 0; j < i; ++j) taken = taken || chosen[j] == static_cast<std::int32_t>(e);
        if (!taken && (best < 0 || scores[e] > scores[best])) best = e;
      }
      chosen[i] = static_cast<std::int32_t>(best);
    }
    const float largest = scores[chosen[0]];
    float total = 0.0f, sum = 0.0f;
    for (Index e = 0; s.over_all && e < s.experts; ++e) total += math::exp(scores[e] - largest);
    for (Index i = 0; i < s.k; ++i) {
      shares[i] = weights != nullptr ? weights[t * s.experts + chosen[i]]
                                     : math::exp(scores[chosen[i]] - largest);
      sum += shares[i];
    }
    if (weights == nullptr && !s.normalize) sum = s.over_all ? total : sum;
    const bool divides = weights == nullptr || s.normalize;
    for (Index i = 0; divides && i < s.k; ++i) shares[i] /= sum;
  }
}

// The first layer, gated: y [tokens, k, inter] of x [tokens, hidden] and the chosen experts
// [tokens, k]. `factors` may have null weights: factors are 1 then, or columns of `gates`. row:
// expert_row of hidden, scratch. s: tokens, k, hidden, inter, block, activation, fusion, alpha,
// beta, limit (below 0: none). Divisible.
template <int kBits, class S, class W>
void expert_gates(S s, const float* x, const std::int32_t* chosen, ExpertLayer<W> gates,
                  ExpertLayer<W> factors, float* y, float* row) {
  const ExpertInputs in = {s.hidden, s.block};
  const bool fused = s.fusion != kGateSeparate;
  const Span own = chunk_range(s, s.tokens * s.k * s.inter);
  Index token = -1;
  for (Index i = own.begin; i < own.end; ++i) {
    const Index slot = i / s.inter, j = i % s.inter, t = slot / s.k;
    if (t != token) prepare_row<kBits>(x + t * s.hidden, in, row);
    token = t;
    const Index first = static_cast<Index>(chosen[slot]) * s.inter * (fused ? 2 : 1);
    const Index step = s.fusion == kGateInterleaved ? 2 : 1;
    const float gate = expert_column<kBits>(gates, in, row, first + j * step);
    float factor = 1.0f;
    if (fused)
      factor = expert_column<kBits>(
          gates, in, row, first + (s.fusion == kGateInterleaved ? 2 * j + 1 : s.inter + j));
    else if (factors.w != nullptr)
      factor = expert_column<kBits>(factors, in, row, first + j);
    y[i] = gated(s, gate, factor);
  }
}

// The second layer, and the sum of the experts by their shares: y [tokens, hidden] of x [tokens, k,
// inter]. row: expert_row of inter, scratch. s: tokens, k, hidden, inter, block. Divisible.
template <int kBits, class S, class W>
void expert_outputs(S s, const float* x, const std::int32_t* chosen, const float* shares,
                    ExpertLayer<W> layer, float* y, float* row) {
  const ExpertInputs in = {s.inter, s.block};
  const Span own = chunk_range(s, s.tokens * s.hidden);
  for (Index begin = own.begin; begin < own.end;) {
    const Index t = begin / s.hidden, whole = (t + 1) * s.hidden;
    const Index end = whole < own.end ? whole : own.end;
    for (Index i = begin; i < end; ++i) y[i] = 0.0f;
    for (Index slot = t * s.k; slot < (t + 1) * s.k; ++slot) {
      prepare_row<kBits>(x + slot * s.inter, in, row);
      const Index first = static_cast<Index>(chosen[slot]) * s.hidden - t * s.hidden;
      for (Index i = begin; i < end; ++i)
        y[i] += shares[slot] * expert_column<kBits>(layer, in, row, first + i);
    }
    begin = end;
  }
}

}  // namespace onnxc
