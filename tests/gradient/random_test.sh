#!/usr/bin/env bash
# Random models with Gradient nodes, as they are and in other forms, against PyTorch in double.
# usage: random_test.sh ONNXC WORK_DIR [FIRST_SEED COUNT]
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/check.sh"
python=/usr/bin/python3
$python -c 'import torch' 2>/dev/null || { echo "skipped: no python3-torch"; exit 77; }

export CXXFLAGS=-O0
passes() { "$onnxc" verify "$@" --report models.tsv || { grep -v -P '\tpass\t' models.tsv; false; }; }
$python "$here/random/models.py" "${3:-1}" "${4:-10}" models.case
check "random models" passes models.case
check "there are some" [ "$(grep -c -P '\tpass\t' models.tsv)" -gt 0 ]
if $python -c 'import onnx' 2>/dev/null; then
  "$onnxc" verify --export exported models.case
  $python "$here/../metamorphic/variants.py" exported variants --every 5 \
    --only renamed,reordered,symbolic,constants,defaults,in_function,in_if,in_loop
  check "in other forms" passes variants --rtol 1e-8 --atol 1e-8
fi
finish
