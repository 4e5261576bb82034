#!/usr/bin/env bash
# --fix-input makes an input a constant, and with it one branch of a merged decoder a program.
. "$(dirname "$0")/check.sh"

"$onnxc" verify --export . "$source_dir/tests/conformance/cases/if.case" >/dev/null
decoder=if/If_16_merged_decoder
check "the case is there" [ -f $decoder/model.onnx ]
for branch in false:0 true:1; do
  flag=${branch%:*} set=test_data_set_${branch#*:}
  mkdir -p "$flag/$set"
  cp $decoder/model.onnx "$flag"
  cp "$decoder/$set"/input_[012].pb "$decoder/$set"/output_*.pb "$flag/$set"
  check "use_cache_branch=$flag computes the same" \
    "$onnxc" verify "$flag" --fix-input use_cache_branch=$flag
  "$onnxc" $decoder/model.onnx -o $flag/decoder --fix-input use_cache_branch=$flag -q
  check "$flag: no input" \
    [ "$(grep -c use_cache_branch $flag/decoder.h)" = 0 ]
done
check "the other branch is gone" grep -q "past_k" true/decoder.cpp
mkdir 1
"$onnxc" $decoder/model.onnx -o 1/decoder --fix-input use_cache_branch=1 -q
check "1 is true" cmp true/decoder.cpp 1/decoder.cpp

cat >listed.case <<'END'
=== open
<ir_version: 8, opset_import: ["": 13]>
(float[4] x, int64[n] shape) => (float[a,b] y) { y = Reshape(x, shape) }
given float[4] x = {1, 2, 3, 4}
given int64[2] shape = {2, 2}
expect float[2,2] y = {1, 2, 3, 4}
=== fixed
<ir_version: 8, opset_import: ["": 13]>
(float[4] x, int64[2] shape) => (float[a,b] y) { y = Reshape(x, shape) }
given float[4] x = {1, 2, 3, 4}
given int64[2] shape = {2, 2}
expect float[2,2] y = {1, 2, 3, 4}
END
"$onnxc" verify --export . listed.case >/dev/null
for length in open fixed; do
  "$onnxc" listed/$length/model.onnx -o $length/net --fix-input shape=4,1 -q
  check "a list of $length length gives the sizes" grep -q "output .* f32\[4,1\]" $length/net.h
done

refuse() {
  local message=$1
  shift
  "$onnxc" $decoder/model.onnx -o refused "$@" 2>messages && fail=0 || fail=1
  check "$* is refused" [ $fail = 1 ]
  check "$*: $message" grep -qF -- "$message" messages
}
refuse '--fix-input no_such: the model has no such input; it has ' --fix-input no_such=1
refuse 'input "use_cache_branch": '"'2'"' is neither true nor false' --fix-input use_cache_branch=2
refuse '2 numbers for 1 elements' --fix-input use_cache_branch=0,1
refuse 'input "past_k": has open sizes, which --dim can fix' --fix-input past_k=0
refuse "'x' is not NAME=NUMBERS" --fix-input x
finish
