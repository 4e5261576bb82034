#!/usr/bin/env bash
# Runs that end with BAD_SHAPE: slices of a scan output that change their shape, sizes that break a rule of an operator.
# usage: run_errors_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/check.sh"

CXXFLAGS="-O0 -fsanitize=address,undefined" "$onnxc" verify "$here/run_errors.case" >log.txt 2>&1 || true
for name in $(sed -n 's/^=== //p' "$here/run_errors.case"); do
  check "$name: $(grep "$name" log.txt)" grep -q ":$name: the run ends with BAD_SHAPE" log.txt
done
finish
