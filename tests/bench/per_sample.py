#!/usr/bin/env python3
"""Nets of audio plug-ins, called once per sample: generated code compared with RTNeural.

usage: per_sample.py ONNXC RTNEURAL [--arch native] [--nets lstm_16,...] [--work FOLDER]

RTNEURAL is a checkout of https://github.com/jatinchowdhury18/RTNeural; its backends need the headers
of Eigen and xsimd (Debian: libeigen3-dev, libxsimd-dev). The states of a net are inputs and outputs
of its model, in two sets of buffers that swap roles. All programs get the same weights; outputs that
differ by more than 1e-5 are an error. Printed are nanoseconds a sample, the least of many rounds in
turn.
"""
import argparse
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
BACKENDS = ["EIGEN", "XSIMD", "STL"]


class Net:
    """Collects a model, the layers of RTNeural, and the weights of both."""

    def __init__(self, name, inputs):
        self.name, self.inputs, self.rng = name, inputs, np.random.default_rng(1)
        self.nodes, self.constants, self.arrays, self.layers = [], [], [], []
        self.settings, self.ports, self.states = [], [], []

    def random(self, *shape, fan):
        return self.rng.uniform(-1, 1, shape).astype(np.float32) / np.float32(fan**0.5)

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def node(self, op, inputs, outputs=1, **attributes):
        results = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, results, **attributes))
        return results if outputs > 1 else results[0]

    def reshape(self, x, shape):
        return self.node("Reshape", [x, self.constant(np.array(shape, np.int64))])

    def state(self, shape):
        self.states.append([f"state{len(self.states)}", shape, None])
        return self.states[-1][0]

    def layer(self, kind, arguments, *setters):
        """A layer of RTNeural; setters: (method, array), nested vectors for matrices."""
        at = len(self.layers)
        self.layers.append(f"RTNEURAL_NAMESPACE::{kind}<float, {arguments}>")
        for method, value in setters:
            rank = value.ndim
            self.arrays.append(value)
            shape = ", ".join(map(str, value.shape))
            data = ".data()" if kind == "DenseT" and rank == 1 else ""
            self.settings.append(f"model.get<{at}>().{method}(nested{rank}(at, {{{{{shape}}}}}){data});")

    # The layers.

    def activation(self, x, kind, size):
        self.layer({"Relu": "ReLuActivationT", "Tanh": "TanhActivationT"}[kind], size)
        return self.node(kind, [x])

    def dense(self, x, inputs, outputs):
        w, b = self.random(outputs, inputs, fan=inputs), self.random(outputs, fan=inputs)
        self.layer("DenseT", f"{inputs}, {outputs}", ("setWeights", w), ("setBias", b))
        return self.node("Gemm", [x, self.constant(w), self.constant(b)], transB=1)

    def lstm(self, x, inputs, hidden):
        w, r = (self.random(4, hidden, n, fan=hidden) for n in (inputs, hidden))
        b = self.random(4, hidden, fan=hidden)
        keras = [0, 2, 3, 1]  # i, f, c, o from i, o, f, c
        columns = lambda m: np.ascontiguousarray(m[keras].reshape(4 * hidden, -1).T)
        self.layer("LSTMLayerT", f"{inputs}, {hidden}", ("setWVals", columns(w)),
                   ("setUVals", columns(r)), ("setBVals", b[keras].reshape(-1)))
        bias = np.concatenate([b.reshape(1, -1), np.zeros((1, 4 * hidden), np.float32)], 1)
        states = [self.state([1, 1, hidden]) for _ in range(2)]
        y, h, c = self.node(
            "LSTM", [x, self.constant(w.reshape(1, 4 * hidden, inputs)),
                     self.constant(r.reshape(1, 4 * hidden, hidden)), self.constant(bias), "",
                     *states], 3, hidden_size=hidden)
        self.states[-2][2], self.states[-1][2] = h, c
        return self.reshape(y, [1, hidden])

    def gru(self, x, inputs, hidden):
        w, r = (self.random(3, hidden, n, fan=hidden) for n in (inputs, hidden))
        b = self.random(2, 3 * hidden, fan=hidden)
        columns = lambda m: np.ascontiguousarray(m.reshape(3 * hidden, -1).T)
        self.layer("GRULayerT", f"{inputs}, {hidden}", ("setWVals", columns(w)),
                   ("setUVals", columns(r)), ("setBVals", b))
        y, h = self.node(
            "GRU", [x, self.constant(w.reshape(1, 3 * hidden, inputs)),
                    self.constant(r.reshape(1, 3 * hidden, hidden)),
                    self.constant(b.reshape(1, -1)), "", self.state([1, 1, hidden])], 2,
            hidden_size=hidden, linear_before_reset=1)
        self.states[-1][2] = h
        return self.reshape(y, [1, hidden])

    def conv(self, x, inputs, outputs, kernel, dilation):
        """A causal convolution, whose state is what it reads of the past."""
        w = self.random(outputs, inputs, kernel, fan=inputs * kernel)
        b = self.random(outputs, fan=inputs * kernel)
        # RTNeural's kernels have the newest sample first.
        self.layer("Conv1DT", f"{inputs}, {outputs}, {kernel}, {dilation}",
                   ("setWeights", np.ascontiguousarray(w[:, :, ::-1])), ("setBias", b))
        past = (kernel - 1) * dilation
        seen = self.node("Concat", [self.state([1, inputs, past]), x], axis=2)
        ints = lambda n: self.constant(np.array([n], np.int64))
        self.states[-1][2] = self.node("Slice", [seen, ints(1), ints(past + 1), ints(2)])
        return self.node("Conv", [seen, self.constant(w), self.constant(b)], dilations=[dilation])

    def finish(self, folder, result):
        """Writes NAME.onnx, and NAME.hpp for the driver."""
        value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        self.nodes.append(helper.make_node("Identity", [result], ["y"]))
        outputs = [value("y", [1, 1])]
        for name, shape, new in self.states:
            self.nodes.append(helper.make_node("Identity", [new], ["new_" + name]))
            outputs.append(value("new_" + name, shape))
        graph = helper.make_graph(
            self.nodes, self.name, [value("x", self.shape)] + [value(n, s) for n, s, _ in self.states],
            outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, folder / f"{self.name}.onnx")
        weights = np.concatenate([a.reshape(-1) for a in self.arrays]).astype(np.float32)
        weights.tofile(folder / f"{self.name}.weights")
        members = lambda kind: " ".join(f"{kind}.{'new_' if kind == 'out' else ''}{n} = "
                                        f"{kind == 'out' and 'to' or 'from'}[{i}];"
                                        for i, (n, _, _) in enumerate(self.states))
        (folder / f"{self.name}.hpp").write_text(f"""\
#define NET {self.name}
#define ARENA_BYTES {self.name.upper()}_ARENA_BYTES
#define INPUTS {self.inputs}
#define STATES {len(self.states)}
#define SET_STATES(from, to) {members('in')} {members('out')}
#define LAYERS {', '.join(self.layers)}
#define SET_WEIGHTS {' '.join(self.settings)}
""")


