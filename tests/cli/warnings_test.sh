#!/usr/bin/env bash
# Generated code of the own cases compiles without a warning, at every level, for a host and for Arm.
# More cases with SLOW=1, and with FULL=1.
# usage: warnings_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/check.sh"

arm="arm-none-eabi-g++ -mcpu=cortex-m4 -mthumb"
find "$case_files" -name '*.case' ! -name 'refused_*' | sort | xargs cat >all.case
thin "$(level 200 60 15)" cases all.case
cp "$case_files"/*.data cases
"$onnxc" verify cases --export models >export.log
check "there are models" [ -n "$(find models -name model.onnx)" ]
while read -r model; do
  "$onnxc" "$model" -o gen/model -q 2>refused.log || continue
  for compiler in "g++ -O3" "g++ -Os" "clang++ -O2" "$arm -O2"; do
    command -v "${compiler%% *}" >/dev/null || continue
    check "$compiler $model" $compiler $strict -c gen/model.cpp -o model.o
  done
done < <(find models -name model.onnx | sort)
finish
