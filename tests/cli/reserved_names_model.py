"""Writes models whose names are those in a file: reserved_names_model.py NAMES FOLDER.

ports.onnx: of inputs, dimensions and nodes; tensors.onnx: of outputs, initializers and values.
"""
import sys

from onnx import TensorProto, helper


def info(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def write(path, nodes, inputs, outputs, tensors):
    graph = helper.make_graph(nodes, "names", inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    with open(path, "wb") as file:
        file.write(model.SerializeToString())


names = open(sys.argv[1]).read().split()
folder = sys.argv[2]
write(f"{folder}/ports.onnx",
      [helper.make_node("Relu", [n], [f"{i}"], name=n) for i, n in enumerate(names)],
      # A few inputs with a dimension of the same name: each makes run() check its size.
      [info(n, n if i % 8 == 0 else 2) for i, n in enumerate(names)],
      [info(f"{i}", n if i % 8 == 0 else 2) for i, n in enumerate(names)], [])
# `weights` is a member of the interface, too. Thirds of the names: outputs, initializers, values
# between two nodes that do not fuse.
nodes, inputs, outputs, tensors = [], [info("weights", 2)], [], []
padded = iter(names + [f"pad_{i}" for i in range(-len(names) % 3)])
for output, tensor, value in zip(padded, padded, padded):
    tensors.append(helper.make_tensor(tensor, TensorProto.FLOAT, [2], [len(tensors), 1]))
    nodes.append(helper.make_node("Add", ["weights", tensor], [value]))
    nodes.append(helper.make_node("Softmax", [value], [output]))
    outputs.append(info(output, 2))
write(f"{folder}/tensors.onnx", nodes, inputs, outputs, tensors)
