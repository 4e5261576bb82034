# shellcheck shell=bash
# Sourced by the scripts of this folder, after their own arguments: onnxc, work and cases. Leaves a clean folder $work, and
# $cases a folder of models. Exit code 77 without what the tests need.
[ -d "$cases" ] || { echo "skipped: no test cases in $cases (package libonnx-testdata)"; exit 77; }
/usr/bin/python3 -c 'import onnx, numpy' 2>/dev/null || { echo "skipped: no python3-onnx"; exit 77; }

rm -rf "$work"
mkdir -p "$work"
if [ -n "$(find -L "$cases" -name '*.case' -print -quit)" ]; then
  "$onnxc" verify --export "$work/cases" "$cases"
  cases=$work/cases
fi