def recurrent(name, kind, hidden):
    net = Net(name, 1)
    net.shape = [1, 1, 1]
    return net, net.dense(getattr(net, kind)("x", 1, hidden), hidden, 1)


def tcn(name, kind, channels=16, dilations=(1, 2, 4, 8)):
    net, x, inputs = Net(name, 1), "x", 1
    net.shape = [1, 1, 1]
    for dilation in dilations:
        x = net.activation(net.conv(x, inputs, channels, 3, dilation), kind, channels)
        inputs = channels
    w, b = net.random(1, channels, fan=channels), net.random(1, fan=channels)
    net.layer("DenseT", f"{channels}, 1", ("setWeights", w), ("setBias", b))
    y = net.node("Conv", [x, net.constant(w.reshape(1, channels, 1)), net.constant(b)])
    return net, net.reshape(y, [1, 1])


def mlp(name, kind):
    net, x = Net(name, 32), "x"
    net.shape = [1, 32]
    for inputs in (32, 64):
        x = net.activation(net.dense(x, inputs, 64), kind, 64)
    return net, net.dense(x, 64, 1)


NETS = {f"lstm_{n}": (recurrent, "lstm", n) for n in (8, 12, 16, 20, 24, 40)}
NETS |= {f"gru_{n}": (recurrent, "gru", n) for n in (8, 16, 24)}
NETS |= {"tcn_relu": (tcn, "Relu"), "tcn_tanh": (tcn, "Tanh")}
NETS |= {"mlp_relu": (mlp, "Relu"), "mlp_tanh": (mlp, "Tanh")}


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def build(net, work, options):
    """One program a net: every implementation a translation unit of its own."""
    flags = ["-std=c++17", "-O3", f"-march={options.arch}", "-DNDEBUG", "-I", work]
    run(options.onnxc, work / f"{net}.onnx", "-o", work / net, "--target", options.target, "--quiet")
    objects = []
    sources = [(work / f"{net}.cpp", [], "code")]
    own = ["-include", work / f"{net}.hpp"]
    sources += [(HERE / "per_sample.cpp", [*own, f"-DMODEL_HEADER=\"{net}.h\""], "main")]
    if options.backends:
        sources += [(HERE / "per_sample_rtneural.cpp",
                     [*own, f"-DRTNEURAL_USE_{b}=1", f"-DBACKEND={b}", f"-DRTNEURAL_NAMESPACE={b}_backend", "-w",
                      f"-DRTNEURAL_DEFAULT_ALIGNMENT={16 if b != 'XSIMD' else 64 if options.wide else 32}", "-I", options.rtneural,
                      "-I", options.rtneural / "modules/json", "-I/usr/include/eigen3"], b)
                    for b in BACKENDS]
    for source, extra, role in sources:
        objects.append(work / f"{net}.{role}.o")
        if role in BACKENDS and objects[-1].exists():
            continue
        run(options.cxx, *flags, *extra, "-c", source, "-o", objects[-1])
    run(options.cxx, *objects, "-o", work / f"{net}.run")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("onnxc", type=pathlib.Path)
    parser.add_argument("rtneural", type=pathlib.Path)
    parser.add_argument("--arch", default="native", help="-march of both; also the target")
    parser.add_argument("--nets", default=",".join(NETS))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("per_sample"))
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--cxx", default="g++")
    options = parser.parse_args()
    options.target, options.backends = options.arch, BACKENDS
    options.wide = "-D__AVX512F__" in "" or subprocess.run(
        [options.cxx, f"-march={options.arch}", "-dM", "-E", "-x", "c", "/dev/null"],
        capture_output=True, text=True).stdout.count("__AVX512F__") > 0
    work = options.work / options.arch
    work.mkdir(parents=True, exist_ok=True)
    print("| net | " + " | ".join(b.lower() for b in BACKENDS) + " | onnxc | ratio |", flush=True)
    print("|---" * (len(BACKENDS) + 3) + "|")
    for name in options.nets.split(","):
        make, *arguments = NETS[name]
        net, result = make(name, *arguments)
        net.finish(work, result)
        build(name, work, options)
        subprocess.run([work / f"{name}.run", work / f"{name}.weights", str(options.rounds)],
                       check=True)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
