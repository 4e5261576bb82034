#!/usr/bin/env bash
# Every file that onnxc generates says which terms it is under, and LICENSE has these terms.
. "$(dirname "$0")/check.sh"

id=$(sed -n 's/.*kOutputLicence = "\(.*\)".*/\1/p' "$source_dir/compiler/emit/licence.hpp")

# The line is in each file of a folder, once; JSON has no comments, but a field. Weights in a binary
# file, what make reads, and the empty marker py.typed say nothing.
licensed() {
  local file
  find "$1" -type f ! -name '*.bin' ! -name '*.d' ! -name py.typed >files
  [ -s files ] || return 1
  while read -r file; do
    case $file in
      *.json) want="\"license\": \"$id\"," ;;
      *) want="SPDX-License-Identifier: $id" ;;
    esac
    [ "$(grep -cF "$want" "$file")" = 1 ] || { echo "$file: no line with $want"; return 1; }
  done <files
}

for weights in inline incbin string extern; do
  "$onnxc" "$cnn" -o "$weights/shapes" -q --weights $weights -MD
  check "--weights $weights" licensed $weights
done
"$onnxc" "$mlp" -o options/flowers -q --threads 2 --hook --steps --selftest "$examples/01_mlp/test_data_set_0"
check "threads, hook, steps, self test" licensed options
"$onnxc" "$cnn" --bundle bundle -q --weights string
check "a bundle" licensed bundle
check "a bundle has all its files" [ "$(wc -l <files)" -ge 14 ]
"$onnxc" python "$mlp" -o package -q
check "a Python package" licensed package
check "LICENSE has the terms" grep -q 'LicenseRef-onnxc-output' "$source_dir/LICENSE"
check "README says so" grep -q "$id" "$source_dir/README.md"
finish
