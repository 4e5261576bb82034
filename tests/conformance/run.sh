#!/usr/bin/env bash
# Runs ONNX backend test cases through `onnxc verify` and checks the result against known_gaps.txt:
# a case may fail only when it is listed, and a listed case must fail.
# usage: run.sh [--sample|--part|--gaps] ONNXC WORK_DIR [CASES_DIR]
#   CASES_DIR: default the package libonnx-testdata; --sample takes every 29th case of it;
#   --part: CASES_DIR lacks cases that are listed; --gaps prints what known_gaps.txt would have to hold.
#   GAPS: default known_gaps.txt next to this script.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sample="" list="" part=""
case $1 in
  --sample) sample=1 && shift ;;
  --gaps) list=1 && shift ;;
  --part) part=1 && shift ;;
esac
onnxc=$1 work=$2 cases=${3:-/usr/share/libonnx-testdata/data}
gaps=${GAPS:-$here/known_gaps.txt}
[ -d "$cases" ] || { echo "skipped: no test cases in $cases (package libonnx-testdata)"; exit 77; }

rm -rf "$work"
mkdir -p "$work"
if [ -n "$sample" ]; then
  mkdir "$work/cases"
  find -L "$cases" -name model.onnx | sort | awk 'NR % 29 == 1' | while read -r model; do
    folder=$(dirname "$model")
    ln -s "$folder" "$work/cases/$(basename "$folder")"
  done
  cases=$work/cases
fi

"$onnxc" verify "$cases" --report "$work/report.tsv" >"$work/log" || true
[ -s "$work/report.tsv" ] || { cat "$work/log"; echo "no report"; exit 1; }

if [ -n "$list" ]; then
  awk -F'\t' -v root="$cases/" 'NR > 1 && $2 != "pass" {
    sub(/^model.onnx: /, "", $6)
    print substr($1, length(root) + 1) "\t" $2 ": " substr($6, 1, 120) }' "$work/report.tsv" | sort -u
  exit
fi

# known_gaps.txt: the last parts of the case's path, * for anything, a tab, the reason.
awk -F'\t' -v part="$sample$part" '
  function glob(p) { gsub(/[.+^$(){}|]/, "\\\\&", p); gsub(/\*/, ".*", p); return "(^|/)" p "$" }
  NR == FNR { if ($0 !~ /^#/ && NF) { pattern[++n] = glob($1); text[n] = $1 } next }
  FNR == 1 { next }
  {
    gap = 0
    for (i = 1; i <= n; ++i) if ($1 ~ pattern[i]) { gap = i; seen[i] = 1 }
    if ($2 == "pass" && gap) { print "passes but is listed: " $1; ++bad }
    else if ($2 == "pass") ++pass
    else if (gap) ++known
    else { print $2 "  " $1 "  " $6; ++bad }
  }
  END {
    if (!part) for (i = 1; i <= n; ++i) if (!seen[i]) { print "listed but there is no such case: " text[i]; ++bad }
    printf "%d passed, %d failed, %d known gaps\n", pass, bad, known
    exit bad > 0
  }' "$gaps" "$work/report.tsv"
