#!/usr/bin/env bash
# The compiler as a page, in headless Chromium: the bytes of the command line, its errors, cancel, the package, from a
# server and from `file:`; nothing but the page's own address is asked for.
#   ONNXC_WEB      folder of onnxc_web.js and onnxc_web.wasm, build/wasm by default
#   PICTURES=DIR   keeps pictures of the page
#   MODELS=200     shows so many models in all, 20 by default
#   MODEL=FILE     also measures the time from this model, dropped, to its code
. "$(dirname "$0")/../cli/check.sh"
module=${ONNXC_WEB:-$source_dir/build/wasm}
[ -e "$module/onnxc_web.wasm" ] || { echo "skipped: no compiler for WebAssembly"; exit 77; }
for tool in chromium node; do
  installed "$tool" || { echo "skipped: no $tool"; exit 77; }
done

check "build.sh" "$source_dir/docs/playground/build.sh" "$PWD/site" "$module"
check "every script has a copy" sh -c "cd '$source_dir/docs/playground' && for f in *.js *.html *.css; do cmp \$f '$work/site'/\$f || exit 1; done"

mkdir models
cp "$cnn" models/cnn.onnx
cp "$examples/keyword_spotting/model.onnx" models/keywords.onnx
head -c 3000 "$cnn" >models/cut.onnx
unpack "$here/playground.case"
for name in unknown open; do cp "playground/$name/model.onnx" "models/$name.onnx"; done

# What the command line says.
mkdir ours theirs many
(
  cd models
  "$onnxc" cnn.onnx -o ../ours/cnn -q
  "$onnxc" keywords.onnx -o ../ours/spotter --target cortex-m4f --optimize size --weights string --no-heap -q
  "$onnxc" open.onnx -o ../ours/open --dim batch=4 -q
  "$onnxc" cnn.onnx -o out/cnn --bundle ../ours/bundle --report ../ours/bundle/report.html -q
  for name in cut unknown; do "$onnxc" "$name.onnx" -o ../ours/never >"../ours/$name.said" 2>&1 || true; done
  "$onnxc" --target list | sed '/^native/d; s/ .*//' >../ours/targets
)

# Every nth of the models that there are, but for derivatives, whose names differ by compiler (decision 0044);
# a refused one has what the command prints in place of code.
count=${MODELS:-20}
slow && count=${MODELS:-200}
"$onnxc" verify --export cases "$case_files"/*.case >/dev/null 2>&1 || true
find "$PWD/cases" /usr/share/libonnx-testdata/data/node /usr/share/libonnx-testdata/data/simple "$examples" \
  -name model.onnx ! -path '*/gradient*' 2>/dev/null | LC_ALL=C sort >all
awk -v n="$(wc -l <all)" -v want="$count" 'int(NR * want / n) != int((NR - 1) * want / n)' all >list
while read -r model; do
  (cd "$(dirname "$model")" && "$onnxc" "$(basename "$model")" -o "$work/many/m" -q) >said 2>&1 </dev/null || cp said many/m.cpp
  mv many/m.cpp "ours/$(awk -v m="$model" '$0 == m { print NR; exit }' list).many"
  rm -rf many && mkdir many
done <list

check "the page in a browser" timeout 900 node "$here/playground.mjs" "$PWD" "$(command -v chromium)"
grep -E '^(time|many)' check.log || true
same() { cmp "ours/$1" "theirs/$1"; }
for file in cnn.cpp cnn.h onnxc_runtime.hpp; do check "bytes of $file" same "$file"; done
check "with options" same spotter.cpp
check "with a size" same open.cpp
check "the targets" same targets
for name in cut unknown; do check "the error of $name.onnx" same "$name.said"; done
check "the zip is whole" python3 -m zipfile -t theirs/cnn.zip
check "the zip has the package" sh -c "python3 -m zipfile -e theirs/cnn.zip theirs/unpacked && diff -r ours/bundle theirs/unpacked/cnn"
check "the package builds" sh -c "cmake -S theirs/unpacked/cnn -B build >/dev/null && cmake --build build && ./build/cnn_example"
finish
