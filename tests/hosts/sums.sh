#!/usr/bin/env bash
# Hashes of the code of the examples, by an onnxc of any system: the same everywhere.
# usage: sums.sh PROGRAM, or sums.sh node PROGRAM
set -eu
[ $# = 1 ] || launcher=$1
program=$(cd "$(dirname "${!#}")" && pwd)/$(basename "${!#}")
cd "$(dirname "$0")/../../examples"
# Relative: a path of a Unix shell is none of a program for Windows.
folder=$(mktemp -d sums.XXXXXX)
trap 'rm -rf "$folder"' EXIT
hash=sha256sum
command -v sha256sum >/dev/null || hash="shasum -a 256"
for model in */model.onnx; do
  ${launcher:-} "$program" "$model" -o "$folder/m_${model%/model.onnx}" -q
done
for file in "$folder"/m_*; do
  $hash <"$file" | sed "s/ .*/  ${file#"$folder/"}/"
done
