// matmul_nbits against a product with unpacked weights, qlinear_map and inverse against their
// formulas.
#include "templates/matmul/matmul_nbits.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "compiler/kernels/matmul_calls.hpp"
#include "templates/matmul/inverse.hpp"
#include "templates/matmul/matmul_nbits_packed.hpp"
#include "templates/quantization/qlinear_map.hpp"

using namespace onnxc;

namespace {

using Product = onnxc::MatMulNBitsShape<onnxc::Index>;

// The packed operands of matmul_nbits_packed.
template <int kBits>
struct Packed {
  static constexpr int kPanel = kBits == 2 ? 4 : 2 * kLanes;
  std::vector<std::uint32_t> words;
  bool zeros;
  mutable std::vector<float> scratch;

  Packed(Product s, const std::vector<std::uint8_t>& w, const std::vector<float>& scale,
         const std::uint8_t* zero)
      : zeros(zero != nullptr) {
    const Index blocks = nbits_blocks(s);
    s.zeros = zeros;
    words.resize(static_cast<std::size_t>(packed_nbits_size<kBits, kPanel>(s)));
    pack_nbits<kBits, kPanel>(
        s, w.data(),
        [&](Index j, Index b) { return scale[static_cast<std::size_t>(j * blocks + b)]; },
        [&](Index j, Index b) { return nbits_zero<kBits>(zero, j, b, blocks); }, words.data());
    scratch.resize(
        static_cast<std::size_t>(std::max({widened_size<kPanel>(s.m, s.k, s.n),
                                           blocks * (s.block + 1), nbits_pairs_size<kPanel>(s)})));
  }

  template <class S>
  void run(S s, const float* x, const float* bias, float* y) const {
    s.zeros = zeros;
    matmul_nbits_packed<kBits, 6, kPanel>(s, x, words.data(), bias, y, scratch.data());
  }
};

// Rows of the packed weights against those that unpack_column gives.
template <int kBits>
void check_rows(const Product& s, const Packed<kBits>& packed, const std::vector<std::uint8_t>& w,
                const std::vector<float>& scales, const std::uint8_t* zeros) {
  const GatherNBitsShape<Index> rows{3, s.k, s.n, s.block, packed.zeros};
  const std::int64_t ids[] = {s.n - 1, 0, -1}, bad[] = {0, s.n, 0};
  std::vector<float> got(static_cast<std::size_t>(3 * s.k)), row(static_cast<std::size_t>(s.k));
  const auto run = [&](const std::int64_t* from) {
    return gather_nbits<kBits, Packed<kBits>::kPanel>(rows, from, packed.words.data(), got.data());
  };
  CHECK(run(bad) == Status::bad_index);
  REQUIRE(run(ids) == Status::ok);
  for (Index i = 0; i < 3; ++i) {
    const Index j = ids[i] < 0 ? s.n + ids[i] : ids[i];
    unpack_column<kBits>(s, w.data(), scales.data(), zeros, j, row.data());
    for (Index k = 0; k < s.k; ++k)
      REQUIRE(got[static_cast<std::size_t>(i * s.k + k)] == row[static_cast<std::size_t>(k)]);
  }
}

template <int kBits>
void check_product(Product s, bool with_zeros, bool with_bias) {
  std::mt19937 random(static_cast<unsigned>(s.k * 31 + s.n));
  const Index blocks = (s.k + s.block - 1) / s.block, bytes = s.block * kBits / 8;
  const Index zero_bytes = (blocks * kBits + 7) / 8;
  const auto reals = [&](Index count) {
    std::vector<float> v(static_cast<std::size_t>(count));
    for (float& x : v) x = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
    return v;
  };
  const auto packed = [&](Index count) {
    std::vector<std::uint8_t> v(static_cast<std::size_t>(count));
    for (auto& x : v) x = static_cast<std::uint8_t>(random());
    return v;
  };
  const auto x = reals(s.m * s.k), scales = reals(s.n * blocks), bias = reals(s.n);
  const auto w = packed(s.n * blocks * bytes), zeros = packed(s.n * zero_bytes);
  std::vector<float> y(static_cast<std::size_t>(s.m * s.n));
  std::vector<float> scratch(static_cast<std::size_t>(std::max(4 * s.k, blocks * (s.block + 1))));
  const auto number = [](const std::vector<std::uint8_t>& v, Index from, Index i) {
    const int byte = v[static_cast<std::size_t>(from + i * kBits / 8)];
    return (byte >> (i * kBits % 8)) & ((1 << kBits) - 1);
  };
  const auto check = [&] {
    for (Index i = 0; i < s.m; ++i) {
      for (Index j = 0; j < s.n; ++j) {
        double want = with_bias ? double{bias[static_cast<std::size_t>(j)]} : 0.0;
        for (Index k = 0; k < s.k; ++k) {
          const Index b = k / s.block;
          const int zero = with_zeros ? number(zeros, j * zero_bytes, b) : 1 << (kBits - 1);
          const int q = number(w, (j * blocks + b) * bytes, k % s.block) - zero;
          want += double{x[static_cast<std::size_t>(i * s.k + k)]} * q *
                  double{scales[static_cast<std::size_t>(j * blocks + b)]};
        }
        REQUIRE(double{y[static_cast<std::size_t>(i * s.n + j)]} ==
                Approx(want).margin(1e-4 * (1 << kBits)));
      }
    }
  };
  matmul_nbits<kBits>(s, x.data(), w.data(), scales.data(), with_zeros ? zeros.data() : nullptr,
                      with_bias ? bias.data() : nullptr, y.data(), scratch.data());
  check();
  const Packed<kBits> p(s, w, scales, with_zeros ? zeros.data() : nullptr);
  const float* const shifts = with_bias ? bias.data() : nullptr;
  p.run(s, x.data(), shifts, y.data());
  check();
  for (Index chunk = 0; chunk < 3; ++chunk)
    p.run(with_chunk(s, {chunk, 3, 0}), x.data(), shifts, y.data());
  check();
  s.fixed_point = true;
  p.run(s, x.data(), shifts, y.data());
  check();
  check_rows<kBits>(s, p, w, scales, with_zeros ? zeros.data() : nullptr);
}

// A row of fixed-point numbers times weights that are all one, in blocks of 32.
std::vector<float> fixed_point_row(const std::vector<float>& x) {
  const Product s{1, static_cast<Index>(x.size()), Packed<4>::kPanel, 32, false, true};
  const Index blocks = nbits_blocks(s);
  const std::vector<std::uint8_t> w(static_cast<std::size_t>(s.n * blocks * 16), 0x99);
  const std::vector<float> scales(static_cast<std::size_t>(s.n * blocks), 1.0f);
  std::vector<float> y(static_cast<std::size_t>(s.n));
  Packed<4>(s, w, scales, nullptr).run(s, x.data(), nullptr, y.data());
  return y;
}

}  // namespace

