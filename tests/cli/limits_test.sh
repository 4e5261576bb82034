#!/usr/bin/env bash
# Limits on what a model may ask for: refused with the code and a message that names the option.
. "$(dirname "$0")/check.sh"

cat >limits.case <<'CASES'
=== nested
<ir_version: 8, opset_import: ["": 17]>
(float[4] x, bool c) => (float[4] y) {
  y = If <
    then_branch = t () => (float[4] a) {
      a = If <
        then_branch = tt () => (float[4] b) { b = Neg (x) },
        else_branch = te () => (float[4] d) { d = Abs (x) }
      > (c)
    },
    else_branch = e () => (float[4] f) { f = Relu (x) }
  > (c)
}
refused "-"

=== calls
<ir_version: 8, opset_import: ["": 17, "own": 1]>
(float[4] x) => (float[4] y) { y = own.Outer (x) }
<domain: "own", opset_import: ["": 17, "own": 1]>
Outer (a) => (b) { b = own.Inner (a) }
<domain: "own", opset_import: ["": 17]>
Inner (a) => (b) { c = Neg (a) b = Abs (c) }
refused "-"

=== ranks
<ir_version: 8, opset_import: ["": 17]>
(float[6] x) => (float[] y) < int64[4] s = {1, 2, 3, 1} > { y = Reshape (x, s) }
refused "-"

=== constants
<ir_version: 8, opset_import: ["": 17]>
(float[4] x) => (float[4] y) < int64[2] s = {1000, 1000} > {
  a = ConstantOfShape (s)
  b = Cos (a)
  c = Exp (b)
  t = ReduceSum <keepdims = 0> (c)
  y = Add (x, t)
}
refused "-"
CASES
# Each function calls the one before it twice: 2^17 nodes.
{
  cat <<'CASES'
=== doubling
<ir_version: 8, opset_import: ["": 17, "own": 1]>
(float[4] x) => (float[4] y) { y = own.F17 (x) }
<domain: "own", opset_import: ["": 17]>
F0 (a) => (b) { b = Neg (a) }
CASES
  for k in $(seq 17); do
    echo '<domain: "own", opset_import: ["": 17, "own": 1]>'
    echo "F$k (a) => (b) { c = own.F$((k - 1)) (a) b = own.F$((k - 1)) (c) }"
  done
  echo 'refused "-"'
} >>limits.case
"$onnxc" verify limits.case --export cases >/dev/null 2>&1 || true

# limited NAME CODE TEXT OPTION...: compile and check refuse it with the code, the text and no file.
limited() {
  local model=cases/limits/$1/model.onnx code=$2 text=$3
  shift 3
  rm -rf out
  mkdir out
  exits "$code" "$onnxc" "$model" -o out/m "$@" && grep -q -e "$text" exits.log && [ -z "$(ls out)" ] &&
    exits "$code" "$onnxc" check "$model" "$@" && grep -q -e "$text" exits.log
}
accepted() {
  local model=cases/limits/$1/model.onnx
  shift
  exits 0 "$onnxc" "$model" -o out/m "$@"
}

check "subgraphs" limited nested 1 'attribute "then_branch": subgraph depth .* --max-depth' --max-depth 1
check "subgraphs within the limit" accepted nested --max-depth 2
check "calls" limited calls 1 'own::Outer: function depth .* --max-calls' --max-calls 1
check "calls within the limit" accepted calls --max-calls 2
check "nodes" limited calls 1 'expanded node count .* --max-nodes' --max-nodes 2
check "nodes within the limit" accepted calls --max-nodes 8
check "rank" limited ranks 1 '(Reshape.*"y": rank 4 .* --max-rank' --max-rank 3
check "rank within the limit" accepted ranks --max-rank 4
check "tensor" limited ranks 1 '"x": .* takes 24 bytes.* --max-tensor' --max-tensor 23
check "tensor within the limit" accepted ranks --max-tensor 1K
check "memory" limited constants 3 'out of memory; --max-memory is 1048576 bytes' --max-memory 1M
check "any memory" accepted constants --max-memory 0
check "time" limited doubling 3 'out of time; --max-time' --max-time 1
check "no such limit" exits 2 "$onnxc" "$mlp" --max-rank 0
check "an axis that is no number" exits 1 "$onnxc" check "$mlp" --dim x:99999999999999999999=1

# Over the limit on memory, line-buffered code replaces faster code.
cnn=$source_dir/examples/02_cnn/model.onnx
check "RAM of the fastest code" exits 0 "$onnxc" "$cnn" -o out/m --ram-limit 10240
check "RAM of the smallest code" exits 0 "$onnxc" "$cnn" -o out/m --ram-limit 3072
check "which is line-buffered" grep -q run_line_buffered out/m.cpp
check "check agrees" exits 0 "$onnxc" check "$cnn" --ram-limit 3072
check "from a pipe, too" sh -c "\"$onnxc\" - -q -o out/m --ram-limit 3072 <\"$cnn\" && grep -q run_line_buffered out/m.cpp"
check "and in Python" exits 0 "$onnxc" python "$cnn" -o out/package -q --ram-limit 3072
check "which is no excuse" exits 3 "$onnxc" python "$cnn" -o out/no -q --ram-limit 3071
ram_of() { echo $(($(sed -n 's/^#define [A-Z]*_\(ARENA\|STACK\)_BYTES \([0-9]*\)u.*/+\2/p' "$1" | tr -d '\n'))); }
within() { # limit
  "$onnxc" "$cnn" -o out/small --ram-limit "$1" --measure && [ "$(ram_of out/small.h)" -le "$1" ]
}
check "the measured stack counts" within 10240
check "and the arena gives way to it" within 4096
check "not less" says 3 '1 more than the limit' "$onnxc" "$cnn" -o out/m --ram-limit 3071

# Flash is judged by what a compiler makes of the code, or by the upper end of the estimate; that
# of training counts. Files stay as they are.
trained=rings.onnx
"$onnxc" prepare "$examples/03_training/model.onnx" --loss bce --optimizer adam --train '*' -o $trained >/dev/null 2>&1
same_files() {
  "$onnxc" "$cnn" -q -o out/plain/m && "$onnxc" "$cnn" -q -o out/judged/m --flash-limit 1M && diff -r out/plain out/judged
}
check "measured for the limit" says 3 'of code take' "$onnxc" "$trained" -o out/m --train --dim N=1 --flash-limit 4K
check "estimated without a compiler" says 3 'of code (an estimate: there is no compiler) take' \
  env CXX=no-such-compiler "$onnxc" "$trained" -o out/m --train --dim N=1 --flash-limit 4K
check "which is named" says 0 'cannot run CXX=no-such-compiler' env CXX=no-such-compiler "$onnxc" "$cnn" -o out/m --measure
check "the same files" same_files

# Constants over the limit are computed at run time: more steps, less memory of onnxc.
steps() { "$onnxc" -v cases/limits/constants/model.onnx -o out/m "$@" 2>&1 | sed -n 's/.* \([0-9]*\) steps/\1/p'; }
fewer() { [ "$(steps)" -lt "$(steps --max-constants 1M)" ]; }
check "computed constants" fewer

finish
