#!/usr/bin/env bash
# Models with sizes that data decide run without a heap: by bounds that onnxc finds, and by those of --dim.
. "$(dirname "$0")/check.sh"

models=$source_dir/tests/cli/no_heap.case
strict="$strict -O1"
no_malloc() { ${CXX:-g++} $strict -c "$1.cpp" -o "$1.o" && ! nm -u "$1.o" | grep -E ' (malloc|free|calloc|_Zn|_Zd)'; }
"$onnxc" verify --export folders "$models" 2>export.log
awk '/^# options:/ { options = substr($0, 11) } /^=== / { print $2 options }' "$models" >list
while read -r name options; do
  # shellcheck disable=SC2086 # a list of options
  check "$name: right" "$onnxc" verify "$models:$name" -- --no-heap $options
  # shellcheck disable=SC2086
  check "$name: compiles" "$onnxc" folders/no_heap/"$name"/model.onnx -o "$name" -q --no-heap $options
  check "$name: refers to no allocator" no_malloc "$name"
done <list
check "nineteen models" [ "$(wc -l <list)" -ge 19 ]

# A refusal names the value, its node and what would help; with that it is none.
cat >heap.case <<'END'
=== input
<ir_version: 8, opset_import: ["": 16]>
(float[N,3] x) => (float[N,3] y) { a = Relu (x) b = Softmax (a) y = Add (a, b) }
refused "-"
=== range
<ir_version: 8, opset_import: ["": 16]>
(int64 n) => (int64[L] y) <int64 zero = {0}, int64 one = {1}> { t = Range (zero, n, one) y = Neg (t) }
refused "-"
=== branch
<ir_version: 8, opset_import: ["": 16]>
(bool c, int64 n) => (int64 y) <int64 zero = {0}, int64 one = {1}> {
  y = If <then_branch = t () => (int64 a) { r = Range (zero, n, one)  s = Neg (r)  a = ReduceSum <keepdims = 0> (s) },
          else_branch = e () => (int64 b) { b = Identity (n) }> (c)
}
refused "-"
=== loop
<ir_version: 8, opset_import: ["": 16]>
(int64 n, float[2] x) => (float[?,2] y) {
  last, y = Loop <body = b (int64 i, bool c, float[2] s) => (bool d, float[2] t, float[2] u) {
    d = Identity (c)  t = Add (s, s)  u = Neg (t) }> (n, "", x)
}
refused "-"
=== list
<ir_version: 8, opset_import: ["": 16]>
(float[2] a, float[2] b, int64 i) => (float[2] y) { s = SequenceConstruct (a, b) y = SequenceAt (s, i) }
refused "-"
=== text
<ir_version: 9, opset_import: ["": 20]>
(string[2] a, string[2] b) => (string[2] y) { y = StringConcat (a, b) }
refused "-"
END
"$onnxc" verify --export . heap.case >export.log 2>&1
names() { # CASE TEXT OPTION...
  local model=heap/$1/model.onnx text=$2
  shift 2
  ! "$onnxc" check "$model" --no-heap 2>refused.log || return 1
  grep -qF -- "--no-heap: $text" refused.log || { cat refused.log; return 1; }
  [ $# = 0 ] || "$onnxc" check "$model" --no-heap "$@"
}
range='(Range-11), output 0'
grows='grows by a slice in every iteration; it needs no heap where the trip count, as with --fix-input n=N'
check "a size of an input" names input 'input "x": its size N has no bound; give one with --dim N=LO..HI' --dim N=1..4
check "a size that data decide" \
  names range "node 0 making \"t\" $range \"t\": its size L has no bound; give one with --dim L=LO..HI" --dim L=0..4
check "a size in a branch" \
  names branch "node 0 making \"r\" $range \"r\": its size along axis 0 has no bound; give one with --dim r:0=LO..HI" \
  --dim r:0=0..4
check "slices of a loop" names loop "node 0 making \"last\" (Loop-16), output 1 \"y\": $grows" --fix-input n=4
check "a list" names list 'node 0 making "s" (SequenceConstruct-11), output 0 "s": seq(f32[2]) needs a heap; a sequence needs none'
check "texts" names text 'node 0 making "y" (StringConcat-20), output 0 "y": what StringConcat makes has no bound'

# A size beyond its bound is BAD_SHAPE; the memory for it is not touched.
cat >beyond.cpp <<'END'
#include "Range_of_input.h"
alignas(64) static unsigned char arena[RANGE_OF_INPUT_ARENA_BYTES + 1];
int main() {
  const int64_t n = 9;
  int64_t y[16] = {-1}, dims[1];
  Range_of_input_inputs in = {};
  Range_of_input_outputs out = {};
  in.n = &n, out.y = y, out.y_capacity = 16, out.y_dims = dims;
  return Range_of_input_run(&in, &out, arena) == RANGE_OF_INPUT_BAD_SHAPE && y[0] == -1 ? 0 : 1;
}
END
runs_beyond() { ${CXX:-g++} -std=c++17 beyond.cpp Range_of_input.cpp -o beyond && ./beyond; }
check "beyond the bound" runs_beyond
finish
