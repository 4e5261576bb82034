#!/usr/bin/env bash
# Models that learn on bare Cortex-M cores in QEMU: after 100 steps the state is the host's, without
# heap, double precision or writable statics.
# usage: training_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
forbidden='malloc|calloc|realloc|free$|_sbrk|_Zn[wa]|_Zd[la]|__cxa|_Unwind|printf|puts|fopen|__aeabi_d|__aeabi_.*2d$|__aeabi_l2d'
mkdir host arm

host_state() { # first float
  g++ -std=c++17 -O1 -Ihost -I"$here" -DFIRST_FLOAT="$1" "$here/training_host.cpp" host/net.cpp -o host/train &&
    host/train >host/state.h
}

build() { # first float
  rm -f arm/*.o
  compile -O2 arm/net.cpp arm/net.o && compile_board -O2 &&
    compile -O2 "$here/training_app.cpp" arm/app.o -DFIRST_FLOAT="$1" && link net.elf arm/*.o
}

clean_symbols() { ! arm-none-eabi-nm -u arm/net.o | grep -E "$forbidden"; }
no_writable_data() { ! arm-none-eabi-nm arm/net.o | grep -E ' [dDbBC] '; }

# Integers come first in a state.
learns() { # case, first float
  local model=cases/learn/$1/model.onnx core
  "$onnxc" "$model" --train --name net -o host/net -q 2>notes.log
  check "$1: the host trains it" host_state "$2"
  for core in $cores; do
    use_core "$core"
    check "$1: generates for $core" exits 0 "$onnxc" "$model" --train --name net -o arm/net --no-heap --target "$core"
    check "$1: builds for $core" build "$2"
    check "$1: symbols for $core" clean_symbols
    check "$1: no writable data for $core" no_writable_data
    check "$1: learns on $core" runs net.elf
  done
}

"$onnxc" verify --export cases "$source_dir/tests/training/learn.case" 2>export.log
learns logistic_regression 64
learns perceptron_adam 72
finish
