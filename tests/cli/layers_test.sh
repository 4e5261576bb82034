#!/usr/bin/env bash
# --probe, verify --layers and compare: inner tensors by their names in the model.
. "$(dirname "$0")/check.sh"
needs numpy onnx

# Ten nets, each with the tensors that NumPy computes, and a copy in which a weight differs. Every third is tested, with
# FULL=1 all.
cat >nets.py <<'END'
import os
import numpy as np, onnx
from onnx import TensorProto as T, helper as h, numpy_helper as n

def relu(x): return np.maximum(x, 0)
def tanh(x): return np.tanh(x)
def sigmoid(x): return 1 / (1 + np.exp(-x))
functions = {"Relu": relu, "Tanh": tanh, "Sigmoid": sigmoid}

for k in range(10):
    r = np.random.default_rng(k)
    depth, width = 3 + k % 4, 4 + k
    nodes, weights, tensors, name = [], [], {}, "x"
    value = tensors["x"] = r.standard_normal((2, width)).astype(np.float32)
    for i in range(depth):
        w = (r.standard_normal((width, width)) / 2).astype(np.float32)
        weights.append(n.from_array(w, f"w{i}"))
        op = list(functions)[(k + i) % 3]
        nodes += [h.make_node("MatMul", [name, f"w{i}"], [f"m{i}"], name=f"product{i}"),
                  h.make_node(op, [f"m{i}"], [f"a{i}"], name=f"activation{i}")]
        tensors[f"m{i}"] = value = (value @ w).astype(np.float32)
        tensors[f"a{i}"] = value = functions[op](value).astype(np.float32)
        name = f"a{i}"
    graph = h.make_graph(nodes, "net", [h.make_tensor_value_info("x", T.FLOAT, [2, width])],
                         [h.make_tensor_value_info(name, T.FLOAT, [2, width])], weights)
    os.makedirs(f"net{k}")
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, f"net{k}/model.onnx")
    np.savez(f"net{k}/tensors.npz", **tensors)
    os.makedirs(f"net{k}/recorded")
    for i, (key, t) in enumerate(tensors.items()):
        open(f"net{k}/recorded/{i}.pb", "wb").write(n.from_array(t, key).SerializeToString())
    wrong = k % depth
    w = n.to_array(model.graph.initializer[wrong]).copy()
    w[:, 2] += 0.7
    model.graph.initializer[wrong].CopyFrom(n.from_array(w, f"w{wrong}"))
    onnx.save(model, f"net{k}/changed.onnx")
    open(f"net{k}/wrong", "w").write(f"m{wrong}")
END
"$python" nets.py
names_layer() { # net
  local wrong
  wrong=$(cat "$1/wrong")
  exits 4 "$onnxc" verify "$1/changed.onnx" --layers "$1/tensors.npz" &&
    grep -qx "first difference: $wrong" exits.log && grep -q "made by  product${wrong#m} (MatMul)" exits.log &&
    grep -q 'code     model.cpp:[0-9]*: gemm' exits.log
}
for k in $(seq 0 "$(level 3 3 1)" 9); do
  check "net $k is right" exits 0 "$onnxc" verify "net$k/model.onnx" --layers "net$k/tensors.npz"
  check "net $k, changed: the layer" names_layer "net$k"
done
check "a folder of .pb" exits 0 "$onnxc" verify net0/model.onnx --layers net0/recorded
check "JSON" sh -c "'$onnxc' verify net3/changed.onnx --layers net3/tensors.npz --json 2>/dev/null | '$python' -m json.tool >/dev/null"
check "no such file" says 5 "nothing.npz: no such file or folder" "$onnxc" verify net0/model.onnx --layers nothing.npz
"$python" -c "import numpy; numpy.savez_compressed('small.npz', x=numpy.zeros(3)); numpy.savez('other.npz', q=numpy.zeros(3))"
check "a compressed file" says 5 "write it with numpy.savez" "$onnxc" verify net0/model.onnx --layers small.npz
check "no tensor of the model" says 2 "has no tensor of the model" "$onnxc" verify net0/model.onnx --layers other.npz

