// values.cpp - extreme values through every element-wise function and index kernel, under the
// sanitizers that stop at integer overflow, division by zero and conversions out of range.
// docs/VALUES.md has the results in words.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "runtime_min/half.hpp"
#include "runtime_min/int_small.hpp"
#include "runtime_min/minifloat.hpp"
#include "templates/attention/tensor_scatter.hpp"
#include "templates/convolution/deform_conv_nd.hpp"
#include "templates/fn/activation.hpp"
#include "templates/fn/arithmetic.hpp"
#include "templates/fn/bitwise.hpp"
#include "templates/fn/cast.hpp"
#include "templates/fn/comparison.hpp"
#include "templates/fn/exponential.hpp"
#include "templates/fn/gated_activation.hpp"
#include "templates/fn/hyperbolic.hpp"
#include "templates/fn/rounding.hpp"
#include "templates/fn/selection.hpp"
#include "templates/fn/trigonometric.hpp"
#include "templates/image/grid_sample.hpp"
#include "templates/movement/gather.hpp"
#include "templates/movement/gather_elements.hpp"
#include "templates/movement/gather_nd.hpp"
#include "templates/movement/one_hot.hpp"
#include "templates/movement/range.hpp"
#include "templates/movement/reverse_sequence.hpp"
#include "templates/pooling/max_unpool.hpp"
#include "templates/pooling/roi.hpp"
#include "templates/quantization/quantize.hpp"
#include "templates/reduction/arg_reduce.hpp"
#include "templates/reduction/cumulative.hpp"
#include "templates/reduction/reduce.hpp"
#include "templates/reduction/top_k.hpp"

using namespace onnxc;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN(),
            kInf = std::numeric_limits<float>::infinity();
constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min(),
                       kMax64 = std::numeric_limits<std::int64_t>::max();

template <class... T>
struct Types {};
using Integers = Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                       std::uint16_t, std::uint32_t, std::uint64_t>;
using Unsigned = Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using Floats = Types<float, double>;
using Stored =
    Types<float16, bfloat16, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float8e8m0,
          int4, uint4, int2, uint2, float, double, bool, std::int8_t, std::int16_t, std::int32_t,
          std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;

template <class... T, class F>
void for_types(Types<T...>, F f) {
  (f(T{}), ...);
}

template <class T>
std::vector<T> extremes() {
  using L = std::numeric_limits<T>;
  if constexpr (std::is_integral_v<T>) {
    std::vector<T> v = {L::min(),
                        static_cast<T>(L::min() + 1),
                        static_cast<T>(L::max() / 2),
                        static_cast<T>(L::max() - 1),
                        L::max(),
                        T{0},
                        T{1},
                        T{2},
                        T{7}};
    if (std::is_signed_v<T>)
      v.insert(v.end(), {static_cast<T>(-1), static_cast<T>(-2), static_cast<T>(-7)});
    return v;
  } else {
    const T huge = L::max(), inf = L::infinity(), tiny = L::denorm_min();
    return {T{0},
            -T{0},
            tiny,
            -tiny,
            L::min(),
            T{1},
            -T{1},
            T{2},
            static_cast<T>(0.5f),
            static_cast<T>(-2.5f),
            static_cast<T>(2147483648.0f),
            static_cast<T>(-2147483648.0f),
            static_cast<T>(9223372036854775808.0f),
            static_cast<T>(-9223372036854775808.0f),
            static_cast<T>(18446744073709551616.0f),
            huge,
            -huge,
            inf,
            -inf,
            L::quiet_NaN()};
  }
}

__extension__ using Int128 = __int128;

// The low bits of the exact result.
template <class T>
T wrapped(Int128 exact) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(exact));
}

// Every lane of f on vectors, f on numbers and f on double.
template <class F>
void try_real(F f) {
  for (const double x : extremes<double>()) (void)f(x);
  for (const float x : extremes<float>()) {
    const float y = f(x);
    float lanes[kLanes];
    store(lanes, static_cast<vfloat>(f(onnxc::broadcast<vfloat>(x))));
    CAPTURE(x, y, lanes[kLanes - 1]);
    if (x != x) CHECK(y != y);
    CHECK((y == lanes[kLanes - 1] || y != y ||
           std::fabs(y - lanes[kLanes - 1]) <= 1e-6f * std::fabs(y)));
    CHECK((y != y) == (lanes[0] != lanes[0]));
  }
}

}  // namespace

