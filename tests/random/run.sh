#!/usr/bin/env bash
# Compares random valid models with ONNX Runtime, or with unoptimised builds of themselves.
# usage: tests/random/run.sh [--seed S] [--count N] [--profile NAME] [--sizes HOW] [--options "..."]
#                           [--bits] [--cxx COMPILER] [--oracle ort|plain] [--no-shrink]
#   ONNXC: default, the newest build. ORT_NODE_DIR: a folder with node_modules/onnxruntime-node; without it the
#   oracle is `onnxc --plain --fp strict`. BUILD_DIR: where models, failures and log.txt go, default build/random.
# --bits compares options that must not change a bit; with --options, such as another --target, floats may
# differ by rounding, integers may not.
# A model of a seed and number is the same in every run. What fails is shrunk and printed as a case.
# Ends with `N passed, N failed`; 77 without python3-numpy, python3-protobuf or protoc.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
onnxc=${ONNXC:-$(ls -t "$root"/build/onnxc "$root"/build/*/onnxc 2>/dev/null | head -1)}
[ -x "$onnxc" ] || { echo "no onnxc: build it, or set ONNXC"; exit 2; }
/usr/bin/python3 -c 'import numpy, google.protobuf' 2>/dev/null && command -v protoc >/dev/null ||
  { echo "skipped: needs python3-numpy, python3-protobuf and protoc"; exit 77; }
exec /usr/bin/python3 "$here/run.py" "$onnxc" "${BUILD_DIR:-$root/build/random}" "$@"
