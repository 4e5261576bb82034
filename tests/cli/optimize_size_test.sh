#!/usr/bin/env bash
# --optimize size: the same results from less machine code, one instance of a kernel for all shapes.
. "$(dirname "$0")/check.sh"

thin "$(slow && echo 2 || echo 12)" cases "$case_files"/{,quantized_}{convolution,matmul}.case \
  "$case_files"/{loop,scan,if,image,functions}.case
check "results stay" "$onnxc" verify cases -- --optimize size

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
