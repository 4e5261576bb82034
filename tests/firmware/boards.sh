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

# Sets the flags of the compiler, the board of QEMU and the addresses of its memories. A Cortex-M0+ is a board with a
# larger core, on which startup.cpp turns unaligned accesses into faults: those with an M0 have 16 KB of memory.
use_core() {
  code=0 fast=0x20000000 large=0x21000000
  case $1 in
    cortex-m0plus) cpu="-mcpu=cortex-m0plus -mfloat-abi=soft" board=mps2-an385 ;;
    cortex-m3) cpu="-mcpu=cortex-m3 -mfloat-abi=soft" board=mps2-an385 ;;
    cortex-m4f) cpu="-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard" board=mps2-an386 ;;
    cortex-m7) cpu="-mcpu=cortex-m7 -mfpu=fpv5-sp-d16 -mfloat-abi=hard" board=mps2-an500 large=0x60000000 ;;
    cortex-m33) cpu="-mcpu=cortex-m33 -mfpu=fpv5-sp-d16 -mfloat-abi=hard" board=mps2-an505
      code=0x10000000 fast=0x38000000 large=0x80000000 ;;
    cortex-m55) cpu="-mcpu=cortex-m55 -mfloat-abi=hard" board=mps3-an547 large=0x60000000 ;;
  esac
  cpu="$cpu -mthumb"
}

compile() { # optimisation, source, object, more flags
  arm-none-eabi-g++ $cpu $flags "$1" -I"$here" -Ihost -Iarm -c "$2" -o "$3" "${@:4}"
}

link() { # program, objects...
  arm-none-eabi-g++ $cpu -nostdlib -nostartfiles -T "$here/link.ld" -Wl,--gc-sections \
    -Wl,--defsym=code=$code,--defsym=fast=$fast,--defsym=large=$large "${@:2}" -lm -lgcc -o "$1"
}

# The input and the results of a host as data.h, which is all that stays in the folder host: name,
# sizes of the input and the output.
host_data() {
  g++ -std=c++17 -O1 -Ihost $(model_flags "$1") -DINPUT_SIZE="$2" -DOUTPUT_SIZE="$3" "$here/host.cpp" host/"$1"*.cpp \
    -o "host/$1" && "host/$1" >data.h && rm -r host/* && mv data.h host
}

# What every program needs in addition to its own: optimisation.
compile_board() {
  compile "$1" "$here/startup.cpp" arm/startup.o &&
    compile -O2 "$here/memory.cpp" arm/memory.o -fno-tree-loop-distribute-patterns
}

runs() { # program, options of QEMU
  timeout 300 qemu-system-arm -M "$board" -display none -monitor none -serial none \
    -semihosting-config enable=on,target=native -kernel "$1" "${@:2}" </dev/null
}
