#!/usr/bin/python3
"""Trains a small convolutional network and writes model.onnx and test_data_set_0. Needs python3-onnx.

16x16 pictures of one of four shapes - disc, ring, square, cross - of random size and place, with
noise. Same numbers on every run.
"""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
SIZE = 16
NAMES = ["disc", "ring", "square", "cross"]


def picture(rng, kind):
    r = rng.uniform(3.5, 6)
    cy, cx = rng.uniform(r, SIZE - 1 - r, 2)
    y, x = np.mgrid[:SIZE, :SIZE]
    dy, dx = np.abs(y - cy), np.abs(x - cx)
    distance = np.hypot(dy, dx)
    mask = [distance < r, np.abs(distance - r) < 1.1, np.maximum(dy, dx) < r * 0.85,
            (np.minimum(dy, dx) < 1.1) & (np.maximum(dy, dx) < r)][kind]
    return mask + 0.15 * rng.standard_normal((SIZE, SIZE))


def pictures(rng, count):
    kinds = rng.integers(0, 4, count)
    return np.stack([picture(rng, k) for k in kinds])[:, None].astype(np.float32), kinds


def columns(x):
    """3x3 neighbourhoods with zeros around: [n, c, h, w] -> [n, h, w, c * 9]."""
    n, c, h, w = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    taps = [padded[:, :, i:i + h, j:j + w] for i in range(3) for j in range(3)]
    return np.stack(taps, 2).transpose(0, 3, 4, 1, 2).reshape(n, h, w, c * 9)


def uncolumns(d, c):
    n, h, w, _ = d.shape
    d = d.reshape(n, h, w, c, 9).transpose(0, 3, 4, 1, 2)
    padded = np.zeros((n, c, h + 2, w + 2), d.dtype)
    for t in range(9):
        padded[:, :, t // 3:t // 3 + h, t % 3:t % 3 + w] += d[:, :, t]
    return padded[:, :, 1:-1, 1:-1]


class Conv:
    """Conv 3x3, Relu, MaxPool 2x2."""

    def __init__(self, rng, cin, cout):
        self.w = rng.standard_normal((cout, cin * 9)) * np.sqrt(2 / (cin * 9))
        self.b = np.zeros(cout)

    def forward(self, x):
        self.cin = x.shape[1]
        self.cols = columns(x)
        y = np.maximum(self.cols @ self.w.T + self.b, 0).transpose(0, 3, 1, 2)
        n, c, h, w = y.shape
        blocks = y.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 2, 4, 3, 5)
        self.y, self.blocks = y, blocks.reshape(n, c, h // 2, w // 2, 4)
        return self.blocks.max(-1)

    def backward(self, d, rate):
        n, c, h, w = self.y.shape
        first = np.eye(4)[self.blocks.argmax(-1)] * d[..., None]
        d = first.reshape(n, c, h // 2, w // 2, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, c, h, w)
        d = (d * (self.y > 0)).transpose(0, 2, 3, 1)
        back = uncolumns(d @ self.w, self.cin)
        self.w -= rate * np.einsum("nhwo,nhwi->oi", d, self.cols)
        self.b -= rate * d.sum((0, 1, 2))
        return back


class Net:
    def __init__(self, rng):
        self.convs = [Conv(rng, 1, 8), Conv(rng, 8, 16)]
        self.w = rng.standard_normal((16 * 16, 4)) * 0.06
        self.b = np.zeros(4)

    def forward(self, x):
        for conv in self.convs:
            x = conv.forward(x)
        self.shape, self.flat = x.shape, x.reshape(len(x), -1)
        logits = self.flat @ self.w + self.b
        e = np.exp(logits - logits.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def step(self, x, kinds, rate):
        d = (self.forward(x) - np.eye(4)[kinds]) / len(x)
        back = (d @ self.w.T).reshape(self.shape)
        self.w -= rate * self.flat.T @ d
        self.b -= rate * d.sum(0)
        for conv in reversed(self.convs):
            back = conv.backward(back, rate)

    def to_float(self):
        for part in [self, *self.convs]:
            part.w, part.b = part.w.astype(np.float32), part.b.astype(np.float32)


def save(folder, net, x, y):
    c1, c2 = net.convs
    weights = {"conv1.w": c1.w.reshape(8, 1, 3, 3), "conv1.b": c1.b,
               "conv2.w": c2.w.reshape(16, 8, 3, 3), "conv2.b": c2.b,
               "dense.w": net.w, "dense.b": net.b}
    same = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    half = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes = [helper.make_node("Conv", ["picture", "conv1.w", "conv1.b"], ["c1"], "conv1", **same),
             helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
             helper.make_node("MaxPool", ["r1"], ["p1"], "pool1", **half),
             helper.make_node("Conv", ["p1", "conv2.w", "conv2.b"], ["c2"], "conv2", **same),
             helper.make_node("Relu", ["c2"], ["r2"], "relu2"),
             helper.make_node("MaxPool", ["r2"], ["p2"], "pool2", **half),
             helper.make_node("Flatten", ["p2"], ["f"], "flatten"),
             helper.make_node("Gemm", ["f", "dense.w", "dense.b"], ["logits"], "dense"),
             helper.make_node("Softmax", ["logits"], ["probability"], "softmax", axis=1)]
    graph = helper.make_graph(
        nodes, "shapes",
        [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 1, SIZE, SIZE])],
        [helper.make_tensor_value_info("probability", TensorProto.FLOAT, [1, 4])],
        [numpy_helper.from_array(np.ascontiguousarray(v), n) for n, v in weights.items()])
    model = helper.make_model(graph, producer_name="onnxc examples", ir_version=8,
                              opset_imports=[helper.make_opsetid("", 13)])
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    for name, value in (("input_0.pb", x), ("output_0.pb", y)):
        with open(os.path.join(data, name), "wb") as file:
            file.write(numpy_helper.from_array(value).SerializeToString())


def write_picture(folder, x):
    with open(os.path.join(folder, "picture.h"), "w") as file:
        file.write("// Written by make_model.py: the picture of test_data_set_0.\n#pragma once\n\n")
        file.write(f"static const float kPicture[{SIZE * SIZE}] = {{\n")
        for row in x.reshape(SIZE, SIZE):
            file.write("    " + " ".join(f"{v:.3f}f," for v in row) + "\n")
        file.write("};\n")


def main():
    rng = np.random.default_rng(2)
    net = Net(rng)
    for step in range(700):
        x, kinds = pictures(rng, 64)
        net.step(x, kinds, 0.15 if step < 500 else 0.03)
    net.to_float()
    x, kinds = pictures(rng, 1000)
    print(f"accuracy on fresh pictures: {(net.forward(x).argmax(1) == kinds).mean():.3f}")
    one = x[int(np.argmax(kinds == 1))][None].round(3)
    save(HERE, net, one, net.forward(one).astype(np.float32))
    write_picture(HERE, one)


main()
