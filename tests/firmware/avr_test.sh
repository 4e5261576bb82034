#!/usr/bin/env bash
# Models of bytes on 8-bit AVR in simavr: the bits of the host, weights in flash, and RAM and cycles within limits.
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/bytes.sh"
for tool in clang++-19 avr-gcc simavr; do
  installed $tool || { echo "skipped: needs $tool"; exit 77; }
done

build() { # model, microcontroller, optimisation
  local cc="clang++-19 --target=avr -mmcu=$2 -std=c++17 $3 $warnings $small -Iavr"
  # Faults of clang 19 (docs/firmware.md): with many local variables, and of arguments on the stack of large cores.
  [ "$2" = atmega2560 ] || cc="$cc -fno-inline-functions"
  $cc -c "avr/$1.cpp" -o "avr/$1.o" && $cc $(app_flags "$1") -c "$here/bytes_app.cpp" -o avr/app.o -Wno-error &&
    avr-gcc "-mmcu=$2" -Wl,--gc-sections avr/app.o "avr/$1.o" -lm -o "$1.elf"
}
runs() { # model, microcontroller
  timeout 300 simavr -m "$2" -f 16000000 "$1.elf" >"$1.got" 2>&1 || true
  same_outputs "$1" || { cat "$1.got"; return 1; }
}
# A number that the program printed: model, name.
printed() { sed 's/\x1b\[[0-9]*m//g' "$1.got" | sed -n "s/^$2 \([0-9]*\).*/\1/p"; }
at_most() { [ "$(printed "$1" "$2")" -le "$3" ] || { echo "$2: $(printed "$1" "$2"), at most $3"; return 1; }; }
# Initialised data would be constants in RAM.
weights_in_flash() { [ "$(avr-size "$1.elf" | awk 'NR == 2 { print $2 }')" -le 64 ]; }

on_avr() { # model, microcontroller, stack, cycles
  local level mode
  for mode in size speed; do
    level=-O2
    [ $mode = speed ] || level=-Os
    check "$1: generates, $mode" generate "$1" avr avr --optimize $mode
    check "$1: builds for $2, $level" build "$1" "$2" "$level"
    check "$1: weights are in flash, $level" weights_in_flash "$1"
    check "$1: the host's outputs on $2, $level" runs "$1" "$2"
    check "$1: stack, $level" at_most "$1" stack "$3"
    check "$1: cycles, $level" at_most "$1" cycles "$4"
    echo "$1 $2 $level: $(avr-size "$1.elf" | awk 'NR == 2 { print "text", $1, "data", $2, "bss", $3 }')," \
      "cycles $(printed "$1" cycles), stack $(printed "$1" stack)"
  done
}

make_models
on_avr sine atmega328p 300 60000
on_avr gesture atmega328p 400 3400000
on_avr gesture atmega2560 400 3200000
on_avr mixed atmega2560 500 2000000
on_avr attention atmega2560 600 4000000
on_avr recurrent atmega2560 600 4000000

# What the types of the core cannot hold.
cat >limits.case <<'END'
=== doubles
<ir_version: 8, opset_import: ["": 17]>
(double[4] x) => (float[4] y) {
  e = Exp (x)
  y = Cast <to = 1> (e)
}
given double[4] x = full(0)

=== large
<ir_version: 8, opset_import: ["": 17]>
(float[8192] x) => (float[8192] y) {
  y = Relu (x)
}
given float[8192] x = full(0)

=== together
<ir_version: 8, opset_import: ["": 17]>
(float[5000] x) => (float[5000] y) {
  axis = Constant <value_int = 0> ()
  s = Sin (x)
  t = Softmax <axis = 0> (s)
  u = CumSum (t, axis)
  r = Softmax <axis = 0> (u)
  y = Mul (r, s)
}
given float[5000] x = full(0)
END
"$onnxc" verify --export exported limits.case 2>exported.log || true
check "doubles are refused" prints 'error[target-limit]: --target avr: "x" is double, and a double has 32 bits there' \
  "$onnxc" exported/limits/doubles/model.onnx -o doubles --target avr
check "objects of more than 15 bits are refused" \
  prints 'error[target-limit]: --target avr: "x" takes 32768 bytes, and an object has at most 32767 there' \
  "$onnxc" exported/limits/large/model.onnx -o large --target avr
check "an arena of more than that, too" prints 'the arena takes 40000 bytes, and an object has at most 32767 there' \
  "$onnxc" exported/limits/together/model.onnx -o together --target avr
check "nothing is written" [ ! -e large.cpp ]
finish
