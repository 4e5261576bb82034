#!/usr/bin/env bash
# Puts the playground into a folder: the page, the compiler for it, an example. Any static server can offer the folder.
# usage: build.sh FOLDER [MODULE]     MODULE: a folder with onnxc_web.js and onnxc_web.wasm, build/wasm by default
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$1
module=${2:-$root/build/wasm}
for name in onnxc_web.js onnxc_web.wasm; do
  [ -e "$module/$name" ] || { echo "build.sh: no $module/$name; compiler/cmake/hosts/build.sh wasm builds it" >&2; exit 1; }
done

mkdir -p "$folder"
cp "$here"/*.html "$here"/*.css "$here"/*.js "$root/docs/site.css" "$module/onnxc_web.js" "$module/onnxc_web.wasm" "$folder"
cp "$root/examples/keyword_spotting/model.onnx" "$folder/example.onnx"

# For `file:`, where a page reads no other file but scripts.
text() { printf '"'; sed 's/\\/\\\\/g; s/"/\\"/g; s/$/\\n/' "$@" | tr -d '\n'; printf '"'; }
{
  printf 'const local = {"worker": '
  cat "$module/onnxc_web.js" "$here/zip.js" "$here/worker.js" | text
  printf ',\n"module": "%s",\n' "$(gzip -9nc "$module/onnxc_web.wasm" | base64 -w 0)"
  printf '"example": "%s"};\n' "$(base64 -w 0 "$folder/example.onnx")"
} >"$folder/local.js"
