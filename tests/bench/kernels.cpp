// kernels.cpp - speed of the float kernels compared with the peak of the same run. Arguments:
// substrings of names to run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>

#include "templates/convolution/conv2d_nhwc.hpp"
#include "templates/convolution/conv2d_winograd_nhwc.hpp"
#include "templates/convolution/depthwise_conv2d_nhwc.hpp"
#include "templates/matmul/gemm.hpp"
#include "templates/matmul/gemm_dynamic.hpp"

namespace {

using onnxc::Index;
using onnxc::vfloat;

constexpr int kPanel = onnxc::kLanes == 16  ? 32
                       : onnxc::kLanes == 8 ? 16
                       : onnxc::kLanes == 4 ? 8
                                            : 4;
constexpr int kRows = onnxc::kLanes == 16 ? 14 : onnxc::kLanes == 8 ? 6 : 4;

struct Free {
  void operator()(float* p) const { std::free(p); }
};

struct Buffer {
  std::unique_ptr<float, Free> data;
  explicit Buffer(Index count) {
    const auto bytes = static_cast<std::size_t>((count + 2048) * 4 + 63) / 64 * 64;
    data.reset(static_cast<float*>(std::aligned_alloc(64, bytes)));
    for (Index i = 0; i < count + 2048; ++i) data.get()[i] = static_cast<float>(i % 17) * 0.01f;
  }
  operator float*() const { return data.get(); }
};

// Processor time, which other programs on the machine disturb less than the time of day.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Seconds of one call: the best of many rounds, since other work shares the machine.
template <class F>
double best_time(F f) {
  double best = 1e9;
  f();
  const double once = std::max(seconds(), 0.0);
  f();
  const double estimate = std::max(seconds() - once, 1e-7);
  const int repeats = std::max(1, static_cast<int>(3e-3 / estimate));
  for (int round = 0; round < 25; ++round) {
    const double start = seconds();
    for (int i = 0; i < repeats; ++i) f();
    best = std::min(best, (seconds() - start) / repeats);
  }
  return best;
}

// Independent chains of multiply-add: what the cores can do at most.
[[gnu::noinline]] void multiply_add(int count, float* out) {
  vfloat a[10];
  for (int i = 0; i < 10; ++i) a[i] = onnxc::broadcast(static_cast<float>(i));
  const vfloat m = onnxc::broadcast(out[0]);
#pragma GCC unroll 1
  for (int k = 0; k < count; ++k) {
#pragma GCC unroll 10
    for (int i = 0; i < 10; ++i) a[i] = a[i] * m + m;
  }
  for (int i = 0; i < 10; ++i) out[1] += onnxc::horizontal_sum(a[i]);
}

double peak() {
  float out[2] = {0.5f, 0.0f};
  const int count = 100000;
  return 2.0 * count * 10 * onnxc::kLanes / best_time([&] { multiply_add(count, out); }) / 1e9;
}

int filter_count = 0;
char** filters = nullptr;
double peak_gflops = 0;

template <class F>
void report(const char* name, double flop, F f) {
  bool wanted = filter_count == 0;
  for (int i = 0; i < filter_count; ++i)
    wanted = wanted || std::strstr(name, filters[i]) != nullptr;
  if (!wanted) return;
  const double time = best_time(f);
  const double gflops = flop / time / 1e9;
  std::printf("%-44s %10.1f us %8.1f GFLOP/s %6.1f %%\n", name, time * 1e6, gflops,
              100 * gflops / peak_gflops);
}

struct Relu {
  template <class V>
  V operator()(V v, Index, Index) const {
    return onnxc::select(v < V{}, V{}, v);
  }
};

template <Index M, Index K, Index N, Index LDX = K>
struct GemmShape {
  static constexpr Index m = M, k = K, n = N, ldx = LDX, ldy = N;
};

template <class S, class Epilogue = onnxc::NoEpilogue>
void bench_gemm(const char* name) {
  const S s;
  const Buffer x(s.m * s.ldx);
  const Buffer w(onnxc::packed_gemm_size<kPanel>(s.k, s.n));
  const Buffer bias(s.n);
  const Buffer y(s.m * s.ldy);
  const double flop = 2.0 * static_cast<double>(s.m * s.k * s.n);
  report(name, flop, [&] { onnxc::gemm<kRows, kPanel>(s, x, w, bias, y, Epilogue{}); });
}

void bench_gemms() {
  bench_gemm<GemmShape<64, 64, 64>>("gemm 64 64 64");
  bench_gemm<GemmShape<64, 64, 64>, Relu>("gemm 64 64 64 relu");
  bench_gemm<GemmShape<784, 32, 64>, Relu>("gemm 784 32 64 relu");
  bench_gemm<GemmShape<128, 128, 128>>("gemm 128 128 128");
  bench_gemm<GemmShape<256, 256, 256>>("gemm 256 256 256");
  bench_gemm<GemmShape<256, 256, 256, 272>>("gemm 256 256 256 ldx 272");
  bench_gemm<GemmShape<384, 384, 1536>>("gemm 384 384 1536");
  bench_gemm<GemmShape<384, 384, 1536, 400>>("gemm 384 384 1536 ldx 400");
  bench_gemm<GemmShape<1024, 1024, 1024>>("gemm 1024 1024 1024");
  bench_gemm<GemmShape<1024, 1024, 1024, 1040>>("gemm 1024 1024 1024 ldx 1040");
  bench_gemm<GemmShape<49, 512, 2048>>("gemm 49 512 2048");
  bench_gemm<GemmShape<1, 1024, 1024>>("gemm 1 1024 1024");
  bench_gemm<GemmShape<1, 256, 256>>("gemm 1 256 256");
  bench_gemm<GemmShape<4, 1024, 1024>>("gemm 4 1024 1024");
}

template <Index BATCH, Index M, Index K, Index N, bool TRANSPOSED>
struct MatMulShape {
  static constexpr Index batch = BATCH, m = M, k = K, n = N, lda = K, ldb = TRANSPOSED ? K : N,
                         ldy = N, a_batch = M * K, b_batch = K * N, y_batch = M * N;
  static constexpr bool transposed_b = TRANSPOSED;
  static constexpr Index packed_floats = onnxc::kGemmDynamicFloats;
  static constexpr float alpha = 0.125f;
};

template <class S>
void bench_matmul(const char* name) {
  const S s;
  const Buffer a(s.batch * s.m * s.k);
  const Buffer b(s.batch * s.k * s.n);
  const Buffer y(s.batch * s.m * s.n);
  const Buffer scratch(onnxc::gemm_dynamic_scratch(s, kPanel));
  const double flop = 2.0 * static_cast<double>(s.batch * s.m * s.k * s.n);
  report(name, flop, [&] { onnxc::gemm_dynamic<kRows, kPanel>(s, a, b, y, scratch); });
}

void bench_matmuls() {
  bench_matmul<MatMulShape<12, 128, 32, 128, true>>("matmul 12 x 128 32 128 transposed");
  bench_matmul<MatMulShape<12, 128, 128, 32, false>>("matmul 12 x 128 128 32");
  bench_matmul<MatMulShape<12, 128, 64, 128, true>>("matmul 12 x 128 64 128 transposed");
  bench_matmul<MatMulShape<1, 512, 512, 512, false>>("matmul 512 512 512");
  bench_matmul<MatMulShape<1, 512, 512, 512, true>>("matmul 512 512 512 transposed");
  bench_matmul<MatMulShape<12, 1, 64, 256, true>>("matmul 12 x 1 64 256 transposed");
  bench_matmul<MatMulShape<12, 1, 256, 64, false>>("matmul 12 x 1 256 64");
}

template <Index HW, Index CI, Index CO, Index K, Index STRIDE, Index GROUP = 1>
struct ConvShape {
  static constexpr Index batch = 1, in_h = HW, in_w = HW, in_c = CI,
                         out_h = (HW + K / 2 * 2 - K) / STRIDE + 1, out_w = out_h, out_c = CO,
                         k_h = K, k_w = K, stride_h = STRIDE, stride_w = STRIDE, dilation_h = 1,
                         dilation_w = 1, pad_top = K / 2, pad_left = K / 2, group = GROUP, ldx = CI,
                         ldy = CO, ld_epilogue = CO;
};

template <class S>
double conv_flop(const S& s) {
  return 2.0 * static_cast<double>(s.out_h * s.out_w * s.out_c * s.k_h * s.k_w * s.in_c / s.group);
}

template <class S>
void bench_conv(const char* name) {
  const S s;
  constexpr bool narrow = S::out_c <= kPanel / 2 && onnxc::kLanes > 1;
  constexpr int panel = narrow ? kPanel / 2 : kPanel;
  constexpr int rows = narrow ? 2 * kRows : kRows;
  const Buffer x(s.in_h * s.in_w * s.in_c);
  const Buffer w(onnxc::packed_conv2d_size<panel>(s.out_c, s.in_c, s.k_h, s.k_w, s.group));
  const Buffer bias(s.out_c);
  const Buffer y(s.out_h * s.out_w * s.out_c);
  report(name, conv_flop(s), [&] { onnxc::conv2d_nhwc<rows, panel>(s, x, w, bias, y, Relu{}); });
}

void bench_convs() {
  bench_conv<ConvShape<56, 64, 64, 3, 1>>("conv 3x3 56x56 64 64");
  bench_conv<ConvShape<28, 128, 128, 3, 1>>("conv 3x3 28x28 128 128");
  bench_conv<ConvShape<14, 256, 256, 3, 1>>("conv 3x3 14x14 256 256");
  bench_conv<ConvShape<7, 512, 512, 3, 1>>("conv 3x3 7x7 512 512");
  bench_conv<ConvShape<32, 16, 16, 3, 1>>("conv 3x3 32x32 16 16");
  bench_conv<ConvShape<56, 128, 128, 3, 2>>("conv 3x3 s2 56x56 128 128");
  bench_conv<ConvShape<224, 3, 64, 7, 2>>("conv 7x7 s2 224x224 3 64");
  bench_conv<ConvShape<224, 3, 32, 3, 2>>("conv 3x3 s2 224x224 3 32");
  bench_conv<ConvShape<224, 3, 64, 3, 1>>("conv 3x3 224x224 3 64");
  bench_conv<ConvShape<28, 192, 64, 1, 1>>("conv 1x1 28x28 192 64");
  bench_conv<ConvShape<56, 256, 512, 1, 2>>("conv 1x1 s2 56x56 256 512");
  bench_conv<ConvShape<7, 2048, 512, 1, 1>>("conv 1x1 7x7 2048 512");
  bench_conv<ConvShape<56, 64, 256, 1, 1>>("conv 1x1 56x56 64 256");
  bench_conv<ConvShape<112, 32, 16, 1, 1>>("conv 1x1 112x112 32 16");
}

template <class S>
void bench_winograd(const char* name) {
  const S s;
  const Buffer x(s.in_h * s.in_w * s.in_c);
  const Buffer w(onnxc::packed_winograd_size<kPanel>(s.out_c, s.in_c));
  const Buffer bias(s.out_c);
  const Buffer y(s.out_h * s.out_w * s.out_c);
  const Buffer scratch(onnxc::conv2d_winograd_scratch(s));
  report(name, conv_flop(s),
         [&] { onnxc::conv2d_winograd_nhwc<kRows, kPanel>(s, x, w, bias, y, scratch, Relu{}); });
}

void bench_winograds() {
  bench_winograd<ConvShape<224, 64, 64, 3, 1>>("winograd 224x224 64 64");
  bench_winograd<ConvShape<56, 64, 64, 3, 1>>("winograd 56x56 64 64");
  bench_winograd<ConvShape<28, 128, 128, 3, 1>>("winograd 28x28 128 128");
  bench_winograd<ConvShape<14, 256, 256, 3, 1>>("winograd 14x14 256 256");
  bench_winograd<ConvShape<7, 512, 512, 3, 1>>("winograd 7x7 512 512");
  bench_winograd<ConvShape<28, 512, 512, 3, 1>>("winograd 28x28 512 512");
  bench_winograd<ConvShape<32, 16, 16, 3, 1>>("winograd 32x32 16 16");
}

template <class S>
void bench_depthwise(const char* name) {
  const S s;
  const Buffer x(s.in_h * s.in_w * s.in_c);
  const Buffer w(s.k_h * s.k_w * s.out_c);
  const Buffer bias(s.out_c);
  const Buffer y(s.out_h * s.out_w * s.out_c);
  report(name, conv_flop(s), [&] { onnxc::depthwise_conv2d_nhwc(s, x, w, bias, y, Relu{}); });
}

void bench_depthwises() {
  bench_depthwise<ConvShape<112, 32, 32, 3, 1, 32>>("depthwise 3x3 112x112 32");
  bench_depthwise<ConvShape<112, 96, 96, 3, 2, 96>>("depthwise 3x3 s2 112x112 96");
  bench_depthwise<ConvShape<28, 192, 192, 3, 1, 192>>("depthwise 3x3 28x28 192");
  bench_depthwise<ConvShape<14, 576, 576, 3, 1, 576>>("depthwise 3x3 14x14 576");
  bench_depthwise<ConvShape<7, 960, 960, 3, 1, 960>>("depthwise 3x3 7x7 960");
  bench_depthwise<ConvShape<28, 120, 120, 5, 1, 120>>("depthwise 5x5 28x28 120");
  bench_depthwise<ConvShape<24, 64, 64, 3, 1, 64>>("depthwise 3x3 24x24 64");
}

}  // namespace

int main(int argc, char** argv) {
  filter_count = argc - 1;
  filters = argv + 1;
  peak_gflops = peak();
  std::printf("peak %.1f GFLOP/s, %d lanes, tile %d x %d\n", peak_gflops, onnxc::kLanes, kRows,
              kPanel);
  bench_gemms();
  bench_matmuls();
  bench_convs();
  bench_winograds();
  bench_depthwises();
}
