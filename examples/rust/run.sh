#!/usr/bin/env bash
# Builds and runs the program; its build script compiles the model. usage: run.sh ONNXC FOLDER
set -eu
command -v cargo >/dev/null || { echo "skipped: needs cargo"; exit 77; }
mkdir -p "$2"
ONNXC_EXECUTABLE=$(realpath "$1")
target=$(realpath "$2")
export ONNXC_EXECUTABLE CARGO_HOME=$target/cargo
cd "$(dirname "$0")"
cargo run --quiet --locked --offline --target-dir "$target"
