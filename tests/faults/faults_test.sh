#!/usr/bin/env bash
# Failing allocations and system calls, and runs that are killed or disturb each other.
# With FULL=1 of 20 models, else of two.
#   FAULTS: allocations and calls of each model, evenly spread; 0: every one. Default 120, with FULL=1 2000.
#   KILLS: default 20, with FULL=1 200.   MODELS: more models.
. "$(dirname "$0")/../cli/check.sh"
faults=$source_dir/tests/faults
kills=${KILLS:-${FULL:+200}} count=${FAULTS:-${FULL:+2000}} models=${MODELS:-}
kills=${kills:-20} count=${count:-120}
if [ -n "${FULL:-}" ]; then
  "$onnxc" verify --export cases "$source_dir/tests/conformance/cases" >export.log 2>&1
  # The first model of some files that compiles.
  for folder in $(find cases -mindepth 1 -maxdepth 1 -type d ! -name 'refused_*' | sort | awk 'NR % 3 == 1' | head -n 18); do
    for model in "$folder"/*/model.onnx; do
      "$onnxc" -q "$model" -o tried/m 2>/dev/null && models="$models $PWD/$model" && break
    done
  done
fi

if installed gcc; then
  gcc -O1 -shared -fPIC "$faults/shim.c" -o shim.so -ldl
  # Sanitizers want to be loaded first.
  if LD_PRELOAD=$PWD/shim.so "$onnxc" --version >/dev/null 2>&1; then
    python3 "$faults/faults.py" "$onnxc" "$PWD/shim.so" models "$count" "$mlp" "$cnn" $models >faults.log 2>&1 || true
    grep FAIL faults.log || true
    head -c 300 "$cnn" >cut.onnx
    for model in "$mlp" cut.onnx; do
      FAULT_COUNT=count.txt LD_PRELOAD=$PWD/shim.so "$onnxc" check "$model" >check.txt 2>&1 || true
      check "check reads $(basename "$model") once" grep -qx 'mmap 1' count.txt
    done
    check "faults: $(tail -n 1 faults.log)" grep -q ', 0 failed$' faults.log
    passed=$((passed + $(sed -n '$s/ passed,.*//p' faults.log | grep -x '[0-9]*' || echo 0)))
  fi
fi
check "a full disk under stdout" exits 5 bash -c "'$onnxc' ops >/dev/full"
check "a full disk under a report for programs" exits 5 bash -c "'$onnxc' check --json '$mlp' >/dev/full"

# shellcheck disable=SC2086
/usr/bin/python3 "$faults/kills.py" "$onnxc" "$kills" "$mlp" "$cnn" $models >kills.log 2>&1 || true
cat kills.log
check "killed $kills times" grep -q '^0 mixed, 0 wrong' kills.log

# Many at once in one folder, some with the same name.
for i in $(seq 64); do "$onnxc" -q "$cnn" -o "crowd/m$((i % 40))" & done
wait
same_as_serial() {
  local i
  for i in $(seq 0 39); do
    "$onnxc" -q "$cnn" -o "serial/m$i"
    cmp "crowd/m$i.cpp" "serial/m$i.cpp" && cmp "crowd/m$i.h" "serial/m$i.h" || return 1
  done
  diff <(ls crowd) <(ls serial)
}
check "64 runs at once" same_as_serial
finish
