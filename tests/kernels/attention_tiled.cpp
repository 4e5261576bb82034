// attention_tiled.cpp - attention by row blocks against the definition in double, and its chunks
// against the whole.
#include "templates/attention/attention_tiled.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "tests/kernels/test_data.hpp"

namespace {

using onnxc::Index;
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Shape {
  Index batch[3], q_length, kv_length, kv_valid, width, v_width, past, left, right;
  bool causal;
  Index q_strides[4], k_strides[5], v_strides[4], mask_strides[4], bool_mask_strides[4],
      y_strides[4], q_offset, k_offset, v_offset, mask_offset, bool_mask_offset;
  float scale, divisor, softcap, masked_value;
  bool mask_keeps, zero_fully_masked_rows, nan_is_zero;
};

// Contiguous [batch, heads, length, width]; keys and values of one head for `group` heads of
// queries.
Shape plain(Index batch, Index heads, Index group, Index rows, Index keys, Index width,
            Index v_width) {
  Shape s{};
  const Index extents[3] = {batch, heads, group};
  std::memcpy(s.batch, extents, sizeof extents);
  s.q_length = rows;
  s.kv_length = s.kv_valid = keys;
  s.width = width;
  s.v_width = v_width;
  s.left = s.right = -1;
  const auto strides_of = [&](Index(&strides)[4], Index length, Index columns, bool shared) {
    strides[3] = columns;
    strides[2] = shared ? 0 : length * columns;
    strides[1] = length * columns * (shared ? 1 : group);
    strides[0] = strides[1] * heads;
  };
  strides_of(s.q_strides, rows, width, false);
  strides_of(s.v_strides, keys, v_width, true);
  strides_of(s.y_strides, rows, v_width, false);
  Index k_strides[4];
  strides_of(k_strides, keys, width, true);
  std::memcpy(s.k_strides, k_strides, sizeof k_strides);
  s.k_strides[4] = 1;
  s.scale = s.divisor = 1.0f;
  s.mask_keeps = true;
  return s;
}

// [batch, length, heads * width]
void by_positions(Index (&strides)[4], Index heads, Index length, Index width) {
  const Index all[4] = {heads * width * length, width, 0, heads * width};
  std::memcpy(strides, all, sizeof all);
}

// [batch, heads, width, length]
void transpose_keys(Shape& s) {
  s.k_strides[3] = 1;
  s.k_strides[4] = s.kv_length;
}

Index heads_of(const Shape& s) { return s.batch[0] * s.batch[1] * s.batch[2]; }

struct Data {
  std::vector<float> q, k, v;
  std::vector<float> mask;      // empty: none
  std::vector<char> bool_mask;  // likewise
  std::vector<std::int64_t> lengths, positions;
};

double score(const Shape& s, const std::vector<float>& q, Index qi, const std::vector<float>& k,
             Index ki) {
  double sum = 0;
  for (Index c = 0; c < s.width; ++c) {
    sum += static_cast<double>(q[static_cast<std::size_t>(qi + c)]) *
           static_cast<double>(k[static_cast<std::size_t>(ki + c * s.k_strides[4])]);
  }
  sum = sum / static_cast<double>(s.divisor) * static_cast<double>(s.scale);
  const double cap = static_cast<double>(s.softcap);
  return cap > 0 ? std::tanh(sum / cap) * cap : sum;
}

double masked(const Shape& s, const Data& d, Index n, Index i, Index j, double x) {
  const Index t = s.bool_mask_offset + onnxc::batch_offset(s, s.bool_mask_strides, n) +
                  i * s.bool_mask_strides[3] + j;
  if (!d.bool_mask.empty() && (d.bool_mask[static_cast<std::size_t>(t)] != 0) != s.mask_keeps)
    x = static_cast<double>(s.masked_value);
  const Index m =
      s.mask_offset + onnxc::batch_offset(s, s.mask_strides, n) + i * s.mask_strides[3] + j;
  return d.mask.empty() ? x : x + static_cast<double>(d.mask[static_cast<std::size_t>(m)]);
}

bool sees(const Shape& s, Index at, Index j, Index valid) {
  return j < valid && (!s.causal || j <= at) && (s.left < 0 || j >= at - s.left) &&
         (s.causal || s.right < 0 || j <= at + s.right);
}

std::vector<double> weights_of(const Shape& s, const Data& d, Index n, Index i) {
  const auto b = static_cast<std::size_t>(n / (s.batch[1] * s.batch[2]));
  const Index length = d.lengths.empty() ? s.kv_valid : static_cast<Index>(d.lengths[b]);
  const Index valid = length > s.kv_valid ? s.kv_valid : length;
  Index at = i + (d.lengths.empty() ? s.past : length - s.q_length);
  if (!d.positions.empty()) at = i + static_cast<Index>(d.positions[b]);
  std::vector<double> x(static_cast<std::size_t>(s.kv_length),
                        -std::numeric_limits<double>::infinity());
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (Index j = 0; j < s.kv_length; ++j) {
    if (!sees(s, at, j, valid)) continue;
    double& to = x[static_cast<std::size_t>(j)];
    to = score(s, d.q, s.q_offset + onnxc::batch_offset(s, s.q_strides, n) + i * s.q_strides[3],
               d.k, s.k_offset + onnxc::batch_offset(s, s.k_strides, n) + j * s.k_strides[3]);
    to = masked(s, d, n, i, j, to);
    largest = std::fmax(largest, to);
  }
  for (double& v : x) sum += v = std::isinf(largest) ? 0.0 : std::exp(v - largest);
  for (double& v : x) v = sum > 0 ? v / sum : 0.0;
  return x;
}

// Elements that are not written keep the value 7.
std::vector<double> reference(const Shape& s, const Data& d, std::size_t size) {
  std::vector<double> y(size, 7.0);
  for (Index n = 0; n < heads_of(s); ++n) {
    for (Index i = 0; i < s.q_length; ++i) {
      const auto weights = weights_of(s, d, n, i);
      for (Index c = 0; c < s.v_width; ++c) {
        double sum = 0;
        for (Index j = 0; j < s.kv_length; ++j) {
          const Index at =
              s.v_offset + onnxc::batch_offset(s, s.v_strides, n) + j * s.v_strides[3] + c;
          sum += weights[static_cast<std::size_t>(j)] *
                 static_cast<double>(d.v[static_cast<std::size_t>(at)]);
        }
        y[static_cast<std::size_t>(onnxc::batch_offset(s, s.y_strides, n) + i * s.y_strides[3] +
                                   c)] = sum;
      }
    }
  }
  return y;
}

template <class T>
const T* or_null(const std::vector<T>& v) {
  return v.empty() ? nullptr : v.data();
}
const bool* or_null(const std::vector<char>& v) {
  return v.empty() ? nullptr : reinterpret_cast<const bool*>(v.data());
}

constexpr std::size_t kRoom = 60000;  // of each operand

template <int MR, int NR, int NV, class S>
void check(const S& fixed, const Shape& s, const Data& d) {
  std::vector<float> scratch(static_cast<std::size_t>(onnxc::attention_scratch<MR, NR, NV>(s)) + 1);
  std::vector<float> y(kRoom, 7.0f);
  const auto run = [&](auto shape, std::vector<float>& to) {
    onnxc::attention_tiled<MR, NR, NV>(shape, d.q.data(), d.k.data(), d.v.data(), or_null(d.mask),
                                       or_null(d.bool_mask), or_null(d.lengths),
                                       or_null(d.positions), to.data(), scratch.data());
  };
  run(fixed, y);
  CAPTURE(s.batch[0], s.batch[1], s.q_length, s.kv_length, s.width, s.v_width, s.causal, s.left, MR,
          NR, NV);
  CHECK(kernel_test::worst_difference(y, reference(s, d, kRoom)) <= 1e-5);
  for (Index count : {2, 5}) {
    std::vector<float> chunks(kRoom, 7.0f);
    for (Index i = count; i-- > 0;) run(onnxc::with_chunk(fixed, {i, count}), chunks);
    CHECK(std::memcmp(chunks.data(), y.data(), kRoom * sizeof(float)) == 0);
  }
}

Data some_data() {
  const auto values = [](unsigned seed) {
    return kernel_test::values(static_cast<Index>(kRoom), seed);
  };
  return {values(1), values(2), values(3), {}, {}, {}, {}};
}

void check_tiles(const Shape& s, const Data& d) {
  check<14, 32, 32>(s, s, d);
  check<9, 48, 16>(s, s, d);
  check<4, 8, 4>(s, s, d);
}

struct FixedShape {
  static constexpr Index batch[3] = {1, 2, 1}, q_length = 37, kv_length = 37, kv_valid = 37,
                         width = 16, v_width = 24, past = 0, left = -1, right = -1;
  static constexpr bool causal = false;
  static constexpr Index q_strides[4] = {0, 16, 0, 32}, k_strides[5] = {0, 16, 0, 32, 1},
                         v_strides[4] = {0, 24, 0, 48}, mask_strides[4] = {0, 0, 0, 0},
                         bool_mask_strides[4] = {0, 0, 0, 0}, y_strides[4] = {0, 24, 0, 48},
                         q_offset = 0, k_offset = 0, v_offset = 0, mask_offset = 0,
                         bool_mask_offset = 0;
  static constexpr float scale = 0.25f, divisor = 1, softcap = 0, masked_value = 0;
  static constexpr bool mask_keeps = true, zero_fully_masked_rows = false, nan_is_zero = false;
};

}  // namespace

