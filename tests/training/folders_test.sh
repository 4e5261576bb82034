#!/usr/bin/env bash
# Folders with `train/` that the onnx package wrote: onnxc verify reads them as the format says.
# usage: folders_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
needs numpy onnx

$python "$here/folders.py" cases
export CXXFLAGS=-O0
status_of() { awk -F'\t' -v name="$2" '$1 ~ name { print $2 }' "$1"; }
check "every case" exits 0 "$onnxc" verify cases --report all.tsv
check "one row a case" [ "$(grep -c -P '\tpass\t' all.tsv)" = 3 ]
check "the columns" grep -q -P '^path\tstatus\tmax_abs\tmax_rel\tms\tmessage$' all.tsv

# broken NAME CASE: a copy to spoil.
broken() { cp -r "cases/$2" "$1" && echo "$1/train"; }
train=$(broken other_state logistic_regression)
cp "$train/step_0/state_2.pb" "$train/step_2/state_2.pb"
check "a wrong state" exits 4 "$onnxc" verify other_state --report bad.tsv
check "is a mismatch" [ "$(status_of bad.tsv other_state)" = mismatch ]
check "and is named" grep -q "step_2, state 'layer/w:0'" bad.tsv
train=$(broken other_output block_descent)
cp "$train/step_0/output_1.pb" "$train/step_3/output_1.pb"
check "a wrong output" exits 4 "$onnxc" verify other_output --report bad.tsv
check "is named" grep -q "step_3, output 1 'ee'" bad.tsv
check "a tolerance" exits 0 "$onnxc" verify other_output --atol 100
echo '{"atol": 100, "rtol": 0}' >other_output/data.json
check "a tolerance next to the model" exits 0 "$onnxc" verify other_output
train=$(broken other_start logistic_regression)
cp "$train/step_0/state_2.pb" "$train/init/state_0.pb"
check "a wrong start" exits 4 "$onnxc" verify other_start --report bad.tsv
check "is named, too" grep -q "init, state 'layer/w:0'" bad.tsv
train=$(broken no_algorithm block_descent)
echo 2 >"$train/step_0/algorithm"
check "no such algorithm" exits 4 "$onnxc" verify no_algorithm --report bad.tsv
check "is said" grep -q "step_0/algorithm: no algorithm of the model" bad.tsv
train=$(broken inference_too block_descent)
cp inference_too/train/step_2/output_1.pb inference_too/test_data_set_0/output_0.pb
check "data for inference count as well" exits 4 "$onnxc" verify inference_too
finish
