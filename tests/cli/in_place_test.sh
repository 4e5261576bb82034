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
  # Its input is read again behind it.
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
finish
