#!/usr/bin/python3
"""Trains a small classifier and writes model.onnx and test_data_set_0. Needs python3-onnx.

Three kinds of flowers, distinguished by four lengths. The measurements are drawn from normal
distributions with the well-known means of the iris data. Same numbers on every run.
"""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
MEANS = np.array([[5.0, 3.4, 1.5, 0.25], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
SPREAD = np.array([0.35, 0.3, 0.3, 0.2])


def flowers(rng, count):
    kind = rng.integers(0, 3, count)
    return MEANS[kind] + SPREAD * rng.standard_normal((count, 4)), kind


def forward(p, x):
    hidden = np.maximum(x @ p["w1"] + p["b1"], 0)
    logits = hidden @ p["w2"] + p["b2"]
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return hidden, e / e.sum(axis=1, keepdims=True)


def train(rng):
    p = {"w1": rng.standard_normal((4, 10)) * 0.5, "b1": np.zeros(10),
         "w2": rng.standard_normal((10, 3)) * 0.5, "b2": np.zeros(3)}
    x, kind = flowers(rng, 600)
    want = np.eye(3)[kind]
    for _ in range(1500):
        hidden, y = forward(p, x)
        d2 = (y - want) / len(x)
        d1 = (d2 @ p["w2"].T) * (hidden > 0)
        grads = {"w1": x.T @ d1, "b1": d1.sum(0), "w2": hidden.T @ d2, "b2": d2.sum(0)}
        for name in p:
            p[name] -= 0.1 * grads[name]
    return {name: value.astype(np.float32) for name, value in p.items()}


def save(folder, p, x, y):
    nodes = [helper.make_node("Gemm", ["lengths", "w1", "b1"], ["a"], "layer1"),
             helper.make_node("Relu", ["a"], ["h"], "relu"),
             helper.make_node("Gemm", ["h", "w2", "b2"], ["logits"], "layer2"),
             helper.make_node("Softmax", ["logits"], ["probability"], "softmax", axis=1)]
    graph = helper.make_graph(
        nodes, "flowers",
        [helper.make_tensor_value_info("lengths", TensorProto.FLOAT, [1, 4])],
        [helper.make_tensor_value_info("probability", TensorProto.FLOAT, [1, 3])],
        [numpy_helper.from_array(value, name) for name, value in p.items()])
    model = helper.make_model(graph, producer_name="onnxc examples", ir_version=8,
                              opset_imports=[helper.make_opsetid("", 13)])
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    for name, value in (("input_0.pb", x), ("output_0.pb", y)):
        with open(os.path.join(data, name), "wb") as file:
            file.write(numpy_helper.from_array(value).SerializeToString())


def main():
    rng = np.random.default_rng(1)
    p = train(rng)
    x, kind = flowers(rng, 300)
    right = (forward(p, x.astype(np.float32))[1].argmax(1) == kind).mean()
    print(f"accuracy on fresh flowers: {right:.3f}")
    one = np.array([[6.1, 2.9, 4.7, 1.4]], np.float32)
    save(HERE, p, one, forward(p, one)[1])


main()
