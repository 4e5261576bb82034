#!/usr/bin/env bash
# Sizes of inputs that do not fit, in models whose sizes are all open (see wrong_sizes.py).
# usage: wrong_sizes.sh ONNXC WORK_DIR [CASES_DIR [EVERY [SAMPLE]]]   as run.sh; default: every 301st case of the standard
set -eu
here=$(cd "$(dirname "$0")" && pwd)
onnxc=$1 work=$2 cases=${3:-/usr/share/libonnx-testdata/data} every=${4:-301} sample=${5:-0}
. "$here/cases.sh"

/usr/bin/python3 "$here/variants.py" "$cases" "$work/models" --only symbolic --every "$every" --sample "$sample"
CXXFLAGS="-O1 -fsanitize=address,undefined -fno-sanitize-recover=all" \
  "$onnxc" verify "$work/models" --keep "$work/kept" >"$work/verify.log" 2>&1 || true
/usr/bin/python3 "$here/wrong_sizes.py" "$work/models" "$work/kept"
