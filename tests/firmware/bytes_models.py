#!/usr/bin/python3
"""Small int8 models in QDQ form with weights by chance, for boards with little memory.

usage: bytes_models.py FOLDER   writes sine.onnx, a network of three layers and 321 parameters, and gesture.onnx, a
                                convolutional one on 128 samples of three axes with 4,564;
                                mixed.onnx has kernels whose constants are copied from flash, on four times 32 samples;
                                attention.onnx is a normalisation and one head of attention, on eight tokens of eight
                                numbers
"""
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

rng = np.random.default_rng(7)
nodes, constants = [], []

def constant(name, value):
    constants.append(numpy_helper.from_array(np.asarray(value), name))
    return name

def quantised(x, name, scale, zero):
    s, z = constant(name + "_scale", np.float32(scale)), constant(name + "_zero", np.int8(zero))
    nodes.append(helper.make_node("QuantizeLinear", [x, s, z], [name + "_q"]))
    nodes.append(helper.make_node("DequantizeLinear", [name + "_q", s, z], [name]))
    return name

def weights(name, w, per_channel=True):
    axes = tuple(range(1, w.ndim))
    scale = (np.abs(w).max(axis=axes) / 127).astype(np.float32)
    q = np.clip(np.round(w / scale.reshape((-1,) + (1,) * (w.ndim - 1))), -127, 127).astype(np.int8)
    s = constant(name + "_scale", scale)
    z = constant(name + "_zero", np.zeros_like(scale, np.int8))
    nodes.append(helper.make_node("DequantizeLinear", [constant(name + "_q", q), s, z], [name], axis=0))
    return name, scale

def bias(name, b, scale):
    s = constant(name + "_scale", scale.astype(np.float32))
    q = np.round(b / scale).astype(np.int32)
    z = constant(name + "_zero", np.zeros(len(b), np.int32))
    nodes.append(helper.make_node("DequantizeLinear", [constant(name + "_q", q), s, z], [name], axis=0))
    return name

def dense(x, xs, name, n, k, ys, yz, relu=True):
    w, ws = weights(name + "_w", rng.normal(0, 1.5 / np.sqrt(k), (n, k)).astype(np.float32))
    b = bias(name + "_b", rng.normal(0, 0.3, n), ws * xs)
    nodes.append(helper.make_node("Gemm", [x, w, b], [name + "_y"], transB=1))
    y = name + "_y"
    if relu:
        nodes.append(helper.make_node("Relu", [y], [name + "_r"]))
        y = name + "_r"
    return quantised(y, name, ys, yz)

def conv(x, xs, name, n, c, k, stride, ys, yz, group=1):
    w, ws = weights(name + "_w", rng.normal(0, 1.5 / np.sqrt(c * k), (n, c, k)).astype(np.float32))
    b = bias(name + "_b", rng.normal(0, 0.3, n), ws * xs)
    nodes.append(helper.make_node("Conv", [x, w, b], [name + "_y"], strides=[stride], pads=[k // 2, k // 2],
                                  group=group))
    nodes.append(helper.make_node("Relu", [name + "_y"], [name + "_r"]))
    return quantised(name + "_r", name, ys, yz)

def write(path, inputs, outputs):
    graph = helper.make_graph(nodes, path[:-5].split("/")[-1], [helper.make_tensor_value_info("x", 1, inputs)],
                              [helper.make_tensor_value_info("y", 1, outputs)], constants)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    nodes.clear(), constants.clear()

def last(y):
    nodes[-1].output[0] = "y"

where = sys.argv[1]
a = quantised("x", "in", 0.05, 0)
a = dense(a, 0.05, "d1", 16, 1, 0.06, -128)
a = dense(a, 0.06, "d2", 16, 16, 0.05, -128)
a = dense(a, 0.05, "d3", 1, 16, 0.03, 3, relu=False)
last(a)
write(where + "/sine.onnx", [1, 1], [1, 1])

# 128 samples of three axes, four gestures.
a = quantised("x", "in", 0.02, 0)
a = conv(a, 0.02, "c1", 8, 3, 5, 2, 0.05, -128)
a = conv(a, 0.05, "c2", 16, 8, 5, 2, 0.05, -128)
a = conv(a, 0.05, "c3", 32, 16, 5, 2, 0.05, -128)
nodes.append(helper.make_node("GlobalAveragePool", [a], ["pooled"]))
a = quantised("pooled", "pool", 0.02, -128)
nodes.append(helper.make_node("Flatten", [a], ["flat"]))
a = dense("flat", 0.02, "d1", 32, 32, 0.03, -128)
a = dense(a, 0.03, "d2", 4, 32, 0.05, 3, relu=False)
last(a)
write(where + "/gesture.onnx", [1, 3, 128], [1, 4])

a = quantised("x", "in", 0.02, 0)
a = conv(a, 0.02, "c1", 4, 1, 3, 1, 0.05, -128, group=4)
a = conv(a, 0.05, "c2", 8, 4, 1, 1, 0.05, -128)
nodes.append(helper.make_node("Sigmoid", [a], ["s"]))
a = quantised("s", "sq", 1 / 256, -128)
nodes.append(helper.make_node("Mul", [a, constant("gain", rng.normal(0, 1, (1, 8, 1)).astype(np.float32))], ["m"]))
a = quantised("m", "mq", 0.02, 3)
nodes.append(helper.make_node("GlobalAveragePool", [a], ["pooled"]))
a = quantised("pooled", "pool", 0.01, 3)
nodes.append(helper.make_node("Flatten", [a], ["flat"]))
a = dense("flat", 0.01, "d1", 3, 8, 0.05, 3, relu=False)
last(a)
write(where + "/mixed.onnx", [1, 4, 32], [1, 3])

a = quantised("x", "in", 0.02, 0)
nodes.append(helper.make_node("LayerNormalization", [a, constant("gain", np.linspace(0.5, 1.5, 8, dtype=np.float32)),
                                                     constant("shift", np.zeros(8, np.float32))], ["n"]))
a = quantised("n", "nq", 0.0213, 5)
nodes.append(helper.make_node("Transpose", [a], ["turned"], perm=[0, 2, 1]))
nodes.append(helper.make_node("MatMul", [a, "turned"], ["scores"]))
nodes.append(helper.make_node("Softmax", [quantised("scores", "sq", 0.0613, -20)], ["p"]))
nodes.append(helper.make_node("MatMul", [quantised("p", "pq", 1 / 256, -128), a], ["o"]))
nodes.append(helper.make_node("Tanh", [quantised("o", "oq", 0.0197, 0)], ["t"]))
a = quantised("t", "tq", 1 / 128, 0)
last(a)
write(where + "/attention.onnx", [1, 8, 8], [1, 8, 8])
