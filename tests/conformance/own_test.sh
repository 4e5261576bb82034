#!/usr/bin/env bash
# Our own cases pass, also where allocations fail, and every (operator, since_version) is in
# coverage.tsv with a case. Every tenth case runs, with SLOW=1 every fifth, with FULL=1 all.
# usage: own_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"

thin "$(level 10 5 1)" cases "$here"/cases/*.case
"$onnxc" verify cases --allocation-faults 100 --report report.tsv >verify.log 2>&1 || true
while IFS=$'\t' read -r path status _ _ _ message; do
  [ "$path" = path ] || check "$(basename "$path"): $status $message" [ "$status" = pass ]
done <report.tsv
check "side files hold what their cases name" python3 "$here/side_file.py" "$here"/cases/*.case
check "there are cases" grep -q "^=== " cases/*.case
check "as many reports as cases" \
  [ "$(($(wc -l <report.tsv) - 1))" = "$(cat cases/*.case | grep -c "^=== ")" ]

# Lines "domain operator version" of the table that `onnxc ops --markdown` prints.
"$onnxc" ops --markdown | awk -F' *[|] *' '
  /^## / { domain = substr($0, 4) }
  $3 ~ /^[0-9]+(, [0-9]+)*$/ { n = split($3, v, ", ")
    for (i = 1; i <= n; ++i) print domain "\t" $2 "\t" v[i] }' | LC_ALL=C sort >pairs.txt
grep -v '^#' "$here/coverage.tsv" | cut -f1-3 | LC_ALL=C sort >covered.txt
LC_ALL=C comm -23 pairs.txt covered.txt >uncovered.txt
check "there are operators" [ -s pairs.txt ]
check "a case for every operator and version: $(head -n 20 uncovered.txt | tr '\n\t' '; ')" \
  [ ! -s uncovered.txt ]
grep -v '^#' "$here/coverage.tsv" | cut -f4 | grep '^cases/' | sort -u >named.txt
(cd "$here" && grep '^=== ' cases/*.case | sed 's/:=== /:/') | sort >present.txt
comm -23 named.txt present.txt >absent.txt
check "cases named in coverage.tsv: $(head -n 5 absent.txt)" [ ! -s absent.txt ]
finish