TEST_CASE("attention, lengths and widths") {
  const auto d = some_data();
  for (Index rows : {1, 2, 7, 9, 31, 70}) {
    for (Index keys : {1, 6, 33, 129}) {
      for (Index width : {1, 8, 33}) {
        Shape s = plain(1, 2, 1, rows, keys, width, width == 8 ? 40 : width);
        s.scale = 1.5f;
        check_tiles(s, d);
        transpose_keys(s);
        check<14, 32, 32>(s, s, d);
      }
    }
  }
}

TEST_CASE("attention, heads side by side and shared keys") {
  const auto d = some_data();
  for (Index rows : {1, 3, 20}) {
    Shape s = plain(2, 3, 1, rows, 21, 16, 16);
    by_positions(s.q_strides, 9, rows, 16);  // a product of queries, keys and values
    by_positions(s.y_strides, 3, rows, 16);
    const Index packed[4] = {9 * 16 * 21, 16, 0, 9 * 16};
    std::memcpy(s.v_strides, packed, sizeof packed);
    std::memcpy(s.k_strides, packed, sizeof packed);
    s.k_offset = 48;
    s.v_offset = 96;
    s.divisor = 4.0f;
    check_tiles(s, d);
    check_tiles(plain(2, 2, 3, rows, 21, 16, 20), d);
  }
}

