#!/usr/bin/env bash
# For pre-commit, which passes options and then files: onnxc check on each file.
# usage: pre_commit.sh [OPTION...] FILE...      ONNXC: the program
set -u
options=()
while [ $# -gt 0 ] && [ ! -f "$1" ]; do
  options+=("$1")
  shift
done
status=0
for file; do
  "${ONNXC:-onnxc}" check "$file" "${options[@]}" || status=$?
done
exit $status
