#!/usr/bin/env bash
# Models that `onnxc prepare` makes trainable learn their tasks; threads, --recompute and saving
# midway change no bit. Short forms of the tasks; --whole makes 1000 steps in more forms.
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

state_bytes() { sed -n 's/.*STATE_BYTES \([0-9]*\)u.*/\1/p' "$1/net.h"; }

forms="plain threads_4 recompute"
[ -z "$whole" ] || forms="plain threads_2 threads_4 recompute"

options_of() { # form
  case $1 in
    threads_*) echo "--threads ${1#threads_}" ;;
    recompute) echo --recompute ;;
  esac
}

# Builds all forms of a model and runs them; all states are equal. The arguments are those of build
# up to a `--`, then those of the driver; STATE is the file of the state.
in_all_forms() {
  local model=$1 driver=$2 out=$3 form options=() arguments=()
  shift 3
  while [ "$1" != -- ]; do options+=("$1") && shift; done
  shift
  for form in $forms; do
    # shellcheck disable=SC2046
    build "$model" "$driver" "${out}_$form" "${options[@]}" $(options_of "$form")
    arguments=("${@//STATE/${out}_$form/state}")
    "${out}_$form/$driver" "${arguments[@]}"
    cmp "${out}_plain/state" "${out}_$form/state"
  done
  [ "$(arena "${out}_recompute")" -le "$(arena "${out}_plain")" ]
}

prepare digits digits.onnx --optimizer momentum --lr 0.05 --train '*'
in_all_forms digits.onnx digits digits --dim N=1..20 -- 1000 20 0 10 2000 0.85 STATE

# The convolutions learn five digits; with them frozen, a new last layer learns the other five. Only
# that layer is in the state.
"digits_plain/digits" 1000 20 0 5 2000 0.85 digits_plain/half digits_plain/script
sed -f digits_plain/script "$source_folder/tests/training/tasks.case" >learned.case
"$onnxc" verify --export cases learned.case
cp -r cases/learned/transfer cases/tasks/
prepare transfer transfer.onnx --optimizer sgd --lr 0.02 --train 'fc*'
in_all_forms transfer.onnx digits transfer --dim N=1..20 -- 500 1 5 5 100 0.5 STATE
[ "$(state_bytes transfer_plain)" -le 3072 ]

text=$source_folder/LICENSE  # a text that stays as it is
steps=100 lstm=3.0 transformer=2.9
[ -z "$whole" ] || steps=600 lstm=2.0 transformer=2.1
prepare characters characters.onnx --optimizer adam --lr 0.003 --train '*_*' --train embedding
prepare transformer transformer.onnx --optimizer adamw --lr 0.003 --train '*_*' --train tokens --train positions
# shellcheck disable=SC2086
in_all_forms characters.onnx characters characters --dim B=8 --dim T=32 -- $steps $lstm STATE $text
# shellcheck disable=SC2086
in_all_forms transformer.onnx characters transformer --dim B=8 -- $steps $transformer STATE $text
if [ -n "$whole" ]; then
  # shellcheck disable=SC2086
  in_all_forms characters.onnx characters characters --dim B=8 --dim T=32 -- 1000 $lstm STATE $text
  # shellcheck disable=SC2086
  in_all_forms transformer.onnx characters transformer --dim B=8 -- 1000 $transformer STATE $text
fi
