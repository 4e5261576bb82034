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

finish