TEST_CASE("integer arithmetic wraps and never traps", "[values]") {
  for_types(Integers{}, [](auto zero) {
    using T = decltype(zero);
    constexpr bool is_signed = std::is_signed_v<T>;
    const T low = std::numeric_limits<T>::min();
    for (const T a : extremes<T>()) {
      CAPTURE(sizeof a, is_signed, +a);
      CHECK(fn::neg(a) == wrapped<T>(-Int128{a}));
      CHECK(fn::abs(a) == wrapped<T>(a < T{0} ? -Int128{a} : Int128{a}));
      CHECK(fn::sign(a) == static_cast<T>(a > T{0} ? 1 : a < T{0} ? -1 : 0));
      CHECK(fn::relu(a) == (a < T{0} ? T{0} : a));
      CHECK(fn::bitwise_not(a) == wrapped<T>(-1 - Int128{a}));
      (void)fn::shrink(a, 0.5f, 1e30f);
      for (const T b : extremes<T>()) {
        CAPTURE(+b);
        CHECK(fn::add(a, b) == wrapped<T>(Int128{a} + b));
        CHECK(fn::sub(a, b) == wrapped<T>(Int128{a} - b));
        CHECK(fn::mul(a, b) ==
              static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)));
        CHECK(fn::max(a, b) == (a > b ? a : b));
        CHECK(fn::min(a, b) == (a < b ? a : b));
        CHECK(fn::clip(a, b, low) == low);
        CHECK(fn::prelu(a, b) == (a < T{0} ? fn::mul(a, b) : a));
        CHECK(fn::div(a, b) == (b == T{0} ? T{0} : wrapped<T>(Int128{a} / Int128{b})));
        CHECK(fn::fmod(a, b) == (b == T{0} ? T{0} : wrapped<T>(Int128{a} % Int128{b})));
        const Int128 rest = b == T{0} ? 0 : Int128{a} % Int128{b};
        CHECK(fn::mod(a, b) == wrapped<T>(rest != 0 && (rest < 0) != (b < T{0}) ? rest + b : rest));
        for_types(Integers{}, [&](auto other) {
          using U = decltype(other);
          for (const U y : extremes<U>()) (void)fn::pow(a, y);
        });
      }
      for_types(Floats{}, [&](auto other) {
        for (const auto y : extremes<decltype(other)>()) (void)fn::pow(a, y);
      });
    }
    CHECK(fn::pow(T{2}, std::int64_t{-1}) == T{0});
    CHECK(fn::pow(T{0}, std::int64_t{-1}) == T{0});
    CHECK(fn::pow(T{3}, std::uint64_t{0}) == T{1});
    CHECK(fn::pow(T{2}, kNan) == T{0});
    CHECK(fn::pow(T{1}, kMin64) == T{1});
  });
}

TEST_CASE("shifts past the width give zero", "[values]") {
  for_types(Unsigned{}, [](auto zero) {
    using T = decltype(zero);
    const unsigned width = 8 * sizeof(T);
    for (const T a : extremes<T>())
      for (const T by : extremes<T>()) {
        CHECK(fn::shift_left(a, by) ==
              (by < width ? static_cast<T>(std::uint64_t{a} << by) : T{0}));
        CHECK(fn::shift_right(a, by) ==
              (by < width ? static_cast<T>(std::uint64_t{a} >> by) : T{0}));
      }
  });
}

