#!/usr/bin/env bash
# Caches that a run updates where they are: the header names them, and the results are the same.
. "$(dirname "$0")/check.sh"

unpack "$here/in_place.case"
mv in_place/in_place/model.onnx .
"$onnxc" model.onnx -o kv --threads 2 -q

for pair in "present_k past_k" "present_v past_v" "sum late"; do
  check "$pair may be one" grep -q "in place  out->${pair% *} may be the memory of in->${pair#* }" kv.h
done
check "nothing else may" [ "$(grep -c 'in place  ' kv.h)" = 3 ]
check "a model without such outputs says nothing of it" \
  sh -c "'$onnxc' '$mlp' -o mlp -q && ! grep -q 'in place' mlp.h"

program "the results are the same" in_place kv*.cpp

# A decoder whose caches are as long as a bound on the mask, which determines the length so far.
"$onnxc" in_place/grouped/model.onnx -o open -q
check "no bound: the caches may grow" sh -c "! grep -q 'in place' open.h"
"$onnxc" in_place/grouped/model.onnx -o lm --dim total=1..12 --threads 2 -q
for part in k v; do
  check "present_$part stays in place" grep -q "in place  out->present_$part may be the memory of in->past_$part" lm.h
done
program "in place as in separate memory, and what follows is kept" in_place_grouped lm.cpp

# What a model has seen last, next to what is new: the next call's past takes the place of this one's.
"$onnxc" in_place/shifted/model.onnx -o net -q
for pair in "next past" "next_rows rows"; do
  check "${pair#* } shifts in place" grep -q "in place  out->${pair% *} may be the memory of in->${pair#* }" net.h
done
check "one that is read again after it does not" sh -c "! grep -q 'in place  out->late_next' net.h"
program "shifted in place as in separate memory" in_place_shifted net.cpp
finish
