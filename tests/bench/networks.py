#!/usr/bin/env python3
"""Writes networks with random weights, in the sizes and forms that exporters give them, for compare.sh.

The time of these networks depends on their shapes, not on what they have learnt. The same weights and inputs
are written every time.
usage: networks.py OUT_DIR [NAME_PART...]    writes OUT_DIR/NAME/{model.onnx,test_data_set_0/input_N.pb}
Prints the names. Needs python3-onnx and python3-numpy.
"""
import os
import sys

import numpy as np
from onnx import TensorProto, numpy_helper

from network_parts import Net, Quantized

f4, i8 = np.float32, np.int64


def resnet8(folded=False):
    net = Net(folded)
    x = net.conv(net.image(1, 3, 32, 32), 16)
    for out, stride in ((16, 1), (32, 2), (64, 2)):
        y = net.conv(net.conv(x, out, stride=stride), out, act=None)
        shortcut = net.conv(x, out, 1, stride, norm=False, act=None) if stride == 2 else x
        x = net.op("Relu", net.op("Add", y, shortcut))
    return net.classes(x, 10)


def dscnn_kws(folded=False):
    net = Net(folded)
    x = net.conv(net.image(1, 1, 49, 10), 64, [10, 4], 2, pads=[4, 1, 5, 1])
    for _ in range(4):
        x = net.conv(net.depthwise(x), 64, 1)
    return net.classes(x, 12)


def mobilenet_v1(folded=False):
    """A quarter of the channels; TensorFlow pads only below and at the right where the stride is two."""
    net, after = Net(folded), [0, 0, 1, 1]
    x = net.conv(net.image(1, 3, 96, 96), 8, stride=2, pads=after, act="Relu6")
    blocks = [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2)] + [(128, 1)] * 5 + [(256, 2), (256, 1)]
    for out, stride in blocks:
        x = net.depthwise(x, stride=stride, pads=after if stride == 2 else None, act="Relu6")
        x = net.conv(x, out, 1, act="Relu6")
    return net.classes(x, 2)


def inverted_residual(net, x, out, stride, expansion):
    before = net.channels[x]
    y = net.conv(x, before * expansion, 1, act="Relu6") if expansion > 1 else x
    y = net.conv(net.depthwise(y, stride=stride, act="Relu6"), out, 1, act=None)
    return net.op("Add", x, y) if stride == 1 and before == out else y


def mobilenet_v2():
    net = Net(folded=True)
    x = net.conv(net.image(1, 3, 224, 224), 32, stride=2, act="Relu6")
    for expansion, out, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                          (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(count):
            x = inverted_residual(net, x, out, 1 if i else stride, expansion)
    return net.classes(net.conv(x, 1280, 1, act="Relu6"), 1000, softmax=False)


def resnet50():
    net = Net()
    x = net.conv(net.image(1, 3, 224, 224), 64, 7, 2)
    x = net.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            y = net.conv(net.conv(x, width, 1), width, stride=1 if i else stride)
            y = net.conv(y, 4 * width, 1, act=None)
            shortcut = x if i else net.conv(x, 4 * width, 1, stride, act=None)
            x = net.op("Relu", net.op("Add", y, shortcut))
    return net.classes(x, 1000, softmax=False)


def squeezenet():
    net = Net()
    x = net.conv(net.image(1, 3, 224, 224), 64, stride=2, pads=[0] * 4, norm=False)
    for width in (0, 16, 16, 0, 32, 32, 0, 48, 48, 64, 64):
        if not width:
            x = net.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2])
            continue
        x = net.conv(x, width, 1, norm=False)
        wide = [net.conv(x, 4 * width, kernel, norm=False) for kernel in (1, 3)]
        x = net.op("Concat", *wide, channels=8 * width, axis=1)
    x = net.op("GlobalAveragePool", net.conv(x, 1000, 1, norm=False))
    net.outputs.append(net.op("Flatten", x, axis=1))
    return net


