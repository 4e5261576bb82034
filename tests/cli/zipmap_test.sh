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
"$onnxc" verify --export . pets.case >/dev/null
cp pets/pets/model.onnx pets.onnx
check "maps need a heap" exits 1 "$onnxc" pets.onnx -o maps --no-heap
check "the message says what helps" grep -q -e '--zipmap tensor' exits.log
check "a tensor needs none" exits 0 "$onnxc" pets.onnx -o pets --no-heap --zipmap tensor -q
check "the header names the classes" grep -qx ' \* classes   probabilities: cat, dog, cow' pets.h
check "and has no allocator" sh -c "! grep -q allocator_ pets.h"
check "its outputs are fixed" grep -q 'float\* probabilities;  /\* \[2,3\] \*/' pets.h
"$onnxc" pets.onnx -o maps -q
cat >main.cpp <<'END'
#include <cstring>

#include "maps.h"
#include "pets.h"

alignas(64) static unsigned char arena[MAPS_ARENA_BYTES + PETS_ARENA_BYTES + 1], memory[4096];

int main() {
  const float x[2][2] = {{3, 0}, {-2, -2}};
  pets_string label[2];
  float scores[2][3];
  if (pets::run(x, label, scores, arena) != PETS_OK) return 1;
  if (label[0].size != 3 || std::memcmp(label[0].data, "cat", 3) != 0) return 2;
  maps_string names[2];
  maps_value rows = {};
  const maps_inputs in = {x[0], nullptr};
  maps_outputs out = {};
  char text[64];
  out.label = names;
  out.label_text = text;
  out.label_text_capacity = sizeof text;
  out.probabilities = &rows;
  out.probabilities_memory = memory;
  out.probabilities_capacity = sizeof memory;
  if (maps_run(&in, &out, arena) != MAPS_OK) return 3;
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 3; ++c) {
      const maps_value* map = &rows.items[r];
      const auto* keys = static_cast<const maps_string*>(map->items[0].data);
      for (int k = 0; k < 3; ++k)
        if (std::strncmp(pets::out::probabilities::labels[c], keys[k].data, 3) == 0 &&
            static_cast<const float*>(map->items[1].data)[k] != scores[r][c])
          return 4;
    }
  return 0;
}
END
check "the same scores" sh -c "g++ -std=c++17 -O1 -Wall -Wextra -Werror main.cpp pets.cpp maps.cpp -o main && ./main"
check "a model without a ZipMap" sh -c "! '$onnxc' '$mlp' -o flowers --zipmap tensor 2>error && grep -q 'error\[zipmap\]' error"
finish
