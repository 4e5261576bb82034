#!/usr/bin/env bash
# Random layers that run line-buffered give every bit that the layers give one after the other, and are
# placed where the plan says: the programs run with the arena that it asks for.
# usage: [COUNT=N] [SEED=S] line_buffered_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
count=${COUNT:-$(level 10 16 60)}
export CXXFLAGS=${CXXFLAGS:--O0}
python3 "$source_dir/tests/firmware/line_buffered.py" "${SEED:-1}" "$count" >layers.case
rm -rf cases kept
"$onnxc" verify --export cases layers.case >export.log 2>&1
check "unfused" exits 0 "$onnxc" verify --record cases
# The code for a microcontroller runs on any machine.
cat >host_compiler <<'END'
#!/usr/bin/env bash
for option in "$@"; do
  shift
  case $option in -m*) ;; *) set -- "$@" "$option" ;; esac
done
exec g++ "$@"
END
chmod +x host_compiler
export CXX=$PWD/host_compiler
check "row by row" exits 0 "$onnxc" verify --rtol 0 --atol 0 --keep kept cases -- --target cortex-m4f
check "row by row, small" exits 0 "$onnxc" verify --rtol 0 --atol 0 cases -- --target cortex-m4f --optimize size
# Every model has plans of less and less memory: a limit one byte below each.
smaller_plans() { # model, rounds
  local limit=1000000 round
  for round in $(seq "$2"); do
    "$onnxc" "$1/model.onnx" -o plan/m --name m -q --target cortex-m4f --ram-limit $limit 2>/dev/null || break
    "$onnxc" verify --rtol 0 --atol 0 "$1" -- --target cortex-m4f --ram-limit $limit || return 1
    limit=$(($(sed -n 's/^#define M_ARENA_BYTES \([0-9]*\)u.*/\1/p' plan/m.h) - 1))
  done
  echo "$1" "$round"
}
for model in $(find cases -name model.onnx | sort | head -n $((count / 3))); do
  check "$model within limits" smaller_plans "${model%/model.onnx}" 4
done
together=$(grep -rl "^  run_line_buffered(" kept --include='*.cpp' | wc -l)
check "a third of them have layers that run together" [ $((3 * together)) -ge "$count" ]
finish
