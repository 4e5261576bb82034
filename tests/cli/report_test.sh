#!/usr/bin/env bash
# Reports: the JSON is consistent in itself, the page shows the same in a browser without an error on its
# console, and is small. What bench measures is in both.
. "$(dirname "$0")/check.sh"

# page NAME: the page after its script ran, in NAME.dom, of it what one sees in NAME.seen; what the console
# says in NAME.log.
page() {
  timeout 60 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr \
    --window-size="${2:-1400},1600" --dump-dom "file://$PWD/$1.html" >"$1.dom" 2>"$1.log"
  sed '/<script type="application\/json"/,$d' "$1.dom" >"$1.seen"
}
# shows NAME TEXT..., hides NAME TEXT...: whether these are in the page.
shows() {
  local file=$1.seen text
  shift
  for text; do grep -qF -- "$text" "$file" || { echo "$file lacks: $text"; return 1; }; done
}
hides() { ! shows "$@"; }
# json NAME CODE: Python code about the report `r` holds, and about the same in the page `p`, which has columns
# in place of many objects.
json() {
  python3 -c "
import json, re
def unpacked(o):
    if '\$columns' not in o: return o
    rows = [{} for _ in range(o['\$rows'])]
    for key, c in o['\$columns'].items():
        for i, row in enumerate(rows):
            if isinstance(c, list): row[key] = c[i]
            elif c['at'][i] >= 0: row[key] = c['of'][c['at'][i]]
    return rows
r = json.load(open('$1.json'))
p = json.loads(re.search(r'id=\"report\">(.*?)</script>', open('$1.html').read(), re.S).group(1), object_hook=unpacked)
$2"
}
is_small() { [ "$(stat -c %s "$1")" -lt 512000 ]; }
is_quiet() { ! grep -i console "$1"; }
loads_nothing() { ! grep -E '(src|href)="?(https?:)?//|@import|url\(["h/]' "$1"; }

browser=""
installed chromium && browser=1
for model in dynamic functions loop quantized trees words; do
  check "$model has reports" "$onnxc" "$source_dir/tests/golden/$model.onnx" -o "$model" -q \
    --report "$model.json" --report "$model.html"
  check "$model: the report agrees with itself" python3 "$source_dir/tests/cli/report.py" "$model.json"
  check "$model: the page is small" is_small "$model.html"
  check "$model: its data is the JSON" json "$model" "assert p == r"
  check "$model: it loads nothing" loads_nothing "$model.html"
  [ -n "$browser" ] || continue
  check "$model: a browser shows it" page "$model"
  check "$model: without an error" is_quiet "$model.log"
  check "$model: all of it" python3 "$source_dir/tests/cli/report.py" "$model.json" "$model.dom"
done
# What else a microcontroller could run is a chart and a table.
check "a board has reports" "$onnxc" "$source_dir/examples/02_cnn/model.onnx" -o board -q --target cortex-m4f \
  --report board.html --report board.json
check "a board: its data is the JSON" json board "assert p == r and len(r['alternatives']) > 1"
if [ -n "$browser" ]; then
  check "a board: a browser shows it" page board
  check "a board: without an error" is_quiet board.log
  check "a board: what else it could be" shows board 'arena against instructions' '--optimize size' 'the default'
fi
check "two memories" "$onnxc" "$source_dir/tests/golden/quantized.onnx" -o two -q \
  --memory fast=512,slow=1M --report two.json
check "two memories: the report agrees with itself" python3 "$source_dir/tests/cli/report.py" two.json


if [ -n "$browser" ]; then
  check "a float model: no column for quantisation" hides dynamic ">quantisation<"
  check "a name for every step of the plan" shows quantized 'class="soft step"'
  check "what the peak costs" grep -qE "Without the peak at step|too: only if both" quantized.seen
  check "weights and code as areas" shows quantized 'aria-label="flash"' 'class="flash"'
  check "an arena of the least size" shows quantized "as small as possible"
  check "code, estimated" shows quantized "about" "an estimate"
  check "totals" shows quantized '<tr class="total">' ">total</td>"
  check "a loop and its rounds" shows loop "Loop: " 'class="repeated"'
  check "open sizes: examples" shows dynamic "At some sizes"
