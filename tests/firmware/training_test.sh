#!/usr/bin/env bash
# Models that learn on bare Cortex-M cores in QEMU: after 100 steps loss and state are the host's,
# without heap, double precision or writable statics, in little memory.
# usage: training_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
forbidden='malloc|calloc|realloc|free$|_sbrk|_Zn[wa]|_Zd[la]|__cxa|_Unwind|printf|puts|fopen|__aeabi_d|__aeabi_.*2d$|__aeabi_l2d'
mkdir host arm

host_state() { # definitions
  g++ -std=c++17 -O1 -Ihost -I"$here" -I"$source_dir" "$@" "$here/training_host.cpp" host/net.cpp -o host/train &&
    host/train >host/state.h
}

build() { # definitions
  rm -f arm/*.o
  compile -O2 arm/net.cpp arm/net.o && compile_board -O2 &&
    compile -O2 "$here/training_app.cpp" arm/app.o -I"$source_dir" "$@" && link net.elf arm/*.o
}

clean_symbols() { ! arm-none-eabi-nm -u arm/net.o | grep -E "$forbidden"; }
no_writable_data() { ! arm-none-eabi-nm arm/net.o | grep -E ' [dDbBC] '; }

size_of() { sed -n "s/^#define NET_$1 \([0-9]*\)u.*/\1/p" arm/net.h; }
at_most() { [ "$1" -le "$2" ] || { echo "$1 > $2"; return 1; }; }

# Integers come first in a state.
learns() { # name, model, first float, task, options of onnxc, definitions
  local name=$1 model=$2 options=$5 core
  local definitions="-DFIRST_FLOAT=$3 -DTASK_$4 ${*:6}"
  "$onnxc" "$model" --train --name net -o host/net $options -q 2>notes.log
  check "$name: the host trains it" host_state $definitions
  for core in $cores; do
    use_core "$core"
    check "$name: generates for $core" exits 0 "$onnxc" "$model" --train --name net -o arm/net --no-heap --target "$core" $options
    check "$name: builds for $core" build $definitions
    check "$name: symbols for $core" clean_symbols
    check "$name: no writable data for $core" no_writable_data
    check "$name: learns on $core" runs net.elf -icount shift=0
    [ "$core" != cortex-m4f ] || bounds_$4
  done
}

prepare() { # name, out, options
  "$onnxc" prepare cases/tasks/"$1"/model.onnx -o "$2" --loss softmax_cross_entropy "${@:3}" >>prepare.log
}

bounds_POINTS() { check "$name: arena" at_most "$(size_of TRAIN_ARENA_BYTES)" $((7 * 1024)); }
bounds_DIGITS() { check "$name: arena" at_most "$(size_of TRAIN_ARENA_BYTES)" "$max_arena"; }
bounds_CHARACTERS() { check "$name: arena" at_most "$(size_of TRAIN_ARENA_BYTES)" $((30 * 1024)); }

"$onnxc" verify --export cases "$source_dir/tests/training/learn.case" "$source_dir/tests/training/tasks.case" 2>export.log
learns logistic_regression cases/learn/logistic_regression/model.onnx 64 POINTS ""
learns perceptron_adam cases/learn/perceptron_adam/model.onnx 72 POINTS ""

prepare digits digits.onnx --optimizer momentum --lr 0.05 --train '*'
max_arena=$((14 * 1024))
learns digits digits.onnx 72 DIGITS "--dim N=1" -DCLASSES=10

# Training the last layer costs little more than inference layer by layer, and the other layers are
# constants.
prepare transfer last.onnx --optimizer sgd --lr 0.02 --train 'fc*'
"$onnxc" last.onnx --train --name net -o arm/net --no-heap --target cortex-m4f --dim N=1 -q
max_arena=$((5 * 1024))
learns "last layer" last.onnx 64 DIGITS "--dim N=1" -DCLASSES=5 -DMOST=1.05f
check "last layer: state" at_most "$(size_of STATE_BYTES)" 3072

{
  echo '#pragma once'
  echo 'static const unsigned char kText[] = {'
  od -An -v -tu1 "$source_dir/LICENSE" | sed 's/[0-9][0-9]*/&,/g'
  echo '};'
} >host/text.h
prepare small_characters characters.onnx --optimizer adam --lr 0.01 --train '*_*' --train embedding
learns characters characters.onnx 72 CHARACTERS "--dim B=1 --dim T=16" -DLEARNS=0.7f
finish
