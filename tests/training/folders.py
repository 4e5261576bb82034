#!/usr/bin/env python3
"""Folders with `train/` as the format says, made by the onnx package, with values by NumPy.

usage: folders.py OUT    writes OUT/<case>/{model.onnx,train/...}
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSETS = [helper.make_opsetid("", 13), helper.make_opsetid("ai.onnx.preview.training", 1)]
TRAINING = "ai.onnx.preview.training"


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def initializer(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def graph(name, nodes, inputs, outputs, initializers=()):
    return helper.make_graph(nodes, name, inputs, outputs, initializer=list(initializers))


def save(out, inference, infos):
    """infos: algorithm, update binding, initialization, its binding."""
    model = helper.make_model(inference, opset_imports=OPSETS, ir_version=8)
    for algorithm, update, initialization, initial in infos:
        model.training_info.append(
            helper.make_training_info(algorithm, update, initialization, initial))
    os.makedirs(out)
    onnx.save(model, os.path.join(out, "model.onnx"))


def write(folder, kind, arrays):
    os.makedirs(folder, exist_ok=True)
    for i, (name, array) in enumerate(arrays):
        with open(os.path.join(folder, f"{kind}_{i}.pb"), "wb") as f:
            f.write(numpy_helper.from_array(np.asarray(array), name).SerializeToString())


def write_step(out, k, inputs, outputs, state, algorithm=None):
    step = os.path.join(out, "train", f"step_{k}")
    write(step, "input", inputs)
    write(step, "output", outputs)
    write(step, "state", state)
    if algorithm is not None:
        with open(os.path.join(step, "algorithm"), "w") as f:
            f.write(f"{algorithm}\n")


def f32(*shape, seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


# ---- logistic regression by Adam ----------------------------------------------------------------


def adam_step(x, g, v, h, count, rate):
    v = np.float32(0.9) * v + np.float32(0.1) * g
    h = np.float32(0.999) * h + (1 - np.float32(0.999)) * g * g
    rate = rate * np.sqrt(1 - 0.999 ** count) / (1 - 0.9 ** count)
    return (x - rate * v / (np.sqrt(h) + 1e-6)).astype(np.float32), v, h


def logistic_regression(out):
    """A batch of another size in every step; odd names; initialization scales the stored weights."""
    w = f32(3, 1, seed=1)
    inference = graph("net", [helper.make_node("MatMul", ["x", "layer/w:0"], ["z"]),
                              helper.make_node("Sigmoid", ["z"], ["y"])],
                      [value("x", ["N", 3])], [value("y", ["N", 1])], [initializer("layer/w:0", w)])
    nodes = [helper.make_node("Softplus", ["z"], ["s"]), helper.make_node("Mul", ["t", "z"], ["tz"]),
             helper.make_node("Sub", ["s", "tz"], ["e"]),
             helper.make_node("ReduceMean", ["e"], ["loss"], keepdims=0),
             helper.make_node("Gradient", ["layer/w:0", "x"], ["g"], domain=TRAINING,
                              xs=["layer/w:0"], zs=["x"], y="loss"),
             helper.make_node("Add", ["count", "one"], ["next"]),
             helper.make_node("Adam", ["rate", "next", "layer/w:0", "g", "m", "v"],
                              ["w1", "m1", "v1"], domain=TRAINING)]
    zero = np.zeros((3, 1), np.float32)
    algorithm = graph("step", nodes, [value("t", ["N", 1])],
                      [value("loss", []), value("w1", [3, 1]), value("m1", [3, 1]),
                       value("v1", [3, 1]), value("next", [], TensorProto.INT64)],
                      [initializer("m", zero), initializer("v", zero),
                       initializer("rate", np.float32(0.5)), initializer("count", np.int64(0)),
                       initializer("one", np.int64(1))])
    start = graph("start", [helper.make_node("Mul", ["layer/w:0", "two"], ["w0"])], [],
                  [value("w0", [3, 1])], [initializer("two", np.float32(2))])
    save(out, inference, [(algorithm, [("layer/w:0", "w1"), ("m", "m1"), ("v", "v1"),
                                       ("count", "next")], start, [("layer/w:0", "w0")])])
    w, m, v = 2 * w, zero, zero
    write(os.path.join(out, "train", "init"), "state", [("layer/w:0", w)])
    for k, n in enumerate((4, 1, 7)):
        x, t = f32(n, 3, seed=10 + k), (f32(n, 1, seed=20 + k) > 0).astype(np.float32)
        z = x.astype(np.float64) @ w
        y = 1 / (1 + np.exp(-z))
        loss = np.mean(np.log1p(np.exp(z)) - t * z)
        g = (x.T @ (y - t) / n).astype(np.float32)
        w, m, v = adam_step(w, g, m, v, k + 1, 0.5)
        write_step(out, k, [("x", x), ("t", t)],
                   [("y", y.astype(np.float32)), ("loss", np.float32(loss))],
                   [("v", v), ("count", np.int64(k + 1)), ("layer/w:0", w), ("m", m)])


# ---- two algorithms -----------------------------------------------------------------------------


def block_descent(out):
    """u and v of (u v - t)^2 in turn, and together; a shared counter; data for inference as well."""
    u, v = np.float64(1.5), np.float64(-0.5)
    inference = graph("product", [helper.make_node("Mul", ["u", "v"], ["y"])], [],
                      [value("y", [], TensorProto.DOUBLE)],
                      [initializer("u", u), initializer("v", v), initializer("count", np.int32(7))])

    def algorithm(name, other):
        d = TensorProto.DOUBLE
        nodes = [helper.make_node("Sub", ["y", "t"], ["e"]), helper.make_node("Mul", ["e", "e"], ["ee"]),
                 helper.make_node("Gradient", [name, other], ["g"], domain=TRAINING, xs=[name],
                                  zs=[other], y="ee"),
                 helper.make_node("Mul", ["g", "rate"], ["s"]),
                 helper.make_node("Sub", [name, "s"], ["new"]),
                 helper.make_node("Add", ["count", "one"], ["counted"])]
        body = graph("by_" + name, nodes, [value("t", [], d)],
                     [value("ee", [], d), value("new", [], d),
                      value("counted", [], TensorProto.INT32)],
                     [initializer("rate", np.float64(0.25)), initializer("one", np.int32(1))])
        return body, [(name, "new"), ("count", "counted")], None, None
    save(out, inference, [algorithm("u", "v"), algorithm("v", "u")])
    write(os.path.join(out, "test_data_set_0"), "output", [("y", u * v)])
    count = 7
    for k, which in enumerate((0, None, 1, None)):
        t, errors = np.float64(0.5 - k), []
        for a in (0, 1) if which is None else (which,):
            y = u * v
            errors.append((y - t) ** 2)
            if a == 0:
                u = u - 0.25 * 2 * (y - t) * v
            else:
                v = v - 0.25 * 2 * (y - t) * u
            count += 1
        write_step(out, k, [("t", t)], [("y", y), ("ee", errors[-1])],
                   [("u", u), ("v", v), ("count", np.int32(count))], which)


# ---- a program in the edition of 1.7 ------------------------------------------------------------


def called(out):
    """The inference graph called with the batch, by position; w is its default value."""
    w = f32(2, seed=3)
    inference = graph("net", [helper.make_node("Mul", ["x", "w"], ["y"])],
                      [value("x", [2]), value("w", [2])], [value("y", [2])], [initializer("w", w)])
    nodes = [helper.make_node("GraphCall", ["batch"], ["p"], domain=TRAINING, graph_name="net"),
             helper.make_node("Mul", ["p", "p"], ["q"]),
             helper.make_node("Gradient", ["w", "batch"], ["g"], domain=TRAINING, xs=["w"],
                              zs=["batch"], y="q"),
             helper.make_node("Sub", ["w", "g"], ["w1"])]
    algorithm = graph("step", nodes, [value("batch", [2])], [value("q", [2]), value("w1", [2])])
    save(out, inference, [(algorithm, [("w", "w1")], None, None)])
    for k in range(2):
        x = f32(2, seed=30 + k)
        q = (x * w) ** 2
        w = w - 2 * w * x * x
        write_step(out, k, [("batch", x)], [("q", q)], [("w", w)])


def main():
    for case in (logistic_regression, block_descent, called):
        case(os.path.join(sys.argv[1], case.__name__))


main()
