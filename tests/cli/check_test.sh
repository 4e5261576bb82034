#!/usr/bin/env bash
# `onnxc check`: the same verdict as `compile`, formats for programs, and the table of its rules.
# Rewrite the table with: onnxc check --rules > docs/diagnostics.md
. "$(dirname "$0")/check.sh"

"$onnxc" check --rules >diagnostics.md
check "docs/diagnostics.md is up to date" cmp diagnostics.md "$ONNXC_SOURCE/docs/diagnostics.md"

# Every own case, good or bad: check and compile agree. Every eighth, with SLOW=1 every fourth, with FULL=1 all.
thin "$(level 8 4 1)" files "$case_files"/*.case
"$onnxc" verify files --export cases >export.log 2>&1 || true
agree() {
  local model=$1 out checked=0 compiled=0
  out=$(dirname "$model")/out
  "$onnxc" check "$model" >/dev/null 2>&1 || checked=$?
  "$onnxc" -q "$model" -o "$out/m" >/dev/null 2>&1 || compiled=$?
  echo "$checked $compiled $model"
  rm -rf "$out"
}
export -f agree
export onnxc
find cases -name model.onnx | sort | xargs -P"$(nproc)" -I{} bash -c 'agree {}' >verdicts.txt
check "there are models" [ "$(wc -l <verdicts.txt)" -gt 100 ]
check "some are refused" grep -q '^1 1 ' verdicts.txt
check "check and compile agree: $(awk '$1 != $2' verdicts.txt | head -n 3)" \
  [ -z "$(awk '$1 != $2' verdicts.txt)" ]

# One error is reported once: nodes that need a failed node's results have none of their own.
cat >two_errors.case <<'CASES'
=== follow
<ir_version: 8, opset_import: ["": 17]>
(float[2,3] x, float[5] z) => (float[?] y, float[?] u) {
  a = Add (x, z)
  b = Conv (a, a)
  y = Relu (b)
  u = MatMul (z, x)
}
refused "-"

=== follow_what_import_cannot_read
<ir_version: 8, opset_import: ["": 17]>
(float[2,3] x, bool c) => (float[?] y, float[?] u) {
  a = NoSuchOperator (x)
  b = If <
    then_branch = t () => (float[2,3] p) { p = Neg (a) },
    else_branch = e () => (float[2,3] q) { q = Neg (x) }
  > (c)
  y = MatMul (b, a)
  u = MatMul (x, x)
}
refused "-"
CASES
"$onnxc" verify two_errors.case --export two >/dev/null 2>&1 || true
errors_of() { "$onnxc" check "two/two_errors/$1/model.onnx" 2>&1 | grep -c 'error\[' || true; }
for name in follow follow_what_import_cannot_read; do
  check "$name, two errors: $(errors_of $name)" [ "$(errors_of $name)" = 2 ]
done

refused=$(awk '$1 == 1 { print $3; exit }' verdicts.txt)
"$onnxc" check --json "$refused" >bad.json || true
"$onnxc" check --sarif "$refused" >bad.sarif || true
check "JSON" python3 - <<'PYTHON'
import json
report = json.load(open("bad.json"))
assert not report["ok"] and report["errors"] == len(report["diagnostics"]) > 0
assert all(d["level"] == "error" and d["id"] and d["message"] for d in report["diagnostics"])
PYTHON
check "SARIF" python3 - <<'PYTHON'
import json
log = json.load(open("bad.sarif"))
assert log["version"] == "2.1.0"
run = log["runs"][0]
rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
assert run["results"] and all(r["ruleId"] in rules for r in run["results"])
assert all(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"])
PYTHON
check "a refusal is 1" exits 1 "$onnxc" check --json "$refused"
check "no model is a usage error" exits 2 "$onnxc" check
check "JSON or SARIF, not both" exits 2 "$onnxc" check --json --sarif "$refused"

# What the options change, check sees: a dynamic size without a heap, and the same one fixed.
dynamic=$ONNXC_SOURCE/tests/golden/dynamic.onnx
check "a dynamic size is fine" exits 0 "$onnxc" check "$dynamic"
check "but not without a heap" exits 1 "$onnxc" check --no-heap "$dynamic"
finish
