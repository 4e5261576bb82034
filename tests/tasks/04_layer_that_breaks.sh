# Find the layer that breaks after quantisation: one scale of the int8 model is ten times too large.
# Wants: the tensor of that layer in the first line of the table.
cat >quantise.py <<'END'
import numpy as np, onnx, sys
from onnx import helper as h, numpy_helper as n

rng = np.random.default_rng(0)
def model(quantised):
    nodes, constants, x = [], [], "x"
    for i in range(4):
        w = rng.standard_normal((8, 8)).astype(np.float32) * 0.3
        constants.append(n.from_array(w, f"w{i}"))
        nodes += [h.make_node("MatMul", [x, f"w{i}"], [f"m{i}"]), h.make_node("Relu", [f"m{i}"], [f"act{i}"])]
        x = f"act{i}"
        if quantised:
            constants += [n.from_array(np.float32(0.02 if i != 2 else 0.2), f"s{i}"), n.from_array(np.uint8(0), f"z{i}")]
            nodes += [h.make_node("QuantizeLinear", [x, f"s{i}", f"z{i}"], [f"q{i}"]),
                      h.make_node("DequantizeLinear", [f"q{i}", f"s{i}", f"z{i}"], [f"act{i}_d"])]
            x = f"act{i}_d"
    nodes.append(h.make_node("Identity", [x], ["y"]))
    port = lambda name: h.make_tensor_value_info(name, 1, [16, 8])
    return h.make_model(h.make_graph(nodes, "net", [port("x")], [port("y")], constants),
                        opset_imports=[h.make_opsetid("", 17)], ir_version=8)
onnx.save(model(False), "float.onnx")
rng = np.random.default_rng(0)
onnx.save(model(True), "int8.onnx")
END
python3 quantise.py
onnxc compare float.onnx int8.onnx | tee compared.txt
grep -m1 -E 'act[0-9]|m[0-9]|^ *y ' compared.txt | grep -E 'act2|m3|act3|q2|y'
