// attention.cpp - attention over whole sequences and over caches, against naive loops in double.
#include "templates/attention/attention.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "templates/attention/grouped_attention.hpp"
#include "tests/kernels/test_data.hpp"

namespace {

using kernel_test::at;
using kernel_test::values;
using onnxc::Index;
using onnxc::Status;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

struct Shape {
  Index batch = 2, q_heads = 4, kv_heads = 2, q_length = 3, kv_length = 5, past = 2;
  Index width = 9, v_width = 6;
  bool rank3 = false, causal = false;
  Index left = -1, right = -1;
  float scale = onnxc::kNaN, softcap = 0;
  Index mask_batch = 0, mask_head = 0, mask_row = 7, mask_column = 1, mask_length = 7, mode = 3;
};

struct Inputs {
  Floats q, k, v, past_k, past_v, mask;
  explicit Inputs(const Shape& s)
      : q(values(s.batch * s.q_heads * s.q_length * s.width, 1)),
        k(values(s.batch * s.kv_heads * s.kv_length * s.width, 2)),
        v(values(s.batch * s.kv_heads * s.kv_length * s.v_width, 3)),
        past_k(values(s.batch * s.kv_heads * s.past * s.width, 4)),
        past_v(values(s.batch * s.kv_heads * s.past * s.v_width, 5)),
        mask(values(s.q_length * s.mask_length, 6)) {}
};

// Element j of position i of a head, in the rank 4 or rank 3 form.
Index element(Index heads, Index length, Index width, bool rank3, Index b, Index h, Index i) {
  return (rank3 ? (b * length + i) * heads + h : (b * heads + h) * length + i) * width;
}

// Weights of all keys for a query: softmax of the allowed scores, zeros where none is allowed.
Doubles weights_of(Doubles scores) {
  double largest = -HUGE_VAL, sum = 0;
  for (double v : scores) largest = std::fmax(largest, v);
  for (double& v : scores) sum += v = v == -HUGE_VAL ? 0 : std::exp(v - largest);
  for (double& v : scores) v = sum > 0 ? v / sum : 0;
  return scores;
}

double score_of(const Shape& s, const Inputs& in, Index b, Index h, Index i, Index j) {
  const Index g = h * s.kv_heads / s.q_heads;
  const Index query = element(s.q_heads, s.q_length, s.width, s.rank3, b, h, i);
  double sum = 0;
  for (Index e = 0; e < s.width; ++e) {
    const double key =
        j < s.past
            ? at(in.past_k, element(s.kv_heads, s.past, s.width, false, b, g, j) + e)
            : at(in.k, element(s.kv_heads, s.kv_length, s.width, s.rank3, b, g, j - s.past) + e);
    sum += at(in.q, query + e) * key;
  }
  sum *= std::isnan(s.scale) ? 1 / std::sqrt(static_cast<double>(s.width))
                             : static_cast<double>(s.scale);
  if (s.softcap > 0) {
    const double cap = static_cast<double>(s.softcap);
    sum = cap * std::tanh(sum / cap);
  }
  const Index ahead = j - i - s.past;
  const bool hidden = (s.causal && ahead > 0) || (s.left >= 0 && -ahead > s.left) ||
                      (s.right >= 0 && ahead > s.right) || j >= s.mask_length;
  return hidden ? -HUGE_VAL : sum + at(in.mask, i * s.mask_row + j * s.mask_column);
}

void check(const Shape& s) {
  const Inputs in(s);
  const Index total = s.past + s.kv_length;
  const auto size = [](Index n) { return static_cast<std::size_t>(n); };
  Floats y(size(s.batch * s.q_heads * s.q_length * s.v_width));
  Floats scores(size(s.batch * s.q_heads * s.q_length * total));
  Floats row(size(total)), sum(size(s.v_width));
  Doubles want_y(y.size()), want_scores;
  for (Index b = 0; b < s.batch; ++b)
    for (Index h = 0; h < s.q_heads; ++h)
      for (Index i = 0; i < s.q_length; ++i) {
        Doubles weights;
        for (Index j = 0; j < total; ++j) weights.push_back(score_of(s, in, b, h, i, j));
        weights = weights_of(weights);
        want_scores.insert(want_scores.end(), weights.begin(), weights.end());
        const Index g = h * s.kv_heads / s.q_heads;
        const Index out = element(s.q_heads, s.q_length, s.v_width, s.rank3, b, h, i);
        for (Index e = 0; e < s.v_width; ++e)
          for (Index j = 0; j < total; ++j)
            want_y[size(out + e)] +=
                at(weights, j) *
                (j < s.past
                     ? at(in.past_v, element(s.kv_heads, s.past, s.v_width, false, b, g, j) + e)
                     : at(in.v,
                          element(s.kv_heads, s.kv_length, s.v_width, s.rank3, b, g, j - s.past) +
                              e));
      }
  const float* const no_past = nullptr;
  const Status status = onnxc::attention(
      s, in.q.data(), in.k.data(), in.v.data(), in.mask.data(),
      onnxc::AttentionPast<float, float>{s.past > 0 ? in.past_k.data() : no_past,
                                         s.past > 0 ? in.past_v.data() : no_past, nullptr},
      y.data(), scores.data(), onnxc::AttentionRow<float>{row.data(), sum.data()});
  CHECK(status == Status::ok);
  CHECK(kernel_test::worst_difference(y, want_y) < 1e-5);
  CHECK(kernel_test::worst_difference(scores, want_scores) < 1e-5);
}

}  // namespace

