#!/usr/bin/env bash
# --optimize size: the same results from less machine code, one instance of a kernel for all shapes.
. "$(dirname "$0")/check.sh"

thin "$(level 12 6 1)" cases "$case_files"/{,quantized_}{convolution,matmul}.case \
  "$case_files"/{loop,scan,if,image,functions}.case
check "results stay" "$onnxc" verify cases -- --optimize size

# Kernels of one sequence take the sizes of their weights as constants: units that differ share no instance.
cat >units.case <<'END'
=== units_of_several_sizes
<ir_version: 8, opset_import: ["": 18]>
(float[5,1,3] x) => (float[5,1,1,4] a, float[5,1,1,4] b, float[5,1,1,6] c, float[5,1,1,4] d, float[5,1,1,4] e) <
  float[1,12,3] w1 = uniform(2, -1, 1), float[1,12,4] r1 = uniform(3, -1, 1),
  float[1,12,4] w2 = uniform(4, -1, 1), float[1,18,3] w3 = uniform(5, -1, 1), float[1,18,6] r3 = uniform(6, -1, 1),
  float[1,16,3] w4 = uniform(7, -1, 1), float[1,16,4] w5 = uniform(8, -1, 1), float[1,16,4] r5 = uniform(9, -1, 1),
  float[1,4,3] w6 = uniform(10, -1, 1), float[1,4,4] w7 = uniform(11, -1, 1), int64[3] flat = {5, 1, 4}
> {
  a = GRU <hidden_size = 4> (x, w1, r1)
  af = Reshape (a, flat)
  b = GRU <hidden_size = 4> (af, w2, r1)
  c = GRU <hidden_size = 6> (x, w3, r3)
  l = LSTM <hidden_size = 4> (x, w4, r5)
  lf = Reshape (l, flat)
  d = LSTM <hidden_size = 4> (lf, w5, r5)
  s = RNN <hidden_size = 4> (x, w6, w7)
  sf = Reshape (s, flat)
  e = RNN <hidden_size = 4> (sf, w7, w7)
}
given float[5,1,3] x = uniform(1, -1, 1)
END
unpack units.case
check "units: a reference" "$onnxc" verify units/units_of_several_sizes --record --plain --fp strict
check "units of several sizes" "$onnxc" verify units/units_of_several_sizes -- --optimize size

code_bytes() { # MODEL OPTION...
  local model=$1
  shift
  "$onnxc" "$model" -o "code/m" --target x86-64-v3 -q "$@"
  ${CXX:-g++} -std=c++17 -Os -mavx2 -mfma -mf16c -mbmi2 -c code/m.cpp -o code/m.o
  size -A code/m.o | awk '$1 ~ /^\.text/ { sum += $2 } END { print sum }'
}
model=$source_dir/examples/02_cnn/model.onnx
fast=$(code_bytes "$model")
shapes=$(grep -c '^struct .*Conv.*Shape {' code/m.cpp)
small=$(code_bytes "$model" --optimize size)
check "$small bytes are less than $fast" [ "$small" -lt "$fast" ]
check "$shapes convolutions share one kernel" \
  [ "$shapes" -gt 1 -a "$(grep -c '^struct .*[Cc]onv.*Shape {' code/m.cpp)" = 1 ]
finish
