// attention_grad.cpp - derivatives of attention against those of its definition in double, and
// their chunks against the whole.
#include "templates/attention/attention_grad.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "templates/attention/attention_grad_tiled.hpp"
#include "tests/kernels/test_data.hpp"

namespace {

using kernel_test::at;
using kernel_test::worst_difference;
using onnxc::Index;
constexpr float kInf = std::numeric_limits<float>::infinity();

// Members that the two kernels share; tensors of rank 4.
struct Shape {
  Index q_heads, kv_heads, q_length, kv_length, width, v_width, past, left = -1, right = -1;
  bool causal = false, rank3 = false;
  float scale = 0.7f, softcap = 0, divisor = 1, masked_value = -kInf;
  Index mask_batch, mask_head, mask_row, mask_column, mask_length, mode = 0;
  bool mask_keeps = true, zero_fully_masked_rows = true, nan_is_zero = false;
  Index q_offset = 0, k_offset = 0, v_offset = 0, mask_offset = 0, bool_mask_offset = 0;
};

constexpr Index kBatch = 2;

struct Plain : Shape {
  Index batch = kBatch;
};

struct Tiled : Shape {
  Index batch[3], kv_valid;
  Index q_strides[4], k_strides[5], v_strides[4], mask_strides[4], bool_mask_strides[4],
      y_strides[4];

  explicit Tiled(const Shape& s) : Shape(s), batch{kBatch, s.kv_heads, s.q_heads / s.kv_heads} {
    kv_valid = s.kv_length;
    set(q_strides, s.q_heads, batch[2], s.q_length, s.width);
    set(k_strides, s.kv_heads, 1, s.kv_length, s.width);
    set(v_strides, s.kv_heads, 1, s.kv_length, s.v_width);
    set(y_strides, s.q_heads, batch[2], s.q_length, s.v_width);
    k_strides[4] = 1;
    const Index mask[4] = {s.mask_batch, s.mask_head * batch[2], s.mask_head, s.mask_row};
    std::memcpy(mask_strides, mask, sizeof mask);
    std::memcpy(bool_mask_strides, mask, sizeof mask);
  }

  static void set(Index* strides, Index heads, Index group, Index length, Index columns) {
    strides[3] = columns;
    strides[2] = group == 1 ? 0 : length * columns;
    strides[1] = group * length * columns;
    strides[0] = heads * length * columns;
  }
};

Shape shape(Index q_heads, Index kv_heads, Index rows, Index keys, Index width, Index v_width) {
  Shape s{};
  s.q_heads = q_heads, s.kv_heads = kv_heads;
  s.q_length = rows, s.kv_length = s.mask_length = keys;
  s.width = width, s.v_width = v_width;
  s.mask_column = 1, s.mask_row = keys;
  s.mask_head = rows * keys, s.mask_batch = 0;
  return s;
}

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

struct Data {
  Floats q, k, v, dy, mask;
  std::vector<char> bool_mask;
  std::vector<std::int64_t> lengths;

