#!/usr/bin/python3
"""Writes sweep.onnx, a model whose outputs are one operator each, and sweep_data.h: its inputs and a list of its outputs.

usage: sweep_model.py FOLDER

Element-wise operators read `x` and `y`, which hold NaN, infinities, zeros with signs and lengths
that no vector divides; the others read finite numbers.
"""
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

f4 = np.float32
CTYPES = {f4: "float", np.dtype("float32"): "float", np.dtype("uint8"): "uint8_t",
          np.dtype("int8"): "int8_t", np.dtype("int64"): "int64_t"}
ELEMENTS = {"float": TensorProto.FLOAT, "uint8_t": TensorProto.UINT8, "int8_t": TensorProto.INT8,
            "int64_t": TensorProto.INT64}
SHAPE = (1, 6, 7, 7)

nodes, constants, outputs = [], [], []
random = np.random.RandomState(3)


def constant(value):
    name = f"constant_{len(constants)}"
    constants.append(numpy_helper.from_array(np.asarray(value), name))
    return name


def weights(*shape):
    return constant(random.uniform(-0.5, 0.5, shape).astype(f4))


def add(name, op, inputs, shape=SHAPE, ctype="float", rule="kEach", places=1, **attributes):
    """One operator and its output, the last of `places` outputs. The rule says what an error is relative to."""
    nodes.append(helper.make_node(op, inputs, [""] * (places - 1) + [name], **attributes))
    outputs.append((name, ctype, shape, rule))


def element_wise():
    for op in ("Relu", "LeakyRelu", "Sigmoid", "Tanh", "Exp", "Erf", "Floor", "Ceil", "Round", "Sin", "Cos", "Abs",
               "Neg", "Sqrt", "Log", "Sign", "Softplus", "Softsign", "Elu", "Celu", "Selu", "HardSigmoid", "HardSwish",
               "Mish", "Gelu", "ThresholdedRelu", "Reciprocal"):
        add("m_" + op.lower(), op, ["x"])
    add("m_gelu_tanh", "Gelu", ["x"], approximate="tanh")
    add("m_shrink", "Shrink", ["x"], lambd=0.5, bias=0.25)
    add("m_clip", "Clip", ["x", constant(f4(-1)), constant(f4(2))])
    add("m_prelu", "PRelu", ["x", constant(np.linspace(0.1, 0.6, 6).astype(f4).reshape(6, 1, 1))])
    add("m_pow", "Pow", ["x", constant(f4(3))])
    for op in ("Max", "Min", "Add", "Mul", "Div"):
        add("m_" + op.lower(), op, ["x", "y"])
    add("m_max_of_three", "Max", ["x", "y", "image"])
    add("m_quantize", "QuantizeLinear", ["x", constant(f4(0.05)), constant(np.int8(3))], ctype="int8_t")