TEST_CASE("matmul_nbits_packed: rows of fixed-point numbers are as exact as floats") {
  std::mt19937 random(3);
  for (float unit : {1.0f, 1e-20f, 1e20f, 0.0f}) {
    std::vector<float> x(96);
    double sum = 0.0, magnitudes = 0.0;
    for (float& v : x) {
      v = (static_cast<float>(random() % 2001) / 1000.0f - 1.0f) * unit;
      sum += double{v};
      magnitudes += std::fabs(double{v});
    }
    // Sums of floats have such errors too: the weights are up to 15, and 8 is taken off at the end.
    for (float y : fixed_point_row(x)) REQUIRE(std::fabs(double{y} - sum) <= magnitudes * 4e-6);
  }
  for (float bad : {INFINITY, -INFINITY, NAN}) {
    std::vector<float> x(64, 1.0f);
    x[40] = bad;
    for (float y : fixed_point_row(x)) REQUIRE(std::isnan(y));
  }
}

namespace {

// Many rows as integers of 16 bits against the product in double precision, whole and in chunks.
// extreme: weights and zero points are the smallest or the largest numbers.
template <int kBits>
void check_pairs(Product s, bool with_zeros, bool extreme) {
  s.pairs = true;
  std::mt19937 random(static_cast<unsigned>(s.m + s.k * 31 + s.n));
  const Index blocks = nbits_blocks(s), all = blocks * s.block;
  const auto index = [](Index i) { return static_cast<std::size_t>(i); };
  std::vector<float> x(index(s.m * s.k)), scales(index(s.n * blocks)), bias(index(s.n));
  for (float& v : x)
    v = extreme ? (random() % 4 == 0 ? -3.0f : 3.0f)
                : static_cast<float>(random() % 2001) - 1000.0f;
  for (float& v : scales) v = static_cast<float>(random() % 1000) / 1000.0f + 0.1f;
  for (float& v : bias) v = static_cast<float>(random() % 7);
  std::vector<std::uint8_t> w(index(s.n * all * kBits / 8)),
      zeros(index(s.n * ((blocks * kBits + 7) / 8)));
  for (auto* bytes : {&w, &zeros})
    for (auto& v : *bytes)
      v = static_cast<std::uint8_t>(!extreme            ? random()
                                    : bytes == &w       ? 255
                                    : random() % 8 == 0 ? 255
                                                        : 0);
  const std::uint8_t* const zero = with_zeros ? zeros.data() : nullptr;
  const Packed<kBits> packed(s, w, scales, zero);
  std::vector<float> y(index(s.m * s.n)), parts(y.size()), column(index(s.k));
  packed.run(s, x.data(), bias.data(), y.data());
  for (Index chunk = 0; chunk < 4; ++chunk)
    packed.run(with_chunk(s, {chunk, 4, 0}), x.data(), bias.data(), parts.data());
  REQUIRE(parts == y);
  for (Index j = 0; j < s.n; ++j) {
    unpack_column<kBits>(s, w.data(), scales.data(), zero, j, column.data());
    for (Index i = 0; i < s.m; ++i) {
      double want = double{bias[index(j)]}, magnitudes = want;
      for (Index k = 0; k < s.k; ++k) {
        const double term = double{x[index(i * s.k + k)]} * double{column[index(k)]};
        want += term;
        magnitudes += std::fabs(term);
      }
      REQUIRE(std::fabs(double{y[index(i * s.n + j)]} - want) <= magnitudes * 3e-5);
    }
  }
}

}  // namespace

