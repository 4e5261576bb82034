#!/usr/bin/env bash
# Many operators in one model on bare Cortex-M cores in QEMU: every vector kernel gives what the host gives.
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
python=/usr/bin/python3
"$python" -c 'import onnx' 2>/dev/null || { echo "skipped: needs python3-onnx"; exit 77; }

host_results() {
  g++ -std=c++17 -O1 -ffp-contract=off -Ihost -I. "$here/sweep_host.cpp" host/sweep.cpp -o host/sweep &&
    host/sweep >sweep_wanted.h
}

build() { # optimisation
  compile_board "$1" && compile "$1" arm/sweep.cpp arm/sweep.o &&
    compile "$1" "$here/sweep_app.cpp" arm/app.o -I. &&
    link sweep.elf arm/*.o
}

mkdir host arm
check "the model is written" "$python" "$here/sweep_model.py" .
check "generates for the host" exits 0 "$onnxc" sweep.onnx -o host/sweep --no-heap -q
check "the host runs it" host_results
for core in $cores; do
  use_core "$core"
  for optimize in "speed -O2" "speed -O3" "size -Os"; do
    mode=${optimize% *} level=${optimize#* }
    check "$core: generates for $mode" exits 0 "$onnxc" sweep.onnx -o arm/sweep --no-heap -q --target "$core" --optimize "$mode"
    check "$core: builds with $level" build "$level"
    check "$core: runs with $level" runs sweep.elf
  done
done
finish
