#!/usr/bin/env bash
# What verify and bench report to people and to programs.
. "$(dirname "$0")/check.sh"

cp -r "$examples/01_mlp" good
cp -r "$examples/01_mlp" wrong
cp -r "$examples/01_mlp" 'broken <&> "model"'
output=wrong/test_data_set_0/output_0.pb
printf '\x3f' | dd of=$output bs=1 seek=$(($(stat -c %s $output) - 1)) conv=notrunc 2>/dev/null
head -c 100 good/model.onnx >'broken <&> "model"/model.onnx'

check "exit code" exits 4 "$onnxc" verify good wrong broken* --json --junit junit.xml --report all.tsv
"$onnxc" verify good wrong broken* --json >all.json 2>messages.log || true
"$onnxc" verify good wrong broken* >found.log 2>table.log || true
"$onnxc" verify good wrong >one.log 2>one_message.log || true
check "failures when they happen" sh -c '[ "$(wc -l <found.log)" = 2 ] && grep -q "^mismatch      wrong: output 0" found.log'
check "a table of them" grep -qE '^status +case +max_abs +max_rel  message$' table.log
check "its rows" grep -qE '^mismatch +wrong +[0-9.e+-]+ +[0-9.e+-]+  output 0' table.log
check "a row without numbers" grep -qE '^refused +broken <&> "model" +model.onnx: error\[not-onnx\]' table.log
check "totals" grep -qx '3 cases: 1 pass, 1 mismatch, 1 refused' table.log
check "no table for one" sh -c '! grep -q "^status" one_message.log'
check "JSON stands alone" python3 - <<'END'
import csv
import json
import xml.etree.ElementTree as xml

rows = list(csv.DictReader(open("all.tsv"), delimiter="\t", quoting=csv.QUOTE_NONE))
all = json.load(open("all.json"))
assert all["totals"] == {"cases": 3, "pass": 1, "mismatch": 1, "refused": 1, "compile-error": 0,
                         "crash": 0, "timeout": 0}, all["totals"]
assert [(c["path"], c["status"], c["message"]) for c in all["cases"]] == [
    (r["path"], r["status"], r["message"]) for r in rows]
assert all["cases"][1]["max_abs"] > 0.01

suite = xml.parse("junit.xml").getroot()
assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
cases = suite.findall("testcase")
assert [c.get("name") for c in cases] == [r["path"] for r in rows]
assert len(cases[0]) == 0
assert [(c[0].tag, c[0].get("type"), c[0].get("message")) for c in cases[1:]] == [
    ("failure", "mismatch", rows[1]["message"]), ("error", "refused", rows[2]["message"])]
END

"$onnxc" bench "$mlp" >bench.log 2>&1
check "bench: percentiles" grep -qE '^spread    p90 [0-9.]+ (ns|us|ms), p99 [0-9.]+ (ns|us|ms), middle half [0-9.]+ % wide$' bench.log
"$onnxc" bench "$mlp" --json >bench.json 2>/dev/null
check "bench: in order" python3 - <<'END'
import json

b = json.load(open("bench.json"))
assert 0 < b["min_ms"] <= b["p25_ms"] <= b["p50_ms"] <= b["p75_ms"] <= b["p90_ms"] <= b["p99_ms"]
assert b["p50_ms"] == b["median_ms"] and b["runs"] > 1000
END
finish
