#!/usr/bin/env bash
# --dim x:0=N changes the batch of a model that has it fixed, also in the shapes of its Reshapes.
. "$(dirname "$0")/check.sh"
needs numpy onnx
cat >models.py <<'END'
import os
import numpy as np, onnx
from onnx import TensorProto as T, helper as h, numpy_helper as n

rng = np.random.default_rng(3)
w = rng.standard_normal((12, 5)).astype(np.float32)
state = np.ones((1, 5), np.float32)
value = h.make_tensor_value_info

def model(name, nodes, constants):
    os.makedirs(f"{name}/test_data_set_0")
    graph = h.make_graph(nodes, "g", [value("x", T.FLOAT, [1, 2, 3, 2])], [value("y", T.FLOAT, [1, 5])],
                         [n.from_array(v, k) for k, v in constants.items()], value_info=[value("f", T.FLOAT, [1, 12])])
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8), f"{name}/model.onnx")
    x = rng.standard_normal((4, 2, 3, 2)).astype(np.float32)
    for file, t in (("input_0", x), ("output_0", x.reshape(4, 12) @ w)):
        open(f"{name}/test_data_set_0/{file}.pb", "wb").write(n.from_array(t).SerializeToString())

flat = lambda shape: {"s": np.int64(shape), "w": w}
nodes = [h.make_node("Reshape", ["x", "s"], ["f"], name="flat"), h.make_node("MatMul", ["f", "w"], ["y"], name="product")]
model("given", nodes, flat([1, 12]))
model("open", nodes, flat([1, -1]))
model("other", nodes, flat([12, 1]))
# Axis 0 of what is reshaped is not the batch, though it has its size: rows of the pictures' columns.
os.makedirs("columns")
graph = h.make_graph([h.make_node("Transpose", ["x"], ["t"], perm=[1, 0, 2, 3]), h.make_node("Reshape", ["t", "s"], ["y"])], "g",
                     [value("x", T.FLOAT, [1, 2, 3, 2])], [value("y", T.FLOAT, [1, 12])], [n.from_array(np.int64([1, -1]), "s")],
                     value_info=[value("t", T.FLOAT, [2, 1, 3, 2])])
onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8), "columns/model.onnx")
model("state", nodes[:1] + [h.make_node("MatMul", ["f", "w"], ["p"]), h.make_node("Concat", ["p", "h"], ["y"], name="join", axis=1)],
      {**flat([1, 12]), "h": state})
END
"$python" models.py
for name in given open; do
  check "$name: four rows" exits 0 "$onnxc" verify $name --dim x:0=4
  check "$name: up to eight" exits 0 "$onnxc" verify $name --dim x:0=1..8
done
check "no warnings about sizes of the old batch" sh -c "! '$onnxc' check given/model.onnx --dim x:0=4 2>&1 | grep warning"
check "a shape that mixes rows" says 1 '"flat" (Reshape-14), input 1 "shape": [12,1] has 12 elements, the input 48' \
  "$onnxc" check other/model.onnx --dim x:0=4
check "another axis of that size is no batch" sh -c "'$onnxc' columns/model.onnx -q -o out/c --dim x:0=2 &&
  grep -q 'y  *f32\[1,24\]' out/c.h"
check "a constant of the old batch" says 1 '"join" (Concat-13)' "$onnxc" check state/model.onnx --dim x:0=4
check "the model's own batch" exits 0 "$onnxc" check given/model.onnx --dim x:0=1
finish
