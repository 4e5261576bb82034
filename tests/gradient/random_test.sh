#!/usr/bin/env bash
# Random models with Gradient nodes, as they are and in other forms, against PyTorch in double.
# usage: random_test.sh ONNXC WORK_DIR [FIRST_SEED COUNT]
. "$(dirname "$0")/../cli/check.sh"
needs torch

export CXXFLAGS=-O0
$python "$here/random/models.py" "${3:-1}" "${4:-10}" models.case
check "random models" passes models.case
check "there are some" [ "$(grep -c -P '\tpass\t' passes.tsv)" -gt 0 ]
if $python -c 'import onnx' 2>/dev/null; then
  "$onnxc" verify --export exported models.case
  $python "$here/../metamorphic/variants.py" exported variants --every 5 \
    --only renamed,reordered,symbolic,constants,defaults,in_function,in_if,in_loop
  check "in other forms" passes variants --rtol 1e-8 --atol 1e-8
fi
finish