def shuffle_unit(net, x, out, stride, side, group=4):
    before = net.channels[x]
    y = net.conv(x, out // 4, 1, group=group if before > 24 else 1)
    y = net.op("Transpose", net.reshape(y, 1, group, out // 4 // group, side, side), perm=[0, 2, 1, 3, 4])
    y = net.depthwise(net.reshape(y, 1, out // 4, side, side), stride=stride, act=None)
    if stride == 1:
        return net.op("Relu", net.op("Add", x, net.conv(y, out, 1, group=group, act=None)))
    pooled = net.op("AveragePool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    y = net.op("Concat", pooled, net.conv(y, out - before, 1, group=group, act=None), channels=out, axis=1)
    return net.op("Relu", y)


def shufflenet():
    """1x1 convolutions in four groups, and channels shuffled between the groups."""
    net = Net()
    x = net.conv(net.image(1, 3, 224, 224), 24, stride=2)
    x, side = net.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), 56
    for out, count in ((272, 4), (544, 8), (1088, 4)):
        for i in range(count):
            x = shuffle_unit(net, x, out, 1 if i else 2, side)
            side = side if i else side // 2
    return net.classes(x, 1000)


def heads_of(net, x, steps, width, heads, perm=(0, 2, 1, 3)):
    return net.op("Transpose", net.reshape(x, 1, steps, heads, width // heads), perm=list(perm))


def encoder_layer(net, x, mask, steps, width, heads):
    q, k, v = (heads_of(net, net.rows(x, width, width), steps, width, heads, perm)
               for perm in ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3)))
    scores = net.scaled("Div", net.op("MatMul", q, k), np.sqrt(width // heads))
    y = net.op("MatMul", net.op("Softmax", net.op("Add", scores, mask), axis=-1), v)
    y = net.reshape(net.op("Transpose", y, perm=[0, 2, 1, 3]), 1, steps, width)
    x = net.layer_norm(net.op("Add", net.rows(y, width, width), x), width)
    y = net.rows(x, width, 4 * width)
    erf = net.op("Erf", net.scaled("Div", y, np.sqrt(2)))
    y = net.scaled("Mul", net.op("Mul", y, net.scaled("Add", erf, 1)), 0.5)
    return net.layer_norm(net.op("Add", net.rows(y, 4 * width, width), x), width)


def encoder(layers, width, heads, steps=128):
    """The layers after the embedding, whose table would count as weights read without being read."""
    net = Net()
    x = net.input("embeddings", net.rng.randn(1, steps, width).astype(f4))
    mask = net.input("attention_mask", (np.arange(steps) < steps - 16).astype(i8).reshape(1, steps))
    mask = net.op("Unsqueeze", mask, net.constant(np.array([1, 2], i8)))
    kept = net.op("Cast", mask, to=TensorProto.FLOAT)
    mask = net.scaled("Mul", net.op("Sub", net.constant(f4(1)), kept), np.finfo(f4).min)
    for _ in range(layers):
        x = encoder_layer(net, x, mask, steps, width, heads)
    net.outputs.append(x)
    return net


def lstm2(steps=100, hidden=128):
    net = Net()
    x, width = net.input("steps", net.rng.randn(steps, 1, 64).astype(f4)), 64
    for _ in range(2):
        weights = [net.normal(2 * width, 1, 4 * hidden, width), net.normal(2 * hidden, 1, 4 * hidden, hidden)]
        x = net.op("LSTM", x, *weights, net.near(0, 1, 8 * hidden), outputs=3, hidden_size=hidden)[0]
        x, width = net.op("Squeeze", x, net.constant(np.array([1], i8))), hidden
    net.outputs.append(x)
    return net


def gelu_tanh(net, x):
    cubic = net.scaled("Mul", net.scaled("Pow", x, 3), 0.044715)
    tanh = net.op("Tanh", net.scaled("Mul", net.op("Add", x, cubic), np.sqrt(2 / np.pi)))
    return net.op("Mul", net.scaled("Mul", x, 0.5), net.scaled("Add", tanh, 1))


def decoder_block(width=768, heads=12, past=128):
    """One token through one layer; the keys and values of the tokens before it are inputs."""
    net, size = Net(), width // heads
    x = net.input("token", net.rng.randn(1, 1, width).astype(f4))
    cache = [net.input(name, net.rng.randn(1, heads, past, size).astype(f4)) for name in ("past_key", "past_value")]
    parts = net.rows(net.layer_norm(x, width), width, 3 * width)
    parts = net.op("Split", parts, net.constant(np.array([width] * 3, i8)), outputs=3, axis=2)
    q, k, v = (heads_of(net, part, 1, width, heads) for part in parts)
    k, v = (net.op("Concat", old, new, axis=2) for old, new in zip(cache, (k, v)))
    scores = net.op("MatMul", q, net.op("Transpose", k, perm=[0, 1, 3, 2]))
    y = net.op("MatMul", net.op("Softmax", net.scaled("Div", scores, np.sqrt(size)), axis=-1), v)
    y = net.reshape(net.op("Transpose", y, perm=[0, 2, 1, 3]), 1, 1, width)
    x = net.op("Add", x, net.rows(y, width, width))
    y = gelu_tanh(net, net.rows(net.layer_norm(x, width), width, 4 * width))
    net.outputs += [net.op("Add", x, net.rows(y, 4 * width, width)), k, v]
    return net


def detector():
    """Boxes and two classes at strides of 8, 16 and 32, with coarse features added to finer ones."""
    net, levels = Net(folded=True), []
    x = net.conv(net.image(1, 3, 320, 320), 16, stride=2)
    for out, stride in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (64, 2), (64, 1), (64, 2), (64, 1)):
        x = net.depthwise(net.conv(x, out, 1, act=None), stride=stride)
        levels += [x] if stride == 1 and out == 64 else []
    scales = net.constant(np.array([1, 1, 2, 2], f4))
    for i in (1, 0):
        finer = net.op("Resize", levels[i + 1], "", scales, mode="nearest", nearest_mode="floor",
                       coordinate_transformation_mode="asymmetric")
        levels[i] = net.depthwise(net.conv(net.op("Add", levels[i], finer), 64, 1, act=None))
    for values in (2, 4):
        heads = [net.depthwise(net.conv(x, 2 * values, 1, act=None), norm=False, act=None) for x in levels]
        heads = [net.reshape(net.op("Transpose", x, perm=[0, 2, 3, 1]), 1, -1, values) for x in heads]
        y = net.op("Concat", *heads, axis=1)
        net.outputs.append(net.op("Softmax", y, axis=2) if values == 2 else y)
    return net


NETWORKS = {
    "resnet8": resnet8,
    "resnet8_int8": lambda: Quantized(resnet8(folded=True)),
    "dscnn_kws": dscnn_kws,
    "dscnn_kws_int8": lambda: Quantized(dscnn_kws(folded=True)),
    "mobilenet_v1_025": mobilenet_v1,
    "mobilenet_v1_025_int8": lambda: Quantized(mobilenet_v1(folded=True)),
    "mobilenet_v2": mobilenet_v2,
    "resnet50": resnet50,
    "squeezenet": squeezenet,
    "shufflenet": shufflenet,
    "bert_mini": lambda: encoder(4, 256, 4),
    "minilm6": lambda: encoder(6, 384, 12),
    "lstm2": lstm2,
    "decoder_block": decoder_block,
    "detector": detector,
}


def write(folder, net):
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    with open(os.path.join(folder, "model.onnx"), "wb") as f:
        f.write(net.model().SerializeToString())
    for i, (name, array) in enumerate(net.inputs.items()):
        with open(os.path.join(data, "input_%d.pb" % i), "wb") as f:
            f.write(numpy_helper.from_array(array, name).SerializeToString())


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    for name, make in NETWORKS.items():
        if len(arguments) < 2 or any(part in name for part in arguments[1:]):
            write(os.path.join(arguments[0], name), make())
            print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
