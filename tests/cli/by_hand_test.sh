#!/usr/bin/env bash
# What README says for those who build without CMake holds for small models and for large ones, whose weights are in a
# file of their own; the summary names every file.
. "$(dirname "$0")/check.sh"

# The two commands of README, with this onnxc.
grep -E '^(onnxc flowers.onnx -o|g[+][+]) ' "$source_dir/README.md" >recipe
check "README has two commands" [ "$(wc -l <recipe)" = 2 ]
sed -i "s#^onnxc #'$onnxc' #" recipe
cp "$examples/01_mlp/main.cpp" app.cpp

cp "$mlp" flowers.onnx
check "a small model" sh -eu recipe
check "it runs" sh -c "./a.out | grep -q versicolor"

# --weights incbin makes files as large models have them.
rm -r generated a.out
sed -i 's#-o generated#--weights incbin &#' recipe
check "weights in a file" sh -eu recipe
check "it runs, too" sh -c "./a.out | grep -q versicolor"
check "the header says what to compile" grep -q 'compile   flowers.cpp and flowers_weights.cpp' generated/flowers.h

"$onnxc" flowers.onnx -o generated/flowers --weights incbin -MD --report generated/r.json 2>summary
for file in generated/*; do
  check "the summary names $file" grep -q "[ ,]$(basename "$file")[ ,]" summary
done
"$onnxc" flowers.onnx --bundle package 2>summary
check "the summary of a bundle" grep -q "package: $(find package -type f | wc -l) files" summary

# The assembler of WebAssembly has no .incbin.
if clang++ --target=wasm32 -c -x c++ /dev/null -o /dev/null 2>/dev/null; then
  "$onnxc" flowers.onnx -o wasm/flowers --weights incbin -q
  check "WebAssembly and .incbin" sh -c \
    "! clang++ --target=wasm32 -c wasm/flowers_weights.cpp 2>error && grep -q 'generate with --weights string' error"
fi
finish
