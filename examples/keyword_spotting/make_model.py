#!/usr/bin/python3
"""Trains a small keyword spotter, makes it 8-bit, and writes model.onnx, test_data_set_0 and
words.h. Needs python3-onnx. Same numbers on every run.

The "words" are half a second of sound at 8 kHz: a silence with noise, a hum, a tone that rises,
one that falls, one that does both, and three beeps, of random pitch, length, place, timbre and
loudness, in noise. The network sees the logarithm of the energy in 20 bands at 32 times.
"""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = ["silence", "hum", "rise", "fall", "hat", "beeps"]
RATE, FRAMES, BANDS, WINDOW, HOP = 8000, 32, 20, 256, 128
SAMPLES = HOP * (FRAMES - 1) + WINDOW


def pitch(rng, kind, t):
    """Octaves above the lowest pitch while t goes from 0 to 1."""
    swing = rng.uniform(0.5, 1.2)
    return {"rise": swing * t, "fall": swing * (1 - t),
            "hat": swing * (1 - np.abs(2 * t - 1))}.get(kind, 0.03 * np.sin(9 * t)) + rng.uniform(0, 0.9)


def sound(rng, kind):
    noise = rng.standard_normal(SAMPLES) * 10 ** rng.uniform(-2.4, -0.6)
    if kind == "silence":
        return noise
    length = int(rng.uniform(0.55, 0.95) * SAMPLES)
    t = np.arange(length) / length
    phase = 2 * np.pi * np.cumsum(280 * 2 ** pitch(rng, kind, t)) / RATE
    tone = sum(rng.uniform(0.2, 1) / k * np.sin(k * phase) for k in (1, 2, 3))
    tone *= np.minimum(1, 12 * np.minimum(t, 1 - t)) * 10 ** rng.uniform(-0.9, 0)
    if kind == "beeps":
        tone *= (3 * t + 0.001) % 1 < rng.uniform(0.45, 0.65)
    start = rng.integers(0, SAMPLES - length)
    noise[start:start + length] += tone
    return noise


def filters():
    """Triangles, evenly spaced on the mel scale."""
    mel = np.linspace(*(2595 * np.log10(1 + np.array([100, 3900]) / 700)), BANDS + 2)
    centre = 700 * (10 ** (mel / 2595) - 1)
    f = np.fft.rfftfreq(WINDOW, 1 / RATE)[:, None]
    up = (f - centre[:-2]) / (centre[1:-1] - centre[:-2])
    down = (centre[2:] - f) / (centre[2:] - centre[1:-1])
    return np.maximum(0, np.minimum(up, down))


def features(wave, bank=filters(), window=np.hanning(WINDOW)):
    frames = np.stack([wave[i * HOP:i * HOP + WINDOW] for i in range(FRAMES)])
    energy = np.abs(np.fft.rfft(frames * window)) ** 2
    return np.log10(energy @ bank + 1e-3)[..., None]


def words(rng, count):
    kinds = np.arange(count) % len(WORDS)
    return np.stack([features(sound(rng, WORDS[k])) for k in kinds]), kinds


def taps(x, stride):
    """3x3 neighbourhoods with zeros around: [n, h, w, c] -> [n, h / stride, w / stride, 9, c]."""
    n, h, w, c = x.shape
    p = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return np.stack([p[:, i:i + h:stride, j:j + w:stride] for i in range(3) for j in range(3)], 3)