TEST_CASE("matmul_nbits_packed: many rows of integers of 16 bits") {
  for (Index block : {16, 32, 64, 128, 256})
    for (Index k : {1, 33, 256, 700})
      for (bool zeros : {false, true})
        for (bool extreme : {false, true}) {
          check_pairs<2>({9, k, 7, block}, zeros, extreme);
          check_pairs<4>({19, k, 3 * Packed<4>::kPanel + 1, block}, zeros, extreme);
          check_pairs<8>({8, k, Packed<8>::kPanel, block}, zeros, extreme);
        }
  // More rows than are integers at a time.
  check_pairs<4>({211, 2500, 5, 32}, true, false);
}

TEST_CASE("matmul_nbits_packed: rows that are not finite") {
  for (float bad : {INFINITY, -INFINITY, NAN}) {
    const Product s{9, 96, Packed<4>::kPanel, 32, false, false, true};
    const std::vector<std::uint8_t> w(static_cast<std::size_t>(s.n * 48), 0x99);
    const std::vector<float> scales(static_cast<std::size_t>(s.n * 3), 1.0f);
    std::vector<float> x(static_cast<std::size_t>(s.m * s.k), 1.0f);
    std::vector<float> y(static_cast<std::size_t>(s.m * s.n));
    x[100] = bad;
    Packed<4>(s, w, scales, nullptr).run(s, x.data(), nullptr, y.data());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const bool own = static_cast<Index>(i) / s.n == 1;
      // Targets without pairs of integers have infinite sums.
      REQUIRE(own != std::isfinite(y[i]));
    }
  }
}

TEST_CASE("matmul_nbits") {
  for (Index m : {1, 3, 4, 9})
    for (Index k : {1, 16, 50, 130})
      for (Index n : {1, 4, 7})
        for (Index block : {16, 32, 64})
          for (bool zeros : {false, true}) {
            check_product<2>({m, k, n, block}, zeros, !zeros);
            check_product<4>({m, k, n, block}, zeros, !zeros);
            check_product<8>({m, k, n, block}, zeros, zeros);
          }
  check_product<4>({5, 1300, 70, 32}, true, true);
}

