#!/usr/bin/env bash
# Loops stay loops: the length of the generated code does not depend on the number of trips.
. "$(dirname "$0")/check.sh"
"$onnxc" verify --export own "$case_files"/{scan,loop,if}.case

code_lines() { # FILE/CASE
  mkdir -p "$1"
  "$onnxc" "own/$1/model.onnx" -o "$1/scan" -q && wc -l <"$1/scan.cpp"
}

few=$(code_lines scan/Scan_16_3_steps)
many=$(code_lines scan/Scan_16_1000_steps)
check "a Scan of 1000 steps is as long as one of 3: $many and $few lines" [ "$few" = "$many" ]

# Nothing that allocates is linked.
without_heap() { # FILE/CASE
  mkdir -p "bounded/$1"
  "$onnxc" "own/$1/model.onnx" -o "bounded/$1/m" -q --no-heap &&
    ${CXX:-g++} -std=c++17 -c "bounded/$1/m.cpp" -o "bounded/$1/m.o" &&
    ! nm -u "bounded/$1/m.o" | grep -E 'alloc|free|_Zn|_Zd'
}
for name in loop/Loop_16_nested scan/Scan_16_1000_steps scan/Scan_16_reverse_axis if/If_16_decided \
  if/If_16_one_rank_fits; do
  check "sizes are bounded, so nothing allocates: $name" without_heap "$name"
done
check "a loop whose rows have no bound needs a heap" \
  exits 1 "$onnxc" "own/loop/Loop_13_while/model.onnx" -o unbounded/loop -q --no-heap
finish
