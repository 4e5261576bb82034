#!/usr/bin/env bash
# Runs that the standard calls errors end with a status: slices of a scan output that change their shape.
# usage: run_errors_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/check.sh"

cat >errors.case <<'CASES'
=== loop_slices_grow
<ir_version: 8, opset_import: ["": 17]>
(int64 n, float[4] x) => (float[?,?] s) {
  s = Loop <body = b (int64 i, bool c) => (bool d, float[?] slice) {
    d = Identity (c)
    one = Constant <value = int64 {1}> ()
    axes = Constant <value = int64[1] {0}> ()
    count = Add (i, one)
    end = Unsqueeze (count, axes)
    slice = Slice (x, axes, end)
  }> (n, "")
}
given int64 n = {3}
given float[4] x = {1, 2, 3, 4}
expect float[3,1] s = {1, 1, 1}

=== loop_slices_shrink_with_the_state
<ir_version: 8, opset_import: ["": 17]>
(int64 n, float[4] x) => (float[?] y, float[?,?] s) {
  y, s = Loop <body = b (int64 i, bool c, float[?] state) => (bool d, float[?] next, float[?] slice) {
    d = Identity (c)
    slice = Identity (state)
    from = Constant <value = int64[1] {1}> ()
    to = Constant <value = int64[1] {100}> ()
    next = Slice (state, from, to)
  }> (n, "", x)
}
given int64 n = {3}
given float[4] x = {1, 2, 3, 4}
expect float[1] y = {4}
expect float[3,4] s = full(0)

=== loop_slices_found_by_the_data
<ir_version: 8, opset_import: ["": 17]>
(int64 n, float[2,3] x) => (int64[?,?,?] s) {
  s = Loop <body = b (int64 i, bool c) => (bool d, int64[?,?] slice) {
    d = Identity (c)
    row = Gather (x, i)
    slice = NonZero (row)
  }> (n, "")
}
given int64 n = {2}
given float[2,3] x = {0, 5, 0, 1, 2, 3}
expect int64[2,1,1] s = {1, 0}

=== scan_slices_found_by_the_data
<ir_version: 8, opset_import: ["": 17]>
(float[2,3] x) => (int64[?,?,?] s) {
  s = Scan <num_scan_inputs = 1, body = b (float[3] row) => (int64[?,?] slice) {
    slice = NonZero (row)
  }> (x)
}
given float[2,3] x = {0, 5, 0, 1, 2, 3}
expect int64[2,1,1] s = {1, 0}

=== scan_state_grows
<ir_version: 8, opset_import: ["": 17]>
(float[n,2] s, float[a,1] b, float[k,2] x) => (float[?,?] f) {
  f = Scan <num_scan_inputs = 1, body = c (float[] t, float[2] row) => (float[] next) {
    sum = Add (t, b)
    next = Add (sum, row)
  }> (s, x)
}
given float[1,2] s = {1, 2}
given float[4,1] b = {1, 2, 3, 4}
given float[1,2] x = {0, 0}
expect float[4,2] f = full(0)

=== loop_slices_of_a_nested_if
<ir_version: 8, opset_import: ["": 17]>
(int64 n, bool[3] wide) => (float[?,?] s) {
  s = Loop <body = b (int64 i, bool c) => (bool d, float[?] slice) {
    d = Identity (c)
    pick = Gather (wide, i)
    slice = If <then_branch = t () => (float[2] a) { a = Constant <value = float[2] {1, 2}> () },
                else_branch = e () => (float[1] z) { z = Constant <value = float[1] {3}> () }> (pick)
  }> (n, "")
}
given int64 n = {3}
given bool[3] wide = {0, 1, 0}
expect float[3,1] s = {3, 1, 3}
CASES
CXXFLAGS="-O0 -fsanitize=address,undefined" "$onnxc" verify errors.case >log.txt 2>&1 || true
for name in $(sed -n 's/^=== //p' errors.case); do
  check "$name: $(grep "$name" log.txt)" grep -q ":$name: the run ends with BAD_SHAPE" log.txt
done
finish
