// The recurrent kernels against plain loops in double precision, for weights packed by blocks of
// units and plain ones.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "templates/recurrent/by_steps.hpp"
#include "templates/recurrent/gru.hpp"
#include "templates/recurrent/lstm.hpp"
#include "templates/recurrent/pack_recurrent.hpp"
#include "templates/recurrent/rnn.hpp"

using namespace onnxc;

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

struct Shape {
  Index steps, batch, hidden, block, direction = 0, x_step, x_batch = 1, y_step, y_batch,
                                     y_direction, h_batch, h_direction;
  bool reverse;
  float clip = 0;
  bool input_forget = false, reset_after = false;
  Index f_kind = Activation::kSigmoid, g_kind = Activation::kTanh, h_kind = Activation::kTanh;
  float f_alpha = 0, f_beta = 0, g_alpha = 0, g_beta = 0, h_alpha = 0, h_beta = 0;
};

Shape shape_of(Index steps, Index batch, Index hidden, Index block, bool reverse) {
  Shape s{};
  s.steps = steps, s.batch = batch, s.hidden = hidden, s.block = block;
  s.x_step = batch, s.y_step = batch * hidden, s.y_batch = s.h_batch = hidden;
  s.y_direction = s.h_direction = batch * hidden;
  s.reverse = reverse;
  return s;
}

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

