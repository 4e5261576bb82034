#!/usr/bin/env bash
# The commands and sources of own-operators.md.
# usage: own_operators_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/docs/page.sh"
unset CXX CXXFLAGS
mkdir bin
needs onnx.parser
ln -sf "$(command -v "$python")" bin/python3
export PATH=$PWD/bin:${onnxc%/*}:$PATH
awk '/^## The contract/ { exit } 1' "$source_dir/docs/own-operators.md" >own-operators.md
run_page "$PWD/own-operators.md"
finish
