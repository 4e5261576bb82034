#!/usr/bin/env bash
# Kernels give on an 8-bit AVR in simavr what they give on the host: integers bit by bit, floats within 2e-6 of the
# largest element. Each case of sweep.txt that fits 128 KiB of flash and 16 KiB of RAM is a program.
# usage: sweep_avr_test.sh ONNXC WORK_DIR
# Without SLOW=1: two of them, with it every fifth, with FULL=1 all.
. "$(dirname "$0")/../cli/check.sh"
here=$source_dir/tests/firmware mcu=atmega1284p ram=16384
stack=1024 # bytes, at least
for tool in clang++-19 avr-gcc simavr; do
  installed $tool || { echo "skipped: needs $tool"; exit 77; }
done
python=/usr/bin/python3 sweep=$here/sweep.py suite=/usr/share/libonnx-testdata/data/node
"$python" -c 'import onnx' 2>/dev/null || { echo "skipped: needs python3-onnx"; exit 77; }
[ -d "$suite" ] || { echo "skipped: needs libonnx-testdata"; exit 77; }

on_host() {
  "$onnxc" sweep.onnx -o host/sweep -q --target generic --no-heap &&
    g++ -std=c++17 -O1 -ffp-contract=off -Ihost -I. "$here/sweep_run.cpp" host/sweep.cpp -o sweep && ./sweep
}

build_avr() {
  local cc="clang++-19 --target=avr -mmcu=$mcu -std=c++17 -Os -fno-inline-functions -fno-exceptions -fno-rtti -fno-threadsafe-statics"
  cc="$cc -ffunction-sections -fdata-sections -Iavr -I."
  $cc -c avr/sweep.cpp -o avr/sweep.o && $cc -c "$here/sweep_avr.cpp" -o avr/app.o &&
    avr-gcc -mmcu=$mcu -Wl,--gc-sections avr/app.o avr/sweep.o -lm -o avr/sweep.elf
}

fits() { [ $(($(avr-size avr/sweep.elf | awk 'NR == 2 { print $2 + $3 }') + stack)) -le $ram ]; }

on_avr() {
  timeout 300 simavr -m $mcu -f 16000000 avr/sweep.elf >got 2>&1 || true
  sed 's/\x1b\[[0-9]*m//g' got | sed -n 's/^=\([0-9a-f]*\).*/\1/p' | "$python" -c \
    'import sys; sys.stdout.buffer.write(bytes.fromhex("".join(sys.stdin.read().split())))' >avr/results.bin
  [ -s avr/results.bin ] || { tail -n 3 got; echo "no results"; return 1; }
  "$python" "$sweep" compare . results.bin avr/results.bin
}

# A case in its folder; `status` says how it went, and is missing where something is wrong.
job() { # folder
  cd "$1" || return
  "$onnxc" sweep.onnx -o avr/sweep -q --target avr --no-heap --optimize size >refused 2>&1 ||
    { ! grep -q 'error\[' refused || echo refused >status; return; }
  build_avr >log 2>&1 || { ! grep -q 'will not fit\|overflowed\|relocation truncated\|not within region' log || echo too large >status; return; }
  fits || { echo too large >status; return; }
  { on_host && on_avr; } >>log 2>&1 && echo ok >status
}

as_told() { # folder
  [ -f "$1/status" ] || { cat "$1/refused" "$1/log"; return 1; }
}

"$onnxc" verify --export own "$case_files" 2>export.log
"$onnxc" verify --export own "$here/sweep.case" 2>>export.log
every=80
! slow || every=5
! full || every=1
grep -vE '^(#|without|$)' "$here/sweep.txt" | awk -v n=$every '(NR - 4) % n == 0' >list.txt
check "the cases become models" "$python" "$sweep" merge "$work/cases" "$(wc -l <list.txt)" list.txt own "$suite"
for case in "$work"/cases/*; do
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
  (job "$case") &
done
wait
for case in "$work"/cases/*; do
  check "$(sed -n "$((${case##*/} + 1))p" list.txt): $(cat "$case/status" 2>/dev/null || echo failed)" as_told "$case"
done
cat "$work"/cases/*/status | sort | uniq -c
check "most of them run" [ $(($(grep -lx ok "$work"/cases/*/status | wc -l) * 2)) -gt "$(wc -l <list.txt)" ]
finish
