#!/usr/bin/env bash
# --threads: the same bits for every number of threads, no data races, and nothing of it without the option.
. "$(dirname "$0")/check.sh"

# Steps that are worth dividing among threads.
cat >steps.case <<'END'
=== threads
<ir_version: 8, opset_import: ["": 17]>
(float[batch,3,64,64] x) => (float[batch,256] y) <
  float[48,3,3,3] w1 = uniform(1, -0.192, 0.192),
  float[48] b1 = uniform(2, -1, 1),
  float[48,48,3,3] w2 = uniform(3, -0.048, 0.048),
  float[48,1,3,3] w3 = uniform(4, -0.333, 0.333),
  float[72,48,1,1] w4 = uniform(5, -0.144, 0.144),
  float[64,72,5,5] w5 = uniform(6, -0.024, 0.024),
  int64[3] rows = {0, 64, -1},
  float[64] g6 = uniform(7, -1, 1),
  float[64] h6 = uniform(8, -1, 1),
  float[64,256] w7 = uniform(9, -0.062, 0.062)
> {
  c1 = Conv <pads = [1, 1, 1, 1]> (x, w1, b1)
  r1 = Relu (c1)
  c2 = Conv <pads = [1, 1, 1, 1]> (r1, w2)
  a2 = Add (c2, r1)
  c3 = Conv <pads = [1, 1, 1, 1], group = 48> (a2, w3)
  c4 = Conv (c3, w4)
  p4 = MaxPool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (c4)
  c5 = Conv <strides = [2, 2], pads = [2, 2, 2, 2]> (p4, w5)
  f5 = Reshape (c5, rows)
  t5 = Transpose <perm = [0, 2, 1]> (f5)
  n6 = LayerNormalization (t5, g6, h6)
  k6 = Transpose <perm = [0, 2, 1]> (n6)
  s6 = MatMul (n6, k6)
  q6 = Softmax <axis = -1> (s6)
  v6 = MatMul (q6, n6)
  m7 = MatMul (v6, w7)
  e7 = Sigmoid (m7)
  u7 = Mul (m7, e7)
  y = ReduceMean <axes = [1], keepdims = 0> (u7)
}
given float[1,3,64,64] x = full(0)
END
"$onnxc" verify --export . steps.case
mv steps/threads/model.onnx .

dims="--dim batch=2"
for n in 1 2 3 7; do "$onnxc" model.onnx -o a/t$n --name t$n $dims --threads $n -q; done
"$onnxc" model.onnx -o a/open --name open --threads 3 -q
"$onnxc" model.onnx -o omp/t2 --name t2 $dims --threads 2 --openmp -q
cp a/t1.* omp

cat >results.hpp <<'END'
#include <cstring>
#include <vector>

constexpr std::size_t kIn = 2 * 3 * 64 * 64, kOut = 2 * 256;

inline std::vector<float> picture() {
  std::vector<float> x(kIn);
  for (std::size_t i = 0; i < kIn; ++i) x[i] = static_cast<float>(i * 7919 % 1000) * 1e-3f;
  return x;
}

// Memory of a model, aligned.
struct Memory {
  std::vector<unsigned char> bytes;
  explicit Memory(std::size_t n) : bytes(n + 64, 0xff) {}
  void* start() {
    return bytes.data() + (64 - reinterpret_cast<std::uintptr_t>(bytes.data()) % 64) % 64;
  }
};

inline bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return std::memcmp(a.data(), b.data(), kOut * sizeof(float)) == 0;
}
END

cat >main.cpp <<'END'
#include <cstdint>
#include <thread>

#include "open.h"
#include "results.hpp"
#include "t1.h"
#include "t2.h"
#include "t3.h"
#include "t7.h"

