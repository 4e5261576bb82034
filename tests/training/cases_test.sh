#!/usr/bin/env bash
# Recorded training steps as files of cases and as folders, with every way to store weights, under
# the sanitizers; interfaces compile as C.
# usage: cases_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"

strict="$warnings -fno-exceptions -fno-rtti"
export CXXFLAGS="-O1 -fsanitize=address,undefined $strict"
verified() { "$onnxc" verify "$@" >verify.log 2>&1 || { cat verify.log; false; }; }
check "every case" verified "$here"
export CXXFLAGS="-O0 $strict"
if full; then
  check "weights in another source" verified "$here/training_info.case" -- --weights string
  check "threads" verified "$here/training_info.case" -- --threads 2
fi
! slow || check "small code" verified "$here/training_info.case" -- --optimize size
check "weights in a file" verified "$here/training_info.case" -- --weights extern
"$onnxc" verify --export folders "$here/training_info.case" 2>export.log
check "folders with train/" verified folders
cp -r folders/training_info/linear_regression wrong
cp wrong/train/step_0/state_0.pb wrong/train/step_1/state_0.pb
check "a wrong state is found" bash -c "! '$onnxc' verify wrong >wrong.log 2>&1"
check "the variable is named" grep -q "step_1, state 'w'" wrong.log
check "a model without training_info is refused" \
  bash -c "! '$onnxc' '$ONNXC_SOURCE/examples/01_mlp/model.onnx' --train -o plain 2>plain.log"
check "it says what helps" grep -q "onnxc prepare adds it" plain.log
model=folders/training_info/two_algorithms/model.onnx
check "without --train there is a note" \
  bash -c "'$onnxc' $model -o untrained 2>&1 | grep -q 'note.training-info'"
check "and inference alone" bash -c "! grep -q untrained_train untrained.h"
"$onnxc" $model --train -q -o two 2>two.log
check "the header is C" is_c two
finish
