#!/usr/bin/env bash
# Generated code compared with ONNX Runtime, model by model, in alternating rounds on this machine.
# usage: compare.sh [-t THREADS] [-r ROUNDS] [-s SECONDS] ONNXC MODEL_DIR...
# MODEL_DIR holds model.onnx and test_data_set_0/input_N.pb. ORT_DIR is a folder with the npm package
# onnxruntime-node, which is installed there if it is missing (default: ./ort). Its JavaScript
# binding adds 20 to 50 microseconds a run: ratios of models below half a millisecond flatter onnxc.
#
# bound: the larger of two times, the multiply-accumulates at the peaks of floats and of int8, and the
# weights read from the cache that holds them, all at speeds measured here; % of it is what the
# generated code reaches. Winograd convolutions may pass it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
threads=1 rounds=3 seconds=1
while getopts t:r:s: option; do
  case $option in
    t) threads=$OPTARG ;;
    r) rounds=$OPTARG ;;
    s) seconds=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || { sed -n '3,5p' "$0" >&2; exit 2; }
onnxc=$1
shift
ort=${ORT_DIR:-$PWD/ort}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ ! -d "$ort/node_modules/onnxruntime-node" ]; then
  mkdir -p "$ort"
  (cd "$ort" && npm init -y && npm install --ignore-scripts onnxruntime-node) >"$work/npm.log" 2>&1
fi
${CXX:-g++} -std=c++17 -O3 -march=native "$here/../../compiler/run/harness/machine_peak.cpp" -o "$work/peak"
median() { sort -g | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }
field() { sed -n "s/.*\"$1\": *\([^,]*\).*/\1/p" "$2" | head -n 1; }
# A count, 0 where there is no result.
count() { field "$1" "$work/json" | tr -d " " | grep . || echo 0; }

printf '%-28s %12s %12s %7s %12s %7s\n' model 'ORT ms' 'onnxc ms' ratio 'bound ms' '% of it'
for dir in "$@"; do
  : >"$work/ort" && : >"$work/onnxc"
  for _ in $(seq "$rounds"); do
    node "$here/ort_latency.mjs" "$ort" "$dir" "$threads" "$seconds" >>"$work/ort" || echo nan >>"$work/ort"
    if "$onnxc" bench "$dir/model.onnx" --data "$dir/test_data_set_0" --threads "$threads" --json >"$work/json"; then
      field median_ms "$work/json" >>"$work/onnxc"
    else
      echo nan >>"$work/onnxc"
    fi
  done
  weights=$(count weight_bytes)
  echo "$(basename "$dir") $(median <"$work/ort") $(median <"$work/onnxc") $(count macs_of_run) $(count int8_macs)" \
    "$weights $("$work/peak" "$weights")"
done | awk -v threads="$threads" '
  function time(t) { return t ~ /^[0-9]/ ? sprintf("%.4f", t) : t }
  { compute = (($4 - $5) / $7 + $5 / $8) / threads * 1e-6; reading = $6 / $9 * 1e-6
    # A failed run has the time nan, which awk may take for a number or for a word.
    bound = compute > reading ? compute : reading; timed = $3 ~ /^[0-9]/
    ratio = timed && $2 ~ /^[0-9]/ ? $2 / $3 : 0
    printf "%-28s %12s %12s %7.2f %12.4f %7.0f\n", $1, time($2), time($3), ratio, bound, (timed ? 100 * bound / $3 : 0)
    if (ratio > 0) { sum += log(ratio); ++n } fflush() }
  END { if (n) printf "geometric mean of %d: %.2f\n", n, exp(sum / n) }'