namespace {

// A pool of as many threads as are asked for; 0: none.
#define RESULT(model, MODEL)                                                             \
  std::vector<float> model##_result(std::size_t threads) {                               \
    const std::vector<float> x = picture();                                              \
    std::vector<float> y(kOut);                                                          \
    Memory arena(MODEL##_ARENA_BYTES), memory(MODEL##_POOL_BYTES);                       \
    model##_pool* const pool = threads ? model##_pool_start(memory.start(), threads) : nullptr; \
    const model##_inputs in = {x.data(), pool};                                          \
    const model##_outputs out = {y.data()};                                              \
    for (int i = 0; i < 3; ++i)                                                          \
      if (model##_run(&in, &out, arena.start()) != MODEL##_OK) y.assign(kOut, -1.0f);    \
    model##_pool_stop(pool);                                                             \
    return y;                                                                            \
  }
RESULT(t2, T2)
RESULT(t3, T3)
RESULT(t7, T7)

std::vector<float> open_result(std::int64_t batch) {
  const std::vector<float> x = picture();
  std::vector<float> y(kOut);
  Memory arena(OPEN_ARENA_BYTES), memory(OPEN_POOL_BYTES);
  open_pool* const pool = open_pool_start(memory.start(), OPEN_THREADS);
  open_inputs in{};
  open_outputs out{};
  in.x = x.data();
  in.x_dims[0] = batch, in.x_dims[1] = 3, in.x_dims[2] = in.x_dims[3] = 64;
  in.pool_ = pool;
  out.y = y.data();
  out.y_capacity = kOut;
  if (open_run(&in, &out, arena.start()) != OPEN_OK) y.assign(kOut, -1.0f);
  open_pool_stop(pool);
  return y;
}

}  // namespace

int main() {
  const std::vector<float> x = picture();
  std::vector<float> want(kOut);
  Memory arena(T1_ARENA_BYTES);
  const t1_inputs in = {x.data()};
  const t1_outputs out = {want.data()};
  if (t1_run(&in, &out, arena.start()) != T1_OK) return 1;
  if (!(want[0] == want[0]) || want[0] == want[1]) return 2;
  for (std::size_t threads : {0, 1, 2, 5}) {
    if (!same(t2_result(threads), want)) return 3;
    if (!same(t3_result(threads), want)) return 4;
    if (!same(t7_result(threads), want)) return 5;
  }
  if (!same(t7_result(7), want)) return 6;
  if (!same(open_result(2), want)) return 7;
  // Two models, each with its pool, and two instances of one, at once.
  bool good[3] = {};
  std::thread a([&] { good[0] = same(t3_result(3), want); }), b([&] { good[1] = same(t2_result(2), want); });
  good[2] = same(t3_result(3), want);
  a.join();
  b.join();
  if (!good[0] || !good[1] || !good[2]) return 8;
  unsigned char misaligned[65];
  return t2_pool_start(misaligned + (reinterpret_cast<std::uintptr_t>(misaligned) % 64 == 0), 2) == nullptr ? 0 : 9;
}
END

cat >openmp.cpp <<'END'
#include <cstdint>

#include "results.hpp"
#include "t1.h"
#include "t2.h"

int main() {
  const std::vector<float> x = picture();
  std::vector<float> want(kOut), got(kOut);
  Memory arena(T1_ARENA_BYTES + T2_ARENA_BYTES);
  const t1_inputs in1 = {x.data()};
  const t1_outputs out1 = {want.data()};
  const t2_inputs in2 = {x.data()};
  const t2_outputs out2 = {got.data()};
  if (t1_run(&in1, &out1, arena.start()) != T1_OK || t2_run(&in2, &out2, arena.start()) != T2_OK) return 1;
  return same(want, got) ? 0 : 2;
}
END

strict="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Werror"
build() { ${CXX:-g++} -std=c++17 -O1 $2 -pthread -I. -I"$4" $1.cpp "$4"/*.cpp -o "$3"; }
check "without the option nothing of it" sh -c '! grep -E "pthread|Threads|with_chunk\(.*chunk\)\)" a/t1.cpp && ! grep pool a/t1.h'
check "work is divided" [ "$(grep -c "threads.run(" a/t2.cpp)" -ge 10 ]
check "small work is not" sh -c "'$onnxc' '$mlp' -o b/flowers --threads 2 -q && ! grep 'threads.run(' b/flowers.cpp"
check "compiles without warnings" ${CXX:-g++} -std=c++17 -O1 $strict -fno-exceptions -fno-rtti -c a/t2.cpp -o t2.o
check "compiles with an open batch" ${CXX:-g++} -std=c++17 -O1 $strict -fno-exceptions -fno-rtti -c a/open.cpp -o open.o
check "compiles OpenMP without warnings" ${CXX:-g++} -std=c++17 -O2 $strict -fopenmp -c omp/t2.cpp -o omp.o
check "builds with the thread sanitizer" build main -fsanitize=thread tsan a
check "equal bits, no data race" ./tsan
slow || { finish; exit; }
check "builds for this machine" build main "-march=native -O2" native a
check "equal bits on this machine" ./native
check "builds with sanitizers" build main "-fsanitize=address,undefined -fno-sanitize-recover=all" asan a
check "nothing out of bounds" ./asan
check "builds with OpenMP" build openmp -fopenmp openmp omp
check "equal bits with OpenMP" ./openmp
check "builds without -fopenmp" build openmp "" serial omp
check "equal bits without -fopenmp" ./serial
finish
