// lstm_int8.cpp - a long short-term memory with weights of 8 bits against a plain loop that
// quantises the state of all sequences in every step, zero for those that have ended.
#include "templates/recurrent/lstm_int8.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "tests/kernels/conv_int8_reference.hpp"
#include "tests/kernels/recurrent_shape.hpp"

using onnxc::Index;

namespace {

using Floats = std::vector<float>;

struct Shape : onnxc::UnitShape {
  Index residual_words;
};

Shape make_shape(Index steps, Index batch, Index hidden, bool reverse) {
  const Index row = batch * hidden;
  return {steps, batch, hidden, hidden, 0, reverse, batch, 1, row, hidden, row,   hidden, row,
          0,     2,     0,      0,      1, 0,       0,     1, 0,   0,      false, 0};
}

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

Floats numbers(Index count, unsigned seed) {
  Floats v;
  for (std::int8_t b : conv_int8_test::numbers<std::int8_t>(count, seed))
    v.push_back(static_cast<float>(b) / 100.0f);
  return v;
}

// What the kernel reads, and the weights as numbers.
template <int NR>
struct Data {
  Shape s;
  Index columns;
  std::vector<std::int8_t> w, rest, packed;
  std::vector<std::int32_t> places, sums, bias;
  Floats scales, x, h0, c0;

  Data(const Shape& shape, bool wide)
      : s(shape),
        columns(4 * s.hidden),
        w(conv_int8_test::numbers<std::int8_t>(columns * s.hidden, 2)),
        x(numbers(s.steps * s.batch * columns, 3)),
        h0(numbers(s.batch * s.hidden, 4)),
        c0(numbers(s.batch * s.hidden, 5)) {
    for (std::size_t i = 0; wide && i < w.size(); ++i)
      rest.push_back(static_cast<std::int8_t>(i % 13 == 0 ? i % 5 : 0));
    for (Index j = 0; j < columns; ++j) scales.push_back(0.001f + 1e-5f * static_cast<float>(j));
    pack();
  }

  int weight(Index column, Index k) const {
    const std::size_t at = size(column * s.hidden + k);
    return w[at] + (rest.empty() ? 0 : rest[at]);
  }

  void pack() {
    onnxc::StateImage<Shape> image(s);
    const std::int8_t* more = rest.empty() ? nullptr : rest.data();
    if (more != nullptr) image.residual_words = onnxc::residual_words<NR>(image, more);
    s.residual_words = image.residual_words;
    const Index panels = onnxc::int8_panels<NR>(image);
    packed.resize(size(panels * onnxc::int8_panel_size<NR>(image)));
    places.resize(size(panels * s.residual_words * 3) + 1);
    onnxc::pack_conv2d_int8<NR>(image, w.data(), more, packed.data(), places.data());
    sums.resize(size(panels * NR));
    for (Index j = 0; j < columns; ++j)
      for (Index k = 0; k < s.hidden; ++k) sums[size(j)] += weight(j, k);
    for (std::int32_t sum : sums) bias.push_back(NR == 1 ? 128 * sum : 0);
  }
};

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

struct States {
  Floats y, y_h, y_c;
};

template <int NR>
States reference(const Data<NR>& d, const std::vector<std::int32_t>& lengths) {
  const Shape& s = d.s;
  States r{Floats(size(s.steps * s.batch * s.hidden)), d.h0, d.c0};
  for (Index i = 0; i < s.steps; ++i) {
    Floats running = r.y_h;
    for (std::size_t at = 0; at < running.size(); ++at)
      if (i > lengths[at / size(s.hidden)]) running[at] = 0;
    float low = 0, high = 0;
    for (float v : running) low = std::fmin(low, v), high = std::fmax(high, v);
    const float step = high > low ? (high - low) / 255.0f : 1.0f;
    const float zero = std::nearbyint(-low / step);
    Floats bytes;
    for (float v : running)
      bytes.push_back(std::fmin(std::fmax(std::nearbyint(v / step) + zero, 0.0f), 255.0f) - zero);
    for (Index b = 0; b < s.batch; ++b) {
      const Index length = lengths[size(b)];
      if (i >= length) continue;
      const Index t = s.reverse ? length - 1 - i : i;
      for (Index u = 0; u < s.hidden; ++u) {
        float gates[4];
        for (Index g = 0; g < 4; ++g) {
          const Index column = g * s.hidden + u;
          double sum = 0;
          for (Index k = 0; k < s.hidden; ++k)
            sum += static_cast<double>(bytes[size(b * s.hidden + k)]) * d.weight(column, k);
          gates[g] = d.x[size((t * s.batch + b) * d.columns + column)] +
                     static_cast<float>(sum) * (d.scales[size(column)] * step);
        }
        const std::size_t at = size(b * s.hidden + u);
        r.y_c[at] = sigmoid(gates[2]) * r.y_c[at] + sigmoid(gates[0]) * std::tanh(gates[3]);
        r.y_h[at] = sigmoid(gates[1]) * std::tanh(r.y_c[at]);
        r.y[size((t * s.batch + b) * s.hidden + u)] = r.y_h[at];
      }
    }
  }
  return r;
}

void compare(const Floats& got, const Floats& want) {
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == Approx(want[i]).margin(1e-5));
}

template <int NR>
void check(const Shape& shape, bool wide, bool ends_early) {
  Data<NR> d(shape, wide);
  const Shape& s = d.s;
  const Index state = s.batch * s.hidden;
  std::vector<std::int32_t> lengths(size(s.batch), static_cast<std::int32_t>(s.steps));
  if (ends_early) lengths.back() = 1;
  States got{Floats(size(s.steps * state)), Floats(size(state)), Floats(size(state))};
  Floats h(size(2 * state)), c(size(state)), gates(size(s.batch * d.columns));
  std::vector<std::uint8_t> bytes(size(state + onnxc::kByteSlack));
  std::vector<std::int32_t> start(d.sums.size());
  const onnxc::Status status = onnxc::lstm_int8<NR>(
      s, d.x.data(),
      {d.packed.data(), d.places.data(), d.sums.data(), d.bias.data(), d.scales.data()}, nullptr,
      onnxc::LstmStates{static_cast<const std::int32_t*>(lengths.data()), d.h0.data(), d.c0.data(),
                        got.y.data(), got.y_h.data(), got.y_c.data()},
      {h.data(), c.data(), gates.data(), bytes.data(), start.data()});
  CHECK(status == onnxc::Status::ok);
  CAPTURE(NR, s.batch, s.hidden, wide, ends_early);
  const States want = reference(d, lengths);
  compare(got.y, want.y);
  compare(got.y_h, want.y_h);
  compare(got.y_c, want.y_c);
}

}  // namespace

TEST_CASE("lstm_int8") {
  for (const bool wide : {false, true}) {
    check<1>(make_shape(3, 2, 6, false), wide, true);
    check<4>(make_shape(4, 1, 7, true), wide, false);
    check<16>(make_shape(4, 3, 8, true), wide, true);
    check<32>(make_shape(3, 1, 20, false), wide, false);
  }
}
