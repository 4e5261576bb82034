#!/usr/bin/env bash
# Models on bare Cortex-M4F and Cortex-M55 in QEMU: the same results as on the host, linked with libm, libgcc
# and three functions of memory.cpp, without heap, exceptions, stdio or double precision.
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
forbidden='malloc|calloc|realloc|free$|_sbrk|_Zn[wa]|_Zd[la]|__cxa|_Unwind|printf|puts|fopen|__aeabi_d|__aeabi_.*2d$|__aeabi_l2d'

# The value of a size macro of the header: pattern.
size_of() { sed -n "s/^#define [A-Z0-9_]*_$2_[A-Z0-9_]*_SIZE \([0-9]*\)u.*/\1/p" "$1" | head -1; }

build() { # name, optimisation
  local file
  rm -f arm/*.o
  for file in arm/"$1"*.cpp; do
    compile "$2" "$file" "arm/$(basename "$file").o" || return 1
  done
  compile_board "$2" && compile "$2" "$here/app.cpp" arm/app.o $(model_flags "$1") &&
    link "$1.elf" arm/*.o
}

clean_symbols() { # name
  ! arm-none-eabi-nm -u arm/"$1".cpp.o | grep -E "$forbidden" &&
    ! arm-none-eabi-nm "$1.elf" | grep -E "$forbidden"
}
no_writable_data() { ! arm-none-eabi-nm "arm/$1.cpp.o" | grep -E ' [dDbBC] '; }

on_core() { # core, optimize, name, model
  local level=-O2
  [ "$2" = speed ] || level=-Os
  check "$3: generates for $1, $2" exits 0 "$onnxc" "$4" -o "arm/$3" --no-heap --target "$1" --optimize "$2"
  check "$3: builds for $1, $2" build "$3" "$level"
  check "$3: symbols for $1, $2" clean_symbols "$3"
  check "$3: no writable data for $1" no_writable_data "$3"
  check "$3: runs on $1, $2" runs "$3.elf"
  arm-none-eabi-size "$3.elf" | tail -1 || true
}

firmware() { # name, model
  "$onnxc" "$2" -o "host/$1" -q
  check "$1: the host runs it" host_data "$1" "$(size_of "host/$1.h" INPUT)" "$(size_of "host/$1.h" OUTPUT)"
  local core optimize
  for core in $cores; do
    use_core "$core"
    for optimize in speed size; do
      on_core "$core" "$optimize" "$@"
    done
  done
}

mkdir host arm
firmware flowers "$mlp"
firmware shapes "$cnn"
"$onnxc" verify --export own "$here/sweep.case" 2>export.log
firmware bytes own/sweep/BytesLineBuffered/model.onnx
check "bytes: layers run row by row" grep -q run_line_buffered arm/bytes.cpp
for name in dscnn_kws resnet8 dscnn_kws_int8_qdq resnet8_int8_qdq; do
  model=$source_dir/../shared/bench/models/$name/model.onnx
  [ ! -f "$model" ] || firmware "$name" "$model"
done
finish
