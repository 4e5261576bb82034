#!/usr/bin/env bash
# A model whose state comes out of one call and goes into the next: chunk after chunk gives what the
# whole signal gives.
. "$(dirname "$0")/check.sh"

"$onnxc" verify --export own "$case_files/streams.case"
"$onnxc" "own/streams/stream_16_whole/model.onnx" -o a/whole -q --no-heap
"$onnxc" "own/streams/stream_16_chunks/model.onnx" -o a/chunks -q --no-heap
program "chunks give what the whole signal gives" stream -Ia a/whole.cpp a/chunks.cpp
finish