fi
check "weights have names, bytes and readers" json quantized "
assert sum(w['bytes'] for w in r['weights']) == r['weight_bytes']
assert all(w['name'] and w['steps'] for w in r['weights'])"
check "open sizes: work at some of them" json dynamic "
assert len(r['examples']) >= 3
assert all(e['macs'] >= 0 for e in r['examples'])
assert 'about' in r['macs_about'] and r['typical_sizes']"
check "the same model, the same report" sh -c "\"$onnxc\" \"$source_dir/tests/golden/loop.onnx\" -o loop -q \
  --report again.html && cmp loop.html again.html"
check "nothing about this machine in it" json loop "assert 'run' not in r and 'machine' not in r"

# ---- texts of numbers: as the commands print them ----
cat >numbers.cpp <<'CODE'
#include <cmath>
#include <cstdio>

#include "compiler/support/quantity.hpp"

int main() {
  for (int i = 0; i < 9000; ++i) {
    const auto n = static_cast<std::int64_t>(i < 5000 ? 64 * i : std::pow(2.0, i % 530 / 10.0));
    const double part = static_cast<double>(n) / 8;
    std::printf("%lld|%s|%s|%s|%s|%s\n", static_cast<long long>(n), onnxc::bytes_text(n).c_str(),
                onnxc::count_text(n).c_str(), onnxc::macs_text(n).c_str(),
                onnxc::time_text(part * 1e-9).c_str(), onnxc::rate_text(part, "B/s").c_str());
  }
}
CODE
cat >numbers.mjs <<'CODE'
import { readFileSync } from "fs";
const source = readFileSync(process.argv[2], "utf8");
const f = new Function(`${source}; return [bytesText, countText, macsText, timeText, rateText];`)();
for (const line of readFileSync("numbers.txt", "utf8").trim().split("\n")) {
  const n = Number(line.split("|")[0]);
  const got = [n, f[0](n), f[1](n), f[2](n), f[3]((n / 8) * 1e-9), f[4](n / 8, "B/s")].join("|");
  if (got !== line) throw Error(`${got}, want ${line}`);
}
CODE
check "numbers of the compiler" sh -c "${CXX:-g++} -std=c++20 -I\"$source_dir\" numbers.cpp \
  \"$source_dir/compiler/support/quantity.cpp\" -lfmt -o numbers && ./numbers >numbers.txt"
if installed node; then
  check "those of the page" node numbers.mjs "$source_dir/compiler/products/report/numbers.js"
fi

# ---- training ----
check "a report of training" "$onnxc" "$source_dir/tests/golden/training.onnx" --train -o training -q \
  --report training.json --report training.html
if [ -n "$browser" ]; then
  check "training: a browser shows it" page training
  check "training: without an error" is_quiet training.log
  check "training: tensors of one name" shows training "(1 of 2)" "(2 of 2)"
  check "training: contents and functions" shows training '<nav aria-label="contents">' '<details class="function"'
fi

# ---- a loop ----
cat >rounds.case <<'CASE'
=== repeated
<ir_version: 8, opset_import: ["": 17]>
(float[1,4] x) => (float[1,4] y)
<int64 trips = {1000}, bool on = {1}, float[4,4] w = {0.1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0.1}> {
  y = Loop (trips, on, x) <body = b (int64 i, bool k, float[1,4] a) => (bool k2, float[1,4] c) {
    k2 = Identity (k)
    m = MatMul (a, w)
    c = Tanh (m)
  }>
}
given float[1,4] x = {1, 2, 3, 4}
CASE
"$onnxc" verify rounds.case --export rounds >/dev/null 2>&1 || true
check "a loop" "$onnxc" "$(find rounds -name model.onnx)" -o rounds.out -q --report rounds.json --report rounds.html
check "its steps count for every round" json rounds "
assert r['macs'] == 16000
assert any(s['kind'] == 'loop' and s['most_rounds'] == 1000 for s in r['steps'])
assert any(s.get('macs') == 16 and s['times'] == 1000 for s in r['steps'])"
if [ -n "$browser" ]; then
  check "a loop: a browser shows it" page rounds
  check "1000 rounds" shows rounds "Loop: 1000 rounds" "× 1000" ">16.0 kMAC</td>"
