// recurrence.cpp - tensor_scatter, causal_conv and linear_attention against naive loops.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "compiler/kernels/attention_calls.hpp"
#include "compiler/kernels/convolution_calls.hpp"
#include "templates/attention/linear_attention.hpp"
#include "templates/attention/tensor_scatter.hpp"
#include "templates/convolution/causal_conv.hpp"

using namespace onnxc;

namespace {

// Small numbers of both signs.
std::vector<float> ramp(std::size_t count, std::size_t step) {
  std::vector<float> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = static_cast<float>(i * step % 11) / 8.0f - 0.6f;
  return v;
}

}  // namespace

TEST_CASE("tensor_scatter", "[recurrence]") {
  struct {
    Index batch, rows, capacity, length, inner;
    bool circular;
  } s{2, 1, 3, 2, 1, false};
  const std::vector<int> past = {1, 2, 3, 4, 5, 6}, update = {7, 8, 9, 10};
  std::vector<int> y(6);
  const std::int64_t start[] = {1, 0}, late[] = {2, -2}, *const none = nullptr;
  CHECK(tensor_scatter(s, past.data(), update.data(), start, y.data()) == Status::ok);
  CHECK(y == std::vector<int>{1, 7, 8, 9, 10, 6});
  CHECK(tensor_scatter(s, past.data(), update.data(), none, y.data()) == Status::ok);
  CHECK(y == std::vector<int>{7, 8, 3, 9, 10, 6});
  CHECK(tensor_scatter(s, past.data(), update.data(), late, y.data()) == Status::bad_index);
  s.circular = true;
  CHECK(tensor_scatter(s, past.data(), update.data(), late, y.data()) == Status::ok);
  CHECK(y == std::vector<int>{8, 2, 7, 4, 9, 10});
}

TEST_CASE("causal_conv: in one go or token by token", "[recurrence]") {
  using Shape = onnxc::CausalConvShape<onnxc::Index>;
  for (bool silu : {false, true}) {
    const Shape whole{2, 2, 5, 3, 1, silu}, one{2, 2, 1, 3, 1, silu};
    const std::vector<float> x = ramp(20, 3), w = ramp(6, 7), bias = {0.5f, -0.25f};
    float y[20], state[8], next[8];
    const float* const none = nullptr;
    causal_conv(whole, x.data(), w.data(), bias.data(), none, y, state);
    std::vector<float> past(8);
    for (std::size_t t = 0; t < 5; ++t) {
      float token[4], out[4];
      for (std::size_t row = 0; row < 4; ++row) token[row] = x[row * 5 + t];
      causal_conv(one, token, w.data(), bias.data(), past.data(), out, next);
      for (std::size_t row = 0; row < 4; ++row) CHECK(out[row] == y[row * 5 + t]);
      past.assign(next, next + 8);
    }
    CHECK(past == std::vector<float>(state, state + 8));
    const float sum = bias[0] + x[0] * w[0] + x[1] * w[1] + x[2] * w[2];
    CHECK(y[2] == Approx(silu ? sum / (1 + std::exp(-sum)) : sum));
  }
}

TEST_CASE("causal_conv: dilated, in one go or token by token", "[recurrence]") {
  using Shape = onnxc::CausalConvShape<onnxc::Index>;
  const Shape whole{1, 2, 6, 3, 2, false}, one{1, 2, 1, 3, 2, false};
  const std::vector<float> x = ramp(12, 3), w = ramp(6, 7);
  float y[12], state[8], next[8];
  const float* const none = nullptr;
  causal_conv(whole, x.data(), w.data(), none, none, y, state);
  for (std::size_t c = 0; c < 2; ++c) {
    const float* const in = x.data() + c * 6;
    CHECK(y[c * 6 + 5] == Approx(in[1] * w[c * 3] + in[3] * w[c * 3 + 1] + in[5] * w[c * 3 + 2]));
    CHECK(state[c * 4] == in[2]);
  }
  std::vector<float> past(8);
  for (std::size_t t = 0; t < 6; ++t) {
    float token[] = {x[t], x[6 + t]}, out[2];
    causal_conv(one, token, w.data(), none, past.data(), out, next);
    CHECK(out[0] == y[t]);
    CHECK(out[1] == y[6 + t]);
    past.assign(next, next + 8);
  }
}

