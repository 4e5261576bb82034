#!/usr/bin/env bash
# --zipmap tensor: a classifier as scikit-learn exports it needs no heap, and gives the same scores.
. "$(dirname "$0")/check.sh"

cat >pets.case <<'END'
=== pets
<ir_version: 7, opset_import: ["": 13, "ai.onnx.ml": 1]>
(float[2,2] x) => (string[2] label, seq(map(string, float)) probabilities) {
  label, scores = ai.onnx.ml.LinearClassifier <classlabels_strings = ["cat", "dog", "cow"],
    coefficients = [1.0, 0.0, 0.0, 1.0, -1.0, -1.0], intercepts = [0.0, 0.0, 0.5], post_transform = "SOFTMAX"> (x)
  probabilities = ai.onnx.ml.ZipMap <classlabels_strings = ["cat", "dog", "cow"]> (scores)
}
given float[2,2] x = {3, 0, -2, -2}
expect string[2] label = {"cat", "cow"}
expect seq(map(string, float)) probabilities = [map(string, float) {"cat": 0.94960296, "dog": 0.047278106, "cow": 0.0038807513},
    map(string, float) {"cat": 0.0015000, "dog": 0.0015000, "cow": 0.9970000}]
END
unpack pets.case
cp pets/pets/model.onnx pets.onnx
check "maps need a heap, which the message says" says 1 "--zipmap tensor" "$onnxc" pets.onnx -o maps --no-heap
check "a tensor needs none" exits 0 "$onnxc" pets.onnx -o pets --no-heap --zipmap tensor -q
check "the header names the classes" grep -qx ' \* classes   probabilities: cat, dog, cow' pets.h
check "and has no allocator" sh -c "! grep -q allocator_ pets.h"
check "its outputs are fixed" grep -q 'float\* probabilities;  /\* \[2,3\] \*/' pets.h
"$onnxc" pets.onnx -o maps -q
program "the same scores" zipmap pets.cpp maps.cpp
check "a model without a ZipMap" sh -c "! '$onnxc' '$mlp' -o flowers --zipmap tensor 2>error && grep -q 'error\[zipmap\]' error"
finish
