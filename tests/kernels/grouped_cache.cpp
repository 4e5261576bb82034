// grouped_cache.cpp - caches of integers and caches that keep a window, against naive loops.
#include "templates/attention/grouped_cache.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "templates/attention/attention_quantized.hpp"
#include "tests/kernels/test_data.hpp"

namespace {

using kernel_test::values;
using onnxc::Index;
using onnxc::Status;
using Floats = std::vector<float>;
using Bytes = std::vector<std::uint8_t>;

struct Cache {
  Index batch = 2, heads = 3, length = 2, past = 6, capacity = 6, cache_window = 0, width = 5,
        x_at = 0;
  Index batch_stride = 30, position_stride = 15, rotated = 0, positions = 0;
  bool interleaved = false;
  Index scale_head = 5, scale_column = 1;
};

// The integer that a number is stored as.
double stored(float x, float scale, double most) {
  return std::fmin(std::fmax(std::nearbyint(static_cast<double>(x * (1.0f / scale))), -most - 1),
                   most);
}

template <int kBits, class S>
Bytes cache_after(const S& s, const Floats& x, const Bytes& past, const std::int32_t* last_key,
                  std::int32_t total, const Floats& scales) {
  Bytes y(static_cast<std::size_t>(s.batch * s.heads * s.capacity *
                                   onnxc::stored_width<kBits>(s.width)),
          77);
  Floats numbers(static_cast<std::size_t>(s.width));
  const float* const none = nullptr;
  const onnxc::GroupedTokens<float> tokens{last_key, &total, none, none, nullptr};
  REQUIRE(onnxc::grouped_cache<kBits>(s, x.data(), past.data(), tokens, scales.data(), y.data(),
                                      numbers.data()) == Status::ok);
  return y;
}

}  // namespace

TEST_CASE("numbers of 4 and 8 bits, halves to even, limits") {
  const float x[] = {0.25f, 0.75f, -0.25f, 1e9f, -1e9f}, scale = 0.5f;
  const onnxc::ColumnScales scales = {&scale, 0};
  signed char wide[5];
  onnxc::quantize_row<8>(x, 5, scales, wide);
  const int want[] = {0, 2, 0, 127, -128};
  for (int i = 0; i < 5; ++i) CHECK(wide[i] == want[i]);
  unsigned char narrow[3];
  onnxc::quantize_row<4>(x, 5, scales, narrow);
  CHECK(narrow[0] == (8 | 10 << 4));
  CHECK(narrow[1] == (8 | 15 << 4));
  CHECK(narrow[2] == (0 | 8 << 4));
  float back[5];
  onnxc::dequantize_row<4>(narrow, 5, scales, back);
  const float near[] = {0.0f, 1.0f, 0.0f, 3.5f, -4.0f};
  for (int i = 0; i < 5; ++i) CHECK(back[i] == near[i]);
}

TEST_CASE("a cache of integers takes new rows, quantised by the scales of their columns") {
  Cache s;
  s.length = 1, s.batch_stride = 15;
  const std::int32_t last_key[] = {3, 5};
  const Floats x = values(30, 1);
  Floats scales = values(15, 2);
  for (float& v : scales) v = 0.02f + 0.01f * v;
  Bytes past(2 * 3 * 6 * 3);
  for (std::size_t i = 0; i < past.size(); ++i) past[i] = static_cast<std::uint8_t>(i);
  const Bytes y = cache_after<4>(s, x, past, last_key, 6, scales);
  for (Index n = 0; n < 6; ++n)
    for (Index j = 0; j < 6; ++j)
      for (Index c = 0; c < 5; ++c) {
        const auto at = static_cast<std::size_t>((n * 6 + j) * 3 + c / 2);
        const int got = y[at] >> (c % 2 * 4) & 15;
        double want = j < last_key[n / 3] ? past[at] >> (c % 2 * 4) & 15 : 0;
        const auto from = static_cast<std::size_t>(n / 3 * 15 + n % 3 * 5 + c);
        if (j == last_key[n / 3])
          want = stored(x[from], scales[static_cast<std::size_t>(n % 3 * 5 + c)], 7) + 8;
        CHECK(got == want);
      }
  for (Index count : {2, 4}) {
    Bytes chunks = y;
    for (Index i = 0; i < count; ++i) {
      const auto chunk =
          cache_after<4>(onnxc::with_chunk(s, {i, count}), x, past, last_key, 6, scales);
      const onnxc::Span own = onnxc::share(i, count, 6);
      for (Index k = own.begin * 18; k < own.end * 18; ++k)
        CHECK(chunk[static_cast<std::size_t>(k)] == chunks[static_cast<std::size_t>(k)]);
    }
  }
}

