#!/usr/bin/env bash
# The programs of tests/golden compile without a warning, without exceptions and RTTI, and carry no
# more of the runtime than they use.
. "$(dirname "$0")/check.sh"

golden=$ONNXC_SOURCE/tests/golden
for model in "$golden"/*.onnx; do
  name=$(basename "$model" .onnx)
  "$onnxc" "$model" -o "$name" -q
  "$onnxc" "$model" -o "${name}_small" -q --optimize size
  "$onnxc" "$model" -o "${name}_threads" -q --threads 4
  "$onnxc" "$model" -o "${name}_hook" -q --hook --memory fast=1K,slow=1G
done
"$onnxc" "$mlp" -o flowers -q
slow && compilers="g++ clang++" || compilers=g++
for compiler in $compilers; do
  installed $compiler || continue
  for source in *.cpp; do
    check "$compiler compiles $source" $compiler $strict -fsyntax-only "$source"
  done
done

runtime_lines() { awk '/^\/\/ ---- kernels/ { exit } runtime { n++ } /^\/\/ ---- runtime/ { runtime = 1 } END { print n + 0 }' "$1"; }
check "a classifier carries a part of the runtime" test "$(runtime_lines flowers.cpp)" -lt 570
check "and shares less than 400 lines" test "$(wc -l <onnxc_runtime.hpp)" -lt 400
check "which it names" grep -q 'inline V load(' flowers.cpp
check "and no heap" test "$(grep -c 'class Heap' flowers.cpp)" = 0
check "which a dynamic model has" grep -q 'class Heap' dynamic.cpp
finish