TEST_CASE("real functions take every value", "[values]") {
#define ONNXC_TRY(...) try_real([](auto x) { return fn::__VA_ARGS__; })
  ONNXC_TRY(abs(x));
  ONNXC_TRY(acos(x));
  ONNXC_TRY(acosh(x));
  ONNXC_TRY(asin(x));
  ONNXC_TRY(asinh(x));
  ONNXC_TRY(atan(x));
  ONNXC_TRY(atanh(x));
  ONNXC_TRY(ceil(x));
  ONNXC_TRY(celu(x, 0.5f));
  ONNXC_TRY(cos(x));
  ONNXC_TRY(cosh(x));
  ONNXC_TRY(elu(x, 1.0f));
  ONNXC_TRY(erf(x));
  ONNXC_TRY(exp(x));
  ONNXC_TRY(floor(x));
  ONNXC_TRY(gelu(x));
  ONNXC_TRY(gelu_tanh(x));
  ONNXC_TRY(hard_sigmoid(x, 0.2f, 0.5f));
  ONNXC_TRY(hard_swish(x));
  ONNXC_TRY(leaky_relu(x, 0.01f));
  ONNXC_TRY(log(x));
  ONNXC_TRY(mish(x));
  ONNXC_TRY(neg(x));
  ONNXC_TRY(reciprocal(x));
  ONNXC_TRY(relu(x));
  ONNXC_TRY(round(x));
  ONNXC_TRY(selu(x, 1.67326319f, 1.05070102f));

  ONNXC_TRY(sigmoid(x));
  ONNXC_TRY(sign(x));
  ONNXC_TRY(sin(x));
  ONNXC_TRY(sinh(x));
  ONNXC_TRY(softplus(x));
  ONNXC_TRY(softsign(x));
  ONNXC_TRY(sqrt(x));
  ONNXC_TRY(swish(x, 1.0f));
  ONNXC_TRY(swish(x, -1.702f));
  ONNXC_TRY(tan(x));
  ONNXC_TRY(tanh(x));
  ONNXC_TRY(clip(x, -1.0f, 1.0f));
#undef ONNXC_TRY
  // Neither above nor below the threshold.
  CHECK(fn::thresholded_relu(kNan, 1.0f) == 0.0f);
  CHECK(fn::shrink(kNan, 0.5f, 1e30f) == 0.0f);
  CHECK(fn::gelu(-kInf) == 0.0f);
  CHECK(fn::gelu_tanh(-kInf) == 0.0f);
  CHECK(fn::mish(-kInf) == 0.0f);
  CHECK(fn::swish(-kInf, 1.0f) == 0.0f);
  CHECK(fn::hard_swish(-kInf) == 0.0f);
  CHECK(fn::softsign(-kInf) == -1.0f);
  CHECK(fn::softplus(kInf) == kInf);
}

TEST_CASE("real functions of two numbers take every value", "[values]") {
  for_types(Floats{}, [](auto zero) {
    using T = decltype(zero);
    for (const T a : extremes<T>())
      for (const T b : extremes<T>()) {
        CAPTURE(a, b);
        const bool nan = a != a || b != b;
        for (const T r :
             {fn::add(a, b), fn::sub(a, b), fn::mul(a, b), fn::div(a, b), fn::max(a, b),
              fn::min(a, b), fn::fmod(a, b), fn::mod(a, b), fn::sum(a, b), fn::mean(a, b)})
          if (nan) CHECK(r != r);
        (void)fn::pow(a, b);
        CHECK((!fn::less(a, b) || !nan));
        CHECK((!fn::greater_or_equal(a, b) || !nan));
        CHECK((!fn::equal(a, b) || !nan));
        if (!nan) CHECK(fn::max(a, b) == (a > b ? a : b));
        if (b == T{0}) CHECK(fn::mod(a, b) != fn::mod(a, b));
      }
  });
}

TEST_CASE("every cast gives a value", "[values]") {
  for_types(Stored{}, [](auto to) {
    using To = decltype(to);
    for_types(Floats{}, [](auto from) {
      for (const auto x : extremes<decltype(from)>()) (void)fn::cast<To>(x);
    });
    for_types(Integers{}, [](auto from) {
      for (const auto x : extremes<decltype(from)>()) (void)fn::cast<To>(x);
    });
    (void)fn::cast<To>(true);
  });
  // 32 and 64 bits saturate, narrower types keep the low bits of the 32-bit result.
  CHECK(fn::cast<std::int32_t>(3e9f) == std::numeric_limits<std::int32_t>::max());
  CHECK(fn::cast<std::uint32_t>(-1.0f) == 0u);
  CHECK(fn::cast<std::int64_t>(kInf) == kMax64);
  CHECK(fn::cast<std::uint64_t>(kInf) == std::numeric_limits<std::uint64_t>::max());
  CHECK(fn::cast<std::int16_t>(40000.0f) == static_cast<std::int16_t>(40000 - 65536));
  CHECK(fn::cast<std::int8_t>(kInf) == static_cast<std::int8_t>(-1));
  CHECK(fn::cast<std::int8_t>(kNan) == 0);
  CHECK(fn::cast<bool>(kNan));
}

