#!/usr/bin/env bash
# Every kernel that needs no heap gives on bare cores and other processors what it gives on the host: integers bit by
# bit, floats within 2e-6 of the largest element. sweep.txt names the models.
# usage: sweep_test.sh ONNXC WORK_DIR
# Without SLOW=1: two of them, one with vectors.
# With FULL=1: every case that can run there, and speed at -O2 and -O3 and size at -Os instead of one of them a target.
# TARGETS and LEVELS name some of them, as in TARGETS="cortex-m55 rv32imc" LEVELS="size:-Os".
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
python=/usr/bin/python3 sweep=$here/sweep.py suite=/usr/share/libonnx-testdata/data/node
"$python" -c 'import onnx' 2>/dev/null || { echo "skipped: needs python3-onnx"; exit 77; }
[ -d "$suite" ] || { echo "skipped: needs libonnx-testdata"; exit 77; }

# The optimisations of a target, as onnxc's and the compiler's.
levels() { # target
  [ -z "${FULL:-}${LEVELS:-}" ] || { echo "${LEVELS:-speed:-O2 speed:-O3 size:-Os}"; return; }
  case $1 in
    cortex-m0plus | cortex-m33) echo size:-Os ;;
    cortex-m3 | armv8-a) echo speed:-O1 ;;
    *) echo speed:-O2 ;;
  esac
}

build_bare() { # target, optimisation
  use_core "$1"
  mkdir -p host arm
  compile "$2" sweep.cpp arm/sweep.o -I. && compile "$2" "$here/sweep_run.cpp" arm/run.o -I. -I.. -DSWEEP_BARE &&
    compile_board "$2" && link sweep arm/*.o
}

# libstdc++'s headers have no package for RISC-V; those for Arm suit every newlib.
build_rv32() { # flags of the core, optimisation
  local cc="riscv64-unknown-elf-g++ $1 --specs=picolibc.specs" headers lib
  headers=$(arm-none-eabi-g++ -x c++ -E -v /dev/null 2>&1 | sed -n 's/^ \(.*\/c++\/[^ ]*\)$/-isystem \1/p')
  lib=/usr/lib/picolibc/riscv64-unknown-elf/lib/$($cc -print-multi-directory)
  $cc $headers $flags "$2" -I. -c sweep.cpp -o sweep.o &&
    $cc $headers $flags "$2" -I. -I.. -c "$here/sweep_run.cpp" -o run.o &&
    $cc -nostdlib "$lib/crt0-semihost.o" sweep.o run.o -Wl,--start-group -lc -lsemihost -lm -lgcc -Wl,--end-group \
      -Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=16M,--defsym=__ram=0x81000000,--defsym=__ram_size=32M \
      -Wl,--defsym=__stack_size=64K -o sweep
}

build_hosted() { # compiler and its flags, optimisation
  $1 -std=c++17 -Wall -Wextra -Werror "$2" -I. -I.. "$here/sweep_run.cpp" sweep.cpp -o sweep
}

build() { # target, optimisation
  case $1 in
    cortex-*) build_bare "$@" ;;
    rv32imc) build_rv32 "-march=rv32imc -mabi=ilp32" "$2" ;;
    rv32imafc) build_rv32 "-march=rv32imafc -mabi=ilp32f" "$2" ;;
    armv8-a) build_hosted "aarch64-linux-gnu-g++ -static -march=armv8.2-a+dotprod" "$2" ;;
    native | x86-64-v*) build_hosted "g++ -march=$1" "$2" ;;
    generic) build_hosted "g++ -ffp-contract=off" "$2" ;;
  esac
}

run_program() { # target
  case $1 in
    cortex-*) use_core "$1" && runs sweep ;;
    rv32*) timeout 300 qemu-system-riscv32 -M virt -m 128M -bios none -display none -monitor none -serial none \
      -semihosting-config enable=on,target=native -kernel sweep </dev/null ;;
    armv8-a) timeout 300 qemu-aarch64 -cpu max ./sweep ;;
    *) timeout 300 ./sweep ;;
  esac
}

# A group on a target, in a folder below the group's: results.bin and `status`.
job() { # group, target, mode, optimisation
  mkdir -p "$1/$2$4"
  cd "$1/$2$4"
  { "$onnxc" ../sweep.onnx -o sweep --no-heap -q --target "$2" --optimize "$3" && build "$2" "$4" && run_program "$2"; } \
    >log 2>&1 && echo ok >status
}

as_told() { # group, folder: it ran, and gave what the host gave
  [ -f "$1/$2/status" ] || { cat "$1/$2/log"; return 1; }
  "$python" "$sweep" compare "$1" "$1/generic-O1/results.bin" "$1/$2/results.bin"
}

# As many jobs at a time as there are processors.
each_job() { # group
  local target level running=0
  (job "$1" generic speed -O1) &
  for target in $targets; do
    for level in $(levels "$target"); do
      [ "$((running += 1))" -lt "$(nproc)" ] || wait -n || true
      (job "$1" "$target" "${level%:*}" "${level#*:}") &
    done
  done
  wait
}

targets="cortex-m55 cortex-m0plus"
! slow || targets="$targets armv8-a native x86-64-v3 cortex-m4f"
! full || targets="$targets cortex-m3 cortex-m7 cortex-m33"
! slow || ! installed qemu-system-riscv32 || ! installed riscv64-unknown-elf-g++ || targets="rv32imc $targets"
for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
  installed $tool || targets=${targets/armv8-a /}
done
# Its int8 kernels are those of x86 without VNNI.
grep -qw avx2 /proc/cpuinfo || targets=${targets/x86-64-v3 /}

"$onnxc" verify --export own "$case_files" 2>export.log
"$onnxc" verify --export own "$here/sweep.case" 2>>export.log
list=$here/sweep.txt groups=1
if [ -n "${FULL:-}" ]; then
  { "$python" "$sweep" all "$onnxc" own "$suite"; grep '^without' "$list"; } >all.txt
  list=$work/all.txt groups=12 targets="rv32imafc $targets"
fi
targets=${TARGETS:-$targets}
check "the cases become models" "$python" "$sweep" merge "$work/groups" "$groups" "$list" own "$suite"
for group in "$work"/groups/*; do
  each_job "$group"
  for folder in "$group"/*/; do
    check "${group##*/} $(basename "$folder")" as_told "$group" "$(basename "$folder")"
  done
done
! slow || check "every kernel is there" "$python" "$sweep" covered "$source_dir/templates" "$list" "$work"/groups/*/*/sweep.cpp
tail -n +1 check.log
finish
