#!/usr/bin/env bash
# `onnxc tokenizer`: generated code gives what the rules say, without a heap, and what is not
# supported is named. With SLOW=1 2,000 texts for each kind in place of 300, with FULL=1 10,000.
# usage: tokenizer_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"

/usr/bin/python3 "$here/compare.py" write .
for json in *.json; do
  kind=${json%.json}
  mkdir "$kind"
  check "$kind: generate" "$onnxc" tokenizer "$json" -o "$kind/tokens"
  check "$kind: compile" ${CXX:-g++} $strict -O1 $sanitizers -I"$kind" "$here/driver.cpp" "$kind/tokens.cpp" -o "$kind/run"
  check "$kind: tokens and texts" /usr/bin/python3 "$here/compare.py" check . "$kind" \
    "$(level 300 2000 10000)"
done

# No heap, nothing written but the caller's memory, C as well as C++.
check "object" ${CXX:-g++} -std=c++17 -O1 -c llama3/tokens.cpp -o tokens.o
check "no allocation" bash -c '! nm -C tokens.o | grep -E " U .*(malloc|calloc|operator new)"'
check "no data to write" bash -c '! nm tokens.o | grep -E " [BbDd] "'
check "header of C" is_c llama3/tokens
"$onnxc" tokenizer llama3.json -q -o again/tokens
check "the same bytes again" cmp llama3/tokens.cpp again/tokens.cpp

# refused WHAT FROM TO: gpt2.json with a text in place of another is refused with WHAT.
refused() {
  /usr/bin/python3 -c 'import sys
text = open("gpt2.json").read()
assert sys.argv[1] in text
open("bad.json", "w").write(text.replace(sys.argv[1], sys.argv[2], 1))' "$2" "$3"
  check "refuses: $1" says 1 "$1" "$onnxc" tokenizer bad.json -o bad/tokens
}
refused 'normalizer.type: "Nmt" is not supported' '"normalizer": null' '"normalizer": {"type": "Nmt"}'
refused 'pre_tokenizer.pretokenizers[0].type: "UnicodeScripts" is not supported' \
  '"pre_tokenizer": {' '"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "UnicodeScripts"}]}, "x": {'
refused 'a look at more than one character' '"pre_tokenizer": {' \
  '"pre_tokenizer": {"type": "Split", "behavior": "Isolated", "pattern": {"Regex": "a(?!bc)"}}, "x": {'
refused 'model.dropout: is not supported' '"dropout": null' '"dropout": 0.1'
refused 'model.type: "Foo" is not supported' '"type": "BPE"' '"type": "Foo"'
refused 'is not in the vocabulary' '"merges": [' '"merges": ["a zzzz", '
refused 'added_tokens[0].single_word: is not supported' '"single_word": false' '"single_word": true'
refused 'decoder.type: "CTC" is not supported here' '"decoder": {"type": "ByteLevel"' '"decoder": {"type": "CTC"'
refused 'padding.strategy: is no name' '"padding": null' '"padding": {"strategy": {"Fixed": 9}}'
refused 'JSON: line 1' '"version"' 'version'
refused 'is one step too many' '"normalizer": null' "$(printf '"normalizer": {"type": "Sequence", "normalizers": [%s]}' \
  "$(yes '{"type": "NFC"}' | head -n 101 | paste -sd,)")"
refused 'may make a text a million times as long' '"normalizer": null' \
  "$(printf '"normalizer": {"type": "Sequence", "normalizers": [%s]}' \
    "$(yes '{"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaa"}' | head -n 8 | paste -sd,)")"
refused 'normalizer.pattern: may match no characters' '"normalizer": null' \
  '"normalizer": {"type": "Replace", "pattern": {"Regex": "a*|b"}, "content": "x"}'
refused 'decoder.pattern: is empty' '"decoder": {"type": "ByteLevel"' \
  '"decoder": {"type": "Replace", "pattern": {"String": ""}, "content": "a"'
refused 'may make a piece too long' '"decoder": {"type": "ByteLevel"' \
  "$(printf '"decoder": {"type": "Sequence", "decoders": [%s]' \
    "$(yes '{"type": "Replace", "pattern": {"String": "!"}, "content": "!!!!!!!!"}' | head -n 8 | paste -sd,)")"
refused 'is no number of a piece' '"id": 456' '"id": -4'
# A map of SentencePiece with these units of its trie, INDEX=UNIT, and the text "x".
map_of() {
  /usr/bin/python3 -c 'import base64, struct, sys
units = dict(map(int, word.split("=")) for word in sys.argv[1:])
trie = b"".join(struct.pack("<I", units.get(i, 0)) for i in range(128))
print(base64.b64encode(struct.pack("<I", len(trie)) + trie + b"x\0").decode())' "$@"
}
refused_map() { # WHAT BASE64
  refused "normalizer.precompiled_charsmap: $1" '"normalizer": null' \
    "\"normalizer\": {\"type\": \"Precompiled\", \"precompiled_charsmap\": \"$2\"}"
}
refused_map "is no base64" "a?b"
refused_map "is too short" "YWI="
refused_map "has a trie of a wrong size" "BQAAAGFiY2RlZg=="
refused_map "has a trie of a wrong size" "AAAAAGFi"
refused_map "has a rule without a text" "$(map_of 97=$((97 + 256 + 98 * 1024)) 3=$((1 << 31 | 9)))"
refused_map "has a trie in which two ways meet" "$(map_of 97=$((97 + 97 * 1024)))"
refused_map "has a rule that is no UTF-8" "$(map_of 0=$((128 * 1024)) 127=$((255 + 256 + 3 * 1024)))"
check "no file" exits 5 "$onnxc" tokenizer missing.json -o bad/tokens
finish