fi

# ---- a deep model ----
{
  printf '=== deep\n<ir_version: 8, opset_import: ["": 17]>\n(float[4,8] x) => (float[4,8] y)\n<float[8,8] w = {'
  printf '0.5, %.0s' {1..63}
  printf '0.5}> {\n  s0 = Relu (x)\n'
  for i in {1..2000}; do printf '  m%d = MatMul (s%d, w)\n  s%d = Softmax (m%d)\n' $i $((i - 1)) $i $i; done
  printf '  y = Identity (s2000)\n}\ngiven float[4,8] x = {%s1}\n' "$(printf '1, %.0s' {1..31})"
} >deep.case
"$onnxc" verify deep.case --export deep >/dev/null 2>&1 || true
check "2000 steps" "$onnxc" "$(find deep -name model.onnx)" -o deep.out -q --report deep.json --report deep.html
check "2000 steps: as many in the report" json deep "assert len(r['steps']) > 1900"
check "2000 steps: the page is small" is_small deep.html
check "2000 steps: its data is the JSON" json deep "assert p == r"
if [ -n "$browser" ]; then
  check "2000 steps: a browser shows it" page deep
  check "2000 steps: without an error" is_quiet deep.log
  check "2000 steps: the last one" shows deep "s2000"
fi

# ---- names ----
cat >names.case <<'CASE'
=== one
<ir_version: 8, opset_import: ["": 17]>
(float[N,8] x) => (float[N,4] y)
<float[8,4] w = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}> {
  [first] h = MatMul (x, w)
  [last] y = Softmax (h)
}
given float[1,8] x = {1, 2, 3, 4, 5, 6, 7, 8}
CASE
"$onnxc" verify names.case --export names >/dev/null 2>&1 || true
mkdir -p speech
cp "$(find names -name model.onnx)" speech/model.onnx
for name in main_graph torch_jit speech_net; do
  python3 - speech/model.onnx "$name" <<'CODE'
import sys
# The graph's name is field 2 of the graph: protobuf takes the last of several.
data, name = open(sys.argv[1], "rb").read(), sys.argv[2].encode()
graph = b"\x12" + bytes([len(name)]) + name
open("speech/" + sys.argv[2] + ".part", "wb").write(data + b"\x3a" + bytes([len(graph)]) + graph)
CODE
  mkdir -p "speech_$name/speech"
  mv "speech/$name.part" "speech_$name/speech/model.onnx"
  check "a model named $name" "$onnxc" "speech_$name/speech/model.onnx" -o titled -q --report "$name.json" \
    --report "$name.html"
done
check "a generic name: the folder" grep -q "<title>speech</title>" main_graph.html
check "another" grep -q "<title>speech</title>" torch_jit.html
check "a name of its own" grep -q "<title>speech_net</title>" speech_net.html
if [ -n "$browser" ]; then
  check "open: a browser shows it" page main_graph
  check "one tensor is one" shows main_graph "1 tensor<"
  check "and not several" hides main_graph "1 tensors"
fi

# ---- with measured times ----
check "bench writes reports" sh -c \
  "\"$onnxc\" bench \"$source_dir/examples/02_cnn/model.onnx\" --report bench.json --report bench.html >bench.txt"
check "the report agrees with itself" python3 "$source_dir/tests/cli/report.py" bench.json
check "its data is the JSON" json bench "assert p == r"
check "every call has a time" json bench "
assert r['machine']['gmacs'] > 0 and r['machine']['gbytes'] > 0
assert all(s['ms'] > 0 for s in r['steps'] if s['kind'] == 'call')"
check "what was measured, and how" json bench "
run = r['run']
assert all(run[key] for key in ('date', 'system', 'compiler', 'flags', 'options', 'inputs', 'runs'))
assert run['min_ms'] <= run['median_ms'] <= run['p90_ms'] <= run['p99_ms']"
check "the size of the code that was measured" json bench "
assert r['costs']['measured'] and r['costs']['code_bytes'] == r['costs']['code_bytes_at_most'] > 0"
check "of integers" sh -c \
  "\"$onnxc\" bench \"$source_dir/examples/keyword_spotting/model.onnx\" --report int8.json --report int8.html >int8.txt"
