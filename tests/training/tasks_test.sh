#!/usr/bin/env bash
# Models that `onnxc prepare` makes trainable learn their tasks; threads, --recompute and saving
# midway change no bit. Without a third argument, short forms of the tasks.
# Usage: tasks_test.sh ONNXC FOLDER [--whole]
set -euo pipefail

onnxc=$(readlink -f "$1")
mkdir -p "$2"
cd "$2"
source_folder=${ONNXC_SOURCE:?}
whole=${3:-}
cxx=${CXX:-g++}
"$onnxc" verify --export cases "$source_folder/tests/training/tasks.case"

# prepare NAME OUT [options of prepare]
prepare() {
  local model=cases/tasks/$1/model.onnx out=$2
  shift 2
  "$onnxc" prepare "$model" --loss softmax_cross_entropy "$@" -o "$out" 2>/dev/null
}

# build MODEL DRIVER OUT [compile options]
build() {
  local model=$1 driver=$2 out=$3
  shift 3
  mkdir -p "$out"
  "$onnxc" "$model" -q --train --no-heap --name net -o "$out/net" "$@" 2>/dev/null
  "$cxx" -std=c++17 -O2 -Wall -Wextra -Werror -fno-exceptions -fno-rtti -c "$out/net.cpp" -o "$out/net.o"
  "$cxx" -std=c++17 -O1 -Wall -Wextra -Werror -I"$out" -I"$source_folder" \
    "$source_folder/tests/training/$driver.cpp" "$out/net.o" -o "$out/$driver" -pthread
}

arena() { sed -n 's/.*TRAIN_ARENA_BYTES \([0-9]*\)u.*/\1/p' "$1/net.h"; }

prepare digits digits.onnx --optimizer momentum --lr 0.05 --train '*'
for form in plain "threads --threads 4" "recompute --recompute"; do
  set -- $form
  build digits.onnx digits "digits_$1" --dim N=1..20 "${@:2}"
  "digits_$1/digits" 1000 20 0 10 2000 0.85 "digits_$1/state"
  cmp digits_plain/state "digits_$1/state"
done

steps=100 loss=3.0
[ -z "$whole" ] || steps=600 loss=2.0
prepare characters characters.onnx --optimizer adam --lr 0.003 --train '*_*' --train embedding
for form in plain "threads --threads 3" "recompute --recompute"; do
  set -- $form
  build characters.onnx characters "characters_$1" --dim B=8 --dim T=32 "${@:2}"
  "characters_$1/characters" $steps $loss "characters_$1/state" "$source_folder/README.md" "$source_folder/ARCHITECTURE.md"
  cmp characters_plain/state "characters_$1/state"
done
[ "$(arena characters_recompute)" -le "$(arena characters_plain)" ]
