# Compare with values that were recorded elsewhere: the first tensor that differs, after one weight changed.
# Wants: the result of the layer with that weight.
cat >record.py <<'END'
import sys
import numpy as np
import onnx
from onnx import numpy_helper as n

model = onnx.load(sys.argv[1])
weights = {t.name: n.to_array(t) for t in model.graph.initializer}
values = {model.graph.input[0].name: np.linspace(-1, 1, 4, dtype=np.float32).reshape(1, 4)}
for node in model.graph.node:
    x = values[node.input[0]]
    if node.op_type == "Gemm":
        transposed = any(a.name == "transB" and a.i for a in node.attribute)
        w = weights[node.input[1]]
        values[node.output[0]] = x @ (w.T if transposed else w) + weights[node.input[2]]
    elif node.op_type == "Relu":
        values[node.output[0]] = np.maximum(x, 0)
np.savez("recorded.npz", **values)
changed = [t for t in model.graph.initializer if t.name == [g for g in model.graph.node if g.op_type == "Gemm"][1].input[1]][0]
w = n.to_array(changed).copy()
w[0, 0] += 1
changed.CopyFrom(n.from_array(w, changed.name))
onnx.save(model, "changed.onnx")
END
python3 record.py "$clone/examples/01_mlp/model.onnx"
onnxc verify changed.onnx --layers recorded.npz >layers.txt || test $? = 4
grep 'first difference: logits' layers.txt
