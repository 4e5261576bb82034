#!/usr/bin/env bash
# A name in the shape of a sequence's members stands for one size; a number for itself; an open size
# without a name for any.
. "$(dirname "$0")/check.sh"

model() { # NAME MEMBER-TYPE MEMBERS
  cat >$1.case <<END
=== one
<ir_version: 9, opset_import: ["": 20]>
(seq(float$2) s, float[M] m) => (int64 n) { n = SequenceLength (s) }
given seq(float$2) s = [$3]
given float[M] m = {1}
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
check "a name with two sizes" fails other
model number '[?,2]' 'float[1,3] {1,2,3}, float[1,2] {1,2}'
check "another number" fails number
model any '[?,2]' 'float[1,2] {1,2}, float[2,2] {1,2,3,4}'
check "sizes without a name" passes any
model rank '[K]' 'float[1] {1}, float[1,1] {1}'
check "another rank" fails rank
model input '[M]' 'float[2] {1,2}, float[2] {1,2}'
check "the size of another input" fails input

finish
