#!/usr/bin/env bash
# The cases in own/ and recorded/ pass, also where allocations fail; the models in refused/ get their messages, generate.py still writes these
# files, and every (operator, since_version) is in coverage.tsv with a case.
# usage: own_test.sh ONNXC WORK_DIR
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/check.sh"

# Lines "domain operator version" of the table that `onnxc ops --markdown` prints.
"$onnxc" ops --markdown | awk -F' *[|] *' '
  /^## / { domain = substr($0, 4) }
  $3 ~ /^[0-9]+(, [0-9]+)*$/ { n = split($3, v, ", ")
    for (i = 1; i <= n; ++i) print domain "\t" $2 "\t" v[i] }' | LC_ALL=C sort >pairs.txt

# Cases are named after their operator; those that are not built yet have to wait.
mkdir own recorded refused
for folder in "$here"/own/*/ "$here"/recorded/*/ "$here"/refused/*/; do
  folder=${folder%/} name=${folder##*/} group=${folder%/*}
  grep -q "$(printf '\t')${name%%_*}$(printf '\t')" pairs.txt || { echo "waits: $name"; continue; }
  ln -s "$folder" "${group##*/}/$name"
done

"$onnxc" verify own recorded --allocation-faults 100 --report report.tsv >verify.log 2>&1 || true
while IFS=$'\t' read -r path status _ _ _ message; do
  [ "$path" = path ] || check "$(basename "$path"): $status $message" [ "$status" = pass ]
done <report.tsv
check "as many reports as cases" \
  [ "$(($(wc -l <report.tsv) - 1))" = "$(find own recorded -type l | wc -l)" ]

for folder in refused/*/; do
  name=$(basename "$folder")
  check "$name is refused" exits 1 "$onnxc" check "$folder/model.onnx"
  check "$name says why" grep -qFf "$folder/message.txt" exits.log
done

grep -v '^#' "$here/coverage.tsv" | cut -f1-3 | LC_ALL=C sort >covered.txt
LC_ALL=C comm -23 pairs.txt covered.txt >uncovered.txt
check "there are operators" [ -s pairs.txt ]
check "a case for every operator and version: $(head -n 20 uncovered.txt | tr '\n\t' '; ')" \
  [ ! -s uncovered.txt ]
grep -v '^#' "$here/coverage.tsv" | cut -f4 | grep -E '^(own|recorded|refused)/' | sort -u |
  while read -r name; do [ -f "$here/$name/model.onnx" ] || echo "$name"; done >absent.txt
check "cases named in coverage.tsv: $(head -n 5 absent.txt)" [ ! -s absent.txt ]

if python3 -c 'import numpy, onnx' 2>/dev/null; then
  check "generate.py writes these files" python3 "$here/generate.py" --check
fi
finish
