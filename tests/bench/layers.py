#!/usr/bin/env python3
"""Layers of well-known nets, one at a time: generated code compared with oneDNN.

usage: layers.py ONNXC [--targets native,x86-64-v3] [--types f32,int8] [--layers resnet50,3x3,...] [--below 0.95]

Convolutions of ResNet-50 and MobileNetV2 with ReLU, as QLinearConv with scales for each channel in int8; products of
BERT-mini and MiniLM for 128 tokens, with weights and bias or of the heads, as QLinearMatMul and MatMulInteger in int8.
Needs oneDNN (Debian: libdnnl-dev), python3-onnx and python3-numpy.

A layer is timed as it is within a net, where images lie channels last: the model has a Transpose before and after the
convolution, which the compiler leaves out. oneDNN has its own layouts of images and weights, too. For targets
without AVX-512 it gets ONEDNN_MAX_CPU_ISA=AVX2. Both have one thread, and run in turn in one process; each time
is the least one, and of the implementations of oneDNN the fastest counts.

In int8 a sample of its results is compared with exact sums. Implementations that saturate or round between are no pair of
code that is exact, and stand in a column of their own.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {"f32": TensorProto.FLOAT, "uint8": TensorProto.UINT8, "int32": TensorProto.INT32}

# Channels in and out, width, kernel, stride, groups.
RESNET50 = [
    (3, 64, 224, 7, 2, 1), (64, 64, 56, 1, 1, 1), (64, 64, 56, 3, 1, 1), (64, 256, 56, 1, 1, 1),
    (256, 64, 56, 1, 1, 1), (256, 128, 56, 1, 1, 1), (128, 128, 56, 3, 2, 1), (128, 512, 28, 1, 1, 1),
    (256, 512, 56, 1, 2, 1), (512, 128, 28, 1, 1, 1), (128, 128, 28, 3, 1, 1), (512, 256, 28, 1, 1, 1),
    (256, 256, 28, 3, 2, 1), (256, 1024, 14, 1, 1, 1), (512, 1024, 28, 1, 2, 1), (1024, 256, 14, 1, 1, 1),
    (256, 256, 14, 3, 1, 1), (1024, 512, 14, 1, 1, 1), (512, 512, 14, 3, 2, 1), (512, 2048, 7, 1, 1, 1),
    (1024, 2048, 14, 1, 2, 1), (2048, 512, 7, 1, 1, 1), (512, 512, 7, 3, 1, 1)]
MOBILENET_V2 = [
    (3, 32, 224, 3, 2, 1), (32, 32, 112, 3, 1, 32), (32, 16, 112, 1, 1, 1), (16, 96, 112, 1, 1, 1),
    (96, 96, 112, 3, 2, 96), (96, 24, 56, 1, 1, 1), (24, 144, 56, 1, 1, 1), (144, 144, 56, 3, 1, 144),
    (144, 24, 56, 1, 1, 1), (144, 144, 56, 3, 2, 144), (144, 32, 28, 1, 1, 1), (32, 192, 28, 1, 1, 1),
    (192, 192, 28, 3, 1, 192), (192, 32, 28, 1, 1, 1), (192, 192, 28, 3, 2, 192), (192, 64, 14, 1, 1, 1),
    (64, 384, 14, 1, 1, 1), (384, 384, 14, 3, 1, 384), (384, 64, 14, 1, 1, 1), (384, 96, 14, 1, 1, 1),
    (96, 576, 14, 1, 1, 1), (576, 576, 14, 3, 1, 576), (576, 96, 14, 1, 1, 1), (576, 576, 14, 3, 2, 576),
    (576, 160, 7, 1, 1, 1), (160, 960, 7, 1, 1, 1), (960, 960, 7, 3, 1, 960), (960, 160, 7, 1, 1, 1),
    (960, 320, 7, 1, 1, 1), (320, 1280, 7, 1, 1, 1)]
# Batch, m, k, n, whether the right operand is constant.
BERT_MINI = [(1, 128, 256, 256, 1), (1, 128, 256, 1024, 1), (1, 128, 1024, 256, 1), (4, 128, 64, 128, 0), (4, 128, 128, 64, 0)]
MINILM = [(1, 128, 384, 384, 1), (1, 128, 384, 1536, 1), (1, 128, 1536, 384, 1), (12, 128, 32, 128, 0), (12, 128, 128, 32, 0)]
NETS = {"resnet50": RESNET50, "mobilenet_v2": MOBILENET_V2, "bert_mini": BERT_MINI, "minilm": MINILM}


class Layer:
    def __init__(self, net, type_, size):
        self.type, self.size, self.conv = type_, size, len(size) == 6
        if self.conv:
            ci, co, width, kernel, stride, group = size
            kind = "depthwise" if group > 1 else f"{kernel}x{kernel}"
            self.name = f"{net} {kind} {ci}-{co} {width}x{width}" + (f" /{stride}" if stride > 1 else "")
        else:
            self.name = f"{net} " + ("" if size[4] else f"{size[0]} heads ") + "x".join(map(str, size[1:4])) + {"f32": "", "uint8": " to bytes", "int32": " to int32"}[type_]
        self.file = f"{self.name} {type_}".replace(" ", "_").replace("/", "s")

    def model(self):
        self.rng, self.constants = np.random.default_rng(1), []
        nodes, inputs, shape = self.conv_nodes() if self.conv else self.matmul_nodes()
        value = helper.make_tensor_value_info
        graph = helper.make_graph(nodes, "layer", [value(n, t, s) for n, t, s in inputs],
                                  [value("y", TYPES[self.type], shape)], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def constant(self, value):
        self.constants.append(numpy_helper.from_array(value, f"c{len(self.constants)}"))
        return self.constants[-1].name

    def weights(self, *shape):
        if self.type == "f32":
            return self.constant(self.rng.normal(0, 0.1, shape).astype(np.float32))
        return self.constant(self.rng.integers(-127, 128, shape).astype(np.int8))

    def bias(self, columns):
        return self.constant(self.rng.integers(-99, 99, columns).astype(np.float32 if self.type == "f32" else np.int32))

    def scales(self, columns, terms):
        """Scale and zero point of x, those of w, those of y."""
        zeros, w = (self.constant(np.zeros(n, t)) for n, t in (([], np.uint8), ([columns], np.int8)))
        x, y = (self.constant(np.float32(f)) for f in (0.01, 0.75 * terms**0.5))
        columns = self.rng.uniform(0.9, 1.1, columns).astype(np.float32)
        return [x, zeros], [self.constant(columns), w], [y, zeros]

    def conv_nodes(self):
        ci, co, width, kernel, stride, group = self.size
        out = (width + kernel // 2 * 2 - kernel) // stride + 1
        w, bias = self.weights(co, ci // group, kernel, kernel), self.bias(co)
        form = dict(kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4, group=group)
        nodes = [helper.make_node("Transpose", ["x"], ["image"], perm=[0, 3, 1, 2])]
        if self.type == "f32":
            nodes += [helper.make_node("Conv", ["image", w, bias], ["sums"], **form), helper.make_node("Relu", ["sums"], ["result"])]
        else:
            xs, ws, ys = self.scales(co, ci // group * kernel**2)
            nodes.append(helper.make_node("QLinearConv", ["image", *xs, w, *ws, *ys, bias], ["result"], **form))
        nodes.append(helper.make_node("Transpose", ["result"], ["y"], perm=[0, 2, 3, 1]))
        return nodes, [("x", TYPES[self.type], [1, width, width, ci])], [1, out, out, co]

    def matmul_nodes(self):
        batch, m, k, n, constant = self.size
        lead = [batch] if batch > 1 else []
        x_type = TYPES["f32" if self.type == "f32" else "uint8"]
        inputs = [("x", x_type, [*lead, m, k])]
        if constant:
            w = self.weights(k, n)
        else:
            w = "w"
            inputs.append(("w", x_type if self.type == "f32" else TensorProto.INT8, [*lead, k, n]))
        if self.type == "int32":
            nodes = [helper.make_node("MatMulInteger", ["x", w], ["y"])]
        elif self.type == "uint8":
            xs, ws, ys = self.scales(n, k)
            if not constant:
                ws = [xs[0], self.constant(np.int8(0))]
            nodes = [helper.make_node("QLinearMatMul", ["x", *xs, w, *ws, *ys], ["y"])]
        elif constant:
            nodes = [helper.make_node("MatMul", ["x", w], ["sums"]), helper.make_node("Add", ["sums", self.bias(n)], ["y"])]
        else:
            nodes = [helper.make_node("MatMul", ["x", w], ["y"])]
        return nodes, inputs, [*lead, m, n]


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def build(options, target, layer):
    """A program for each layer, whose files are all called layer, with the same driver."""
    work = options.work / target / layer.file
    work.mkdir(parents=True, exist_ok=True)
    onnx.save(layer.model(), work / "layer.onnx")
    run(options.onnxc, work / "layer.onnx", "-o", work / "layer", "--target", target, "--weights", "incbin", "--quiet")
    run(options.cxx, "-std=c++17", "-O3", f"-march={target}", "-DNDEBUG", f"-I{work}", "-c", work / "layer.cpp", "-o", work / "layer.o")
    driver = options.work / "layers_dnnl.o"
    if not driver.exists():
        run(options.cxx, "-std=c++17", "-O1", f"-I{work}", "-c", HERE / "layers_dnnl.cpp", "-o", driver)
    run(options.cxx, f"-I{work}", driver, work / "layer.o", *work.glob("layer_weights.[cS]*"), "-ldnnl", "-o", work / "layer.run")


def measure(options, target, layer):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if target not in ("native", "x86-64-v4"):
        environment["ONEDNN_MAX_CPU_ISA"] = "AVX2"
    program = options.work / target / layer.file / "layer.run"
    output = subprocess.run([program, "conv" if layer.conv else "matmul", layer.type, str(options.seconds), *map(str, layer.size)],
                            env=environment, check=True, capture_output=True, text=True).stdout.split()
    return float(output[0]), float(output[1]), output[2], float(output[3]), output[4]


def table(options, target, type_, layers):
    ratios = []
    print(f"\n{type_}, {target}:\n")
    print("| layer | onnxc us | oneDNN us | ratio | implementation | not exact us | ratio | implementation |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for layer in layers:
        own, other, name, inexact, inexact_name = measure(options, target, layer)
        ratio = lambda time: f"{time:.4g} | {time / own:.2f}" if time > 0 else " | "
        if other > 0:
            ratios.append((other / own, layer.name))
        if other > 0 and other / own >= options.below:
            continue
        faster = f"{ratio(inexact)} | {inexact_name}" if inexact > 0 and not 0 < other <= inexact else " |  | "
        print(f"| {layer.name} | {own:.4g} | {ratio(other)} | {name} | {faster} |", flush=True)
    if ratios:
        worst, mean = min(ratios), np.exp(np.mean([np.log(r) for r, _ in ratios]))
        print(f"\nLeast ratio: {worst[0]:.2f}, {worst[1]}. Geometric mean of {len(ratios)}: {mean:.2f}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("onnxc", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--targets", default="native,x86-64-v3")
    parser.add_argument("--types", default="f32,int8")
    parser.add_argument("--layers", default="", help="parts of the names of the layers to measure")
    parser.add_argument("--below", type=float, default=1e9, help="print only layers with a smaller ratio")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each layer")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("layers"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--built", action="store_true", help="measure the programs of the last call again")
    parser.add_argument("--cxx", default="g++")
    options = parser.parse_args()
    for target in options.targets.split(","):
        for type_ in options.types.split(","):
            layers = [Layer(net, t, size) for net, sizes in NETS.items() for size in sizes
                      for t in {"f32": ["f32"], "int8": ["uint8"] if len(size) == 6 else ["uint8", "int32"]}[type_]]
            layers = [l for l in layers if any(part in f"{l.name} {l.type}" for part in options.layers.split(","))]
            if options.built:
                table(options, target, type_, layers)
                continue
            (options.work / "layers_dnnl.o").unlink(missing_ok=True)
            build(options, target, layers[0])
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                list(pool.map(lambda layer: build(options, target, layer), layers[1:]))
            table(options, target, type_, layers)


if __name__ == "__main__":
    main()
