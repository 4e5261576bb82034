#!/usr/bin/env bash
# Caches that a run updates where they are: the header names them, and the results are the same.
. "$(dirname "$0")/check.sh"

cat >caches.case <<'END'
=== in_place
<ir_version: 10, opset_import: ["": 24]>
(float[2,3,2,8] q, float[2,3,2,8] new_k, float[2,3,2,8] new_v, float[2,3,16,8] past_k,
    float[2,3,16,8] past_v, float[2,3,16,8] late, int64[2] start, int64[2] length) =>
(float[2,3,2,8] y, float[2,3,16,8] present_k, float[2,3,16,8] present_v, float[2,3,16,8] copied,
    float[2,3,16,8] sum) {
  present_k = TensorScatter (past_k, new_k, start)
  present_v = TensorScatter (past_v, new_v, start)
  y = Attention (q, present_k, present_v, "", "", "", length)
  # Its input is read again after it.
  copied = TensorScatter (late, new_k, start)
  sum = Add (late, copied)
}
given float[2,3,2,8] q = full(0)
END
"$onnxc" verify --export . caches.case
mv caches/in_place/model.onnx .
"$onnxc" model.onnx -o kv --threads 2 -q

for pair in "present_k past_k" "present_v past_v" "sum late"; do
  check "$pair may be one" grep -q "in place  out->${pair% *} may be the memory of in->${pair#* }" kv.h
done
check "nothing else may" [ "$(grep -c 'in place  ' kv.h)" = 3 ]
check "a model without such outputs says nothing of it" \
  sh -c "'$onnxc' '$mlp' -o mlp -q && ! grep -q 'in place' mlp.h"

cat >main.cpp <<'END'
#include <cstring>

#include "kv.h"

namespace {

constexpr int kCache = 2 * 3 * 16 * 8, kFresh = 2 * 3 * 2 * 8;

struct State {
  float k[kCache], v[kCache], late[kCache], y[kFresh], copied[kCache];
};

void fill(float* x, int count, unsigned seed) {
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
}

// One run; where `apart` is null the caches stay where they are.
int step(State& s, State* apart, const int64_t* at) {
  alignas(KV_ARENA_ALIGN) static unsigned char arena[KV_ARENA_BYTES + 1];
  const int64_t length[2] = {at[0] + 2, at[1] + 2};
  float q[kFresh], k[kFresh], v[kFresh];
  fill(q, kFresh, 1);
  fill(k, kFresh, 2);
  fill(v, kFresh, 3);
  State& to = apart != nullptr ? *apart : s;
  kv_inputs in{};
  in.q = q, in.new_k = k, in.new_v = v, in.past_k = s.k, in.past_v = s.v, in.late = s.late;
  in.start = at, in.length = length;
  kv_outputs out{};
  out.y = to.y, out.present_k = to.k, out.present_v = to.v, out.copied = to.copied, out.sum = to.late;
  return kv_run(&in, &out, arena);
}

}  // namespace

int main() {
  static State a, b, c;
  fill(a.k, kCache, 4);
  fill(a.v, kCache, 5);
  fill(a.late, kCache, 6);
  b = a;
  const int64_t first[2] = {0, 9}, second[2] = {2, 11};
  if (step(a, &c, first) != 0 || step(c, &a, second) != 0) return 1;
  if (step(b, nullptr, first) != 0 || step(b, nullptr, second) != 0) return 1;
  return std::memcmp(&a, &b, sizeof a) == 0 ? 0 : 2;
}
END
check "it compiles" ${CXX:-g++} -std=c++17 -O1 -fsanitize=address,undefined main.cpp kv*.cpp -o main -pthread
check "the results are the same" ./main

# A decoder whose caches are as long as a bound on the mask, which determines the length so far.
cat >grouped.case <<'END'
=== grouped
<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
(float[1,1,16] q, float[1,1,8] new_k, float[1,1,8] new_v, float[1,1,12,8] past_k, float[1,1,12,8] past_v, int64[1,total] mask) =>
    (float[1,1,16] y, float[1,1,rows,8] present_k, float[1,1,rows,8] present_v) <
  int64[1] row = {1}, int64[1] one = {1}, int64 second = {1}
> {
  sum = ReduceSum <keepdims = 0> (mask, row)
  last = Sub (sum, one)
  lengths = Cast <to = 6> (last)
  shape = Shape (mask)
  longest = Gather (shape, second)
  longest32 = Cast <to = 6> (longest)
  y, present_k, present_v = com.microsoft.GroupQueryAttention <kv_num_heads = 1, num_heads = 2>
    (q, new_k, new_v, past_k, past_v, lengths, longest32)
}
given float[1,1,16] q = full(0)
END
"$onnxc" verify --export . grouped.case
"$onnxc" grouped/grouped/model.onnx -o open -q
check "no bound: the caches may grow" sh -c "! grep -q 'in place' open.h"
"$onnxc" grouped/grouped/model.onnx -o lm --dim total=1..12 --threads 2 -q
for part in k v; do
  check "present_$part stays in place" grep -q "in place  out->present_$part may be the memory of in->past_$part" lm.h
done
cat >grouped.cpp <<'END'
#include <cstring>

#include "lm.h"

namespace {

constexpr int kRows = 12, kWidth = 8;

struct Caches {
  float k[kRows * kWidth], v[kRows * kWidth], y[2 * kWidth];
};

int step(const Caches& from, Caches& to, int64_t total) {
  alignas(LM_ARENA_ALIGN) static unsigned char arena[LM_ARENA_BYTES + 1];
  float q[2 * kWidth], k[kWidth], v[kWidth];
  for (int i = 0; i < kWidth; ++i) q[i] = q[i + kWidth] = k[i] = static_cast<float>(i) / 4, v[i] = 2;
  int64_t mask[kRows];
  for (int64_t& m : mask) m = 1;
  lm_inputs in{};
  in.q = q, in.new_k = k, in.new_v = v, in.past_k = from.k, in.past_v = from.v, in.mask = mask;
  in.mask_dims[0] = 1, in.mask_dims[1] = total;
  lm_outputs out{};
  out.y = to.y, out.present_k = to.k, out.present_v = to.v;
  return lm_run(&in, &out, arena);
}

}  // namespace

int main() {
  Caches a, b{};
  for (int i = 0; i < kRows * kWidth; ++i) a.k[i] = static_cast<float>(i % 5), a.v[i] = static_cast<float>(i % 7);
  if (step(a, b, 5) != LM_OK) return 1;
  Caches same = a;
  if (step(same, same, 5) != LM_OK) return 2;
  constexpr int kUsed = 5 * kWidth;
  if (std::memcmp(same.y, b.y, sizeof b.y) != 0) return 3;
  if (std::memcmp(same.k, b.k, kUsed * sizeof(float)) != 0) return 4;
  if (std::memcmp(same.v, b.v, kUsed * sizeof(float)) != 0) return 5;
  for (int i = kUsed; i < kRows * kWidth; ++i)
    if (same.k[i] != a.k[i] || b.k[i] != 0.0f) return 6;
  return step(a, b, 13) == LM_OK ? 7 : 0;
}
END
check "it compiles" g++ -std=c++17 -O1 grouped.cpp lm.cpp -pthread -o grouped_run
check "in place as in separate memory, and what follows is kept" ./grouped_run
finish
