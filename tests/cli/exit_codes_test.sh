#!/usr/bin/env bash
# Exit codes of the command contract; a refusal leaves no file behind.
. "$(dirname "$0")/check.sh"

nothing_in() { [ -z "$(ls -A "$1")" ]; }
refused() { # code, arguments
  local code=$1
  shift
  rm -rf out
  mkdir out
  exits "$code" "$onnxc" "$@" && nothing_in out
}

check "compile" exits 0 "$onnxc" "$mlp" -o ok/mlp
check "compile, spelt out" exits 0 "$onnxc" compile "$mlp" -o ok/mlp2
check "folders are made" test -f ok/mlp.cpp -a -f ok/mlp.h -a -f ok/onnxc_runtime.hpp
check "option=value" exits 0 "$onnxc" "$mlp" --output=ok/mlp3 --name=abc --weights=string
check "check" exits 0 "$onnxc" check "$mlp"
check "inspect" exits 0 "$onnxc" inspect "$mlp"
check "version" exits 0 "$onnxc" --version
check "help" exits 0 "$onnxc" --help
check "help of a command" exits 0 "$onnxc" verify --help
check "ops" exits 0 "$onnxc" ops
check "ops: what its columns are" [ "$("$onnxc" ops | awk 'NR == 1 { print $1, $2, $3 }')" = "domain operator since_versions" ]

check "no arguments" exits 2 "$onnxc"
check "unknown option" refused 2 "$mlp" -o out/m --bogus
check "bad dimension" refused 2 "$mlp" -o out/m --dim x=3..1
check "bad size" refused 2 "$mlp" -o out/m --ram-limit 12Q
check "bad name" refused 2 "$mlp" -o out/m --name 1x
check "bad target" refused 2 "$mlp" -o out/m --target z80
check "a core without its prefix" sh -c "'$onnxc' '$mlp' --target m4f 2>&1 | grep -q 'did you mean cortex-m4f'"
check "targets" exits 0 "$onnxc" --target list
names=$("$onnxc" --target list | cut -d' ' -f1)
check "as many targets as lines" [ "$(echo "$names" | wc -l)" -ge 17 ]
for name in $names; do
  check "target $name" exits 0 "$onnxc" "$mlp" -o "targets/$name" --target "$name"
done
check "bad choice" refused 2 "$mlp" -o out/m --weights glue
check "two models" refused 2 "$mlp" "$cnn" -o out/m

check "no such file" refused 5 no.onnx -o out/m
check "a folder" refused 5 "$work" -o out/m
check "cannot write" exits 5 "$onnxc" "$mlp" -o /dev/null/m
head -c 300 "$cnn" >cut.onnx
printf 'not a model at all' >text.onnx
: >empty.onnx
for bad in cut text empty; do
  check "$bad model" refused 1 "$bad.onnx" -o out/m
  check "check of a $bad model" exits 1 "$onnxc" check "$bad.onnx"
done
check "over the RAM budget" refused 3 "$cnn" -o out/m --ram-limit 10
check "over the flash budget" refused 3 "$cnn" -o out/m --flash-limit 1K
check "within the budgets" exits 0 "$onnxc" "$cnn" -o ok/cnn --ram-limit 1M --flash-limit 1M

check "suggestion" sh -c "'$onnxc' '$mlp' --traget native 2>&1 | grep -q 'did you mean --target'"
check "quiet" sh -c "test -z \"\$('$onnxc' '$mlp' -o ok/q -q 2>&1)\""
check "summary" sh -c "'$onnxc' '$mlp' -o ok/s 2>&1 | grep -q 'model.onnx -> s.cpp, s.h, onnxc_runtime.hpp | flash .* RAM .* MAC'"
check "stdout stays empty" sh -c "test -z \"\$('$onnxc' '$mlp' -o ok/s 2>/dev/null)\""
finish
