#!/usr/bin/env bash
# Sizes of inputs that do not fit, in models whose sizes are all open (see wrong_sizes.py).
# usage: wrong_sizes.sh ONNXC WORK_DIR [CASES_DIR [EVERY [SAMPLE]]]   as run.sh; default: every 301st case of the standard
set -eu
here=$(cd "$(dirname "$0")" && pwd)
onnxc=$1 work=$2 cases=${3:-/usr/share/libonnx-testdata/data} every=${4:-301} sample=${5:-0}
[ -d "$cases" ] || { echo "skipped: no test cases in $cases (package libonnx-testdata)"; exit 77; }
/usr/bin/python3 -c 'import onnx, numpy' 2>/dev/null || { echo "skipped: no python3-onnx"; exit 77; }

rm -rf "$work"
mkdir -p "$work"
if [ -n "$(find -L "$cases" -name '*.case' -print -quit)" ]; then
  "$onnxc" verify --export "$work/cases" "$cases"
  cases=$work/cases
fi
/usr/bin/python3 "$here/variants.py" "$cases" "$work/models" --only symbolic --every "$every" --sample "$sample"
CXXFLAGS="-O1 -fsanitize=address,undefined -fno-sanitize-recover=all" \
  "$onnxc" verify "$work/models" --keep "$work/kept" >"$work/verify.log" 2>&1 || true
/usr/bin/python3 "$here/wrong_sizes.py" "$work/models" "$work/kept"
