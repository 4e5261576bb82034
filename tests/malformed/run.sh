#!/bin/sh
# Runs `onnxc check` over a folder of hostile models and compares with its expectations.tsv.
#
#   run.sh CORPUS_DIR [EXPECTATIONS]      ONNXC names the program (default: onnxc)
#
# reject: exit 1 and a message; accept and run: exit 0; either: one of the two. Nothing may crash,
# hang or print control bytes. Failures are listed; the last line is `N passed, N failed`.
corpus=${1:?usage: run.sh CORPUS_DIR [EXPECTATIONS]}
table=${2:-$corpus/expectations.tsv}
onnxc=${ONNXC:-onnxc}
output=$(mktemp)
trap 'rm -f "$output"' EXIT
passed=0
failed=0

judge() { # expectation, exit code
  case $1:$2 in
    reject:1) [ -s "$output" ] ;;
    accept:0 | run:0 | either:0 | either:1) true ;;
    *) false ;;
  esac
}

tab=$(printf '\t')
while IFS=$tab read -r file category expected names rest; do
  [ "$file" = file ] && continue
  (cd "$corpus" && timeout "${TIME_LIMIT:-30}" "$onnxc" check "$file") </dev/null >"$output" 2>&1
  code=$?
  if LC_ALL=C grep -q '[^[:print:][:space:]]' "$output"; then code=control-bytes; fi
  if judge "$expected" "$code"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $file: expected $expected ($names), exit $code: $(head -n 1 "$output" | cut -c 1-200)"
  fi
done <"$table"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
