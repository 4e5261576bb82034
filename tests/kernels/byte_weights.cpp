// byte_weights.cpp - recurrent units with weights of 8 bits against plain loops in double
// precision.
#include "templates/recurrent/byte_weights.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/conv_int8_reference.hpp"
#include "tests/kernels/recurrent_shape.hpp"

using onnxc::Index;

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

struct Shape : onnxc::UnitShape {
  bool reset_after;
  Index inputs, x_zero, h_zero, w_scale_step, r_scale_step;
  float x_scale, h_scale;
};

Shape make_shape(Index steps, Index batch, Index inputs, Index hidden, bool reset_after) {
  const Index row = batch * hidden;
  return {steps,  batch, hidden,      hidden, 0, false, batch, 1, row,   hidden, row,
          hidden, row,   0,           2,      0, 0,     1,     0, 0,     1,      0,
          0,      false, reset_after, inputs, 3, -2,    1,     0, 0.02f, 0.008f};
}

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Floats numbers(Index count, unsigned seed, float step) {
  Floats v;
  for (const std::int8_t b : conv_int8_test::numbers<std::int8_t>(count, seed))
    v.push_back(static_cast<float>(b) * step);
  return v;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The data of a unit with this many gates. Bytes where X and H say so.
template <class X, class H>
struct Data {
  Shape s;
  Index gates;
  std::vector<std::int8_t> w, r;
  Floats w_scales, r_scale, bias, late, c0;
  std::vector<X> x;
  std::vector<H> h0;
  std::vector<std::int16_t> x_halves, h_halves;
  Floats scratch_h, scratch_c, first, update, reset;

  Data(const Shape& shape, Index gate_count)
      : s(shape),
        gates(gate_count),
        w(conv_int8_test::numbers<std::int8_t>(gates * s.hidden * s.inputs + 4, 2)),
        r(conv_int8_test::numbers<std::int8_t>(gates * s.hidden * s.hidden + 4, 3)),
        w_scales(numbers(gates * s.hidden, 4, 3e-5f)),
        r_scale{0.002f},
        bias(numbers(gates * s.hidden, 5, 0.003f)),
        late(numbers(s.hidden, 6, 0.002f)),
        c0(numbers(s.batch * s.hidden, 7, 0.01f)),
        x_halves(at(2 * onnxc::half_word_row(s.inputs))),
        h_halves(at(2 * onnxc::half_word_row(s.hidden))),
        scratch_h(at(2 * s.batch * s.hidden)),
        scratch_c(at(s.batch * s.hidden)),
        first(at(s.batch * s.hidden)),
        update(at(s.hidden)),
        reset(at(s.hidden)) {
    fill(x, s.steps * s.batch * s.inputs, 8, 0.7f);
    fill(h0, s.batch * s.hidden, 9, 0.007f);
  }

  template <class T>
  static void fill(std::vector<T>& to, Index count, unsigned seed, float step) {
    if constexpr (std::is_same_v<T, float>)
      to = numbers(count, seed, step);
    else
      to = conv_int8_test::numbers<T>(count, seed);
  }

  template <class T>
  static double number(T v, Index zero, float scale) {
    if constexpr (std::is_same_v<T, float>) return static_cast<double>(v);
    return (static_cast<double>(v) - static_cast<double>(zero)) * static_cast<double>(scale);
  }
  double input(Index i) const { return number(x[at(i)], s.x_zero, s.x_scale); }
  double state(Index i) const { return number(h0[at(i)], s.h_zero, s.h_scale); }
  onnxc::ByteWeights input_weights() const { return {w.data(), w_scales.data()}; }
  onnxc::ByteWeights state_weights() const { return {r.data(), r_scale.data()}; }
  onnxc::ByteUnitScratch scratch() { return {x_halves.data(), h_halves.data(), first.data()}; }

  // The products of row `row` of a gate with the input of a step, and with a state.
  double input_sum(Index row, Index first_input) const {
    double sum = 0;
    for (Index k = 0; k < s.inputs; ++k) sum += w[at(row * s.inputs + k)] * input(first_input + k);
    return sum * w_scales[at(row)];
  }
  double state_sum(Index row, const double* h) const {
    double sum = 0;
    for (Index k = 0; k < s.hidden; ++k) sum += r[at(row * s.hidden + k)] * h[k];
    return sum * r_scale[0];
  }
};

bool close(const Floats& y, const Doubles& want) {
  for (std::size_t i = 0; i < want.size(); ++i)
    if (!(std::abs(y[i] - want[i]) < 3e-6)) return false;
  return y.size() == want.size();
}

template <class X, class H>
void check_lstm(Index steps, Index batch, Index inputs, Index hidden) {
  Data<X, H> d(make_shape(steps, batch, inputs, hidden, false), 4);
  Doubles h, c(d.c0.begin(), d.c0.end()), all;
  for (Index i = 0; i < batch * hidden; ++i) h.push_back(d.state(i));
  for (Index t = 0; t < steps; ++t) {
    const Doubles old = h;
    for (Index b = 0; b < batch; ++b)
      for (Index j = 0; j < hidden; ++j) {
        double z[4];
        for (Index g = 0; g < 4; ++g) {
          const Index row = g * hidden + j;
          z[g] = d.bias[at(row)] + d.input_sum(row, (t * batch + b) * inputs) +
                 d.state_sum(row, old.data() + b * hidden);
        }
        double& cell = c[at(b * hidden + j)];
        cell = sigmoid(z[2]) * cell + sigmoid(z[0]) * std::tanh(z[3]);
        h[at(b * hidden + j)] = sigmoid(z[1]) * std::tanh(cell);
      }
    all.insert(all.end(), h.begin(), h.end());
  }
  Floats y(all.size()), y_h(h.size()), y_c(h.size());
  const auto status = onnxc::lstm_byte_weights(
      d.s, d.x.data(), d.h0.data(), d.input_weights(), d.state_weights(), d.bias.data(),
      static_cast<const float*>(nullptr),
      onnxc::LstmStates<float>{nullptr, nullptr, d.c0.data(), y.data(), y_h.data(), y_c.data()},
      onnxc::LstmScratch<float>{d.scratch_h.data(), d.scratch_c.data(), nullptr}, d.scratch());
  REQUIRE(status == onnxc::Status::ok);
  REQUIRE(close(y, all));
  REQUIRE(close(y_h, h));
  REQUIRE(close(y_c, c));
}

template <class X, class H>
void check_gru(Index steps, Index batch, Index inputs, Index hidden, bool after) {
  Data<X, H> d(make_shape(steps, batch, inputs, hidden, after), 3);
  Doubles h, all;
  for (Index i = 0; i < batch * hidden; ++i) h.push_back(d.state(i));
  for (Index t = 0; t < steps; ++t) {
    const Doubles old = h;
    for (Index b = 0; b < batch; ++b) {
      const double* const own = old.data() + b * hidden;
      const Index x = (t * batch + b) * inputs;
      const auto gate = [&](Index row) {
        return sigmoid(d.bias[at(row)] + d.input_sum(row, x) + d.state_sum(row, own));
      };
      Doubles scaled;
      for (Index j = 0; j < hidden; ++j) scaled.push_back(gate(hidden + j) * own[j]);
      for (Index j = 0; j < hidden; ++j) {
        const Index row = 2 * hidden + j;
        const double recurrent = after ? gate(hidden + j) * (d.state_sum(row, own) + d.late[at(j)])
                                       : d.state_sum(row, scaled.data());
        const double candidate = std::tanh(d.bias[at(row)] + d.input_sum(row, x) + recurrent);
        const double z = gate(j);
        h[at(b * hidden + j)] = (1 - z) * candidate + z * own[j];
      }
    }
    all.insert(all.end(), h.begin(), h.end());
  }
  Floats y(all.size()), y_h(h.size());
  const auto status = onnxc::gru_byte_weights(
      d.s, d.x.data(), d.h0.data(), d.input_weights(), d.state_weights(), d.bias.data(),
      after ? d.late.data() : nullptr,
      onnxc::GruStates<float>{nullptr, nullptr, y.data(), y_h.data()},
      onnxc::GruScratch<float>{d.scratch_h.data(), d.update.data(), d.reset.data(), nullptr},
      d.scratch());
  REQUIRE(status == onnxc::Status::ok);
  REQUIRE(close(y, all));
  REQUIRE(close(y_h, h));
}

}  // namespace

