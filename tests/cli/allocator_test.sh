#!/usr/bin/env bash
# Sizes without a bound: memory comes only from the caller's functions and is freed, whichever call
# of them fails. Sizes with a bound: no heap. Sizes out of bounds: a status, and nothing is written.
. "$(dirname "$0")/check.sh"

"$onnxc" verify --export own "$case_files"/{gather_and_scatter,text}.case
compress=own/gather_and_scatter/Compress_11_run_time/model.onnx
# What the product reads has no bound and no place in the caller's memory.
cat >pick.case <<'CASE'
=== pick
<ir_version: 6, opset_import: ["": 11]>
(float[x0,2] x, bool[c0] c) => (float[y0,2] y) <float[2,2] same = {1, 0, 0, 1}> {
  picked = Compress <axis = 0> (x, c)
  y = MatMul (picked, same)
}
given float[3,2] x = {1, 2, 3, 4, 5, 6}
given bool[3] c = {1, 0, 1}
expect float[2,2] y = {1, 2, 5, 6}
CASE
unpack pick.case
"$onnxc" pick/pick/model.onnx -o a/pick -q
"$onnxc" own/text/StringConcat_20_broadcast/model.onnx -o a/join -q
"$onnxc" "$compress" -o a/bounded --name bounded -q --no-heap \
  --dim x0=1..4 --dim x1=0..3 --dim c0=1..4
check "no heap without bounds is refused, with the dimensions" says 1 x0 \
  "$onnxc" pick/pick/model.onnx -o a/none -q --no-heap

program "memory comes and goes" allocator -Ia a/pick.cpp a/join.cpp a/bounded.cpp
${CXX:-g++} -std=c++17 -O1 -c a/bounded.cpp -Ia -o bounded.o
nm -u bounded.o >symbols.txt
check "a bounded model allocates nothing" exits 1 grep -qE 'malloc|calloc|realloc|free|_Zn|_Zd' symbols.txt
finish
