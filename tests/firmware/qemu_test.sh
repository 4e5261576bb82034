#!/usr/bin/env bash
# Models on a bare Cortex-M4F in QEMU: the same results as on the host, linked with libm, libgcc
# and three functions of memory.cpp, without heap, exceptions, stdio or double precision.
. "$(dirname "$0")/../cli/check.sh"
here=$source_dir/tests/firmware
for tool in arm-none-eabi-g++ qemu-system-arm; do
  command -v "$tool" >/dev/null || { echo "skipped: needs $tool"; exit 77; }
done

cpu="-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard"
flags="-std=c++17 -fno-exceptions -fno-rtti -fno-unwind-tables -fno-asynchronous-unwind-tables
  -fno-threadsafe-statics -fno-math-errno -ffunction-sections -fdata-sections
  -Wall -Wextra -Wconversion -Wdouble-promotion -Werror"
forbidden='malloc|calloc|realloc|free$|_sbrk|_Zn[wa]|_Zd[la]|__cxa|_Unwind|printf|puts|fopen|__aeabi_d|__aeabi_.*2d$|__aeabi_l2d'

define() { # name, caps, header
  echo "-DMODEL=$1 -DMODEL_CAPS=$2 -DMODEL_HEADER=\"$1.h\""
}

# The value of a size macro of the header: pattern.
size_of() { sed -n "s/^#define [A-Z0-9_]*_$2_[A-Z0-9_]*_SIZE \([0-9]*\)u.*/\1/p" "$1" | head -1; }

host_data() { # name
  local caps=${1^^}
  g++ -std=c++17 -O1 -Ihost $(define "$1" "$caps") -DINPUT_SIZE="$(size_of "host/$1.h" INPUT)" \
    -DOUTPUT_SIZE="$(size_of "host/$1.h" OUTPUT)" "$here/host.cpp" host/"$1"*.cpp -o "host/$1" &&
    "host/$1" >"host/data.h"
}

build() { # name, optimisation
  local caps=${1^^} file
  rm -f arm/*.o
  for file in arm/"$1"*.cpp; do
    arm-none-eabi-g++ $cpu $flags "$2" -Iarm -c "$file" -o "arm/$(basename "$file").o" || return 1
  done
  arm-none-eabi-g++ $cpu $flags -O2 -fno-tree-loop-distribute-patterns -c "$here/memory.cpp" -o arm/memory.o
  arm-none-eabi-g++ $cpu $flags "$2" -Iarm -Ihost $(define "$1" "$caps") -I"$here" -nostdlib -nostartfiles \
    -T "$here/link.ld" -Wl,--gc-sections "$here/startup.cpp" "$here/app.cpp" arm/*.o -lm -lgcc \
    -o "$1.elf"
}

clean_symbols() { # name
  ! arm-none-eabi-nm -u arm/"$1".cpp.o | grep -E "$forbidden" &&
    ! arm-none-eabi-nm "$1.elf" | grep -E "$forbidden"
}
no_writable_data() { ! arm-none-eabi-nm "arm/$1.cpp.o" | grep -E ' [dDbBC] '; }

runs() { # elf
  timeout 300 qemu-system-arm -M mps2-an386 -display none -monitor none -serial none \
    -semihosting-config enable=on,target=native -kernel "$1" </dev/null
}

firmware() { # name, model
  "$onnxc" "$2" -o "host/$1" -q
  check "$1: the host runs it" host_data "$1"
  for optimize in speed size; do
    local level=-O2
    [ "$optimize" = speed ] || level=-Os
    check "$1: generates for $optimize" exits 0 "$onnxc" "$2" -o "arm/$1" --no-heap --target cortex-m4f --optimize "$optimize"
    check "$1: builds for $optimize" build "$1" "$level"
    check "$1: symbols for $optimize" clean_symbols "$1"
    check "$1: no writable data" no_writable_data "$1"
    check "$1: runs for $optimize" runs "$1.elf"
    arm-none-eabi-size "$1.elf" | tail -1 || true
  done
}

mkdir host arm
firmware flowers "$mlp"
firmware shapes "$cnn"
for name in dscnn_kws resnet8; do
  model=$source_dir/../shared/bench/models/$name/model.onnx
  [ ! -f "$model" ] || firmware "$name" "$model"
done
finish