# 16-bit floats, which --fp fast computes in 32 bits; a name that a loop has in its body, too; quanta.
cat >kinds.py <<'END'
import numpy as np, onnx
from onnx import TensorProto as T, helper as h, numpy_helper as n

def save(name, nodes, inputs, outputs, constants, values):
    value = lambda v: h.make_tensor_value_info(*v)
    graph = h.make_graph(nodes, "g", [value(v) for v in inputs], [value(v) for v in outputs], constants)
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8), f"{name}.onnx")
    np.savez(f"{name}.npz", **values)

x = np.float32([1, 2])
half = np.float16([1.5, 2.25])
save("half", [h.make_node("Add", ["x", "x"], ["a"]), h.make_node("Sqrt", ["a"], ["y"])], [("x", T.FLOAT16, [2])],
     [("y", T.FLOAT16, [2])], [], {"x": half, "a": half + half, "y": np.sqrt(half + half)})
value = h.make_tensor_value_info
body = h.make_graph([h.make_node("Identity", ["c"], ["c2"]), h.make_node("Add", ["a", "x"], ["s"]),
                     h.make_node("Identity", ["s"], ["y"])], "body",
                    [value("i", T.INT64, []), value("c", T.BOOL, []), value("a", T.FLOAT, [2])],
                    [value("c2", T.BOOL, []), value("s", T.FLOAT, [2]), value("y", T.FLOAT, [2])])
save("twice", [h.make_node("Loop", ["n", "", "x"], ["last", "y"], body=body)], [("x", T.FLOAT, [2])],
     [("y", T.FLOAT, [3, 2])], [n.from_array(np.int64(3), "n")], {"x": x, "last": 4 * x, "y": np.stack([2 * x, 3 * x, 4 * x])})
save("quantum", [h.make_node("QuantizeLinear", ["x", "s", "z"], ["q"])], [("x", T.FLOAT, [2])], [("q", T.UINT8, [2])],
     [n.from_array(np.float32(1), "s"), n.from_array(np.uint8(0), "z")], {"x": x, "q": np.uint8([2, 2])})
END
"$python" kinds.py
for fp in fast strict; do
  check "float16, --fp $fp" exits 0 "$onnxc" verify half.onnx --layers half.npz --fp $fp
done
check "a name in a body and around it" exits 0 "$onnxc" verify twice.onnx --layers twice.npz
check "one quantum away" exits 4 "$onnxc" verify quantum.onnx --layers quantum.npz
check "--quanta" exits 0 "$onnxc" verify quantum.onnx --layers quantum.npz --quanta 1

check "compare" sh -c "'$onnxc' compare net4/model.onnx net4/changed.onnx 2>/dev/null >compared && grep -q 'dB .* m[0-9] ' compared"
check "the layers before it are exact" grep -q 'exact .* 0 .* product' compared
check "a model and itself" sh -c "! '$onnxc' compare net4/model.onnx net4/model.onnx 2>/dev/null | grep dB"

# What is handed out is what each tensor is as an output of its own: with fusion, other layouts, integers, loops.
for case in convolution quantized_convolution loop recurrent; do
  check "probes in $case.case" env CXXFLAGS=-O0 "$onnxc" verify "$source_dir/tests/conformance/cases/$case.case" -- --probe '*'
done
check "an unknown name" says 1 "no node makes a tensor of this name, did you mean m1" "$onnxc" net1/model.onnx -o out/x --probe m11
check "for a board" exits 0 "$onnxc" "$examples/02_cnn/model.onnx" -o out/board --target cortex-m4f --no-heap --probe '*'
check "without probes nothing of them" sh -c "'$onnxc' '$mlp' -q -o out/plain && ! grep -qi probe out/plain.cpp out/plain.h"
finish
