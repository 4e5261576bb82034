#!/usr/bin/env bash
# Models that learn reach the expected accuracy; the number of threads, the edition of training_info
# and saving the state change no bit of the result.
# Usage: learn_test.sh ONNXC FOLDER [--whole]: 1000 steps of the random model
set -euo pipefail

onnxc=$(readlink -f "$1")
mkdir -p "$2"
cd "$2"
source_folder=${ONNXC_SOURCE:?}/tests/training
cxx=${CXX:-g++}
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Werror"

"$onnxc" verify --export cases "$source_folder/learn.case"

# learn NAME STEPS ACCURACY LOSS OUT [compile options]
learn() {
  local model=cases/learn/$1/model.onnx steps=$2 accuracy=$3 loss=$4 out=$5
  shift 5
  mkdir -p "$out"
  "$onnxc" "$model" -q --train --name net -o "$out/net" "$@" 2>/dev/null
  # shellcheck disable=SC2086
  "$cxx" -std=c++17 -O1 $warnings -fno-exceptions -fno-rtti -c "$out/net.cpp" -o "$out/net.o"
  "$cxx" -std=c++17 -O1 -I"$out" "$source_folder/learn.cpp" "$out/net.o" -o "$out/learn" -pthread
  "$out/learn" "$steps" "$accuracy" "$loss" "$out/state"
}

learn logistic_regression 1000 0.88 0.30 logistic --no-heap
learn perceptron_adam 500 0.94 0.15 perceptron --no-heap
learn perceptron_adam 500 0.94 0.15 perceptron_threads --threads 4
cmp perceptron/state perceptron_threads/state
learn wide_perceptron 200 0.85 0.5 wide
learn wide_perceptron 200 0.85 0.5 wide_threads --threads 4
grep -q 'threads\.\(run\|check\)' wide_threads/net.cpp
cmp wide/state wide_threads/state
steps=200
[ -z "${3:-}" ] || steps=1000
learn dropout_merged $steps 0.5 1 merged
learn dropout_called $steps 0.5 1 called
# The headers differ only in the run counter and the layout hash, which are equal here too.
cmp merged/state called/state
for form in "threads 2" "threads 4" recompute; do
  # shellcheck disable=SC2086
  learn dropout_merged $steps 0.5 1 merged_form --$form
  cmp merged/state merged_form/state
done
