#!/usr/bin/env bash
# --memory: the arena in parts, the results of one arena, what moves most in the fastest part, and constants in sections
# of their own.
. "$(dirname "$0")/check.sh"

traffic() { sed -n "s/^ \* $2  *[0-9]* bytes of [0-9]*, \([0-9]*\) bytes read.*/\1/p" "$1"; }
bytes() { sed -n "s/^#define SHAPES_$2_BYTES \([0-9]*\)u.*/\1/p" "$1"; }

"$onnxc" "$cnn" -o whole --name whole -q
"$onnxc" "$cnn" -o slow --name shapes -q --memory slow=1M
"$onnxc" "$cnn" -o shapes -q --memory fast=6K,slow=1M --report shapes.json
all=$(traffic slow.h slow)
fast=$(traffic shapes.h fast) slow=$(traffic shapes.h slow)
check "all traffic is in one of them" [ $((fast + slow)) = "$all" ]
check "most of it in the fast one" [ "$slow" -lt $((all / 2)) ]
check "which is not too full" [ "$(bytes shapes.h FAST)" -le 6144 ]
check "the arena is their sum" [ $(($(bytes shapes.h FAST) + $(bytes shapes.h SLOW))) = "$(bytes shapes.h ARENA)" ]
check "the report has them" grep -q "\"traffic_bytes\": *$slow" shapes.json

for word in arena hook pool weights; do
  check "no memory is called $word" exits 1 "$onnxc" "$cnn" -o word -q --memory $word=64K,slow=1M
done

model=$source_dir/../shared/bench/models/mobilenetv1_025_vww/model.onnx
if [ -f "$model" ]; then
  "$onnxc" "$model" -o vww --target cortex-m4f -q --memory dtcm=128K,sram=8M
  check "a network of images: less than half of the traffic is slow" [ "$(traffic vww.h sram)" -lt "$(traffic vww.h dtcm)" ]
fi

program "the results are those of one arena" memory shapes.cpp whole.cpp
check "the header is C" is_c shapes

macro=$(sed -n 's/^#ifndef \(SHAPES_.*_SECTION\)$/\1/p' shapes.cpp | tail -1)
check "a constant has a section" ${CXX:-g++} -std=c++17 -O1 -c shapes.cpp -o shapes.o \
  "-D$macro=__attribute__((section(\".fast_weights\")))" '-DSHAPES_WEIGHTS_SECTION=__attribute__((section(".weights")))'
in_sections() { readelf -SW shapes.o >sections.log && grep -q ' \.fast_weights ' sections.log && grep -q ' \.weights ' sections.log; }
if installed readelf; then check "the object has them" in_sections; fi

# Other plans: every case with all that tests can do to them.
export CXXFLAGS="-O0 -fsanitize=address,undefined"
thin 60 cases "$case_files"/*.case
check "cases with a tiny fast memory" exits 0 "$onnxc" verify cases --report cases.tsv -- --memory fast=1K:1,slow=1G:9

check "too little is refused" exits 1 "$onnxc" "$cnn" -o no --memory fast=64,slow=128
check "and by how much" grep -q 'error\[memory\].*slow needs [0-9]* bytes, [0-9]* more than it has' exits.log
for bad in fast fast=1Q =3 Fast=3 a=1,a=2 a=1: a=1:-2 a=1:x a=1, 1a=3; do
  check "$bad is no memory" exits 2 "$onnxc" "$cnn" -o no --memory "$bad"
done
check "not with training" exits 1 "$onnxc" "$cnn" -o no --memory a=1M --train
finish
