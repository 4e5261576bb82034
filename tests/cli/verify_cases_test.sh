#!/usr/bin/env bash
# The verify command on files of cases: each case by itself, refusals, and their form as folders.
. "$(dirname "$0")/check.sh"

mkdir -p suite/inner
cat >suite/inner/sums.case <<'END'
# Sums.
=== right
<ir_version: 8, opset_import: ["": 14]>
(float[2] a, float[2] b) => (float[2] y) {
  y = Add (a, b)
}
given float[2] a = {1, 2}
given float[2] b = {3, 4}
expect float[2] y = {4, 6}
given float[2] a = full(1)
given float[2] b = full(2)
expect float[2] y = full(3)

=== no_such_operator
<ir_version: 8, opset_import: ["": 14]>
(float[2] a) => (float[2] y) {
  y = Summe (a)
}
refused "Summe"
END
cat >suite/wrong.case <<'END'
=== number
<ir_version: 8, opset_import: ["": 14]>
(float[2] a) => (float[2] y) { y = Neg (a) }
given float[2] a = {1, 2}
expect float[2] y = {-1, -2.5}

=== close_enough
<ir_version: 8, opset_import: ["": 14]>
(float[2] a) => (float[2] y) { y = Neg (a) }
rtol 0 atol 0.5
given float[2] a = {1, 2}
expect float[2] y = {-1, -2.5}

=== nothing_expected
<ir_version: 8, opset_import: ["": 14]>
(float[2] a) => (float[2] y) { y = Neg (a) }
given float[2] a = {1, 2}

=== another_reason
<ir_version: 8, opset_import: ["": 14]>
(float[2] a) => (float[2] y) { y = Summe (a) }
refused "is too large"

=== not_refused
<ir_version: 8, opset_import: ["": 14]>
(float[2] a) => (float[2] y) { y = Neg (a) }
refused "Neg"
END
row() { awk -F'\t' -v p="$1" '$1 == p { print $2 }' report.tsv; }

check "a folder with wrong cases" exits 4 "$onnxc" verify suite --report report.tsv
for name in inner/sums.case:right inner/sums.case:no_such_operator wrong.case:close_enough; do
  check "$name passes" test "$(row "suite/$name")" = pass
done
for name in number nothing_expected another_reason not_refused; do
  check "$name is a mismatch" test "$(row "suite/wrong.case:$name")" = mismatch
done
check "all reports" test "$(wc -l <report.tsv)" = 8
check "a file" exits 0 "$onnxc" verify suite/inner/sums.case
check "one case of a file" exits 4 "$onnxc" verify suite/wrong.case:number
check "another one" exits 0 "$onnxc" verify suite/wrong.case:close_enough
check "no such case" exits 5 "$onnxc" verify suite/wrong.case:none
check "no such file" exits 5 "$onnxc" verify suite/none.case

check "cases as folders" exits 0 "$onnxc" verify --export folders suite
check "the folder of a case" exits 0 "$onnxc" verify folders/sums
check "its second data set" test -s folders/sums/right/test_data_set_1/output_0.pb
check "tolerances of a case" exits 0 "$onnxc" verify folders/wrong/close_enough
check "a refused model" exits 1 "$onnxc" check folders/sums/no_such_operator/model.onnx

awk '/^```/ { ++fence; next } fence == 1 || fence == 3' "$source_dir/docs/cases.md" >example.case
check "the examples of docs/cases.md" exits 0 "$onnxc" verify example.case

echo '=== broken <' >suite/broken.case
check "a broken file" says 5 "suite/broken.case: line 2: expected" "$onnxc" verify suite
finish