def pools():
    for op in ("MaxPool", "AveragePool", "LpPool"):
        add("p_" + op.lower(), op, ["image"], (1, 6, 3, 3), rule="kLargest", kernel_shape=[3, 3],
            strides=[2, 2])
    add("p_maxpool_edges", "MaxPool", ["x"], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    for op in ("GlobalMaxPool", "GlobalAveragePool"):
        add("p_" + op.lower(), op, ["image"], (1, 6, 1, 1), rule="kLargest")
    for op in ("ReduceMax", "ReduceMin", "ReduceSum", "ReduceL2"):
        for axis in (1, 3):
            shape = tuple(1 if i == axis else d for i, d in enumerate(SHAPE))
            add(f"r_{op.lower()}_{axis}", op, ["image", constant(np.array([axis]))], shape,
                rule="kLargest")
    add("r_reducemax_edges", "ReduceMax", ["x", constant(np.array([3]))], (1, 6, 7, 1))
    add("r_argmax", "ArgMax", ["image"], (1, 6, 7, 1), ctype="int64_t", axis=3)
    for axis in (1, 3):
        add(f"r_softmax_{axis}", "Softmax", ["image"], axis=axis)
    add("r_logsoftmax", "LogSoftmax", ["image"], rule="kLargest", axis=3)
    add("r_layernorm", "LayerNormalization", ["image", weights(7), weights(7)], rule="kLargest")


def layers():
    add("l_conv", "Conv", ["image", weights(8, 6, 3, 3), weights(8)], (1, 8, 5, 5), rule="kLargest")
    add("l_depthwise", "Conv", ["image", weights(6, 1, 3, 3)], (1, 6, 5, 5), rule="kLargest", group=6)
    nodes.append(helper.make_node("Conv", ["image", weights(9, 6, 1, 1)], ["point"]))
    add("l_conv_relu", "Relu", ["point"], (1, 9, 7, 7), rule="kLargest")
    nodes.append(helper.make_node("Conv", ["image", weights(8, 6, 3, 3)], ["three"]))
    add("l_conv_pool", "MaxPool", ["three"], (1, 8, 2, 2), rule="kLargest", kernel_shape=[2, 2],
        strides=[2, 2])
    add("l_gemm", "Gemm", ["rows", weights(10, 13), weights(13)], (5, 13), rule="kLargest")
    hidden = [weights(1, 4 * 8, 10), weights(1, 4 * 8, 8), weights(1, 8 * 8)]
    nodes.append(helper.make_node("Unsqueeze", ["rows", constant(np.array([1]))], ["steps"]))
    add("l_lstm", "LSTM", ["steps", *hidden], (1, 1, 8), rule="kLargest", places=2, hidden_size=8)
    hidden = [weights(1, 3 * 8, 10), weights(1, 3 * 8, 8), weights(1, 6 * 8)]
    add("l_gru", "GRU", ["steps", *hidden], (1, 1, 8), rule="kLargest", places=2, hidden_size=8)


def bytes_and_halves():
    whole = random.randint(-128, 128, (8, 6, 3, 3)).astype(np.int8)
    scales = constant(random.uniform(0.005, 0.01, 8).astype(f4))
    add("b_conv", "QLinearConv",
        ["bytes", constant(f4(0.02)), constant(np.uint8(120)), constant(whole), scales,
         constant(np.zeros(8, np.int8)), constant(f4(0.5)), constant(np.uint8(128)),
         constant(random.randint(-900, 900, 8).astype(np.int32))], (1, 8, 5, 5), ctype="uint8_t")
    add("b_maxpool", "MaxPool", ["bytes"], (1, 6, 3, 3), ctype="uint8_t", kernel_shape=[3, 3],
        strides=[2, 2])
    add("b_dequantize", "DequantizeLinear", ["bytes", constant(f4(0.1)), constant(np.uint8(7))])
    # Whole numbers, so that every sum is exact.
    halves = constant(random.randint(-8, 9, (10, 12)).astype(np.float16))
    nodes.append(helper.make_node("Round", ["rows"], ["whole"]))
    nodes.append(helper.make_node("Cast", ["whole"], ["half_rows"], to=TensorProto.FLOAT16))
    nodes.append(helper.make_node("MatMul", ["half_rows", halves], ["half_product"]))
    add("h_matmul", "Cast", ["half_product"], (5, 12), rule="kEach", to=TensorProto.FLOAT)


def input_values():
    numbers = lambda shape, reach: random.uniform(-reach, reach, shape).astype(f4)
    x, y = numbers(SHAPE, 6), numbers(SHAPE, 6)
    edges = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-30, -1e30, 88.0, -104.0, 2.5, -0.5], f4)
    # At lengths that are coprime to a vector's, so that each edge comes to each lane and beside the others.
    x.ravel()[::5] = np.resize(edges, x.ravel()[::5].shape)
    y.ravel()[::7] = np.resize(edges, y.ravel()[::7].shape)
    return {"x": x, "y": y, "image": numbers(SHAPE, 4), "rows": numbers((5, 10), 4),
            "bytes": random.randint(0, 256, SHAPE).astype(np.uint8)}


def bits(values):
    """Initialisers: floats by their bits, so that NaN and infinity are as good as numbers."""
    if values.dtype == f4:
        return ", ".join(f"{v:#010x}u" for v in values.ravel().view(np.uint32))
    return ", ".join(str(v) for v in values.ravel())


def write(folder):
    inputs = input_values()
    of_type = lambda name, ctype, shape: helper.make_tensor_value_info(name, ELEMENTS[ctype], shape)
    graph = helper.make_graph(
        nodes, "sweep", [of_type(n, CTYPES[v.dtype], v.shape) for n, v in inputs.items()],
        [of_type(name, ctype, shape) for name, ctype, shape, _ in outputs], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 9
    with open(f"{folder}/sweep.onnx", "wb") as file:
        file.write(model.SerializeToString())
    with open(f"{folder}/sweep_data.h", "w") as file:
        file.write("// Written by sweep_model.py.\n#pragma once\n#include <stdint.h>\n")
        for name, value in inputs.items():
            ctype = "uint32_t" if value.dtype == f4 else CTYPES[value.dtype]
            file.write(f"static const {ctype} k_{name}[] = {{{bits(value)}}};\n")
        file.write("#define SWEEP_INPUTS(F) " + " ".join(f"F({n}, {CTYPES[v.dtype]})" for n, v in inputs.items()))
        file.write("\n#define SWEEP_OUTPUTS(F) " + " ".join(
            f"F({name}, {ctype}, {int(np.prod(shape))}, {rule})" for name, ctype, shape, rule in outputs) + "\n")


element_wise()
pools()
layers()
bytes_and_halves()
write(sys.argv[1])