  explicit Data(const Shape& s)
      : q(kernel_test::values(kBatch * s.q_heads * s.q_length * s.width, 1)),
        k(kernel_test::values(kBatch * s.kv_heads * s.kv_length * s.width, 2)),
        v(kernel_test::values(kBatch * s.kv_heads * s.kv_length * s.v_width, 3)),
        dy(kernel_test::values(kBatch * s.q_heads * s.q_length * s.v_width, 4)) {}
};

struct Grads {
  Doubles q, k, v;
};

// The position of a query is that of the last key for the last query, with lengths; i otherwise.
bool sees(const Shape& s, const Data& d, Index b, Index i, Index j) {
  const Index valid = d.lengths.empty() ? s.kv_length : d.lengths[static_cast<std::size_t>(b)];
  const Index distance = j - i - (d.lengths.empty() ? 0 : valid - s.q_length);
  return j < valid && (!s.causal || distance <= 0) && (s.left < 0 || -distance <= s.left) &&
         (s.causal || s.right < 0 || distance <= s.right);
}

Doubles weights_of(const Shape& s, const Data& d, Index b, Index h, Index i) {
  const Index g = b * s.kv_heads + h / (s.q_heads / s.kv_heads);
  Doubles e(static_cast<std::size_t>(s.kv_length), 0.0);
  double sum = 0;
  for (Index j = 0; j < s.kv_length; ++j) {
    const Index m = h * s.mask_head + i * s.mask_row + j;
    double score = d.mask.empty() ? 0.0 : at(d.mask, m);
    if (!sees(s, d, b, i, j) || (!d.bool_mask.empty() && at(d.bool_mask, m) == 0)) continue;
    for (Index c = 0; c < s.width; ++c)
      score += at(d.q, ((b * s.q_heads + h) * s.q_length + i) * s.width + c) *
               at(d.k, (g * s.kv_length + j) * s.width + c) * static_cast<double>(s.scale);
    sum += e[static_cast<std::size_t>(j)] = std::exp(score);
  }
  for (double& x : e) x = sum > 0 ? x / sum : 0.0;
  return e;
}

// The derivatives of sum(y * dy) by the chain rule: slope = weight * (dweight - mean of dweight).
void add_query(const Shape& s, const Data& d, Index b, Index h, Index i, Grads& to) {
  const Index g = b * s.kv_heads + h / (s.q_heads / s.kv_heads);
  const Index row = (b * s.q_heads + h) * s.q_length + i;
  const Doubles weights = weights_of(s, d, b, h, i);
  Doubles slopes(weights.size(), 0.0);
  double mean = 0;
  for (Index j = 0; j < s.kv_length; ++j) {
    double& slope = slopes[static_cast<std::size_t>(j)];
    for (Index c = 0; c < s.v_width; ++c)
      slope += at(d.dy, row * s.v_width + c) * at(d.v, (g * s.kv_length + j) * s.v_width + c);
    mean += slope * at(weights, j);
  }
  for (Index j = 0; j < s.kv_length; ++j) {
    const Index key = g * s.kv_length + j;
    const double slope = at(weights, j) * (at(slopes, j) - mean) * static_cast<double>(s.scale);
    for (Index c = 0; c < s.width; ++c) {
      to.q[static_cast<std::size_t>(row * s.width + c)] += slope * at(d.k, key * s.width + c);
      to.k[static_cast<std::size_t>(key * s.width + c)] += slope * at(d.q, row * s.width + c);
    }
    for (Index c = 0; c < s.v_width; ++c)
      to.v[static_cast<std::size_t>(key * s.v_width + c)] +=
          at(weights, j) * at(d.dy, row * s.v_width + c);
  }
}

Grads reference(const Shape& s, const Data& d) {
  Grads to{Doubles(d.q.size()), Doubles(d.k.size()), Doubles(d.v.size())};
  for (Index b = 0; b < kBatch; ++b)
    for (Index h = 0; h < s.q_heads; ++h)
      for (Index i = 0; i < s.q_length; ++i) add_query(s, d, b, h, i, to);
  return to;
}

template <class T>
const T* or_null(const std::vector<T>& v) {
  return v.empty() ? nullptr : v.data();
}
const bool* or_null(const std::vector<char>& v) {
  return v.empty() ? nullptr : reinterpret_cast<const bool*>(v.data());
}

// Three results one after the other, so that one comparison finds a difference in any of them.
Doubles joined(const Grads& g) {
  Doubles all = g.q;
  all.insert(all.end(), g.k.begin(), g.k.end());
  all.insert(all.end(), g.v.begin(), g.v.end());
  return all;
}

template <class T>
onnxc::AttentionGrads<T> parts(const Data& d, std::vector<T>& all) {
  return {all.data(), all.data() + d.q.size(), all.data() + d.q.size() + d.k.size()};
}

template <int MR, int NR, int NV>
void check_tiles(const Shape& s, const Data& d, const Doubles& want) {
  const Tiled t(s);
  constexpr int rows = onnxc::attention_tile_rows<MR, NR, NV>;
  Floats scratch(static_cast<std::size_t>(onnxc::attention_grad_scratch(t, rows, NR, NV)), 3.0f);
  const auto run = [&](auto shape, Floats& to) {
    onnxc::attention_grad_tiled<MR, NR, NV>(
        shape, d.q.data(), d.k.data(), d.v.data(), or_null(d.mask), or_null(d.bool_mask),
        or_null(d.lengths), d.dy.data(), parts(d, to), scratch.data());
  };
  Floats whole(want.size(), 7.0f);
  run(t, whole);
  CAPTURE(s.q_heads, s.kv_heads, s.q_length, s.kv_length, s.width, s.v_width, s.causal, MR, NR, NV);
  CHECK(worst_difference(whole, want) <= 2e-5);
  Floats chunks(want.size(), 7.0f);
  for (Index i = 3; i-- > 0;) run(onnxc::with_chunk(t, {i, 3}), chunks);
  CHECK(std::memcmp(chunks.data(), whole.data(), whole.size() * sizeof(float)) == 0);
}

template <class T>
std::vector<T> as(const Floats& x) {
  return {x.begin(), x.end()};
}

template <class T>
void check_plain(const Shape& s, const Data& d, const Doubles& want, double tolerance) {
  Plain p;
  static_cast<Shape&>(p) = s;
  const auto q = as<T>(d.q), k = as<T>(d.k), v = as<T>(d.v), dy = as<T>(d.dy);
  const auto count = static_cast<std::size_t>(s.kv_length);
  std::vector<T> got(want.size(), T{7}), weights(count), slopes(count);
  const auto run = [&](const auto* mask) {
    return onnxc::attention_grad(p, q.data(), k.data(), v.data(), mask, or_null(d.lengths),
                                 dy.data(), parts(d, got),
                                 onnxc::AttentionGradRows<T>{weights.data(), slopes.data()});
  };
  const auto status = d.bool_mask.empty() ? run(or_null(d.mask)) : run(or_null(d.bool_mask));
  REQUIRE(status == onnxc::Status::ok);
  CHECK(worst_difference(got, want) <= tolerance);
}

void check(const Shape& s, const Data& d) {
  const Doubles want = joined(reference(s, d));
  check_tiles<14, 32, 32>(s, d, want);
  check_tiles<9, 48, 16>(s, d, want);
  check_tiles<4, 8, 4>(s, d, want);
  check_plain<float>(s, d, want, 2e-5);
  check_plain<double>(s, d, want, 1e-12);
}

}  // namespace