TEST_CASE("dynamic_quantize_linear: the range, ties and NaN") {
  struct {
    Index count;
  } s{};
  std::mt19937 random(5);
  for (s.count = 0; s.count < 70; ++s.count) {
    std::vector<float> x(static_cast<std::size_t>(s.count));
    for (float& v : x) v = static_cast<float>(random() % 2001) / 100.0f - 7.0f;
    float low = 0, high = 0;
    for (float v : x) {
      low = std::min(low, v);
      high = std::max(high, v);
    }
    const float step = high > low ? (high - low) / 255.0f : 1.0f;
    const float first = std::min(255.0f, std::nearbyint(-low / step));
    std::vector<std::uint8_t> y(x.size() + 1, 77);
    float scale = 0;
    std::uint8_t zero = 0;
    dynamic_quantize_linear(s, x.data(), y.data(), &scale, &zero);
    REQUIRE(scale == step);
    REQUIRE(static_cast<float>(zero) == first);
    for (std::size_t i = 0; i < x.size(); ++i)
      REQUIRE(static_cast<float>(y[i]) ==
              std::min(255.0f, std::max(0.0f, std::nearbyint(x[i] / step) + first)));
    REQUIRE(y[x.size()] == 77);
  }
  std::vector<float> x(20, std::nanf(""));
  x[1] = 255.0f;
  x[2] = 2.5f;
  x[3] = 3.5f;
  s.count = 20;
  std::vector<std::uint8_t> y(20);
  float scale = 0;
  dynamic_quantize_linear(s, x.data(), y.data(), &scale, nullptr);
  REQUIRE(scale == 1.0f);
  REQUIRE((y[0] == 0 && y[1] == 255 && y[2] == 2 && y[3] == 4 && y[19] == 0));
}

namespace {
struct Binary {
  Index dims[2], a_step[2], b_step[2];
  bool multiply;
};
}  // namespace

TEST_CASE("qlinear_binary walks broadcast operands and rounds after the zero point") {
  const std::int8_t a[] = {-128, 0, 7, 127}, b[] = {3, -5};
  const float sa = 0.5f, sb = 0.25f, sy = 0.125f;
  const std::int8_t za = 1, zb = -2, zy = 4;
  for (bool multiply : {false, true}) {
    std::int8_t y[4];
    qlinear_binary<2>(Binary{{2, 2}, {2, 1}, {1, 0}, multiply}, a, &sa, &za, b, &sb, &zb, &sy, &zy,
                      y);
    for (int i = 0; i < 4; ++i) {
      const float u = (static_cast<float>(a[i]) - 1) * sa,
                  v = (static_cast<float>(b[i / 2]) + 2) * sb;
      const float q = std::nearbyint((multiply ? u * v : u + v) / sy + 4);
      REQUIRE(static_cast<float>(y[i]) == std::min(127.0f, std::max(-128.0f, q)));
    }
  }
}

TEST_CASE("qlinear_binary: long rows, ties and bounds") {
  std::vector<std::uint8_t> a, b;
  for (int i = 0; i < 260; ++i) {
    a.push_back(static_cast<std::uint8_t>(i));
    b.push_back(static_cast<std::uint8_t>(i * 37));
  }
  const float sa = 0.25f, sb = 0.5f, sy = 0.5f;
  const std::uint8_t za = 100, zb = 3, zy = 7;
  for (bool multiply : {false, true})
    for (Index moves : {0, 1}) {
      std::vector<std::uint8_t> y(a.size() + 1, 77);
      qlinear_binary<2>(Binary{{1, 259}, {0, 1}, {0, moves}, multiply}, a.data(), &sa, &za,
                        b.data() + 1, &sb, &zb, &sy, &zy, y.data());
      REQUIRE(y.back() == 77);
      for (std::size_t i = 0; i + 1 < a.size(); ++i) {
        const float u = (static_cast<float>(a[i]) - 100) * sa;
        const float v = (static_cast<float>(b[moves ? i + 1 : 1]) - 3) * sb;
        const float q = std::nearbyint((multiply ? u * v : u + v) / sy + 7);
        REQUIRE(static_cast<float>(y[i]) == std::min(255.0f, std::max(0.0f, q)));
      }
    }
}

namespace {
using Matrices = onnxc::SquareMatricesShape<onnxc::Index>;
}  // namespace

TEST_CASE("inverse needs pivots") {
  const float x[] = {0, 2, 0, 1, 0, 0, 0, 0, 4};
  float y[9], scratch[18];
  inverse(Matrices{1, 3}, x, y, scratch);
  const float want[] = {0, 1, 0, 0.5f, 0, 0, 0, 0, 0.25f};
  for (int i = 0; i < 9; ++i) REQUIRE(y[i] == want[i]);
}
