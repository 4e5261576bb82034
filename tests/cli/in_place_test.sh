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
unpack caches.case
mv caches/in_place/model.onnx .
"$onnxc" model.onnx -o kv --threads 2 -q

for pair in "present_k past_k" "present_v past_v" "sum late"; do
  check "$pair may be one" grep -q "in place  out->${pair% *} may be the memory of in->${pair#* }" kv.h
done
check "nothing else may" [ "$(grep -c 'in place  ' kv.h)" = 3 ]
check "a model without such outputs says nothing of it" \
  sh -c "'$onnxc' '$mlp' -o mlp -q && ! grep -q 'in place' mlp.h"

program "the results are the same" in_place kv*.cpp

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
unpack grouped.case
"$onnxc" grouped/grouped/model.onnx -o open -q
check "no bound: the caches may grow" sh -c "! grep -q 'in place' open.h"
"$onnxc" grouped/grouped/model.onnx -o lm --dim total=1..12 --threads 2 -q
for part in k v; do
  check "present_$part stays in place" grep -q "in place  out->present_$part may be the memory of in->past_$part" lm.h
done
program "in place as in separate memory, and what follows is kept" in_place_grouped lm.cpp
finish
