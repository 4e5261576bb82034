#!/usr/bin/env bash
# Makes docs/report.png again: the top of the report of examples/keyword_spotting, in chromium.
# usage: report_picture.sh ONNXC
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" "$root/examples/keyword_spotting/model.onnx" -o "$work/keywords" --target generic --report "$work/keywords.html" -q
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,1005 \
  --screenshot="$root/docs/report.png" "file://$work/keywords.html" 2>/dev/null
