#!/usr/bin/env bash
# Two models in one program; two instances of one model, interleaved, each with its own arena.
. "$(dirname "$0")/check.sh"

"$onnxc" "$mlp" -o a/flowers -q
"$onnxc" "$cnn" -o a/shapes -q
"$onnxc" "$cnn" -o a/shapes_small -q --optimize size
program "next to each other" two_models -Ia a/*.cpp
slow || { finish; exit; }
sanitizers=-fsanitize=thread
program "with the thread sanitizer" two_models -Ia a/*.cpp
finish