TEST_CASE("NaN in maxima, sorting and the places of extremes", "[values]") {
  struct {
    Index outer, extent, inner, k;
    bool largest, last;
  } s{1, 5, 1, 3, true, false};
  const float x[] = {1, kNan, kInf, -kInf, kNan};
  std::int64_t at[3] = {};
  float top[3] = {};
  top_k(s, x, top, at);
  CHECK((at[0] == 1 && at[1] == 4 && at[2] == 2));
  arg_reduce(s, x, at);
  CHECK(at[0] == 1);
  s.largest = false;
  top_k(s, x, top, at);
  CHECK((at[0] == 3 && at[1] == 0 && at[2] == 2));
  arg_reduce(s, x, at);
  CHECK(at[0] == 1);
  s.last = true;
  arg_reduce(s, x, at);
  CHECK(at[0] == 4);
  CHECK(fn::max(1.0f, kNan, 2.0f) != fn::max(1.0f, kNan, 2.0f));
  CHECK(fn::min(kNan, 2.0f) != fn::min(kNan, 2.0f));
}

TEST_CASE("sums and products of integers wrap", "[values]") {
  struct {
    Index outer, extent, inner;
    bool exclusive, reverse;
  } const s{1, 12, 1, false, false};
  for_types(Integers{}, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> x = extremes<T>();
    x.resize(12, T{3});
    std::vector<T> y(12);
    Int128 sum = 0;
    cumulative<reduce_op::Sum>(s, x.data(), y.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += x[i];
      CHECK(y[i] == wrapped<T>(sum));
    }
    cumulative<reduce_op::Prod>(s, x.data(), y.data());
    const auto reduced = [&](auto op) {
      using Op = decltype(op);
      auto result = Op::start();
      for (const T v : x) result = Op::add(result, v);
      return Op::finish(result, 12);
    };
    (void)reduced(reduce_op::L1<T>{});
    (void)reduced(reduce_op::L2<T>{});
    (void)reduced(reduce_op::SumSquare<T>{});
    (void)reduced(reduce_op::LogSum<T>{});
    (void)reduced(reduce_op::LogSumExp<T>{});
    CHECK(reduced(reduce_op::Mean<T>{}) == static_cast<T>(sum / 12));
    using Mean = reduce_op::Mean<T>;
    CHECK(Mean::finish(Mean::start(), 0) == T{0});
    CHECK(Mean::finish(Mean::add(Mean::start(), std::numeric_limits<T>::min()), 1) ==
          std::numeric_limits<T>::min());
    struct {
      Index count;
    } const r{4};
    const T start = std::numeric_limits<T>::max(), step = std::numeric_limits<T>::max();
    range(r, &start, &step, y.data());
    CHECK(y[1] == wrapped<T>(Int128{start} + step));
  });
}

TEST_CASE("indices outside give an error and touch nothing", "[values]") {
  struct {
    Index outer, extent, inner, count, dims[1], strides[1], axis, size, batch, batch_size,
        extents[1];
  } const s{1, 3, 1, 1, {1}, {1}, 0, 3, 1, 3, {3}};
  const float x[] = {1, 2, 3}, update[] = {9};
  for (const std::int64_t bad : {std::int64_t{3}, std::int64_t{-4}, kMin64, kMax64, kMin64 + 3}) {
    float y[3] = {7, 7, 7};
    CAPTURE(bad);
    CHECK(gather(s, x, &bad, y) == Status::bad_index);
    CHECK(gather_elements<1>(s, x, &bad, y) == Status::bad_index);
    CHECK(gather_nd<1>(s, x, &bad, y) == Status::bad_index);
    CHECK(scatter_elements<1, ScatterOp::set>(s, x, &bad, update, y) == Status::bad_index);
    CHECK(scatter_nd<1, ScatterOp::set>(s, x, &bad, update, y) == Status::bad_index);
    CHECK((y[0] == 7 && y[1] == 7 && y[2] == 7));
  }
  for (const std::int64_t good : {-3, -1, 0, 2}) {
    float y = 0;
    CHECK(gather(s, x, &good, &y) == Status::ok);
    CHECK(y == x[(good + 3) % 3]);
  }
}

