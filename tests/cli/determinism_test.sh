#!/usr/bin/env bash
# The output depends on nothing but the model, the options and the version.
. "$(dirname "$0")/check.sh"

generate() { # folder, environment...
  local folder=$1
  shift
  mkdir -p "$folder"
  (cd "$folder" && cp "$cnn" cnn.onnx &&
    env "$@" "$onnxc" cnn.onnx -o gen/cnn --report gen/report.json --report gen/report.html -MD -q)
}

generate a LC_ALL=C TZ=UTC
generate b/deeper LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 TZ=Asia/Tokyo HOME=/nonexistent
generate "c d" LC_ALL=tr_TR.UTF-8 MALLOC_PERTURB_=85
check "other folder and locale" diff -r a/gen b/deeper/gen
check "blank in the path" diff -r a/gen "c d/gen"
for i in 1 2 3; do
  generate "again$i" MALLOC_PERTURB_=$i
  check "run $i" diff -r a/gen "again$i/gen"
done
check "no path of this machine" sh -c "! grep -rF '$work' a/gen"
finish
