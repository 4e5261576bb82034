#!/usr/bin/env bash
# Cases whose inputs have open sizes give the same where each of these is fixed, and where each is bounded.
# usage: sizes.sh ONNXC WORK_DIR [CASES_DIR [EVERY]]
#   CASES_DIR: default tests/conformance/cases, of which every 16th case is taken, with SLOW=1 every 12th, with
#   FULL=1 all.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
onnxc=$1 work=$2 cases=${3:-$here/../conformance/cases} every=${4:-$([ -n "${FULL:-}" ] && echo 1 || { [ -n "${SLOW:-}" ] && echo 12 || echo 16; })}
# Most of the time goes to the C++ compiler.
export CXXFLAGS="${CXXFLAGS:--O0}"
. "$here/cases.sh"

/usr/bin/python3 "$here/sizes.py" "$cases" "$work" --every "$every"
for group in "$work"/fixed/* "$work"/bounded/*; do
  # shellcheck disable=SC2046 # a list of options
  "$onnxc" verify "$group" --report "$group/report.tsv" -- $(cat "$group/options") >"$group/log" 2>&1 || true
done

awk -F'\t' '
  FNR == 1 { next }
  # Random numbers depend on names.
  $1 ~ /Bernoulli|RandomUniform|RandomNormal|Multinomial/ { next }
  $2 == "pass" { ++passed; next }
  { print $2 "  " FILENAME "  " $1 "  " $6; ++failed }
  END {
    printf "%d passed, %d failed\n", passed, failed
    exit failed > 0 || passed == 0
  }' "$work"/*/*/report.tsv
