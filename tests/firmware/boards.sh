# shellcheck shell=bash
# Sourced by the tests: how programs for bare Cortex-M cores are built and run. Wants cli/check.sh before it.
here=$source_dir/tests/firmware
for tool in arm-none-eabi-g++ qemu-system-arm; do
  command -v "$tool" >/dev/null || { echo "skipped: needs $tool"; exit 77; }
done
cores="cortex-m4f cortex-m55"
flags="-std=c++17 -fno-exceptions -fno-rtti -fno-unwind-tables -fno-asynchronous-unwind-tables
  -fno-threadsafe-statics -fno-math-errno -ffunction-sections -fdata-sections
  -Wall -Wextra -Wconversion -Wdouble-promotion -Werror"

# Sets the flags of the compiler and the board of QEMU: a core of `cores`.
use_core() {
  case $1 in
    cortex-m4f) cpu="-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard" board=mps2-an386 ;;
    cortex-m55) cpu="-mcpu=cortex-m55 -mthumb -mfloat-abi=hard" board=mps3-an547 ;;
  esac
}

compile() { # optimisation, source, object, more flags
  arm-none-eabi-g++ $cpu $flags "$1" -I"$here" -Ihost -Iarm -c "$2" -o "$3" "${@:4}"
}

link() { # program, objects...
  arm-none-eabi-g++ $cpu -nostdlib -nostartfiles -T "$here/link.ld" -Wl,--gc-sections "${@:2}" -lm -lgcc -o "$1"
}

# What every program needs beside its own: optimisation.
compile_board() {
  compile "$1" "$here/startup.cpp" arm/startup.o &&
    compile -O2 "$here/memory.cpp" arm/memory.o -fno-tree-loop-distribute-patterns
}

runs() { # program, options of QEMU
  timeout 300 qemu-system-arm -M "$board" -display none -monitor none -serial none \
    -semihosting-config enable=on,target=native -kernel "$1" "${@:2}" </dev/null
}