TEST_CASE("a window in a cache fills it, then starts again") {
  struct {
    Index past = 6, cache_window = 4;
  } s;
  const Index kept[] = {0, 1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6};
  for (Index n = 0; n < 13; ++n) CHECK(onnxc::kept_rows(s, n) == kept[n]);
}

TEST_CASE("a cache with a window keeps the newest rows") {
  struct {
    Index batch = 1, heads = 2, length = 3, past = 5, capacity = 8, cache_window = 3, width = 2;
  } s;
  const Floats x = values(32, 1);
  for (std::int32_t total = 4; total < 20; ++total) {
    const std::int32_t last_key = total - 1;
    Floats y(20, 7.0f);
    REQUIRE(onnxc::grouped_evict(s, x.data(), &last_key, &total, y.data()) == Status::ok);
    const Index rows = onnxc::kept_rows(s, total - 3) + 3, kept = onnxc::kept_rows(s, total);
    for (Index h = 0; h < 2; ++h)
      for (Index i = 0; i < 10; ++i) {
        const float want =
            i < kept * 2 ? x[static_cast<std::size_t>((h * 8 + rows - kept) * 2 + i)] : 0.0f;
        CHECK(y[static_cast<std::size_t>(h * 10 + i)] == want);
      }
  }
  const std::int32_t last_key = 3, total = 4;
  s.cache_window = 6;
  Floats y(20);
  CHECK(onnxc::grouped_evict(s, x.data(), &last_key, &total, y.data()) == Status::bad_value);
}

namespace {

struct Attention {
  Index batch[3] = {2, 2, 3}, q_length = 1, kv_length = 9, kv_valid = 9, width = 6, v_width = 6,
        past = 0, left = -1, right = -1;
  bool causal = true;
  Index q_strides[4] = {36, 18, 6, 36}, k_strides[5] = {108, 54, 0, 6, 1},
        v_strides[4] = {108, 54, 0, 6}, mask_strides[4] = {0, 0, 0, 0},
        bool_mask_strides[4] = {0, 0, 0, 0}, y_strides[4] = {36, 18, 6, 36}, q_offset = 0,
        k_offset = 0, v_offset = 0, mask_offset = 0, bool_mask_offset = 0;
  float scale = 0.4f, divisor = 1, softcap = 0, masked_value = 0;
  bool mask_keeps = true, zero_fully_masked_rows = true, nan_is_zero = false;
  Index k_scale_head = 6, k_scale_column = 1, v_scale_head = 0, v_scale_column = 0;
};

}  // namespace

TEST_CASE("attention over caches of integers is that over their numbers") {
  Attention s;
  std::vector<signed char> k(216), v(216);
  for (std::size_t i = 0; i < k.size(); ++i) {
    k[i] = static_cast<signed char>(i * 37);
    v[i] = static_cast<signed char>(i * 53);
  }
  Floats scales = values(12, 5), keys(216), numbers(216);
  for (float& x : scales) x = 0.01f + 0.005f * x;
  for (std::size_t i = 0; i < k.size(); ++i) {
    keys[i] = static_cast<float>(k[i]) * scales[i / 54 % 2 * 6 + i % 6];
    numbers[i] = static_cast<float>(v[i]) * scales[0];
  }
  const std::int64_t lengths[] = {9, 5}, positions[] = {8, 4};
  for (Index rows : {1, 4}) {
    s.q_length = rows;
    s.q_strides[0] = s.y_strides[0] = rows * 36;
    const Floats q = values(2 * rows * 36, 3);
    Floats want(q.size()), got(q.size()), scratch(4000);
    onnxc::attention_tiled<4, 8, 8>(s, q.data(), keys.data(), numbers.data(), nullptr, nullptr,
                                    lengths, positions, want.data(), scratch.data());
    REQUIRE(onnxc::attention_quantized_scratch(s) <= 4000);
    const onnxc::GroupedCaches<signed char> caches{k.data(), v.data(), scales.data(),
                                                   scales.data()};
    for (Index count : {1, 3})
      for (Index i = 0; i < count; ++i)
        onnxc::attention_quantized<8>(onnxc::with_chunk(s, {i, count}), q.data(), caches, nullptr,
                                      lengths, positions, got.data(), scratch.data());
    CHECK(got == want);
  }
}
