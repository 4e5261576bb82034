#!/usr/bin/env bash
# Operands that overlap: optimised code must give what plain code does, where some step could work in
# place of an operand that it reads by another one as well.
# usage: overlap.sh ONNXC WORK_DIR [CASES_DIR [EVERY]]
#   CASES_DIR: default tests/conformance/cases, of which every 16th case is taken, with SLOW=1 the
#   8th, with FULL=1 all.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
onnxc=$1 work=$2 cases=${3:-$here/../conformance/cases} every=${4:-${FULL:+1}}
every=${every:-$([ -n "${SLOW:-}" ] && echo 8 || echo 16)}
. "$here/cases.sh"

/usr/bin/python3 "$here/variants.py" "$cases" "$work/linked" --every "$every" --only overlapping
cp -rL "$work/linked" "$work/copies"  # the expected values are rewritten
"$onnxc" verify "$work/copies" --plain --record --report "$work/plain.tsv" >"$work/plain.log" 2>&1 || true
"$onnxc" verify "$work/copies" --report "$work/optimised.tsv" >"$work/optimised.log" 2>&1 || true

# Some of the data make no sense where they overlap: token ids, sizes.
awk -F'\t' '
  FNR == 1 { next }
  $1 ~ /bernoulli|random_uniform|random_normal|multinomial|training_dropout/ { next }
  NR == FNR { plain[$1] = $2; next }
  plain[$1] != "pass" { ++skipped; next }
  $2 == "pass" { ++passed; next }
  { print $2 "  " $1 "  " $6; ++failed }
  END {
    printf "%d passed, %d failed, %d without values\n", passed, failed, skipped
    exit failed > 0 || passed == 0
  }' "$work/plain.tsv" "$work/optimised.tsv"
