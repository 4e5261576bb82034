#!/usr/bin/env bash
# The hook between steps on a bare Cortex-M4F: a profile by steps, and runs that it ends.
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
mkdir host arm
use_core cortex-m4f

"$onnxc" "$cnn" -o host/shapes -q
host_data shapes 256 4

build() { # optimisation
  compile "$1" arm/shapes.cpp arm/shapes.o && compile_board "$1" &&
    compile "$1" "$here/hook_app.cpp" arm/app.o $(model_flags shapes) &&
    link shapes.elf arm/*.o
}
for options in "--hook" "--hook --steps --optimize size"; do
  check "$options: generates" exits 0 "$onnxc" "$cnn" -o arm/shapes --no-heap --target cortex-m4f $options
  check "$options: builds" build -O2
  # An instruction takes 64 ns there.
  check "$options: the profile is the whole, and every step can be the last" runs shapes.elf -icount shift=6
done
finish
