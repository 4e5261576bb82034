"""The models of training.py: ONNX files with initial weights, small enough to train on one core."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

F32, I64 = TensorProto.FLOAT, TensorProto.INT64
OPSET = 17


class Graph:
    """Collects nodes and weights; every method returns the name of its result."""

    def __init__(self, seed=1):
        self.nodes, self.weights, self.rng = [], [], np.random.RandomState(seed)
        self.count = 0

    def weight(self, name, shape, scale=None):
        fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else shape[0]
        bound = 1 / np.sqrt(fan_in) if scale is None else scale
        return self.constant(name, self.rng.uniform(-bound, bound, shape).astype(np.float32))

    def constant(self, name, array):
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def op(self, kind, *inputs, outputs=1, **attributes):
        self.count += 1
        names = [f"{kind.lower()}{self.count}" + (f"_{i}" if i else "") for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def linear(self, name, x, width, out):
        w = self.weight(f"{name}.w", (out, width))
        b = self.weight(f"{name}.b", (out,), 1 / np.sqrt(width))
        return self.op("Gemm", x, w, b, transB=1)

    def rows(self, name, x, width, out, bias=True):
        """A linear layer over the last axis of a tensor of rank 3."""
        w = self.weight(f"{name}.w", (width, out), 1 / np.sqrt(width))
        y = self.op("MatMul", x, w)
        return self.op("Add", y, self.weight(f"{name}.b", (out,), 1 / np.sqrt(width))) if bias else y

    def conv(self, name, x, shape, bias=True, **attributes):
        bound = 1 / np.sqrt(np.prod(shape[1:]))
        operands = [x, self.weight(f"{name}.w", shape, bound)]
        if bias:
            operands.append(self.weight(f"{name}.b", shape[:1], bound))
        return self.op("Conv", *operands, **attributes)

    def save(self, path, x, y, ids=False):
        data = helper.make_tensor_value_info("x", I64 if ids else F32, x)
        result = helper.make_tensor_value_info("y", F32, y)
        self.nodes[-1].output[0] = "y"
        graph = helper.make_graph(self.nodes, "training", [data], [result], self.weights)
        opset = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.preview.training", 1)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=8)
        with open(path, "wb") as file:
            file.write(model.SerializeToString())


def mlp(path, batch, *widths):
    g, x = Graph(), "x"
    for i, (a, b) in enumerate(zip(widths, widths[1:])):
        x = g.linear(f"fc{i}", g.op("Relu", x) if i else x, a, b)
    g.save(path, (batch, widths[0]), (batch, widths[-1]))


def cnn(path, batch, size, *channels):
    g, x, before = Graph(), "x", 1
    for i, c in enumerate(channels):
        x = g.op("Relu", g.conv(f"conv{i}", x, (c, before, 3, 3), pads=[1, 1, 1, 1]))
        x, before = g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), c
    side = size // 2 ** len(channels)
    g.linear("fc", g.op("Flatten", x), before * side * side, 10)
    g.save(path, (batch, 1, size, size), (batch, 10))


def lstm(path, batch, steps, vocabulary, hidden):
    g = Graph()
    x = g.op("Gather", g.weight("embedding", (vocabulary, hidden), 1.0), "x")
    x = g.op("Transpose", x, perm=[1, 0, 2])
    scale = 1 / np.sqrt(hidden)
    operands = [g.weight("lstm.w", (1, 4 * hidden, hidden), scale),
                g.weight("lstm.r", (1, 4 * hidden, hidden), scale),
                g.weight("lstm.b", (1, 8 * hidden), scale)]
    x = g.op("LSTM", x, *operands, hidden_size=hidden)
    x = g.op("Transpose", g.op("Squeeze", x, g.constant("direction", np.array([1]))), perm=[1, 0, 2])
    g.op("Transpose", g.rows("out", x, hidden, vocabulary), perm=[0, 2, 1])
    g.save(path, (batch, steps), (batch, vocabulary, steps), ids=True)


def norm(g, name, x, width):
    scale = g.constant(f"{name}.scale", np.ones(width, np.float32))
    return g.op("LayerNormalization", x, scale, g.constant(f"{name}.bias", np.zeros(width, np.float32)))


def gelu_tanh(g, x):
    one, half = (g.constant(f"c{len(g.weights)}", np.float32(v)) for v in (1, 0.5))
    cubic, root = (g.constant(f"c{len(g.weights)}", np.float32(v)) for v in (0.044715, np.sqrt(2 / np.pi)))
    cube = g.op("Mul", g.op("Mul", x, g.op("Mul", x, x)), cubic)
    inner = g.op("Tanh", g.op("Mul", g.op("Add", x, cube), root))
    return g.op("Mul", g.op("Mul", x, half), g.op("Add", inner, one))


def attention(g, name, x, steps, width, heads):
    shape = g.constant(f"{name}.shape", np.array([0, 0, heads, width // heads]))
    parts = g.op("Split", g.rows(f"{name}.qkv", x, width, 3 * width), outputs=3, axis=2)
    q, k, v = (g.op("Reshape", part, shape) for part in parts)
    q, k, v = (g.op("Transpose", q, perm=[0, 2, 1, 3]), g.op("Transpose", k, perm=[0, 2, 3, 1]),
               g.op("Transpose", v, perm=[0, 2, 1, 3]))
    scale = g.constant(f"{name}.scale", np.float32(1 / np.sqrt(width // heads)))
    mask = np.triu(np.full((steps, steps), -np.inf, np.float32), 1)
    scores = g.op("Add", g.op("Mul", g.op("MatMul", q, k), scale), g.constant(f"{name}.mask", mask))
    y = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
    joined = g.constant(f"{name}.joined", np.array([0, 0, width]))
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), joined)
    return g.rows(f"{name}.proj", y, width, width)


def gpt(path, batch, steps, vocabulary, width, heads, blocks):
    g = Graph()
    x = g.op("Gather", g.weight("tokens", (vocabulary, width), 1.0), "x")
    x = g.op("Add", x, g.weight("positions", (steps, width), 1.0))
    for i in range(blocks):
        x = g.op("Add", x, attention(g, f"b{i}", norm(g, f"b{i}.n1", x, width), steps, width, heads))
        h = g.rows(f"b{i}.up", norm(g, f"b{i}.n2", x, width), width, 4 * width)
        x = g.op("Add", x, g.rows(f"b{i}.down", gelu_tanh(g, h), 4 * width, width))
    x = g.rows("out", norm(g, "n", x, width), width, vocabulary, bias=False)
    g.op("Transpose", x, perm=[0, 2, 1])
    g.save(path, (batch, steps), (batch, vocabulary, steps), ids=True)


def batch_norm(g, name, x, width, training):
    parts = [("scale", np.ones), ("bias", np.zeros), ("mean", np.zeros), ("var", np.ones)]
    operands = [g.constant(f"{name}.{part}", make(width).astype(np.float32)) for part, make in parts]
    if not training:
        return g.op("BatchNormalization", x, *operands)
    return g.op("BatchNormalization", x, *operands, outputs=3, training_mode=1)[0]


def ds_cnn(path, batch, channels, training):
    """Keyword spotting; with training, the normalizations use the batch and count its statistics."""
    g = Graph()
    x = g.conv("conv", "x", (channels, 1, 10, 4), pads=[5, 1, 5, 1], strides=[2, 2])
    x = g.op("Relu", batch_norm(g, "bn", x, channels, training))
    for i in range(4):
        x = g.conv(f"dw{i}", x, (channels, 1, 3, 3), pads=[1] * 4, group=channels)
        x = g.op("Relu", batch_norm(g, f"bn{i}a", x, channels, training))
        x = g.conv(f"pw{i}", x, (channels, channels, 1, 1))
        x = g.op("Relu", batch_norm(g, f"bn{i}b", x, channels, training))
    g.linear("out", g.op("Flatten", g.op("GlobalAveragePool", x)), channels, 12)
    g.save(path, (batch, 1, 49, 10), (batch, 12))
