#!/usr/bin/env bash
# A model that carries its test, on bare cores: what was recorded passes, what was not is named. Weights and the test's
# data are in the requested section.
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
mkdir host arm

for want in 0.5 0.6; do
  cat >"data_${want#0.}.case" <<END
=== net
<ir_version: 8, opset_import: ["": 17]>
(float[1,4] x) => (float[1,2] y, int32[2] k) {
  w = Constant <value = float[4,2] {1, -1, 0.5, 2, -0.25, 1, 0, 3}> ()
  y = MatMul (x, w)
  k = Constant <value = int32[2] {3, 4}> ()
}
given float[1,4] x = {1, 0, 2, 0.25}
expect float[1,2] y = {$want, 1.75}
expect int32[2] k = {3, 4}
END
done
"$onnxc" verify --export . data_5.case data_6.case 2>/dev/null
build() { # data set
  rm -f arm/*
  "$onnxc" data_5/net/model.onnx -o arm/net --name net --target "$core" --no-heap -q --selftest "data_$1/net/test_data_set_0" &&
    compile -O2 arm/net.cpp arm/net.o '-DNET_WEIGHTS_SECTION=__attribute__((section(".rodata.net")))' &&
    compile_board -O2 && compile -O2 "$here/selftest_app.cpp" arm/app.o $(model_flags net) && link net.elf arm/*.o
}
says() { # data set, what
  build "$1" && runs net.elf >said 2>&1 && cat said && [ "$(cat said)" = "$2" ]
}
for core in cortex-m4f cortex-m0plus cortex-m55; do
  use_core "$core"
  check "$core: right data pass" says 5 pass
  check "$core: the output with other data is named" says 6 y
  check "$core: the data are where they were put" sh -c "arm-none-eabi-objdump -h arm/net.o | grep -q '[.]rodata[.]net'"
done
finish
