#!/usr/bin/env bash
# `onnxc tokenizer --genai`: text by a compiled decoder is what NumPy computes without caches; seeds
# repeat a text. Nothing allocates.
# usage: generate_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
/usr/bin/python3 -c "import onnx" 2>/dev/null || exit 77

/usr/bin/python3 "$here/decoder.py" write .
check "model" "$onnxc" net.onnx -o net --no-heap --dim batch_size=1 --dim sequence_length=1..8 \
  --dim past_sequence_length=0..64 --dim total_sequence_length=1..64
check "tokenizer" "$onnxc" tokenizer tokenizer.json --genai genai_config.json -o words
check "compile" ${CXX:-g++} $strict -O1 $sanitizers -I. "$here/generate.cpp" net.cpp words.cpp -o main
for text in "Hello" "The quick brown fox jumps over" "x"; do
  ./main 0 20 "$text" >got || true
  /usr/bin/python3 "$here/decoder.py" text . "$text" 20 >want
  check "best tokens after: $text" cmp got want
done
./main 7 20 "Hello" >first
./main 7 20 "Hello" >second
./main 8 20 "Hello" >third
check "a seed repeats a text" cmp first second
check "another seed does not" bash -c '! cmp first third'
check "a conversation continues" ./main 3 20 Hello world
check "a text that the context has no room for" exits 15 ./main 3 30 Hello world again
check "too long a text" exits 15 ./main 0 5 "$(printf 'ab %.0s' {1..100})"
check "object" ${CXX:-g++} -std=c++17 -O1 -I. -c "$here/generate.cpp" -o main.o
check "no allocation" bash -c '! nm -C main.o | grep -E " U .*(malloc|calloc|operator new)"'

# refused WHAT FROM TO: genai_config.json with a text in place of another is refused with WHAT.
refused() {
  sed "s/$2/$3/" genai_config.json >bad.json
  check "refuses: $1" says 1 "$1" "$onnxc" tokenizer tokenizer.json --genai bad.json -o bad/words
}
refused 'search.num_beams: above 1' '"num_beams": 1' '"num_beams": 4'
refused 'model.encoder: is not supported' '"type": "llama"' '"encoder": {"a": 1}'
refused 'model.decoder.head_size: is missing' '"head_size"' '"heads"'
refused 'past_key_names: has to have one %d' 'past_key_values.%d.key' 'past.key'
finish
