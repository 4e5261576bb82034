#!/usr/bin/python3
"""Writes the models of the golden programs: one small model for each kind of generated code.

devices.onnx is examples/01_mlp/model.onnx, by `onnxc shard --devices 2`; training.onnx is
examples/03_training/model.onnx, by `onnxc prepare --loss bce --optimizer adam --lr 0.02 --train '*'`.
"""
import os

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

FOLDER = os.path.dirname(os.path.abspath(__file__))
OPSET = [h.make_opsetid("", 17), h.make_opsetid("ai.onnx.ml", 3), h.make_opsetid("own", 1)]


def ramp(name, shape, scale=0.1, dtype=np.float32):
    """A constant whose elements differ."""
    values = (np.arange(np.prod(shape)) % 7 - 3) * scale
    return numpy_helper.from_array(values.reshape(shape).astype(dtype), name)


def constant(name, value, dtype=np.float32):
    return numpy_helper.from_array(np.array(value, dtype), name)


def save(name, nodes, inputs, outputs, weights=(), functions=()):
    graph = h.make_graph(nodes, name, inputs, outputs, list(weights))
    model = h.make_model(graph, opset_imports=OPSET, functions=list(functions), ir_version=8,
                         producer_name="golden")
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(FOLDER, name + ".onnx"))


def value(name, elem, shape):
    return h.make_tensor_value_info(name, elem, shape)


def dynamic():
    """A layer of a transformer, less its heads: sizes of two axes come with the input."""
    node = h.make_node
    layer = "/encoder/layer.0/"
    nodes = [
        node("MatMul", ["x", "wq"], [layer + "query/MatMul_output_0"], layer + "query/MatMul"),
        node("MatMul", ["x", "wk"], [layer + "key/MatMul_output_0"], layer + "key/MatMul"),
        node("Transpose", [layer + "key/MatMul_output_0"], ["12"], layer + "Transpose",
             perm=[0, 2, 1]),
        node("MatMul", [layer + "query/MatMul_output_0", "12"], ["13"], layer + "attention/MatMul"),
        node("Sigmoid", ["13"], ["14"], layer + "attention/Sigmoid"),
        node("MatMul", ["14", "x"], ["15"], layer + "attention/MatMul_1"),
        node("Add", ["15", "x"], ["16"], layer + "output/Add"),
        node("LayerNormalization", ["16", "gamma", "beta"], ["y"], layer + "output/LayerNorm"),
    ]
    save("dynamic", nodes, [value("x", T.FLOAT, ["batch", "length", 8])],
         [value("y", T.FLOAT, ["batch", "length", 8])],
         [ramp("wq", (8, 8)), ramp("wk", (8, 8), 0.2), ramp("gamma", (8,)), ramp("beta", (8,))])


def quantized():
    """Two convolutions between QuantizeLinear and DequantizeLinear, named as TFLite's are."""
    nodes, weights = [], []

    def quantize(x, y, scale):
        weights.extend([constant(y + "_scale", scale), constant(y + "_zero", 3, np.int8)])
        nodes.append(h.make_node("QuantizeLinear", [x, y + "_scale", y + "_zero"], [y + "_q"]))
        nodes.append(h.make_node("DequantizeLinear", [y + "_q", y + "_scale", y + "_zero"], [y]))

    quantize("0", "x", 0.05)
    for i, scale in (1, 0.1), (2, 0.2):
        conv = f"net/conv{i}/"
        weights.extend([ramp(f"w{i}", (4, 4, 3, 3), 1, np.int8), constant(f"ws{i}", 0.02),
                        constant(f"wz{i}", 0, np.int8), ramp(f"b{i}", (4,))])
        nodes.append(h.make_node("DequantizeLinear", [f"w{i}", f"ws{i}", f"wz{i}"], [f"wf{i}"]))
        nodes.append(h.make_node("Conv", ["x" if i == 1 else "h1", f"wf{i}", f"b{i}"], [f"c{i}"],
                                 f"{conv}Relu;{conv}BiasAdd;{conv}BiasAdd/ReadVariableOp",
                                 pads=[1, 1, 1, 1]))
        nodes.append(h.make_node("Relu", [f"c{i}"], [f"r{i}"], f"{conv}activation"))
        quantize(f"r{i}", f"h{i}", scale)
    save("quantized", nodes, [value("0", T.FLOAT, [1, 4, 6, 6])],
         [value("h2", T.FLOAT, [1, 4, 6, 6])], weights)


