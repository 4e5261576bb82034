#!/usr/bin/env bash
# Compiles the model to WebAssembly with the clang, lld and wasi-libc of Debian. usage: run.sh ONNXC FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2" && cd "$2"
command -v node >/dev/null || { echo "skipped: needs node"; exit 77; }
echo '#include <cmath>' | clang++ --target=wasm32-wasi -fsyntax-only -x c++ - 2>/dev/null && command -v wasm-ld >/dev/null ||
  { echo "skipped: needs clang, lld, wasi-libc, libc++-dev-wasm32, libclang-rt-dev-wasm32"; exit 77; }
"$1" "$here/../01_mlp/model.onnx" -o flowers -q --target wasm32
clang++ --target=wasm32-wasi -std=c++17 -O2 -msimd128 -fno-exceptions -fvisibility=hidden \
  '-DONNXC_API=__attribute__((visibility("default")))' -nostartfiles -Wl,--no-entry,--export-dynamic,--export=__heap_base \
  flowers*.cpp -o flowers.wasm
node "$here/main.mjs" flowers.wasm
