#!/usr/bin/env bash
# `inspect --tradeoff`: what its options give is what it says, --ram-limit takes a program of the table, and a byte less
# the next one.
. "$(dirname "$0")/check.sh"
needs numpy onnx
keywords=$examples/keyword_spotting/model.onnx cnn=$examples/02_cnn/model.onnx

# table MODEL CORE: rows `arena stack code weights instructions options` of the programs.
table() {
  "$onnxc" inspect "$1" --tradeoff --json --target "$2" >table.json && "$python" - <<'END2'
import json
for a in json.load(open("table.json"))["alternatives"]:
    print(a["arena_bytes"], a.get("stack_bytes", 0), a["code_bytes"], a["weight_bytes"], a.get("instructions", 0), a["options"])
END2
}

# figures MODEL OPTION...: `arena code weights instructions` of what compile gives.
figures() {
  "$onnxc" "$@" -q --report r.json -o out/m && "$python" - <<'END2'
import json
r = json.load(open("r.json"))
print(r["memory"]["arena_bytes"], r["costs"]["code_bytes"], r["weight_bytes"], r.get("instructions", 0))
END2
}

rows_are_true() { # model, core
  table "$1" "$2" >rows && [ "$(wc -l <rows)" -ge 2 ] || return 1
  while read -r arena stack code weights instructions options; do
    # What is measured counts the stack, too.
    options=${options/--ram-limit $arena/--ram-limit $((arena + stack))}
    eval "set -- \"$1\" \"$2\" $options"
    [ "$(figures "$1" --target "$2" --measure "${@:3}")" = "$arena $code $weights $instructions" ] || return 1
  done <rows
}

# The programs for speed get smaller and slower; a limit takes the first that fits.
limits_take_rows() { # model, core
  table "$1" "$2" | grep -e ' $' -e '--ram-limit' >rows
  local before=
  while read -r arena _ _ _ instructions _; do
    [ "$(figures "$1" --target "$2" --ram-limit "$arena" | cut -d ' ' -f 1)" = "$arena" ] || return 1
    if [ -n "$before" ]; then
      [ "$arena" -lt "${before% *}" ] && [ "$instructions" -ge "${before#* }" ] || return 1
      set -- "$1" "$2" "$(figures "$1" --target "$2" --ram-limit $((${before% *} - 1)) | cut -d ' ' -f 1)"
      [ "$3" -lt "${before% *}" ] && [ "$3" -ge "$arena" ] || return 1
    fi
    before="$arena $instructions"
  done <rows
  exits 3 "$onnxc" "$1" --target "$2" -q -o out/m --ram-limit $((${before% *} - 1))
}

for core in cortex-m0plus cortex-m4f cortex-m55; do
  check "$core: rows are what compile gives" rows_are_true "$keywords" $core
  check "$core: limits take the rows" limits_take_rows "$cnn" $core
done
check "a table for people" says 0 'the default' "$onnxc" inspect "$cnn" --tradeoff --target cortex-m4f
check "of a core without numbers, too" says 0 'row by row' "$onnxc" inspect "$cnn" --tradeoff --target rv32imc
check "not of a model that is refused" exits 1 "$onnxc" inspect "$source_dir/tests/golden/dynamic.onnx" --tradeoff --no-heap
check "a report shows it" sh -c "\"$onnxc\" '$cnn' -q --target cortex-m4f -o out/m --report r.html && grep -q '\"alternatives\"' r.html"

# Nothing fits: by how much, and which layer is why.
check "the layer with most memory" says 3 'note[ram-limit]: most is in use at "' \
  "$onnxc" "$cnn" --target cortex-m4f -o out/m --ram-limit 1K
check "the layers with most weights" says 3 'note[flash-limit]: the most weights have' \
  "$onnxc" "$cnn" --target cortex-m4f -o out/m --flash-limit 1K
finish
