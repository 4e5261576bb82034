#!/usr/bin/env bash
# The examples that call a model from other languages.
. "$(dirname "$0")/check.sh"

for language in rust go webassembly; do
  status=0
  "$examples/$language/run.sh" "$onnxc" "$work/$language" >$language.log 2>&1 || status=$?
  if [ $status = 77 ]; then
    cat $language.log
    [ -z "${NO_SKIP:-}" ] || check "$language has its tools" false
    continue
  fi
  check "$language" sh -c "[ $status = 0 ] && grep -q 'It is a versicolor (96.5 %)' $language.log || { cat $language.log; false; }"
done
if [ -f webassembly/flowers.wasm ]; then
  check "the module imports nothing" node -e "
    const m = new WebAssembly.Module(require('fs').readFileSync('webassembly/flowers.wasm'));
    if (WebAssembly.Module.imports(m).length !== 0) process.exit(1);"
  # Weights that are a file elsewhere are string literals here.
  "$onnxc" "$mlp" -o small -q --target wasm32
  check "small weights are arrays" test ! -e small_weights.cpp
fi
finish
