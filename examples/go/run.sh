#!/usr/bin/env bash
# Puts the generated files next to main.go, where cgo finds them. usage: run.sh ONNXC FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v go >/dev/null || { echo "skipped: needs go"; exit 77; }
mkdir -p "$2" && cd "$2"
cp "$here/main.go" "$here/go.mod" .
"$1" "$here/../01_mlp/model.onnx" -o flowers -q
GOCACHE=$PWD/cache GOFLAGS=-mod=mod go build -o main .
./main