// Numbers of both signs, of the magnitude of weights.
Floats numbers(Index count, unsigned seed) {
  Floats v(size(count));
  for (float& x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(seed >> 16) / 65536.0f - 0.5f;
  }
  return v;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The row of gate g and unit u in columns that lie by blocks.
Index column(const Shape& s, Index gates, Index g, Index u) {
  return (u / s.block * gates + g) * s.block + u % s.block;
}

// rows * [gates * hidden] from gate-major order to blocks, each of `width` floats.
Floats by_blocks(const Shape& s, Index rows, Index gates, Index width, const Floats& from) {
  Floats to(from.size());
  for (Index i = 0; i < rows; ++i)
    for (Index g = 0; g < gates; ++g)
      for (Index u = 0; u < s.hidden; ++u)
        for (Index k = 0; k < width; ++k) {
          const Index columns = gates * s.hidden;
          to[size((i * columns + column(s, gates, g, u)) * width + k)] =
              from[size((i * columns + g * s.hidden + u) * width + k)];
        }
  return to;
}

// Weights [gates * hidden, hidden] as the kernel wants them.
template <int NR>
Floats packed(const Shape& s, Index gates, const Floats& r) {
  if (NR == 0) return r;
  const Index n = gates * s.hidden;
  Floats out(size(packed_gemm_size<std::max(NR, 1)>(s.hidden, n)));
  pack_gemm_b<std::max(NR, 1)>(by_blocks(s, 1, gates, s.hidden, r).data(), s.hidden, n, s.hidden,
                               true, out.data());
  return out;
}

// The states by a plain loop: cell(b, row of the inputs, h before) gives the state after.
template <class Cell>
void check_steps(const Shape& s, const std::vector<std::int32_t>& lengths, const Floats& y,
                 const Floats& y_h, Cell cell) {
  for (Index b = 0; b < s.batch; ++b) {
    Doubles h(size(s.hidden), 0.25);
    const Index length = lengths[size(b)];
    for (Index i = 0; i < s.steps; ++i) {
      const Index t = i >= length ? i : s.reverse ? length - 1 - i : i;
      if (i < length) h = cell(b, t * s.batch + b, h);
      for (Index u = 0; u < s.hidden; ++u) {
        const float found = y[size((t * s.batch + b) * s.hidden + u)];
        CHECK(found == Approx(i < length ? h[size(u)] : 0.0).margin(2e-5));
      }
    }
    for (Index u = 0; u < s.hidden; ++u)
      CHECK(y_h[size(b * s.hidden + u)] == Approx(h[size(u)]).margin(2e-5));
  }
}

double product(const Shape& s, const Floats& r, Index row, const Doubles& h) {
  double sum = 0;
  for (Index k = 0; k < s.hidden; ++k) sum += h[size(k)] * r[size(row * s.hidden + k)];
  return sum;
}

struct Data {
  explicit Data(const Shape& shape, Index gates_of)
      : s(shape),
        gates(gates_of),
        states(s.batch * s.hidden),
        x(numbers(s.steps * s.batch * gates * s.hidden, 1)),
        r(numbers(gates * s.hidden * s.hidden, 2)),
        h0(size(states), 0.25f),
        y(size(s.steps * states)),
        y_h(size(states)),
        // The old content of the scratch must not matter.
        h(size(2 * states), kNaN),
        one(size(states), kNaN),
        two(size(states), kNaN),
        products(size(states * gates), kNaN) {
    for (Index b = 0; b < s.batch; ++b)
      lengths.push_back(static_cast<std::int32_t>(b % 2 == 0 ? s.steps : b - 1));
  }
  double input(Index row, Index gate, Index u) const {
    return x[size((row * gates + gate) * s.hidden + u)];
  }

  Shape s;
  Index gates, states;
  Floats x, r, h0, y, y_h, h, one, two, products;
  std::vector<std::int32_t> lengths;
};

// The state after a step of a GRU.
Doubles gru_step(const Data& d, const Floats& bias, Index row, const Doubles& h) {
  const Shape& s = d.s;
  const Index n = s.hidden;
  Doubles now, reset, late;
  for (Index u = 0; u < n; ++u)
    reset.push_back(sigmoid(d.input(row, 1, u) + product(s, d.r, n + u, h)));
  for (Index u = 0; u < n; ++u)
    late.push_back(s.reset_after ? h[size(u)] : h[size(u)] * reset[size(u)]);
  for (Index u = 0; u < n; ++u) {
    const double z = sigmoid(d.input(row, 0, u) + product(s, d.r, u, h));
    double recurrent = product(s, d.r, 2 * n + u, late);
    if (s.reset_after) recurrent = (recurrent + bias[size(5 * n + u)]) * reset[size(u)];
    now.push_back((1 - z) * std::tanh(d.input(row, 2, u) + recurrent) + z * h[size(u)]);
  }
  return now;
}

// The state after a step of an LSTM, which also renews its cells.
Doubles lstm_step(const Data& d, const Floats& peephole, Index row, const Doubles& h, Doubles& c) {
  const Shape& s = d.s;
  const Index n = s.hidden;
  Doubles now;
  for (Index u = 0; u < n; ++u) {
    double& cell = c[size(u)];
    const auto sum = [&](Index g) { return d.input(row, g, u) + product(s, d.r, g * n + u, h); };
    const double in = sigmoid(sum(0) + peephole[size(u)] * cell);
    const double forget = sigmoid(sum(2) + peephole[size(2 * n + u)] * cell);
    cell = forget * cell + in * std::tanh(sum(3));
    now.push_back(sigmoid(sum(1) + peephole[size(n + u)] * cell) * std::tanh(cell));
  }
  return now;
}

template <int NR>
void check_rnn(const Shape& s) {
  Data d(s, 1);
  const Floats r = packed<NR>(s, 1, d.r);
  Shape shape = s;
  shape.f_kind = Activation::kTanh;
  REQUIRE(rnn<4, NR>(shape, d.x.data(), r.data(), d.lengths.data(), d.h0.data(), d.y.data(),
                     d.y_h.data(), d.h.data(), d.products.data()) == Status::ok);
  check_steps(s, d.lengths, d.y, d.y_h, [&](Index, Index row, const Doubles& h) {
    Doubles now;
    for (Index u = 0; u < s.hidden; ++u)
      now.push_back(std::tanh(d.input(row, 0, u) + product(s, d.r, u, h)));
    return now;
  });
}

template <int NR>
void check_gru(Shape s, bool reset_after) {
  s.reset_after = reset_after;
  Data d(s, 3);
  const Index n = s.hidden, whole = n * n;
  const Floats bias = numbers(6 * n, 3), x = by_blocks(s, s.steps * s.batch, 3, 1, d.x);
  const Floats hidden(d.r.begin() + 2 * whole, d.r.end());
  const Floats gates = NR == 0 || reset_after ? d.r : Floats(d.r.begin(), d.r.begin() + 2 * whole);
  const Floats r = packed<NR>(s, reset_after || NR == 0 ? 3 : 2, gates),
               rh = NR == 0 ? r : packed<NR>(s, 1, hidden);
  REQUIRE(
      gru<4, NR>(s, x.data(), r.data(), rh.data(), bias.data(),
                 onnxc::GruStates<float>{d.lengths.data(), d.h0.data(), d.y.data(), d.y_h.data()},
                 onnxc::GruScratch<float>{d.h.data(), d.one.data(), d.two.data(),
                                          d.products.data()}) == Status::ok);
  check_steps(s, d.lengths, d.y, d.y_h,
              [&](Index, Index row, const Doubles& h) { return gru_step(d, bias, row, h); });
}

template <int NR>
void check_lstm(const Shape& s) {
  Data d(s, 4);
  const Index n = s.hidden;
  const Floats r = packed<NR>(s, 4, d.r), x = by_blocks(s, s.steps * s.batch, 4, 1, d.x),
               peephole = numbers(3 * n, 4);
  Floats y_c(size(d.states));
  REQUIRE(lstm<4, NR>(s, x.data(), r.data(), peephole.data(),
                      onnxc::LstmStates<float>{d.lengths.data(), d.h0.data(), d.h0.data(),
                                               d.y.data(), d.y_h.data(), y_c.data()},
                      onnxc::LstmScratch<float>{d.h.data(), d.one.data(), d.products.data()}) ==
          Status::ok);
  std::vector<Doubles> c(size(s.batch), Doubles(size(n), 0.25));
  check_steps(s, d.lengths, d.y, d.y_h, [&](Index b, Index row, const Doubles& h) {
    return lstm_step(d, peephole, row, h, c[size(b)]);
  });
  for (Index b = 0; b < s.batch; ++b)
    for (Index u = 0; u < n; ++u)
      CHECK(y_c[size(b * n + u)] == Approx(c[size(b)][size(u)]).margin(2e-5));
}

template <int NR>
void check_cells(Index batch, Index hidden, Index block) {
  for (const bool reverse : {false, true}) {
    const Shape s = shape_of(3, batch, hidden, block, reverse);
    check_rnn<NR>(s);
    check_gru<NR>(s, false);
    check_gru<NR>(s, true);
    check_lstm<NR>(s);
  }
}

struct InputShape : Shape {
  Index inputs, together;
};

InputShape input_shape(Index batch, bool batch_first, bool reverse, Index together) {
  InputShape s{shape_of(4, batch, 16, 16, reverse), 6, together};
  if (!batch_first) return s;
  s.x_step = 1, s.x_batch = s.steps;
  s.y_step = s.hidden, s.y_batch = s.steps * s.hidden;
  return s;
}

bool same_bits(const Floats& a, const Floats& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// The operands of a unit whose input is multiplied all at once or step by step.
struct StepData {
  static constexpr int NR = 8;
  const InputShape& s;
  Index state = s.batch * s.hidden, columns;
  Floats x = numbers(s.steps * s.batch * s.inputs, 1), w, bias = numbers(columns, 2), input, r, rh,
         one_step, h0 = numbers(state, 4), c0 = numbers(state, 5), a, b, c, now, cell;

  StepData(const InputShape& shape, Index gates)
      : s(shape),
        columns(gates * shape.hidden),
        w(size(packed_gemm_size<NR>(s.inputs, columns))),
        input(size(s.steps * s.batch * columns)),
        r(packed<NR>(s, gates, numbers(columns * s.hidden, 3))),
        rh(r),
        one_step(size(s.together * s.batch * columns)),
        a(size(2 * state)),
        b(size(state)),
        c(size(s.batch * columns)),
        now(size(state)),
        cell(size(state)) {
    const Floats weights = numbers(s.inputs * columns, 6);
    pack_gemm_b<NR>(weights.data(), s.inputs, columns, columns, false, w.data());
    struct {
      Index m, k, n, ldx, ldy;
    } all = {s.steps * s.batch, s.inputs, columns, s.inputs, columns};
    gemm<4, NR>(all, x.data(), w.data(), bias.data(), input.data());
  }
  StepInput steps() { return {x.data(), w.data(), bias.data(), one_step.data()}; }
};

void check_lstm_by_steps(const InputShape& s) {
  constexpr int NR = StepData::NR;
  StepData d(s, 4);
  const Floats peephole = numbers(3 * s.hidden, 7);
  Floats y[2], y_h[2], y_c[2];
  for (int i = 0; i < 2; ++i) {
    y[i].resize(size(s.steps * d.state)), y_h[i].resize(size(d.state)), y_c[i] = y_h[i];
    const LstmStates<float> states = {nullptr,     d.h0.data(),   d.c0.data(),
                                      y[i].data(), y_h[i].data(), y_c[i].data()};
    const LstmScratch<float> scratch = {d.a.data(), d.b.data(), d.c.data()};
    if (i == 0)
      REQUIRE(lstm<4, NR>(s, d.input.data(), d.r.data(), peephole.data(), states, scratch) ==
              Status::ok);
    else
      REQUIRE(lstm_by_steps<4, NR, 4, NR>(s, d.steps(), d.r.data(), peephole.data(), states,
                                          scratch, d.now.data(), d.cell.data()) == Status::ok);
  }
  CHECK(same_bits(y[0], y[1]));
  CHECK(same_bits(y_h[0], y_h[1]));
  CHECK(same_bits(y_c[0], y_c[1]));
}

void check_gru_by_steps(InputShape s, bool reset_after) {
  constexpr int NR = StepData::NR;
  s.reset_after = reset_after;
  StepData d(s, 3);
  const Floats bias = numbers(6 * s.hidden, 7);
  Floats y[2], y_h[2], reset(size(d.state));
  for (int i = 0; i < 2; ++i) {
    y[i].resize(size(s.steps * d.state)), y_h[i].resize(size(d.state));
    const GruStates<float> states = {nullptr, nullptr, y[i].data(), y_h[i].data()};
    const GruScratch<float> scratch = {d.a.data(), d.b.data(), reset.data(), d.c.data()};
    if (i == 0)
      REQUIRE(gru<4, NR>(s, d.input.data(), d.r.data(), d.rh.data(), bias.data(), states,
                         scratch) == Status::ok);
    else
      REQUIRE(gru_by_steps<4, NR, 4, NR>(s, d.steps(), d.r.data(), d.rh.data(), bias.data(), states,
                                         scratch, d.now.data()) == Status::ok);
  }
  CHECK(same_bits(y[0], y[1]));
  CHECK(same_bits(y_h[0], y_h[1]));
}

// A shape of one sequence, as its kernels want it.
template <Index HIDDEN, Index INPUTS>
struct One : Shape {
  static constexpr Index hidden = HIDDEN, inputs = INPUTS;
  One(Index steps_of, bool reversed) : Shape(shape_of(steps_of, 1, HIDDEN, HIDDEN, reversed)) {}
};

// m: [gates * hidden, depth] by blocks of LANES units, with the gates of a unit block innermost.
template <int LANES>
Floats by_units(Index gates, Index hidden, Index depth, const Floats& m) {
  Floats to(size(gates * padded_units(hidden, LANES) * depth));
  for (Index u = 0; u < hidden; ++u) {
    const Index first = u / LANES * LANES;
    const Index width = hidden - first < LANES ? last_block(hidden - first, LANES) : LANES;
    for (Index g = 0; g < gates; ++g)
      for (Index k = 0; k < depth; ++k)
        to[size(first * gates * depth + (k * gates + g) * width + u - first)] =
            m[size((g * hidden + u) * depth + k)];
  }
  return to;
}

// One direction of a unit: weights of some of its gates, and what goes in.
template <int LANES, Index HIDDEN, Index INPUTS>
struct OneData : Data {
  static constexpr Index n = HIDDEN;
  Floats in = numbers(s.steps * INPUTS, 11), w = numbers(gates * n * INPUTS, 12),
         bias = numbers(gates * n, 13);
  std::vector<std::int32_t> turns = std::vector<std::int32_t>(size(turns_scratch()), 0);

  OneData(const Shape& shape, Index gates_of, Index length) : Data(shape, gates_of) {
    lengths[0] = static_cast<std::int32_t>(length);
    for (Index t = 0; t < s.steps && INPUTS > 0; ++t)
      for (Index r = 0; r < gates * n; ++r) {
        float sum = bias[size(r)];
        for (Index k = 0; k < INPUTS; ++k)
          sum += w[size(r * INPUTS + k)] * in[size(t * INPUTS + k)];
        x[size(t * gates * n + r)] = sum;
      }
  }
  Floats operand() const {
    if (INPUTS > 0) return in;
    Floats all;
    for (Index t = 0; t < s.steps; ++t) {
      const auto row = x.begin() + t * gates * n;
      const Floats one = by_units<LANES>(gates, n, 1, Floats(row, row + gates * n));
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  Floats weights(Index first, Index count) const {
    Floats both;
    for (Index i = first * n; i < (first + count) * n; ++i) {
      both.insert(both.end(), w.begin() + i * INPUTS, w.begin() + (i + 1) * INPUTS);
      both.insert(both.end(), r.begin() + i * n, r.begin() + (i + 1) * n);
    }
    return by_units<LANES>(count, n, INPUTS + n, both);
  }
  Floats start(Index first, Index count) const {
    const auto at = bias.begin() + first * n;
    return by_units<LANES>(count, n, 1, Floats(at, at + count * n));
  }
};

const float* data_or_null(const Floats& v, bool given) { return given ? v.data() : nullptr; }

// Runs all of a call, or its chunks one after the other.
template <class S, class Run>
void run_chunks(const S& s, Index chunks, Run run) {
  if (chunks == 1) REQUIRE(run(s) == Status::ok);
  for (Index i = chunks; chunks > 1 && i-- > 0;)
    REQUIRE(run(with_chunk(s, {i, chunks})) == Status::ok);
}

template <int LANES, Index HIDDEN, Index INPUTS>
void check_one_rnn(One<HIDDEN, INPUTS> s, Index length, Index chunks) {
  s.f_kind = Activation::kTanh;
  OneData<LANES, HIDDEN, INPUTS> d(s, 1, length);
  const Floats input = d.operand(), w = d.weights(0, 1), start = d.start(0, 1);
  run_chunks(s, chunks, [&](const auto& own) {
    return rnn_of_one<LANES>(own, input.data(), data_or_null(start, INPUTS > 0), w.data(),
                             d.lengths.data(), d.h0.data(), d.y.data(), d.y_h.data(), d.h.data(),
                             d.turns.data());
  });
  check_steps(s, d.lengths, d.y, d.y_h, [&](Index, Index row, const Doubles& h) {
    Doubles now;
    for (Index u = 0; u < HIDDEN; ++u)
      now.push_back(std::tanh(d.input(row, 0, u) + product(s, d.r, u, h)));
    return now;
  });
}

template <int LANES, Index HIDDEN, Index INPUTS>
void check_one_gru(One<HIDDEN, INPUTS> s, bool reset_after, Index length, Index chunks) {
  s.reset_after = reset_after;
  OneData<LANES, HIDDEN, INPUTS> d(s, 3, length);
  const Index n = HIDDEN;
  const Floats bias = numbers(6 * n, 3), input = d.operand(),
               start = d.start(0, reset_after ? 3 : 2), w = d.weights(0, reset_after ? 3 : 2),
               last_start = d.start(2, 1), last_w = d.weights(2, 1);
  run_chunks(s, chunks, [&](const auto& own) {
    const GruOperands in = {input.data(), data_or_null(start, INPUTS > 0),
                            data_or_null(last_start, INPUTS > 0), w.data(), last_w.data()};
    return gru_of_one<LANES>(
        own, in, bias.data(),
        GruStates<float>{d.lengths.data(), d.h0.data(), d.y.data(), d.y_h.data()},
        GruScratch<float>{d.h.data(), d.one.data(), d.two.data(), nullptr}, d.turns.data());
  });
  check_steps(s, d.lengths, d.y, d.y_h,
              [&](Index, Index row, const Doubles& h) { return gru_step(d, bias, row, h); });
}

template <int LANES, Index HIDDEN, Index INPUTS>
void check_one_lstm(const One<HIDDEN, INPUTS>& s, Index length, Index chunks) {
  OneData<LANES, HIDDEN, INPUTS> d(s, 4, length);
  const Index n = HIDDEN;
  const Floats peephole = numbers(3 * n, 4), input = d.operand(), w = d.weights(0, 4),
               start = d.start(0, 4);
  Floats y_c(size(n));
  run_chunks(s, chunks, [&](const auto& own) {
    return lstm_of_one<LANES>(
        own, input.data(), data_or_null(start, INPUTS > 0), w.data(), peephole.data(),
        LstmStates<float>{d.lengths.data(), d.h0.data(), d.h0.data(), d.y.data(), d.y_h.data(),
                          y_c.data()},
        LstmScratch<float>{d.h.data(), d.one.data(), nullptr}, d.turns.data());
  });
  std::vector<Doubles> c(1, Doubles(size(n), 0.25));
  check_steps(s, d.lengths, d.y, d.y_h, [&](Index b, Index row, const Doubles& h) {
    return lstm_step(d, peephole, row, h, c[size(b)]);
  });
  for (Index u = 0; u < n; ++u) CHECK(y_c[size(u)] == Approx(c[0][size(u)]).margin(2e-5));
}

template <int LANES, Index HIDDEN, Index INPUTS>
void check_one() {
  for (const bool reverse : {false, true})
    for (const Index steps : {1, 4})
      for (const Index length : {steps, steps - 1})
        for (const Index chunks : {1, 3}) {
          if (chunks > 1 && length < steps) continue;
          const One<HIDDEN, INPUTS> s(steps, reverse);
          check_one_rnn<LANES>(s, length, chunks);
          check_one_gru<LANES>(s, false, length, chunks);
          check_one_gru<LANES>(s, true, length, chunks);
          check_one_lstm<LANES>(s, length, chunks);
        }
}

}  // namespace

TEST_CASE("recurrent cells: the input multiplied step by step gives the same bits", "[recurrent]") {
  for (const Index batch : {1, 3})
    for (const bool batch_first : {false, true})
      for (const bool reverse : {false, true})
        for (const Index together : {1, 2, 4}) {
          if (together > 1 && batch_first && batch > 1) continue;
          const InputShape s = input_shape(batch, batch_first, reverse, together);
          check_lstm_by_steps(s);
          check_gru_by_steps(s, false);
          check_gru_by_steps(s, true);
        }
}

TEST_CASE("recurrent cells: plain weights", "[recurrent]") {
  check_cells<0>(1, 5, 5);
  check_cells<0>(3, 5, 5);
}

TEST_CASE("recurrent cells: packed weights in one block", "[recurrent]") {
  check_cells<4>(1, 5, 5);
  check_cells<4>(3, 20, 20);
}

TEST_CASE("recurrent cells: packed weights in blocks of units", "[recurrent]") {
  check_cells<16>(1, 32, 16);
  check_cells<16>(3, 48, 16);
  check_cells<16>(1, 12, 12);  // vectors of 8 and 4
  check_cells<16>(2, 29, 29);
  check_cells<8>(2, 32, 16);
}

TEST_CASE("recurrent cells: one sequence", "[recurrent]") {
  check_one<16, 16, 0>();
  check_one<16, 40, 2>();  // vectors of 16 and 8
  check_one<16, 21, 0>();
  check_one<16, 3, 1>();
  check_one<8, 29, 3>();
  check_one<4, 10, 0>();
}

TEST_CASE("recurrent cells: weights that are packed at run time", "[recurrent]") {
  // Rows 2 to 4 of [6, 3], in panels of 2 columns: each input's weights of 2 rows, the rest zeroes.
  struct {
    Index inputs = 3, columns = 3, first = 2;
  } s;
  Floats w(18);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i);
  Floats packed(12, -1.0f);
  pack_recurrent<2>(s, w.data(), packed.data());
  CHECK(packed == Floats{6, 9, 7, 10, 8, 11, 12, 0, 13, 0, 14, 0});
  // Two directions of [W, R]; of R the first column counts.
  struct {
    Index columns = 2, recurrent_bias = 1, direction = 1;
  } b;
  const Floats biases = {1, 2, 3, 4, 10, 20, 30, 40};
  Floats sums(2);
  add_recurrent_biases(b, biases.data(), sums.data());
  CHECK(sums == Floats{40, 20});
}
