#!/usr/bin/env bash
# What exporters put before the first convolution for a camera's picture, conversion, mean, scale, order of the axes and
# border, is part of the group of layers that computes rows: it costs no image in RAM, and the rows may come from a user
# callback. The results are those of the unfused code, bit for bit, on a bare Cortex-M4F.
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
mkdir host arm
python3 "$here/camera.py" >camera.case
"$onnxc" verify --export . camera.case 2>export.log
check "unfused" exits 0 "$onnxc" verify --record camera
bytes() { sed -n 's/^#define .*_ARENA_BYTES \([0-9]*\)u/\1/p' arm/net.h; }
build() { # name, options...
  local name=$1
  shift
  rm -f arm/*
  "$onnxc" "camera/$name/model.onnx" -o arm/net --name net --target cortex-m4f --no-heap -q \
    --selftest "camera/$name/test_data_set_0" "$@" &&
    compile -O2 arm/net.cpp arm/net.o && compile_board -O2 &&
    compile -O2 "$here/selftest_app.cpp" arm/app.o $(model_flags net) && link net.elf arm/*.o
}
passes() { runs net.elf >said 2>&1 && [ "$(cat said)" = pass ] || { cat said; return 1; }; }
use_core cortex-m4f
check "no preamble: builds" build none
plain=$(bytes)
for name in pytorch imagenet keras caffe hwc padded; do
  check "$name: builds" build $name
  check "$name: $(bytes) bytes of RAM, $plain without" [ $((10 * $(bytes))) -le $((11 * plain)) ]
  check "$name: at most 5 KiB" [ "$(bytes)" -le 5120 ]
  check "$name: the same bits" passes
  check "$name: rows may come from a callback" exits 0 "$onnxc" check "camera/$name/model.onnx" --target cortex-m4f \
    --input-rows x
done
finish
