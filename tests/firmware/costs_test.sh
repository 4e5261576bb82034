#!/usr/bin/env bash
# --measure: the size of the code is that of the linked program, the limits hold to the byte, and no run takes more stack
# than the header says.
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
mkdir host arm
unset CXX CXXFLAGS

cat >bytes.case <<'END'
=== tiny_bytes
<ir_version: 8, opset_import: ["": 17]>
(float[1,3,12,12] x) => (float[1,4] y) {
  scale = Constant <value = float {0.02}> ()
  zero = Constant <value = int8 {0}> ()
  q = QuantizeLinear (x, scale, zero)
  f = DequantizeLinear (q, scale, zero)
  shape = Constant <value_ints = [4, 3, 3, 3]> ()
  weights = ConstantOfShape <value = int8[1] {3}> (shape)
  w = DequantizeLinear (weights, scale, zero)
  c = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (f, w)
  p = QuantizeLinear (c, scale, zero)
  r = DequantizeLinear (p, scale, zero)
  g = GlobalAveragePool (r)
  flat = Flatten (g)
  y = Softmax (flat)
}
given float[1,3,12,12] x = full(0)
END
"$onnxc" verify --export . bytes.case 2>/dev/null
number() { sed -n "s/^#define [A-Z0-9_]*_$2 \([0-9]*\)u.*/\1/p" "$1"; }
measured() { # name, model, options...
  "$onnxc" "$2" -o "arm/$1" --name "$1" --target "$core" --no-heap --measure "${@:3}"
}
# Bytes of flash in a program of nothing but the model, without functions that it does not call.
linked() { # name, optimisation
  compile "$2" "arm/$1.cpp" arm/alone.o -Wno-error &&
    arm-none-eabi-g++ $cpu -nostartfiles "-Wl,-e,$1_run,--gc-sections" arm/alone.o -o alone.elf &&
    arm-none-eabi-size alone.elf | awk 'NR == 2 { print $1 + $2 }'
}
painted() { # name, optimisation, sizes of the input and the output
  "$onnxc" "$model" -o "host/$1" --name "$1" -q
  host_data "$1" "$3" "$4"
  rm -f arm/*.o
  compile "$2" "arm/$1.cpp" arm/model.o && compile_board "$2" && compile "$2" "$here/stack_app.cpp" arm/app.o \
    $(model_flags "$1") && link stack.elf arm/*.o && runs stack.elf
}
ram_of() { echo $(($(number "arm/$1.h" ARENA_BYTES) + $(number "arm/$1.h" STACK_BYTES))); }
# Under a limit that was one byte too small, either another program is within it, or the message counts the byte.
less_or_refused() { # limit, text of the refusal, command for the bytes of the other program, name, model, options...
  local limit=$1 text=$2 bytes=$3
  shift 3
  if measured "$@" >exits.log 2>&1; then
    [ "$($bytes)" -le "$limit" ]
  else
    grep -qF -- "$text, 1 more than the limit" exits.log
  fi
}
# One model on one core: its name, options, optimisation, sizes of the input and the output.
costs() {
  local name=$1 options=$2 level=$3
  check "$name on $core: measures" measured "$name" "$model" $options
  local flash ram stack
  flash=$(linked "$name" "$level")
  stack=$(number "arm/$name.h" STACK_BYTES)
  ram=$(ram_of "$name")
  check "it fits what the linked program takes" exits 0 measured "$name" "$model" $options --flash-limit "$flash"
  check "and no byte less" less_or_refused $((flash - 1)) "take $flash bytes" "linked $name -Os" \
    "$name" "$model" $options --flash-limit $((flash - 1))
  check "arena and stack fit" exits 0 measured "$name" "$model" $options --ram-limit "$ram"
  check "and no byte less" less_or_refused $((ram - 1)) "and $stack of stack take $ram bytes" "ram_of $name" \
    "$name" "$model" $options --ram-limit $((ram - 1))
  check "the stack is not deeper" painted "$name" "$level" "$4" "$5"
  echo "$name on $core $options: flash $flash, stack $stack, $(cat check.log)"
}
for core in cortex-m4f cortex-m55; do
  use_core "$core"
  model=$cnn costs shapes "" -O2 256 4
  model=$cnn costs shapes "--optimize size" -Os 256 4
  model=$mlp costs flowers "" -O2 4 3
  model=bytes/tiny_bytes/model.onnx costs tiny_bytes "" -O2 432 4
done
# Layers that run together share a place on the stack, where the first one keeps two windows as half words.
core=cortex-m4f
check "such layers measure" measured keywords "$source_dir/examples/keyword_spotting/model.onnx" --io int8
check "their stack is small" [ "$(number arm/keywords.h STACK_BYTES)" -le 704 ]
check "without a compiler there is a note" sh -c \
  "CXX=no-such-compiler '$onnxc' '$mlp' -o m --measure 2>&1 | grep -q 'note.measure'"
check "an estimate is called one" sh -c "'$onnxc' '$mlp' -o m 2>&1 | grep -q 'flash about'"
finish
