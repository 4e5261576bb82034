#!/usr/bin/env bash
# Random models with training_info, as they are and in other forms, against PyTorch in double.
# usage: random_test.sh ONNXC WORK_DIR [FIRST_SEED COUNT]
. "$(dirname "$0")/../cli/check.sh"
needs numpy torch

export CXXFLAGS=-O0
first=${3:-1} count=${4:-$(level 1 2 4)}
for form in "" some symbolic function if loop scan "function loop if symbolic"; do
  # shellcheck disable=SC2086
  $python "$here/random_models.py" "$first" "$count" models.case $form
  check "random models ${form:+with $form}" passes models.case
  first=$((first + count))
done
finish
