#!/usr/bin/env bash
# Networks, compared with ONNX Runtime by one command that needs nothing but this repository.
# usage: all.sh [-t THREADS] [-r ROUNDS] [-s SECONDS] [-o] [-l] ONNXC [DIR]
# -o: the operators of operators.py too; -l: learning too, the training steps of training.py.
# The models are written into DIR (default: a temporary folder). Prints tables in Markdown, and
# those of compare.sh on standard error. ORT_DIR and CXX are those of compare.sh, PYTHON is python3 with the
# packages onnx and numpy.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
threads=1 options=() operators='' learning=''
while getopts t:r:s:ol option; do
  case $option in
    t) threads=$OPTARG options+=(-t "$OPTARG") ;;
    r | s) options+=("-$option" "$OPTARG") ;;
    o) operators=1 ;;
    l) learning=1 ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# = 1 ] || [ $# = 2 ] || { sed -n '3,7p' "$0" >&2; exit 2; }
onnxc=$1 python=${PYTHON:-python3}
export ORT_DIR=${ORT_DIR:-$PWD/ort}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dir=${2:-$work/models}

machine() {
  lscpu | sed -n 's/^Model name: */- Machine: /p'
  lscpu | grep -m 1 '^Flags' | tr ' ' '\n' | grep -xE 'avx2|avx512f|avx512_vnni|avx_vnni|asimddp|i8mm|sve' |
    tr '\n' ' ' | sed 's/^/- Instructions: /; s/ $//' || true
  echo
}

versions() {
  local package=$ORT_DIR/node_modules/onnxruntime-node/package.json
  echo "- $("$onnxc" --version), onnxruntime-node $(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' "$package")," \
    "$(${CXX:-g++} --version | head -n 1)"
  echo "- Threads: $threads. Date: $(date -u +%F)"
}

# The rows of compare.sh as Markdown. A model without a time stays in the table.
markdown() {
  echo "| model | ONNX Runtime ms | onnxc ms | ratio | % of bound |"
  echo "|---|---|---|---|---|"
  awk 'function ms(t) {  # three digits
      return t !~ /^[0-9]/ ? "failed" : sprintf("%." (t < 0.1 ? 4 : t < 1 ? 3 : t < 10 ? 2 : t < 100 ? 1 : 0) "f", t) }
    /^geometric mean/ { mean = "\n" toupper(substr($0, 1, 1)) substr($0, 2) "." ; next }
    NR > 1 { ok = $2 ~ /^[0-9]/ && $3 ~ /^[0-9]/
      printf "| %s | %s | %s | %s | %s |\n", $1, ms($2), ms($3), ok ? $4 : "-", (ok && $5 > 0) ? $6 : "-" }
    END { print mean }' "$1"
}

# compared FOLDER NAMES_FILE
compared() {
  local models=() name
  while read -r name; do models+=("$1/$name"); done <"$2"
  "$here/compare.sh" ${options[@]+"${options[@]}"} "$onnxc" "${models[@]}" | tee "$work/rows" >&2
  markdown "$work/rows"
}

set -o pipefail
"$python" "$here/networks.py" "$dir" >"$work/names"
compared "$dir" "$work/names"
if [ -n "$operators" ]; then
  "$python" "$here/operators.py" "$dir/operators" >"$work/count"
  ls "$dir/operators" >"$work/names"
  printf '\nOne operator each:\n\n'
  compared "$dir/operators" "$work/names"
fi
echo
echo "A ratio above 1: onnxc is faster. ONNX Runtime is called from JavaScript, which adds 20 to 50 us to a run."
echo "Winograd convolutions multiply less than the bound counts, and may pass it."
echo
machine
versions
if [ -n "$learning" ]; then
  printf '\nTraining steps:\n\n```\n'
  "$python" "$here/training.py" "$onnxc"
  printf '```\n'
fi