def loop():
    """Doubles a vector until its sum is large."""
    body = h.make_graph([
        h.make_node("Add", ["state", "state"], ["next"], "double"),
        h.make_node("ReduceSum", ["next"], ["sum"], "sum", keepdims=0),
        h.make_node("Less", ["sum", "limit"], ["more"], "compare"),
    ], "body", [value("i", T.INT64, []), value("go", T.BOOL, []), value("state", T.FLOAT, [3])],
        [value("more", T.BOOL, []), value("next", T.FLOAT, [3])])
    save("loop", [h.make_node("Loop", ["steps", "", "x"], ["y"], "grow", body=body)],
         [value("steps", T.INT64, []), value("x", T.FLOAT, [3])], [value("y", T.FLOAT, [3])],
         [constant("limit", 100.0)])


def words():
    """Strings, and a sequence of them."""
    nodes = [
        h.make_node("StringNormalizer", ["line"], ["lower"], "normalize", case_change_action="LOWER"),
        h.make_node("SequenceConstruct", ["line", "lower"], ["both"], "collect"),
        h.make_node("SequenceAt", ["both", "which"], ["word"], "choose"),
        h.make_node("SequenceLength", ["both"], ["count"], "count"),
    ]
    save("words", nodes, [value("line", T.STRING, ["words"]), value("which", T.INT64, [])],
         [value("word", T.STRING, ["chosen"]), value("count", T.INT64, []),
          h.make_tensor_sequence_value_info("both", T.STRING, None)])


def functions():
    """Two layers that are calls of one function of the model."""
    dense = h.make_function("own", "Dense", ["x", "w", "b"], ["y"], [
        h.make_node("Gemm", ["x", "w", "b"], ["product"], "product"),
        h.make_node("LayerNormalization", ["product", "b"], ["y"], "normalize"),
    ], OPSET[:1])
    save("functions", [
        h.make_node("Dense", ["x", "w1", "b1"], ["h1"], "layer1", domain="own"),
        h.make_node("Dense", ["h1", "w2", "b2"], ["h2"], "layer2", domain="own"),
        h.make_node("Softmax", ["h2"], ["y"], "softmax"),
    ], [value("x", T.FLOAT, [2, 8])], [value("y", T.FLOAT, [2, 8])],
        [ramp("w1", (8, 8)), ramp("b1", (8,)), ramp("w2", (8, 8), 0.2), ramp("b2", (8,), 0.2)],
        [dense])


def trees():
    """A classifier of two decision trees."""
    node = h.make_node(
        "TreeEnsembleClassifier", ["x"], ["label", "score"], "forest", domain="ai.onnx.ml",
        nodes_treeids=[0, 0, 0, 1, 1, 1], nodes_nodeids=[0, 1, 2, 0, 1, 2],
        nodes_featureids=[0, 0, 0, 2, 0, 0], nodes_values=[0.5, 0., 0., 1.5, 0., 0.],
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"] * 2, nodes_truenodeids=[1, 0, 0] * 2,
        nodes_falsenodeids=[2, 0, 0] * 2, nodes_hitrates=[1.0] * 6,
        nodes_missing_value_tracks_true=[0] * 6, class_treeids=[0, 0, 1, 1],
        class_nodeids=[1, 2, 1, 2], class_ids=[0, 1, 2, 1], class_weights=[0.6, 0.7, 0.8, 0.2],
        classlabels_int64s=[0, 1, 2], post_transform="SOFTMAX")
    save("trees", [node], [value("x", T.FLOAT, [4, 3])],
         [value("label", T.INT64, [4]), value("score", T.FLOAT, [4, 3])])


if __name__ == "__main__":
    for make in dynamic, quantized, loop, words, functions, trees:
        make()
