#!/usr/bin/env bash
# An image that a user callback supplies row by row: the same bits as for the whole image, less RAM, calls that end at
# every row on a bare Cortex-M4F and M55, and models that need the whole of it.
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
count=${COUNT:-$(level 8 16 60)}

# Random layers, on any machine; where two layers read the input it is refused.
export CXXFLAGS=-O0
mkdir chains
python3 "$here/line_buffered.py" 5 "$count" >chains.case
"$onnxc" verify --export cases chains.case >export.log 2>&1
check "whole" exits 0 "$onnxc" verify --record cases
brought=0
for folder in cases/chains/*; do
  if "$onnxc" check "$folder/model.onnx" --input-rows x >check.txt 2>&1; then
    mv "$folder" chains && brought=$((brought + 1))
  else
    check "$(basename "$folder"): says why it is refused" grep -q "error\[input-rows\]" check.txt
  fi
done
check "half of them take rows" [ $((2 * brought)) -ge "$count" ]
check "row by row" exits 0 "$onnxc" verify --rtol 0 --atol 0 chains -- --input-rows x

# What is refused, and with which words.
refused() { # words, model, options...
  local words=$1
  shift
  exits 1 "$onnxc" check "$@" && grep -q -- "$words" exits.log
}
check "no such input" refused "no input 'image'; it has picture" "$cnn" --input-rows image
check "a product" refused "needs the whole of it" "$mlp" --input-rows lengths
check "plain" refused "needs the whole of it" "$cnn" --input-rows picture --plain

mkdir host arm whole
"$onnxc" "$cnn" -o host/shapes -q
host_data shapes 256 4

build() { # optimisation
  compile "$1" arm/shapes.cpp arm/shapes.o && compile_board "$1" &&
    compile "$1" "$here/input_rows_app.cpp" arm/app.o $(model_flags shapes) && link shapes.elf arm/*.o
}
for core in $cores; do
  use_core "$core"
  for options in "--optimize speed" "--optimize size --hook --steps"; do
    check "$core $options: generates" exits 0 "$onnxc" "$cnn" -o arm/shapes --no-heap --target "$core" \
      --input-rows picture $options
    check "$core $options: builds" build -O2
    check "$core $options: supplies every row, and ends at each" runs shapes.elf
  done
done

# The self test supplies the rows of its data; the RAM is less than the image alone.
bytes() { # header
  sed -n 's/^#define .*_ARENA_BYTES \([0-9]*\)u/\1/p' "$1"
}
check "a self test" exits 0 "$onnxc" "$cnn" -o whole/shapes --input-rows picture --report whole/shapes.json \
  --selftest "$examples/02_cnn/test_data_set_0"
check "runs" bash -c "printf '%s\n' '#include \"shapes.h\"' '#include <vector>' \
  'alignas(64) static unsigned char arena[SHAPES_ARENA_BYTES], memory[SHAPES_SELFTEST_BYTES];' \
  'int main() { return shapes_selftest(arena, memory, nullptr); }' >whole/main.cpp &&
  g++ -std=c++17 -Wall -Wextra -Wconversion -Werror -Iwhole whole/main.cpp whole/shapes.cpp -o whole/run && whole/run"
check "the report has the rows" grep -q '"rows": *{"count": *16,"elements": *16}' <(tr -d '\n ' <whole/shapes.json)
"$onnxc" "$cnn" -o host/shapes --target cortex-m4f -q
"$onnxc" "$cnn" -o arm/shapes --target cortex-m4f --input-rows picture -q
check "less RAM" [ "$(bytes arm/shapes.h)" -lt $(($(bytes host/shapes.h) + 4 * 256 * 3 / 4)) ]
finish