def untaps(d, shape, stride):
    n, h, w, c = shape
    p = np.zeros((n, h + 2, w + 2, c))
    for t in range(9):
        p[:, t // 3:t // 3 + h:stride, t % 3:t % 3 + w:stride] += d[:, :, :, t]
    return p[:, 1:-1, 1:-1]


class Layer:
    """A product with weights [inputs, outputs], or [9, channels] where each has its own, and Relu."""

    def __init__(self, rng, name, kind, cin, cout, stride=1):
        self.name, self.kind, self.stride = name, kind, stride
        self.shape = {"conv": (9 * cin, cout), "depthwise": (9, cout)}.get(kind, (cin, cout))
        self.w = rng.standard_normal(self.shape) * np.sqrt(2 / self.shape[0])
        self.b = np.zeros(cout)
        self.mean = [np.zeros(self.shape), np.zeros(cout)]
        self.square = [np.zeros(self.shape), np.zeros(cout)]

    def product(self, x, w):
        self.x_shape = x.shape
        self.rows = taps(x, self.stride) if self.kind in ("conv", "depthwise") else x
        if self.kind == "depthwise":
            return np.einsum("nhwtc,tc->nhwc", self.rows, w)
        if self.kind == "conv":
            self.rows = self.rows.reshape(*self.rows.shape[:3], -1)
        return self.rows @ w

    def forward(self, x):
        self.y = self.product(x, self.w) + self.b
        if self.kind != "dense":
            self.y = np.maximum(self.y, 0)
        return self.y

    def backward(self, d):
        """From the derivative by y to that by x; keeps those by w and b."""
        if self.kind != "dense":
            d = d * (self.y > 0)
        outer = tuple(range(d.ndim - 1))
        if self.kind == "depthwise":
            self.grads = [np.einsum("nhwtc,nhwc->tc", self.rows, d), d.sum(outer)]
            return untaps(d[:, :, :, None] * self.w, self.x_shape, self.stride)
        self.grads = [np.tensordot(self.rows, d, (outer, outer)), d.sum(outer)]
        back = d @ self.w.T
        if self.kind != "conv":
            return back
        return untaps(back.reshape(*back.shape[:3], 9, -1), self.x_shape, self.stride)

    def step(self, rate, k):
        """Adam."""
        for p, g, m, s in zip((self.w, self.b), self.grads, self.mean, self.square):
            m += 0.1 * (g - m)
            s += 0.001 * (g * g - s)
            p -= rate * m / (1 - 0.9 ** k) / (np.sqrt(s / (1 - 0.999 ** k)) + 1e-8)


def network(rng):
    return [Layer(rng, "conv", "conv", 1, 16, 2),
            Layer(rng, "depthwise1", "depthwise", 16, 16), Layer(rng, "pointwise1", "pointwise", 16, 32),
            Layer(rng, "depthwise2", "depthwise", 32, 32, 2), Layer(rng, "pointwise2", "pointwise", 32, 32),
            Layer(rng, "dense", "dense", 32, len(WORDS))]


def forward(net, x):
    for layer in net[:-1]:
        x = layer.forward(x)
    return net[-1].forward(x.mean((1, 2)))


def train(net, x, kinds, rng):
    for k in range(1, 1201):
        some = rng.integers(0, len(x), 48)
        logits = forward(net, x[some])
        e = np.exp(logits - logits.max(1, keepdims=True))
        d = (e / e.sum(1, keepdims=True) - np.eye(len(WORDS))[kinds[some]]) / len(some)
        d = net[-1].backward(d)
        n, h, w, _ = net[-2].y.shape
        d = np.broadcast_to(d[:, None, None] / (h * w), net[-2].y.shape)
        for layer in reversed(net[:-1]):
            d = layer.backward(d)
        for layer in net:
            layer.step(4e-3 if k < 800 else 8e-4, k)


class Port:
    """The scale and zero point of an int8 tensor that holds [low, high]."""

    def __init__(self, values):
        low, high = min(values.min(), 0), max(values.max(), 0)
        self.scale = np.float32((high - low) / 255)
        self.zero = int(np.clip(np.rint(-128 - low / self.scale), -128, 127))

    def integers(self, x):
        return np.clip(np.rint(x / np.float64(self.scale)) + self.zero, -128, 127)

    def reals(self, q):
        return (q - self.zero) * np.float64(self.scale)

    def round(self, x):
        return self.reals(self.integers(x))


def quantise(net, x):
    """Scales from the values of x; weights with a scale for each channel, biases of 32 bits."""
    forward(net, x)
    net[0].port = Port(x)
    for layer, following in zip(net, net[1:]):
        following.port = Port(layer.y)
    for layer in net:
        layer.scales = (np.abs(layer.w).max(0) / 127).astype(np.float32)
        layer.qw = np.rint(layer.w / layer.scales).astype(np.int8)
        layer.bias_scales = layer.port.scale * layer.scales
        layer.qb = np.rint(layer.b / layer.bias_scales).astype(np.int32)
    mean = Port(net[-2].y.mean((1, 2)))
    return mean, Port(net[-1].y)


def run_int8(net, mean, out, x):
    """What the 8-bit model computes, with exact sums."""
    for layer in net:
        x = layer.port.round(x)
        if layer.kind == "dense":
            x = mean.round(x.mean((1, 2)))
        w, b = layer.qw * np.float64(layer.scales), layer.qb * np.float64(layer.bias_scales)
        x = layer.product(x, w) + b
        if layer.kind != "dense":
            x = np.maximum(x, 0)
    return out.round(x)


def onnx_weights(layer):
    """[9 cin, cout] -> [cout, cin, 3, 3]; of the dense layer [cout, cin]."""
    w = layer.qw.T
    if layer.kind in ("conv", "depthwise"):
        return w.reshape(w.shape[0], 1, 3, 3)
    return w.reshape(*w.shape, 1, 1) if layer.kind == "pointwise" else w


class Graph:
    """Nodes, in the form that ONNX Runtime's quantize_static writes: QDQ."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def node(self, op, inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
        return name

    def constant(self, name, value):
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def rounded(self, x, port, name, result=None):
        by = [self.constant(name + "_scale", port.scale),
              self.constant(name + "_zero_point", np.int8(port.zero))]
        q = self.node("QuantizeLinear", [x, *by], name + "_quantized")
        return self.node("DequantizeLinear", [q, *by], result or name + "_rounded")

    def stored(self, name, value, scales):
        by = [self.constant(name + "_scale", scales),
              self.constant(name + "_zero_point", np.zeros(len(scales), value.dtype))]
        return self.node("DequantizeLinear", [self.constant(name + "_int", value), *by], name, axis=0)

    def layer(self, x, layer):
        w = self.stored(layer.name + "_w", onnx_weights(layer), layer.scales)
        b = self.stored(layer.name + "_b", layer.qb, layer.bias_scales)
        if layer.kind == "dense":
            return self.node("Gemm", [x, w, b], layer.name, transB=1)
        window = {"kernel_shape": [1, 1]} if layer.kind == "pointwise" else {
            "kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [layer.stride] * 2,
            "group": len(layer.b) if layer.kind == "depthwise" else 1}
        return self.node("Relu", [self.node("Conv", [x, w, b], layer.name, **window)], layer.name + "_relu")


def model(net, mean, out):
    g = Graph()
    x = "features"
    for layer in net:
        x = g.rounded(x, layer.port, layer.name + "_x")
        if layer.kind == "dense":
            pooled = g.node("Flatten", [g.node("GlobalAveragePool", [x], "mean")], "flatten")
            x = g.rounded(pooled, mean, "mean_y")
        x = g.layer(x, layer)
    g.rounded(x, out, "logits", "logits")
    graph = helper.make_graph(
        g.nodes, "keywords",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, 1, FRAMES, BANDS])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, len(WORDS)])], g.weights)
    made = helper.make_model(graph, producer_name="onnxc examples", ir_version=8,
                             opset_imports=[helper.make_opsetid("", 13)])
    onnx.checker.check_model(made)
    return made


def save(folder, made, x, y):
    onnx.save(made, os.path.join(folder, "model.onnx"))
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    for name, value in (("input_0.pb", x), ("output_0.pb", y)):
        with open(os.path.join(data, name), "wb") as file:
            file.write(numpy_helper.from_array(value.astype(np.float32)).SerializeToString())


def write_words(folder, recorded):
    """One word of each kind, as the model's input takes it, in lines of text."""
    with open(os.path.join(folder, "words.h"), "w") as file:
        file.write("// Written by make_model.py: recorded words as features, none of which it was trained with.\n"
                   "#pragma once\n\n#include <stdint.h>\n\n"
                   f"#define WORDS {len(WORDS)}\n\n// clang-format off\n")
        names = ", ".join(f'"{w}"' for w in WORDS)
        file.write(f"static const char* const kWordNames[WORDS] = {{{names}}};\n")
        file.write(f"static const int8_t kRecorded[WORDS][{FRAMES * BANDS}] = {{\n")
        for word in recorded:
            file.write("{\n" + "".join(",".join(str(int(v)) for v in row) + ",\n" for row in word) + "},\n")
        file.write("};\n// clang-format on\n")


def main():
    rng = np.random.default_rng(4)
    net = network(rng)
    x, kinds = words(rng, 3000)
    train(net, x, kinds, rng)
    mean, out = quantise(net, x[:600])
    x, kinds = words(rng, 1200)
    exact, rounded = forward(net, x).argmax(1), run_int8(net, mean, out, x).argmax(1)
    print(f"accuracy on 1200 fresh words: {(exact == kinds).mean():.4f}, of the 8-bit model "
          f"{(rounded == kinds).mean():.4f}")
    for k, name in enumerate(WORDS):
        print(f"{name:8} {(rounded == kinds)[kinds == k].mean():.3f}")
    one = x[2]
    save(HERE, model(net, mean, out), one.transpose(2, 0, 1)[None], run_int8(net, mean, out, one[None]))
    write_words(HERE, net[0].port.integers(x[:len(WORDS), :, :, 0]))


main()
