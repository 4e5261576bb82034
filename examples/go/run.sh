#!/usr/bin/env bash
# Generates next to a copy of main.go, where cgo finds the C++, and runs it. usage: run.sh ONNXC FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v go >/dev/null || { echo "skipped: needs go"; exit 77; }
ONNXC_EXECUTABLE=$(realpath "$1")
mkdir -p "$2" && cd "$2"
cp "$here/main.go" "$here/go.mod" .
cp "$here/../01_mlp/model.onnx" flowers.onnx
export ONNXC_EXECUTABLE GOCACHE=$PWD/cache GOFLAGS=-mod=mod
go mod edit -replace "onnxc=$(realpath "$here/../../compiler/cmake/packaging/go")"
go generate
go build -o main .
./main