TEST_CASE("attention with a mask to add", "[attention]") {
  Shape s;
  check(s);
  s.rank3 = true, s.causal = true, s.softcap = 1.5f;
  check(s);
  s = Shape{};
  s.past = 0, s.scale = 0.25f, s.left = 1, s.right = 2, s.mask_row = s.mask_length = 4;
  check(s);
}

TEST_CASE("attention without any allowed key gives zeros", "[attention]") {
  Shape s;
  s.batch = 1, s.q_heads = s.kv_heads = 1, s.q_length = 2, s.kv_length = 3, s.past = 0;
  s.mask_row = 3, s.mask_length = 3;
  const Inputs in(s);
  const bool mask[] = {false, false, false, true, false, true};
  const std::int64_t lengths[] = {2}, too_long[] = {4};
  Floats y(12), row(3), sum(6);
  const float* const none = nullptr;
  const auto run = [&](const std::int64_t* counts) {
    return onnxc::attention(s, in.q.data(), in.k.data(), in.v.data(), mask,
                            onnxc::AttentionPast<float, float>{none, none, counts}, y.data(),
                            static_cast<float*>(nullptr),
                            onnxc::AttentionRow<float>{row.data(), sum.data()});
  };
  CHECK(run(too_long) == Status::bad_value);
  REQUIRE(run(lengths) == Status::ok);
  for (Index e = 0; e < s.v_width; ++e) {
    CHECK(at(y, e) == 0.0);
    CHECK(at(y, s.v_width + e) == Approx(at(in.v, e)));  // only key 0 is left
  }
}

TEST_CASE("the scale of a head", "[attention]") {
  CHECK(onnxc::head_scale(onnxc::kNaN, 16) == 0.25f);
  CHECK(onnxc::head_scale(onnxc::kNaN, 0) == 1.0f);
  CHECK(onnxc::head_scale(3.0f, 16) == 3.0f);
}

