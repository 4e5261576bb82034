"""Writes a model whose steps are worth dividing among threads: threads_model.py FILE."""
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

random = np.random.RandomState(7)
weights = []


def weight(name, *shape):
    values = random.uniform(-1, 1, shape) / np.sqrt(np.prod(shape[1:]))
    weights.append(numpy_helper.from_array(values.astype(np.float32), name))
    return name


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs, [output], **attributes)


def constant(name, values):
    weights.append(numpy_helper.from_array(np.array(values, np.int64), name))
    return name


nodes = [
    node("Conv", ["x", weight("w1", 48, 3, 3, 3), weight("b1", 48)], "c1", pads=[1, 1, 1, 1]),
    node("Relu", ["c1"], "r1"),
    node("Conv", ["r1", weight("w2", 48, 48, 3, 3)], "c2", pads=[1, 1, 1, 1]),
    node("Add", ["c2", "r1"], "a2"),
    node("Conv", ["a2", weight("w3", 48, 1, 3, 3)], "c3", pads=[1, 1, 1, 1], group=48),
    node("Conv", ["c3", weight("w4", 72, 48, 1, 1)], "c4"),
    node("MaxPool", ["c4"], "p4", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
    node("Conv", ["p4", weight("w5", 64, 72, 5, 5)], "c5", strides=[2, 2], pads=[2, 2, 2, 2]),
    node("Reshape", ["c5", constant("rows", [0, 64, -1])], "f5"),
    node("Transpose", ["f5"], "t5", perm=[0, 2, 1]),
    node("LayerNormalization", ["t5", weight("g6", 64), weight("h6", 64)], "n6"),
    node("Transpose", ["n6"], "k6", perm=[0, 2, 1]),
    node("MatMul", ["n6", "k6"], "s6"),
    node("Softmax", ["s6"], "q6", axis=-1),
    node("MatMul", ["q6", "n6"], "v6"),
    node("MatMul", ["v6", weight("w7", 64, 256)], "m7"),
    node("Sigmoid", ["m7"], "e7"),
    node("Mul", ["m7", "e7"], "u7"),
    node("ReduceMean", ["u7"], "y", axes=[1], keepdims=0),
]
graph = helper.make_graph(
    nodes, "threads",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 64, 64])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 256])], initializer=weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
with open(sys.argv[1], "wb") as f:
    f.write(model.SerializeToString())
