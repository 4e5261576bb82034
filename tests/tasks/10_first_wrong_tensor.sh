# Compare with values that another runtime recorded: the first tensor that differs.
# Wants: the tensor after the changed weight.
cat >record.py <<'END'
import numpy as np, onnx, sys
from onnx import numpy_helper as n

model = onnx.load(sys.argv[1])
w = {t.name: n.to_array(t) for t in model.graph.initializer}
x = np.linspace(0, 4, 4, dtype=np.float32).reshape(1, 4)
values = {model.graph.input[0].name: x}
first = model.graph.node[0]
values[first.output[0]] = (x @ w[first.input[1]] if w[first.input[1]].shape[0] == 4 else x @ w[first.input[1]].T) + w[first.input[2]] + 0.5
np.savez("recorded.npz", **values)
END
python3 record.py "$clone/examples/01_mlp/model.onnx"
onnxc verify "$clone/examples/01_mlp/model.onnx" --layers recorded.npz >layers.txt || test $? = 4
grep -i 'differs' layers.txt
