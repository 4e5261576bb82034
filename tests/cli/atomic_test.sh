#!/usr/bin/env bash
# Killed at any moment, onnxc leaves each file complete or absent.
. "$(dirname "$0")/check.sh"

"$onnxc" "$cnn" -o whole/m -q
intact() {
  local file
  for file in out/m.cpp out/m.h out/onnxc_runtime.hpp; do
    [ ! -e "$file" ] || cmp "$file" "whole/$(basename "$file")" || return 1
  done
}

for delay in 0.001 0.002 0.003 0.005 0.008 0.012 0.02 0.03 0.05 0.08; do
  rm -rf out
  timeout -s KILL "$delay" "$onnxc" "$cnn" -o out/m -q 2>/dev/null || true
  check "killed after $delay s" intact
done

# A file whose content is right keeps its time stamp, but the .cpp is touched.
"$onnxc" "$cnn" -o stamp/m -q
touch -d '2001-01-01' stamp/*
"$onnxc" "$cnn" -o stamp/m -q
check "header untouched" test stamp/m.h -ot whole/m.h
check "source touched" test stamp/m.cpp -nt whole/m.h
check "no temporary files" sh -c '[ "$(ls stamp | wc -l)" = 3 ]'
finish