TEST_CASE("other indices from the data", "[values]") {
  struct {
    Index outer, depth, inner;
  } const hot{1, 3, 1};
  const float values[] = {0, 1};
  float y[8];
  for_types(Floats{}, [&](auto zero) {
    for (const auto v : extremes<decltype(zero)>()) one_hot(hot, &v, values, y);
  });
  for_types(Integers{}, [&](auto zero) {
    for (const auto v : extremes<decltype(zero)>()) one_hot(hot, &v, values, y);
  });
  const std::int64_t far = kMax64;
  one_hot(hot, &far, values, y);
  CHECK((y[0] == 0 && y[1] == 0 && y[2] == 0));
  struct {
    Index count, grid[2], out[2];
  } const pool{1, {2, 2}, {2, 2}};
  struct {
    Index first, second, inner;
    bool batch_first;
  } const reverse{1, 2, 1, true};
  struct {
    Index batch, rows, capacity, length, inner;
    bool circular;
  } cache{1, 1, 2, 1, 1, false};
  const float x[] = {1, 2}, update[] = {5};
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{4}, kMin64, kMax64}) {
    CAPTURE(bad);
    CHECK(max_unpool<2>(pool, x, &bad, y) == Status::bad_index);
    CHECK(reverse_sequence(reverse, x, &bad, y) == Status::bad_index);
    cache.circular = false;
    CHECK(tensor_scatter(cache, x, update, &bad, y) == Status::bad_index);
    cache.circular = true;
    CHECK(tensor_scatter(cache, x, update, &bad, y) == Status::ok);
  }
}

TEST_CASE("quantised values saturate", "[values]") {
  struct {
    Index outer, count, inner, block, scale_outer, scale_axis, scale_inner;
    bool saturate;
  } const s{1, 1, 1, 1, 0, 0, 0, true};
  const auto quantize = [&](auto zero) {
    using T = decltype(zero);
    const T middle(1);
    for (const float x : extremes<float>())
      for (const float scale : extremes<float>()) {
        T y{};
        quantize_linear(s, &x, &scale, &middle, &y);
        float back = 0;
        dequantize_linear(s, &y, &scale, &middle, &back);
      }
    const float one = 1, huge = 1e30f;
    T y{};
    quantize_linear(s, &huge, &one, &middle, &y);
    CHECK(static_cast<float>(static_cast<compute_t<T>>(y)) == integer_range<T>::high);
  };
  for_types(
      Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int4, uint4, int2, uint2>{},
      quantize);
  struct {
    Index count;
  } const d{20};
  const std::vector<float> x = extremes<float>();
  std::uint8_t y[20], zero = 0;
  float scale = 0;
  dynamic_quantize_linear(d, x.data(), y, &scale, &zero);
}

TEST_CASE("regions and coordinates from the data", "[values]") {
  struct {
    Index batch, channels, height, width, count, out_h, out_w, samples;
    float scale;
    bool half_pixel, largest;
  } const roi{1, 1, 2, 2, 1, 2, 2, 2, 1.0f, false, false};
  struct {
    Index batch, channels, in[2], positions, filter, padding;
    bool align;
  } grid{1, 1, {2, 2}, 1, 0, 0, false};
  struct {
    Index batch, group, in_c, out_c, offset_group, in[1], out[1], kernel[1], stride[1], dilation[1],
        pad[1];
  } const conv{1, 1, 1, 1, 1, {2}, {1}, {1}, {1}, {1}, {0}};
  const float image[] = {1, 2, 3, 4}, one = 1;
  float y[4];
  for (const float a : extremes<float>())
    for (const float b : extremes<float>()) {
      const float box[] = {a, b, b, a}, batched[] = {0, a, b, b, a}, place[] = {a, b};
      const std::int64_t first = 0;
      CHECK(roi_align(roi, image, box, &first, y) == Status::ok);
      CHECK(max_roi_pool(roi, image, batched, y) == Status::ok);
      for (grid.filter = 0; grid.filter < 3; ++grid.filter)
        for (grid.padding = 0; grid.padding < 3; ++grid.padding)
          grid_sample<2>(grid, image, place, y);
      deform_conv_nd<1>(conv, image, &one, &a, &b, &b, y);
    }
  const float outside[] = {1, 0, 0, 1, 1}, nowhere[] = {kNan, 0, 0, 1, 1};
  CHECK(max_roi_pool(roi, image, outside, y) == Status::bad_index);
  CHECK(max_roi_pool(roi, image, nowhere, y) == Status::bad_index);
  const std::int64_t bad = kMin64;
  CHECK(roi_align(roi, image, image, &bad, y) == Status::bad_index);
}