TEST_CASE("lstm_byte_weights") {
  check_lstm<std::int8_t, std::uint8_t>(1, 1, 32, 24);
  check_lstm<std::uint8_t, float>(5, 2, 7, 13);
  check_lstm<float, float>(4, 3, 1, 9);
  check_lstm<float, std::int8_t>(1, 2, 18, 64);
}

TEST_CASE("gru_byte_weights") {
  for (const bool after : {false, true}) {
    check_gru<std::int8_t, std::int8_t>(1, 1, 32, 24, after);
    check_gru<std::uint8_t, float>(5, 2, 7, 13, after);
    check_gru<float, float>(4, 3, 1, 9, after);
    check_gru<float, std::uint8_t>(1, 2, 18, 64, after);
  }
}

TEST_CASE("half words of a vector are within 2^-28 of its largest value") {
  for (const float largest : {1.0f, 0.999f, 1e-20f, 3e38f}) {
    const Floats x = {largest, -largest, largest / 3, -largest / 1000, 0.0f};
    std::vector<std::int16_t> to(16);
    const auto v = onnxc::half_word_vector(x.data(), 5, 0, 1.0f, to.data());
    for (Index k = 0; k < 5; ++k) {
      const double high = v.halves[onnxc::half_word_place<2>(k, 0, 8)],
                   low = v.halves[onnxc::half_word_place<2>(k, 1, 8)];
      REQUIRE(std::abs((high * 16384 + low) * v.step - x[at(k)]) <= largest * 0x1p-26);
    }
  }
  const Floats none = {1.0f, std::numeric_limits<float>::infinity()};
  std::vector<std::int16_t> to(8);
  REQUIRE(std::isnan(onnxc::half_word_vector(none.data(), 2, 0, 1.0f, to.data()).step));
}