TEST_CASE("attention_grad, lengths and widths") {
  for (Index rows : {1, 7, 31})
    for (Index keys : {1, 6, 33})
      for (Index width : {1, 8, 33}) {
        const Shape s = shape(2, 2, rows, keys, width, width == 8 ? 20 : width);
        check(s, Data(s));
      }
}

TEST_CASE("attention_grad, several row blocks") {
  Shape s = shape(1, 1, 130, 140, 8, 8);
  s.causal = true;
  check(s, Data(s));
}

TEST_CASE("attention_grad, heads that share keys") {
  const Shape s = shape(6, 2, 20, 21, 16, 20);
  check(s, Data(s));
}

TEST_CASE("attention_grad, positions") {
  for (Index rows : {3, 33}) {
    Shape s = shape(2, 1, rows, 33, 8, 8);
    Data d(s);
    s.left = 3;
    s.right = 5;
    check(s, d);
    s.causal = true;
    check(s, d);
    d.lengths = {33, rows + 1 < 33 ? rows + 1 : 20};  // 20: the first queries see nothing
    check(s, d);
  }
}

TEST_CASE("attention_grad, masks") {
  const Shape s = shape(4, 2, 20, 35, 8, 8);
  Data d(s);
  d.mask = kernel_test::values(4 * 20 * 35, 5);
  for (std::size_t i = 0; i < d.mask.size(); ++i)
    if (i % 3 == 0 || i / 35 == 4) d.mask[i] = -kInf;
  check(s, d);
  for (float x : d.mask) d.bool_mask.push_back(x > 0.2f ? 1 : 0);
  d.mask.clear();
  check(s, d);
}

TEST_CASE("attention_grad refuses lengths that are none") {
  const Shape s = shape(1, 1, 2, 3, 2, 2);
  Data d(s);
  Plain p;
  static_cast<Shape&>(p) = s;
  Floats all(d.q.size() + d.k.size() + d.v.size()), weights(3), slopes(3);
  for (std::int64_t wrong : {-1, 4}) {
    d.lengths = {3, wrong};
    CHECK(onnxc::attention_grad(p, d.q.data(), d.k.data(), d.v.data(), d.mask.data(),
                                d.lengths.data(), d.dy.data(), parts(d, all),
                                onnxc::AttentionGradRows<float>{weights.data(), slopes.data()}) ==
          onnxc::Status::bad_value);
  }
}