namespace {

struct Grouped {
  Index batch = 2, heads = 4, kv_heads = 2, length = 2, past = 6, capacity = 6, width = 4, x_at = 0;
  Index batch_stride = 32, position_stride = 16, rotated = 0, positions = 0;
  bool interleaved = false, causal = true, smooth = false, raw_scores = false;
  Index window = 0, cache_window = 0, total = 0;
  float scale = onnxc::kNaN, softcap = 0;
  Index bias_batch = 0, bias_head = 0, bias_row = 0;
  Index scale_head = 0, scale_column = 0;
  Index k_scale_head = 0, k_scale_column = 0, v_scale_head = 0, v_scale_column = 0;
};

// The output of head h at position i of sequence b, which had `before` keys.
Doubles grouped_row(const Grouped& s, const Floats& x, const Floats& k, const Floats& v, Index b,
                    Index i, Index h, Index before) {
  const Index cache = (b * s.kv_heads + h * s.kv_heads / s.heads) * s.capacity * s.width;
  Doubles scores;
  for (Index j = 0; j < before + s.length; ++j) {
    double sum = 0;
    for (Index e = 0; e < s.width; ++e)
      sum += at(x, b * s.batch_stride + i * s.position_stride + h * s.width + e) *
             at(k, cache + j * s.width + e);
    const bool hidden = j > before + i || (s.window > 0 && j <= before + i - s.window);
    scores.push_back(hidden ? -HUGE_VAL : sum / std::sqrt(static_cast<double>(s.width)));
  }
  const Doubles weights = weights_of(scores);
  Doubles y(static_cast<std::size_t>(s.width));
  for (std::size_t e = 0; e < y.size(); ++e)
    for (Index j = 0; j < before + s.length; ++j)
      y[e] += at(weights, j) * at(v, cache + j * s.width + static_cast<Index>(e));
  return y;
}

}  // namespace

TEST_CASE("attention over a cache", "[attention]") {
  Grouped s;
  const std::int32_t last_key[] = {3, 4}, total[] = {5};
  const Floats x = values(64, 1), k = values(96, 2), v = values(96, 3);
  const float* const none = nullptr;
  const std::int64_t* const no_ids = nullptr;
  for (Index window : {0, 2}) {
    s.window = window;
    Floats y(64), query(4), row(6), sum(4);
    float* const no_scores = nullptr;
    REQUIRE(onnxc::grouped_attention<0>(
                s, x.data(), onnxc::GroupedCaches<float>{k.data(), v.data(), none, none},
                onnxc::GroupedTokens<float>{last_key, total, none, none, no_ids},
                onnxc::GroupedScores<float>{none, none}, y.data(), no_scores,
                onnxc::GroupedRow<float, float>{query.data(), row.data(), sum.data(), no_scores}) ==
            Status::ok);
    Doubles want;
    for (Index b = 0; b < s.batch; ++b)
      for (Index i = 0; i < s.length; ++i)
        for (Index h = 0; h < s.heads; ++h)
          for (double e : grouped_row(s, x, k, v, b, i, h, last_key[b] + 1 - s.length))
            want.push_back(e);
    CHECK(kernel_test::worst_difference(y, want) < 1e-5);
  }
}

TEST_CASE("a cache takes new rows after those of every sequence", "[attention]") {
  Grouped s;
  s.heads = 1, s.past = 4, s.batch_stride = 8, s.position_stride = 4;
  const std::int32_t last_key[] = {1, 3}, total[] = {5}, bad[] = {1, 6};
  const Floats x = values(16, 1), past = values(32, 2);
  Floats y(48, 7.0f);
  const auto run = [&](const std::int32_t* last) {
    const onnxc::GroupedTokens<float> tokens{last, total, nullptr, nullptr, nullptr};
    float *const to = y.data(), *const no_numbers = nullptr;
    return onnxc::grouped_cache<0>(s, x.data(), past.data(), tokens, no_numbers, to, no_numbers);
  };
  CHECK(run(bad) == Status::bad_value);
  REQUIRE(run(last_key) == Status::ok);
  for (Index b = 0; b < s.batch; ++b)
    for (Index j = 0; j < s.capacity; ++j)
      for (Index e = 0; e < s.width; ++e) {
        const Index before = last_key[b] + 1 - s.length;
        double want = 0;
        if (j < before) want = at(past, (b * s.past + j) * s.width + e);
        if (j >= before && j < before + s.length)
          want = at(x, (b * s.length + j - before) * s.width + e);
        CHECK(at(y, (b * s.capacity + j) * s.width + e) == want);
      }
}
