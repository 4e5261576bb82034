#!/usr/bin/env bash
# Compiles the model into a static library, and links it with main.rs. usage: run.sh ONNXC FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v rustc >/dev/null || { echo "skipped: needs rustc"; exit 77; }
mkdir -p "$2" && cd "$2"
"$1" "$here/../01_mlp/model.onnx" -o flowers -q
g++ -std=c++17 -O2 -c flowers.cpp -o flowers.o
ar rcs libflowers.a flowers.o
rustc --edition 2021 -O -L . "$here/main.rs" -o main
./main
