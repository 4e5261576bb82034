#!/usr/bin/env bash
# Eight threads, an arena each, call one program: equal bits, and nothing that ThreadSanitizer finds.
#   RUNS=200000: of the example's network; the thread sanitizer gets a hundredth. MODEL: another model with one input and one
#   output of float32. LIMIT: seconds after which the runs end, a tenth of it for the thread sanitizer.
. "$(dirname "$0")/../cli/check.sh"
here=$source_dir/tests/reliability
runs=${RUNS:-200000}
model=${MODEL:-$examples/02_cnn/model.onnx}

"$onnxc" "$model" -o served -q
size() { sed -n "s/^#define SERVED_$1_.*_SIZE \([0-9]*\)u.*/\1/p" served.h; }

serve() { # flags of the compiler, runs, seconds
  # shellcheck disable=SC2046,SC2086
  ${CXX:-g++} -std=c++17 $1 -pthread -I. $(model_flags served) -DINPUT_SIZE=$(size INPUT) -DOUTPUT_SIZE=$(size OUTPUT) \
    "$here/load.cpp" served*.cpp -o served && ./served "$2" 8 ${3:-}
}

check "under ThreadSanitizer" serve "-O1 -g -fsanitize=thread" $((runs / 100)) ${LIMIT:+$((LIMIT / 10))}
if [ -n "${RUNS:-}" ]; then
  [ "$failed" = 0 ] && serve -O2 "$runs" "${LIMIT:-}"  # its line counts the runs
else
  check "eight threads" serve -O2 "$runs"
  finish
fi