TEST_CASE("linear_attention: states that share queries and keys", "[recurrence]") {
  using Shape = onnxc::LinearAttentionShape<onnxc::Index>;
  const Shape shared{1, 2, 2, 1, 4, 3, 2, 3, 4, 0.5f}, whole{1, 2, 4, 4, 4, 3, 2, 3, 4, 0.5f};
  const auto q = ramp(12, 3), k = ramp(6, 5), v = ramp(16, 7);
  std::vector<float> every_q, every_k;
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t h = 0; h < 4; ++h)
      for (std::size_t i = 0; i < 3; ++i) {
        every_q.push_back(q[(t * 2 + h / 2) * 3 + i]);
        every_k.push_back(k[t * 3 + i]);
      }
  float y[16], want[16], state[24], want_state[24], memory[8];
  const float* const none = nullptr;
  linear_attention(shared, q.data(), k.data(), v.data(), none, none, none, y, state, memory);
  linear_attention(whole, every_q.data(), every_k.data(), v.data(), none, none, none, want,
                   want_state, memory);
  for (std::size_t i = 0; i < 16; ++i) CHECK(y[i] == want[i]);
  for (std::size_t i = 0; i < 24; ++i) CHECK(state[i] == want_state[i]);
}

TEST_CASE("linear_attention: every rule against its definition", "[recurrence]") {
  using Shape = onnxc::LinearAttentionShape<onnxc::Index>;
  for (bool decays : {false, true})
    for (bool corrects : {false, true})
      for (bool brief : {false, true}) {
        const Shape s{2, 3, 4, 2, 2, 3, 2, brief ? 1 : 3, brief ? 1 : 2, 0.5f};
        const auto q = ramp(72, 3), k = ramp(36, 5), v = ramp(24, 7), past = ramp(24, 2);
        const auto g = ramp(36, 9), beta = ramp(12, 4);
        float y[48], state[24], memory[8];
        linear_attention(s, q.data(), k.data(), v.data(), past.data(), decays ? g.data() : nullptr,
                         corrects ? beta.data() : nullptr, y, state, memory);
        std::vector<float> m = past;
        for (std::size_t b = 0; b < 2; ++b)
          for (std::size_t h = 0; h < 2; ++h)
            for (std::size_t t = 0; t < 3; ++t) {
              float* const cell = m.data() + (b * 2 + h) * 6;
              const std::size_t token = b * 3 + t, at = token * 2 + h;
              for (std::size_t i = 0; i < 6; ++i)
                if (decays) cell[i] *= std::exp(brief ? g[at] : g[at * 3 + i / 2]);
              for (std::size_t j = 0; j < 2; ++j) {
                float was = 0;
                for (std::size_t i = 0; i < 3; ++i) was += cell[i * 2 + j] * k[at * 3 + i];
                const float rate = corrects ? beta[brief ? token : at] : 1.0f;
                const float fresh = rate * (v[at * 2 + j] - (corrects ? was : 0.0f));
                for (std::size_t i = 0; i < 3; ++i) cell[i * 2 + j] += k[at * 3 + i] * fresh;
                for (std::size_t query = h * 2; query < h * 2 + 2; ++query) {
                  float sum = 0;
                  for (std::size_t i = 0; i < 3; ++i)
                    sum += q[(token * 4 + query) * 3 + i] * cell[i * 2 + j];
                  CHECK(y[(token * 4 + query) * 2 + j] == Approx(sum * 0.5f).margin(1e-5));
                }
              }
            }
        for (std::size_t i = 0; i < 24; ++i) CHECK(state[i] == Approx(m[i]).margin(1e-5));
      }
}
