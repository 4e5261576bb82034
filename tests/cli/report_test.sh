#!/usr/bin/env bash
# Reports: the JSON is consistent in itself, the page shows the same in a browser without an error on its
# console, and is small.
. "$(dirname "$0")/check.sh"

# page NAME: the page after its script ran, in NAME.dom; what the console says in NAME.log.
page() {
  timeout 60 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr \
    --window-size="${2:-1400},1600" --dump-dom "file://$PWD/$1.html" >"$1.dom" 2>"$1.log"
}
is_small() { [ "$(stat -c %s "$1")" -lt 512000 ]; }
is_quiet() { ! grep -i console "$1"; }

browser=""
installed chromium && browser=1
for model in dynamic functions loop quantized trees words; do
  check "$model has reports" "$onnxc" "$source_dir/tests/golden/$model.onnx" -o "$model" -q \
    --report "$model.json" --report "$model.html"
  check "$model: the report agrees with itself" python3 "$source_dir/tests/cli/report.py" "$model.json"
  check "$model: the page is small" is_small "$model.html"
  [ -n "$browser" ] || continue
  check "$model: a browser shows it" page "$model"
  check "$model: without an error" is_quiet "$model.log"
  check "$model: all of it" python3 "$source_dir/tests/cli/report.py" "$model.json" "$model.dom"
done
check "two memories" "$onnxc" "$source_dir/tests/golden/quantized.onnx" -o two -q \
  --memory fast=512,slow=1M --report two.json
check "two memories: the report agrees with itself" python3 "$source_dir/tests/cli/report.py" two.json


# ---- with measured times ----
check "bench writes reports" sh -c \
  "\"$onnxc\" bench \"$source_dir/examples/02_cnn/model.onnx\" --report bench.json --report bench.html >bench.txt"
check "the report agrees with itself" python3 "$source_dir/tests/cli/report.py" bench.json
check "every call has a time" python3 -c "
import json
report = json.load(open('bench.json'))
assert report['machine']['gmacs'] > 0 and report['machine']['gbytes'] > 0
assert all(s['ms'] > 0 for s in report['steps'] if s['kind'] == 'call')"
if [ -n "$browser" ]; then
  check "a browser shows the roofline" page bench
  check "which it draws" grep -q "aria-label=\"roofline\"" bench.dom
  check "without an error" is_quiet bench.log
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
