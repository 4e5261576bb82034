#!/usr/bin/env bash
# --dim: sizes by the names that the model gives them, sizes of fixed inputs, names that mean nothing.
. "$(dirname "$0")/check.sh"

unpack "$here/size_names.case"
names=size_names/names/model.onnx fixed=size_names/fixed/model.onnx
collected=size_names/collected/model.onnx declared=size_names/declared/model.onnx

shows() { prints "$1" "$onnxc" inspect "${@:2}"; }    # TEXT OPTION...
refused() { says 1 "$1" "$onnxc" check "${@:2}"; }    # TEXT OPTION...

check "a word binds the size of this name" shows '"b"  f32[3]' $names --dim N_1=3
check "and no other" shows '"a"  f32["N+1"]' $names --dim N_1=3
check "a name with an operator" shows '"a"  f32[2]' $names --dim N+1=2
check "another name that is a word" shows '"c"  f32[4]' $names --dim N_1_2=4
check "another alphabet" shows '"d"  f32[5]' $names --dim größe=5
check "a colon and an equals sign" shows '"e"  f32[6]' $names --dim k:0=x=6
check "input:axis" shows '"b"  f32[3]' $names --dim b:0=3
check "bounds" "$onnxc" check $names --no-heap --dim N+1=1..2 --dim N_1=1..2 --dim N_1_2=3 --dim größe=1 --dim e:0=1..4
check "names in messages" refused '; it has N+1, größe, k:0=x, N_1, N_1_2' $names --dim quantity=1
check "did you mean" refused 'did you mean größe?' $names --dim grösse=1
check "two values of a size" refused 'the same size is 3 by another --dim' $names --dim N_1=3 --dim b:0=4
check "a name that only an output has" shows '"u"  f32[4]' $names --dim out=4
check "a size that the data decide" "$onnxc" check $collected --dim found=1..4
check "a name for a known size" "$onnxc" check $declared --dim K=3
check "and bounds that hold it" "$onnxc" check $declared --dim K=3..5
check "as the largest, too" "$onnxc" check $declared --dim K=1..3
check "and such that do not" refused 'is always 3, not 4..5' $declared --dim K=4..5
check "nor below" refused 'is always 3, not 1..2' $declared --dim K=1..2
check "no such axis" refused 'input "x" is f32[8,3]' $fixed --dim x:2=1
check "another batch" shows '"y"  f32[1,3]' $fixed --dim x:0=1
check "an open batch" shows 'x:0' $fixed --dim x:0=1..8

# A number in the shape of a sequence's members stands for itself, an open size for any, with or
# without a name.

model() { # NAME MEMBER-TYPE MEMBERS
  cat >$1.case <<END
=== one
<ir_version: 9, opset_import: ["": 20]>
(seq(float$2) s, float[M] m) => (int64 n) { n = SequenceLength (s) }
given seq(float$2) s = [$3]
given float[1] m = {1}
expect int64 n = {2}
END
}
passes() { "$onnxc" verify $1.case >$1.log 2>&1 || { cat $1.log; return 1; }; }
fails() {
  if "$onnxc" verify $1.case >$1.log 2>&1; then echo "no error"; return 1; fi
  grep -qi "shape" $1.log || { cat $1.log; return 1; }
}

model same '[K,2]' 'float[3,2] {1,2,3,4,5,6}, float[3,2] {1,2,3,4,5,6}'
check "members of one shape" passes same
model other '[K,2]' 'float[1,2] {1,2}, float[2,2] {1,2,3,4}'
check "a name with two sizes" passes other
model number '[?,2]' 'float[1,3] {1,2,3}, float[1,2] {1,2}'
check "another number" fails number
model any '[?,2]' 'float[1,2] {1,2}, float[2,2] {1,2,3,4}'
check "sizes without a name" passes any
model rank '[K]' 'float[1] {1}, float[1,1] {1}'
check "another rank" fails rank
model input '[M]' 'float[2] {1,2}, float[2] {1,2}'
check "the name of another input's size" passes input

finish
