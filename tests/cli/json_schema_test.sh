#!/usr/bin/env bash
# What commands print with --json fits tests/cli/schemas, which hold no key that no command prints; docs/json.md is made
# of them. The validator refuses what is wrong.
. "$(dirname "$0")/check.sh"
needs numpy onnx
schemas=$here/schemas
schema() { "$python" "$here/json_schema.py" "$@"; }
golden=$source_dir/tests/golden

cat >models.py <<'END2'
import numpy as np, onnx
from onnx import TensorProto as T, helper as h, numpy_helper as n
value = h.make_tensor_value_info

def save(name, nodes, inputs, outputs, **more):
    graph = h.make_graph(nodes, "g", inputs, outputs, **more)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17), h.make_opsetid("acme", 1)], ir_version=8)
    h.set_model_props(model, {"author": "a test"})
    onnx.save(model, name)

image = value("x", T.FLOAT, [2, 3])
image.type.denotation = "IMAGE"
image.type.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
save("denoted.onnx", [h.make_node("Clip", ["x", "", "most"], ["y"], name="clip")], [image], [value("y", T.FLOAT, [2, 3])],
     initializer=[n.from_array(np.float32(1), "most")])
save("unknown.onnx", [h.make_node("Strange", ["x"], ["y"], domain="acme")], [value("x", T.FLOAT, [2])], [value("y", T.FLOAT, [2])])
w = np.float32([[1, 2], [3, 4]])
x = np.float32([[1, 2]])
for name, weights in ("net.onnx", w), ("other.onnx", w + np.float32(0.1)):
    save(name, [h.make_node("MatMul", ["x", "w"], ["a"], name="product"), h.make_node("Relu", ["a"], ["y"], name="relu")],
         [value("x", T.FLOAT, [1, 2])], [value("y", T.FLOAT, [1, 2])], initializer=[n.from_array(weights, "w")])
np.savez("tensors.npz", x=x, a=x @ w)
END2
"$python" models.py
"$onnxc" prepare "$examples/03_training/model.onnx" --loss bce --optimizer adam --train '*' -o rings.onnx 2>/dev/null

# prints NAME CODE COMMAND...: what the command prints is NAME.json, and it ends with the code.
prints_json() {
  local name=$1 code=$2
  shift 2
  check "$*" sh -c '"$0" "$@" >'"$name"'.json 2>'"$name"'.log; test $? = '"$code" "$onnxc" "$@"
}
prints_json check_1 0 check "$mlp" --json
prints_json check_2 1 check unknown.onnx --json
prints_json check_3 1 check "$golden/dynamic.onnx" --no-heap --json
prints_json check_4 3 check "$cnn" --ram-limit 1K --json
prints_json inspect_1 0 inspect "$examples/keyword_spotting/model.onnx" --layers --json
prints_json inspect_2 0 inspect "$golden/dynamic.onnx" --json
prints_json inspect_3 0 inspect "$golden/dynamic.onnx" --dim batch=1..2 --dim length=1..4 --layers --json
prints_json inspect_4 0 inspect rings.onnx --train --json
prints_json inspect_5 0 inspect "$golden/devices.onnx" --json
prints_json inspect_6 0 inspect "$golden/words.onnx" --json
prints_json inspect_7 0 inspect denoted.onnx --layers --json
prints_json inspect_8 0 inspect unknown.onnx --json
prints_json tradeoff_1 0 inspect "$cnn" --tradeoff --target cortex-m4f --json
prints_json verify_1 0 verify "$examples/01_mlp" --json
prints_json verify_2 0 verify "$examples/keyword_spotting" --json
prints_json layers_1 0 verify net.onnx --layers tensors.npz --json
prints_json layers_2 4 verify other.onnx --layers tensors.npz --json
prints_json bench_1 0 bench "$mlp" --profile --json
prints_json bench_2 0 bench rings.onnx --train --dim N=1..2 --json
prints_json bench_3 0 bench "$golden/dynamic.onnx" --dim batch=1..2 --dim length=1..8 --json
prints_json targets_1 0 bench "$mlp" --targets generic,native --json
prints_json compare_1 0 compare net.onnx other.onnx --json
prints_json compare_2 0 compare net.onnx net.onnx --json
for name in check inspect verify bench compare; do
  check "$name: keys are those of the schema" schema validate "$schemas/$name.json" "${name}"_*.json
done
check "bench --targets: keys are those of the schema" schema validate "$schemas/bench-targets.json" targets_*.json
check "inspect --tradeoff: keys are those of the schema" schema validate "$schemas/inspect-tradeoff.json" tradeoff_*.json
check "verify --layers: keys are those of the schema" schema validate "$schemas/verify-layers.json" layers_*.json

# The page.
schema page "$schemas" >page.md
check "docs/json.md is made of the schemas" diff page.md "$source_dir/docs/json.md"

# The validator.
cat >small.json <<'END2'
{"type": "object", "required": ["a"], "additionalProperties": false, "properties": {
  "a": {"type": "integer"}, "b": {"type": "array", "items": {"type": ["string", "null"], "enum": ["x", null]}}}}
END2
fits() { echo "$1" >value.json && schema validate small.json value.json; }
refuses() { # text, value
  echo "$2" >value.json
  ! schema validate small.json value.json >refused.log && grep -qF -- "$1" refused.log
}
check "what fits" fits '{"a": 1, "b": ["x", null]}'
check "a missing key" refuses "has no a" '{"b": ["x"]}'
check "another key" refuses "c: is not in the schema" '{"a": 1, "b": ["x"], "c": 1}'
check "another type" refuses "is not of type integer" '{"a": true, "b": ["x"]}'
check "another value" refuses "is none of" '{"a": 1, "b": ["y"]}'
check "a key that never occurs" refuses "no output has b" '{"a": 1}'
finish
