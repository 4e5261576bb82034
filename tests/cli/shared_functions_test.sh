#!/usr/bin/env bash
# A function of the model that is called often is one function of the generated code.
. "$(dirname "$0")/check.sh"
"$onnxc" verify --export own "$case_files/functions.case"

run_lines() { # lines of code of run() that are not pointers into memory
  sed -n '/^extern "C"/,$p' "$1" | grep -vcE 'memory, |Block<|^ {4,}'
}
definitions() { # NAME FILE: functions whose name starts with NAME
  grep -cE "^(void|Status) $1[_0-9]*\\(" "$2"
}

for kind in "" _open; do
  for layers in 2 12; do
    "$onnxc" "own/functions/functions_17_${layers}_layers$kind/model.onnx" -o "m$layers$kind/m" -q
  done
  few=m2$kind/m.cpp many=m12$kind/m.cpp
  check "twelve calls share one Spread$kind" [ "$(definitions Spread "$many")" = 1 ]
  check "each inner function is written before the one that calls it$kind" \
    [ "$(grep -nE '^(void|Status) Spread' "$many" | cut -d: -f1)" -lt \
      "$(grep -nE '^(void|Status) Layer' "$many" | cut -d: -f1)" ]
  check "a Layer more is a call more$kind" \
    [ $(($(run_lines "$many") - $(run_lines "$few"))) -le 60 ]
  check "calls that became the same steps share one Layer$kind" [ "$(definitions Layer "$many")" = 1 ]
done
finish