TEST_CASE("attention, one query of heads that share keys") {
  auto d = some_data();
  Shape s = plain(2, 2, 5, 1, 37, 16, 20);
  s.causal = true;
  s.past = 30;
  check_tiles(s, d);
  s.left = 4;
  d.mask = kernel_test::values(static_cast<Index>(kRoom), 4);
  const Index each[4] = {370, 185, 37, 0};
  std::memcpy(s.mask_strides, each, sizeof each);
  check_tiles(s, d);
  d.bool_mask.resize(kRoom);
  for (std::size_t i = 0; i < kRoom; ++i) d.bool_mask[i] = i % 7 < 5;
  std::memcpy(s.bool_mask_strides, each, sizeof each);
  s.masked_value = -kInf;
  check_tiles(s, d);
}

TEST_CASE("attention, long rows in several row blocks") {
  Shape s = plain(1, 1, 1, 130, 700, 8, 8);
  check_tiles(s, some_data());
}

TEST_CASE("attention, numbers as mask") {
  auto d = some_data();
  d.mask = kernel_test::values(static_cast<Index>(kRoom), 4);
  for (std::size_t i = 0; i < kRoom; i += 3) d.mask[i] = -kInf;
  for (Index rows : {2, 40}) {
    Shape s = plain(2, 2, 1, rows, 35, 8, 8);
    const Index each[4] = {rows * 35 * 2, rows * 35, 0, 35}, shared[4] = {35, 0, 0, 0};
    std::memcpy(s.mask_strides, each, sizeof each);
    check_tiles(s, d);
    std::memcpy(s.mask_strides, shared, sizeof shared);
    s.softcap = 0.5f;
    check_tiles(s, d);
  }
}

