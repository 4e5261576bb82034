#!/usr/bin/env bash
# Measures every float and writes docs/ACCURACY.md. Takes hours; functions measured before are kept in FOLDER/rows.
# usage: tests/accuracy/measure.sh ACCURACY FOLDER [--stride N] [--dense]
#   ACCURACY: the program `accuracy` of a build with tests; the options are for a page in minutes
set -eu
program=$(realpath "$1")
folder=$2
shift 2
[ $# -gt 0 ] || set -- --stride 1
root=$(cd "$(dirname "$0")/../.." && pwd)

mkdir -p "$folder"
touch "$folder/rows"
for name in $(sed -n 's/^F(\([a-z0-9_]*\),.*/\1/p' "$root/tests/accuracy/functions.inc"); do
  grep -q "^| $name |" "$folder/rows" && continue
  "$program" "$@" "$name" >"$folder/row"
  cat "$folder/row" >>"$folder/rows"
done
"$program" --page --measured "$folder/rows" --samples 10000000 >"$folder/page"
mv "$folder/page" "$root/docs/ACCURACY.md"
