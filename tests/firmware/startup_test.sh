#!/usr/bin/env bash
# A start costs nothing: generated code has no initialised and no zeroed memory, no constructors, and its weights are read
# where they are, in flash. The map of linked programs proves it, and programs that run in RAM full of noise, which nothing
# has copied to or zeroed.
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
mkdir host arm
ram=0x20000000

# The sections of the model in the program: address, size, name.
sections() {
  sed -n '/^Linker script and memory map/,$p' program.map | sed ':a; /^ \.[^ ]*$/ { N; s/\n//; ba }' |
    awk '$4 == "arm/net.o" && $3 != "0x0" { print substr($2, length($2) - 7), $3, $1 }'
}
in_flash() { sections | awk -v ram="${ram#0x}" '$1 "" >= ram "" { print; bad = 1 } END { exit bad || NR == 0 }'; }
constant_bytes() {
  local sum=0 address size name
  while read -r address size name; do
    case $name in .rodata*) sum=$((sum + size)) ;; esac
  done < <(sections)
  echo "$sum"
}
weight_bytes() { sed -n 's/^ \* memory *\([0-9]*\) bytes of weights.*/\1/p' arm/net.h; }
# All but the few that compilers make parts of instructions.
has_weights() { [ "$(weight_bytes)" -gt 0 ] && [ $((10 * $(constant_bytes))) -ge $((9 * $(weight_bytes))) ]; }
# Nothing of an object is data or bss, and nothing runs before main.
only_constants() {
  arm-none-eabi-size arm/net.o | awk 'NR == 2 { exit $2 + $3 > 0 }' &&
    ! arm-none-eabi-readelf -SW arm/net.o | grep -E '[.](tdata|tbss|init_array|preinit_array|ctors)' &&
    ! arm-none-eabi-nm arm/net.o | grep -E ' [dDbBCgGsS] '
}
# What is in RAM is the caller's: of the objects of the program, or the board's.
callers_ram() {
  ! arm-none-eabi-nm program.elf | awk -v ram="${ram#0x}" '$1 "" >= ram "" && $2 != "A" { print $3 }' |
    c++filt | grep -vE '^(data_(start|end)|bss_(start|end)|stack_top|error_number|.*::(arena|memory))$'
}
build() { # sources of the program, more flags of the linker
  rm -f arm/*.o
  compile -O2 arm/net.cpp arm/net.o && compile_board -O2 && compile -O2 "$1" arm/app.o $(model_flags net) &&
    arm-none-eabi-g++ $cpu -nostdlib -nostartfiles -T "$here/flash.ld" -Wl,--gc-sections,-Map=program.map \
      -Wl,--defsym=code=$code,--defsym=fast=$ram "${@:2}" arm/*.o -lm -lgcc -o program.elf
}
passes_in_noise() {
  runs program.elf -device loader,file=noise,addr=$ram,force-raw=on >said 2>&1 && [ "$(cat said)" = pass ]
}
proved() { # name
  check "$1: the object has constants and code alone" only_constants
  check "$1: all of it is in flash" in_flash
  check "$1: so are the weights, $(weight_bytes) bytes" has_weights
  check "$1: what is in RAM is the caller's" callers_ram
}
starts() { # name, model, data, options...
  local name="$1 on $core"
  check "$name: generates" exits 0 "$onnxc" "$2" -o arm/net --target "$core" --no-heap --selftest "$3" "${@:4}"
  check "$name: links without start-up work" build "$here/selftest_app.cpp"
  proved "$name"
  check "$name: runs in RAM full of noise" passes_in_noise
}
trains() { # model
  local name="training on $core"
  check "$name: generates" exits 0 "$onnxc" "$1" --train -o arm/net --target "$core" --no-heap
  echo 'extern "C" int app_main() { return 0; }' >idle.cpp
  check "$name: links without start-up work" build idle.cpp -Wl,-u,net_init,-u,net_run,-u,net_train
  proved "$name"
}

head -c 262144 /dev/zero | tr '\0' '\245' >noise
cat >own.case <<'END'
=== lstm
<ir_version: 8, opset_import: ["": 17]>
(float[4,1,6] x) => (float[4,1,1,8] y) <
  float[1,32,6] w = uniform(1, -1, 1), float[1,32,8] r = uniform(2, -1, 1), float[1,64] b = uniform(3, -1, 1)
> {
  y = LSTM <hidden_size = 8> (x, w, r, b)
}
given float[4,1,6] x = uniform(4, -1, 1)
END
cp "$case_files/tree_ensembles.case" "$case_files"/tree_ensembles.data . 2>/dev/null || true
unpack own.case tree_ensembles.case
"$onnxc" verify --record own
"$onnxc" verify --export learn "$source_dir/tests/training/learn.case" 2>export.log
for core in $cores; do
  use_core "$core"
  starts float "$cnn" "$(dirname "$cnn")/test_data_set_0"
  starts int8 "$examples/keyword_spotting/model.onnx" "$examples/keyword_spotting/test_data_set_0" --io int8
  starts lstm own/lstm/model.onnx own/lstm/test_data_set_0
  starts trees tree_ensembles/TreeEnsemble_5_SOFTMAX/model.onnx tree_ensembles/TreeEnsemble_5_SOFTMAX/test_data_set_0
  trains learn/learn/perceptron_adam/model.onnx
done
finish