TEST_CASE("attention, masks of bool, alone and before masks to add") {
  auto d = some_data();
  d.bool_mask.resize(kRoom);
  for (std::size_t i = 0; i < kRoom; ++i) d.bool_mask[i] = i % 5 < 3;
  for (bool numbers : {false, true}) {
    if (numbers) d.mask = kernel_test::values(static_cast<Index>(kRoom), 4);
    for (bool keeps : {false, true}) {
      for (Index rows : {2, 40}) {
        Shape s = plain(2, 2, 1, rows, 35, 8, 8);
        const Index strides[4] = {rows * 35, 0, 0, 35}, shared[4] = {0, 35, 0, 0};
        std::memcpy(s.bool_mask_strides, strides, sizeof strides);
        std::memcpy(s.mask_strides, shared, sizeof shared);
        s.mask_keeps = keeps;
        s.masked_value = keeps ? -kInf : 0.25f;
        check_tiles(s, d);
      }
    }
  }
}

TEST_CASE("attention, limits") {
  auto d = some_data();
  for (Index rows : {1, 5, 33}) {
    Shape s = plain(2, 1, 1, rows, 40, 8, 8);
    s.causal = true;
    check_tiles(s, d);
    s.past = 40 - rows;
    check_tiles(s, d);
    s.left = 3;
    check_tiles(s, d);
    s.causal = false;
    s.right = 2;
    s.kv_valid = 30;
    check_tiles(s, d);
    d.lengths = {40, 20};
    check_tiles(s, d);
    d.positions = {5, 0};
    check_tiles(s, d);
    d.lengths.clear();
    d.positions.clear();
  }
}

TEST_CASE("attention, rows that see nothing") {
  auto d = some_data();
  d.mask.assign(kRoom, -kInf);
  for (Index rows : {2, 12}) {
    Shape s = plain(1, 2, 1, rows, 20, 8, 8);
    s.zero_fully_masked_rows = true;
    check_tiles(s, d);
    s.zero_fully_masked_rows = false;
    s.nan_is_zero = true;
    check_tiles(s, d);
  }
}

TEST_CASE("attention, NaN spoils its row alone") {
  const auto d = some_data();
  for (Index rows : {3, 12}) {
    Shape s = plain(1, 1, 1, rows, 20, 8, 8);
    auto spoilt = d;
    spoilt.q[8] = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> scratch(static_cast<std::size_t>(onnxc::attention_scratch<14, 32, 32>(s)));
    std::vector<float> whole(kRoom), got(kRoom);
    for (const Data* from : {&d, &std::as_const(spoilt)}) {
      onnxc::attention_tiled<14, 32, 32>(s, from->q.data(), from->k.data(), from->v.data(), nullptr,
                                         nullptr, nullptr, nullptr,
                                         (from == &d ? whole : got).data(), scratch.data());
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows * 8); ++i) {
      CHECK((i / 8 == 1 ? std::isnan(got[i]) : got[i] == whole[i]));
    }
  }
}

TEST_CASE("attention, fixed shape") {
  Shape s = plain(1, 2, 1, 37, 37, 16, 24);
  by_positions(s.q_strides, 2, 0, 16);
  by_positions(s.v_strides, 2, 0, 24);
  by_positions(s.y_strides, 2, 0, 24);
  const Index keys[5] = {0, 16, 0, 32, 1};
  std::memcpy(s.k_strides, keys, sizeof keys);
  s.scale = 0.25f;
  check<14, 32, 32>(FixedShape{}, s, some_data());
}
