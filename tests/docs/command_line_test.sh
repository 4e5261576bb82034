#!/usr/bin/env bash
# The examples of command-line.md run, and there is one for every option of its tables.
# usage: command_line_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/docs/page.sh"
unset CXX CXXFLAGS
export PATH=${onnxc%/*}:$PATH

awk '/^## / { on = /compile. MODEL/ } on' "$source_dir/docs/command-line.md" >compile.md
divide compile.md blocks
mkdir page
cp "$cnn" page/cnn.onnx
cp "$examples/keyword_spotting/model.onnx" page/keywords.onnx
cp -r "$examples/keyword_spotting/test_data_set_0" page/
cp "$examples/03_training/model.onnx" page/rings.onnx
cp "$source_dir"/tests/golden/{dynamic,loop,trees}.onnx page/
unpack "$here/command_line.case"
cp command_line/forest/model.onnx page/forest.onnx
cp command_line/scaled/model.onnx page/scaled.onnx
needs_arm() { ! grep -q -- '--measure\|--flash-limit' "$1" || installed arm-none-eabi-g++; }
for block in blocks/*.sh; do
  while read -r line; do
    echo "$line" >line.sh
    needs_arm line.sh || continue
    check "$line" runs_block "$work/line.sh"
  done <"$block"
done

# Options in the tables: all names in the first column.
sed -n 's/^| \(`-[^|]*\) |.*/\1/p' compile.md | grep -oE '`-[^` ]*' | tr -d '`' | sort -u >options
check "there are options" [ "$(wc -l <options)" -gt 40 ]
while read -r option; do
  case $option in
    --operator) continue ;;  # own-operators.md has its example
    --output) option=-o ;;
    --quiet) option=-q ;;
    --verbose) option=-v ;;
  esac
  check "$option has an example" sh -c "cat blocks/*.sh | grep -qE -- '(^| )$option( |\$)'"
done <options
finish
