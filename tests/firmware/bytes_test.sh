#!/usr/bin/env bash
# Models of bytes on boards with tool chains of their own give the bits of the host: the core of an ESP8266, which has no
# C++ library, a Cortex-M0+ and RISC-V with vectors, all in QEMU.
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
. "$source_dir/tests/firmware/bytes.sh"
make_models

esp8266() { # model
  local cc="xtensa-lx106-elf-g++ -mlongcalls -mtext-section-literals -std=c++17 $small -Iesp
    -isystem /usr/lib/xtensa-lx106-elf/include"
  $cc -Os $warnings -c "esp/$1.cpp" -o "esp/$1.o" &&
    $cc -Os $(app_flags "$1") -c "$here/bytes_app.cpp" -o esp/app.o &&
    $cc -O2 -c "$here/esp8266_rom.cpp" -o esp/rom.o &&
    $cc -nostdlib -nostartfiles -T "$here/esp8266.ld" -Wl,--gc-sections esp/app.o "esp/$1.o" esp/rom.o \
      -L/usr/lib/xtensa-lx106-elf/lib -lm -lc -lgcc -o "$1.elf" &&
    timeout 300 qemu-system-xtensa -M sim -cpu lx106 -nographic -monitor none -serial none -semihosting \
      -kernel "$1.elf" </dev/null >"$1.got" && same_outputs "$1"
}
cortex_m0plus() { # model
  use_core cortex-m0plus
  compile -Os "arm/$1.cpp" "arm/$1.o" && compile -Os "$here/bytes_app.cpp" arm/app.o $(app_flags "$1") -Wno-error &&
    compile_board -Os && link "$1.elf" arm/app.o arm/startup.o arm/memory.o "arm/$1.o" && runs "$1.elf" >"$1.got" 2>&1 && same_outputs "$1"
}
rv64gcv() { # model
  local cc="clang++-19 --target=riscv64-linux-gnu -static -march=rv64gcv -std=c++17 -O2 -Irv"
  $cc $warnings -c "rv/$1.cpp" -o "rv/$1.o" &&
    $cc $(app_flags "$1") "$here/bytes_app.cpp" "rv/$1.o" -o "$1.elf" || return 1
  local bits
  for bits in 128 256; do
    timeout 300 qemu-riscv64 -cpu "rv64,v=true,vext_spec=v1.0,vlen=$bits" "./$1.elf" >"$1.got" && same_outputs "$1" ||
      return 1
  done
}

on_board() { # function, folder, target, more options
  local model
  for model in sine gesture mixed; do
    check "$model: generates for $3" generate "$model" "$2" "$3" "${@:4}"
    check "$model: $1" "$1" "$model"
    echo "$model $1: $(size "$2/$model.o" | awk 'NR == 2 { print "text", $1, "data", $2, "bss", $3 }')"
  done
}

if installed xtensa-lx106-elf-g++ && installed qemu-system-xtensa; then
  on_board esp8266 esp xtensa-lx106 --optimize size
fi
on_board cortex_m0plus arm cortex-m0plus --optimize size
if installed clang++-19 && installed riscv64-linux-gnu-g++ && installed qemu-riscv64; then
  on_board rv64gcv rv rv64gcv
fi
finish