check "the roof of int8" json int8 "
assert r['machine']['int8_gmacs'] > 0 and any(s.get('int8') for s in r['steps'])"
check "of bounded sizes" "$onnxc" bench speech_main_graph/speech/model.onnx --dim N=1..64 --report open.json \
  --report open.html
check "work at the sizes of the run" json open "
assert r['run']['sizes'] == {'N': 64}
assert any(s.get('run_macs') == 64 * 32 and s['macs'] == '32*N' for s in r['steps'])"
# wide NAME: the page has no box whose content is wider than itself.
wide() {
  sed '$a<script>document.title = [...document.querySelectorAll(".scroll")].filter((x) => x.scrollWidth > x.clientWidth + 1).length;</script>' \
    "$1.html" >"wide_$1.html"
  page "wide_$1" && grep -q "<title>0</title>" "wide_$1.dom"
}
if [ -n "$browser" ]; then
  for model in bench int8 open; do
    check "$model: a browser shows it" page "$model"
    check "$model: without an error" is_quiet "$model.log"
    check "$model: a roofline, a legend" shows "$model" 'aria-label="roofline"' 'class="soft legend"'
    check "$model: time after the name" grep -qE '>step</[a-z]*></th><th[^>]*><[^>]*>time</' "$model.seen"
    check "$model: all columns at 1400 pixels" wide "$model"
    check "$model: conditions" shows "$model" ">machine</dt>" ">compiler</dt>" "p99"
    check "$model: totals" shows "$model" '<tr class="total">' ">total</td>"
    check "$model: code is measured" shows "$model" "<span>measured</span>"
  done
  check "two roofs" shows int8 'class="roof float"' "float32: " 'class="roof int8"' "int8: "
  check "rates of an open size" hides open "0.00 GMAC/s"
fi
if [ -n "$browser" ] && installed pdftotext; then
  check "on paper" timeout 60 chromium --headless --no-sandbox --disable-gpu --print-to-pdf=int8.pdf "file://$PWD/int8.html"
  check "with all columns" sh -c "pdftotext -layout int8.pdf - | grep -E '# +step +time +rate +MAC .* kernel'"
fi

# ---- two versions of a model ----
cat >old.case <<'CASE'
=== model
<ir_version: 8, opset_import: ["": 17]>
(float[1,8] x) => (float[1,4] y)
<float[8,4] w = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}> {
  [first] h = MatMul (x, w)
  [last] y = Softmax (h)
}
given float[1,8] x = {1, 2, 3, 4, 5, 6, 7, 8}
CASE
sed -e 's/float\[1,8\] x/float[2,8] x/; s/float\[1,4\] y/float[2,4] y/; s/\[last\] y = Softmax/[end] y = Hardmax/' \
  -e 's/{1, 2, 3, 4, 5, 6, 7, 8}/{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}/' old.case >new.case
for version in old new; do "$onnxc" verify "$version.case" --export "$version" >/dev/null 2>&1 || true; done
old=$(find old -name model.onnx) new=$(find new -name model.onnx)
check "the difference of two models" sh -c "\"$onnxc\" report diff $old $new >diff.txt"
for line in 'multiply-accumulates *32 *64 *+100.0 %' '^input x: f32\[1,8\] -> f32\[2,8\]' \
  '^  first: MatMul, .*32 MAC' '^   -> .*64 MAC' '^- last: Softmax' '^+ end: Hardmax'; do
  check "tells $line" grep -q -- "$line" diff.txt
done
check "as JSON" sh -c "\"$onnxc\" report diff $old $new --json | python3 -m json.tool >/dev/null"
check "of a model and itself: none" sh -c "\"$onnxc\" report diff $old $old | grep -c same | grep -qx 4"
check "of a missing model" exits 5 "$onnxc" report diff "$old" missing.onnx
finish
