#!/usr/bin/env bash
# The verify command: what it finds, how it judges, what it reports.
. "$(dirname "$0")/check.sh"

mkdir -p cases/sub
cp -r "$examples/01_mlp" cases/mlp
cp -r "$examples/02_cnn" cases/sub/cnn
ln -s .. cases/sub/loop
mkdir elsewhere
cp -r "$examples/01_mlp" elsewhere/linked
ln -s "$work/elsewhere/linked" cases/link
row() { awk -F'\t' -v p="$1" '$1 == p { print $2 }' "$2"; }

check "all pass" exits 0 "$onnxc" verify cases --report good.tsv --jobs 2
check "header row" sh -c "head -1 good.tsv | grep -qP '^path\tstatus\tmax_abs\tmax_rel\tms\tmessage\$'"
check "three cases" sh -c '[ "$(wc -l <good.tsv)" = 4 ]'
check "sorted" sh -c "tail -n +2 good.tsv | cut -f1 | sort -c"
check "a single case" exits 0 "$onnxc" verify cases/mlp
check "several paths" exits 0 "$onnxc" verify cases/mlp cases/sub
check "a model and its data" exits 0 "$onnxc" verify --model "$cnn" "$examples/02_cnn/test_data_set_0"
check "kept code" exits 0 "$onnxc" verify cases/mlp --keep kept
check "kept code is there" sh -c 'find kept -name "*.cpp" | grep -q .'

# A wrong number, a missing output, a broken model, no case at all.
cp -r cases bad
printf '\x3f' | dd of=bad/mlp/test_data_set_0/output_0.pb bs=1 seek=$(($(stat -c %s bad/mlp/test_data_set_0/output_0.pb) - 1)) conv=notrunc 2>/dev/null
head -c 100 cases/sub/cnn/model.onnx >bad/sub/cnn/model.onnx
check "a mismatch" exits 4 "$onnxc" verify bad --report bad.tsv
check "mismatch in the report" test "$(row bad/mlp bad.tsv)" = mismatch
check "refused in the report" test "$(row bad/sub/cnn bad.tsv)" = refused
check "others pass" test "$(row bad/link bad.tsv)" = pass
check "only refusals" exits 1 "$onnxc" verify bad/sub/cnn
check "wide tolerance" exits 0 "$onnxc" verify bad/mlp --atol 10
printf '{"atol": 10.0}' >bad/mlp/data.json
check "data.json" exits 0 "$onnxc" verify bad/mlp
check "other results recorded" exits 0 "$onnxc" verify bad/mlp --record --plain --fp strict
rm bad/mlp/data.json
check "what was recorded" exits 0 "$onnxc" verify bad/mlp
check "no such folder" exits 5 "$onnxc" verify nowhere
mkdir none
check "no case" exits 2 "$onnxc" verify none
check "broken compiler" exits 5 env CXX=no-such-compiler "$onnxc" verify cases/mlp
check "compile options" exits 0 "$onnxc" verify cases -- --optimize size --weights string
check "external weights" exits 0 "$onnxc" verify cases -- --weights extern
check "incbin weights" exits 0 "$onnxc" verify cases -- --weights=incbin
cat >empty_weights.case <<'CASES'
=== no_bytes
<ir_version: 8, opset_import: ["": 17]>
(float[3,2] x) => (float[3,0] y) <float[2,0] w = {}> {
  y = MatMul (x, w)
}
given float[3,2] x = {1, 2, 3, 4, 5, 6}
expect float[3,0] y = {}
CASES
for mode in inline string incbin extern; do
  check "weights of no bytes, $mode" exits 0 "$onnxc" verify empty_weights.case -- --weights $mode
done
check "unknown compile option" exits 2 "$onnxc" verify cases -- --bogus
check "nothing left behind" sh -c "mkdir t; TMPDIR=\$PWD/t '$onnxc' verify cases/mlp && [ -z \"\$(ls -A t)\" ]"
check "bench" exits 0 "$onnxc" bench "$mlp" --json
check "bench keys" sh -c "'$onnxc' bench '$cnn' --data '$examples/02_cnn' --json | tr -d ' \n' | grep -q 'median_ms.*min_ms.*runs.*threads.*arena_bytes.*weight_bytes.*code_bytes.*generate_s.*compile_s.*peak_rss_bytes'"
finish
