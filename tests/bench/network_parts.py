"""What networks.py builds with: layers with random weights, and the int8 form of a network."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from onnx import helper, numpy_helper, shape_inference

f4, i8 = np.float32, np.int64


class Net:
    """Collects nodes and weights; every method returns the name of its result. folded: batch
    normalizations are already part of the convolutions before them."""

    def __init__(self, folded=False):
        self.folded, self.rng = folded, np.random.RandomState(1)
        self.nodes, self.weights, self.inputs, self.outputs = [], {}, {}, []
        self.channels = {}

    def input(self, name, array):
        self.inputs[name] = array
        self.channels[name] = array.shape[1] if array.ndim > 1 else array.shape[0]
        return name

    def image(self, *shape):
        return self.input("image", self.rng.randn(*shape).astype(f4))

    def constant(self, array, name=None):
        name = name or "w%d" % len(self.weights)
        self.weights[name] = np.asarray(array)
        return name

    def normal(self, fan_in, *shape):
        return self.constant((self.rng.randn(*shape) * np.sqrt(2 / fan_in)).astype(f4))

    def near(self, centre, *shape):
        """Numbers that differ little from centre: scales and biases of normalizations."""
        return self.constant((centre + 0.1 * self.rng.rand(*shape)).astype(f4))

    def op(self, kind, *inputs, outputs=1, channels=None, **attributes):
        names = ["%s%d" % (kind.lower(), len(self.nodes)) + ("_%d" % i if i else "") for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=names[0], **attributes))
        for name in names:
            self.channels[name] = channels or self.channels.get(inputs[0])
        return names[0] if outputs == 1 else names

    def act(self, kind, x):
        if kind == "Relu6":
            return self.op("Clip", x, self.constant(f4(0), "zero"), self.constant(f4(6), "six"))
        return self.op(kind, x) if kind else x

    def conv(self, x, out, kernel=3, stride=1, group=1, pads=None, norm=True, act="Relu"):
        kernel = kernel if isinstance(kernel, list) else [kernel, kernel]
        before = self.channels[x] // group
        operands = [x, self.normal(before * kernel[0] * kernel[1], out, before, *kernel)]
        if self.folded or not norm:
            operands.append(self.near(0, out))
        pads = pads or [k // 2 for k in kernel] * 2
        y = self.op("Conv", *operands, channels=out, kernel_shape=kernel, strides=[stride] * 2, pads=pads,
                    group=group, dilations=[1, 1])
        if norm and not self.folded:
            y = self.op("BatchNormalization", y, *(self.near(centre, out) for centre in (1, 0, 0, 1)))
        return self.act(act, y)

    def depthwise(self, x, kernel=3, **options):
        return self.conv(x, self.channels[x], kernel, group=self.channels[x], **options)

    def classes(self, x, count, softmax=True):
        """The end of a network: the average of each channel, then a fully connected layer."""
        width = self.channels[x]
        x = self.op("Flatten", self.op("GlobalAveragePool", x), axis=1)
        x = self.op("Gemm", x, self.normal(width, count, width), self.near(0, count), transB=1)
        self.outputs.append(self.op("Softmax", x, axis=1) if softmax else x)
        return self

    def rows(self, x, width, out):
        return self.op("Add", self.near(0, out), self.op("MatMul", x, self.normal(width, width, out)))

    def layer_norm(self, x, width):
        return self.op("LayerNormalization", x, self.near(1, width), self.near(0, width), axis=-1, epsilon=1e-5)

    def scaled(self, kind, x, number):
        return self.op(kind, x, self.constant(f4(number)))

    def reshape(self, x, *shape):
        return self.op("Reshape", x, self.constant(np.array(shape, i8)))

    def model(self):
        inputs = [helper.make_tensor_value_info(n, numpy_helper.from_array(a).data_type, a.shape)
                  for n, a in self.inputs.items()]
        outputs = [helper.make_empty_tensor_value_info(n) for n in self.outputs]
        weights = [numpy_helper.from_array(a, n) for n, a in self.weights.items()]
        graph = helper.make_graph(self.nodes, "network", inputs, outputs, weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return shape_inference.infer_shapes(model)


def conv_values(x, w, b, strides, pads, group, **_):
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    x = sliding_window_view(x, w.shape[2:], axis=(2, 3))[:, :, ::strides[0], ::strides[1]]
    groups = zip(np.split(x, group, 1), np.split(w, group))
    parts = [np.einsum("nchwij,ocij->nohw", xs, ws, optimize=True) for xs, ws in groups]
    return np.concatenate(parts, 1) + b.reshape(1, -1, 1, 1)


KERNELS = {
    "Conv": conv_values,
    "Relu": lambda x: np.maximum(x, 0),
    "Clip": np.clip,
    "Add": np.add,
    "GlobalAveragePool": lambda x: x.mean((2, 3), keepdims=True),
    "Flatten": lambda x, axis: x.reshape(len(x), -1),
    "Gemm": lambda x, w, b, transB: x @ w.T + b,
    "Softmax": lambda x, axis: np.exp(x - x.max()) / np.exp(x - x.max()).sum(),
}


class Quantized(Net):
    """The form with QuantizeLinear and DequantizeLinear: activations in uint8 by the ranges that the input
    of the float network gives, weights in int8 with a scale for each channel of the result."""

    def __init__(self, net):
        super().__init__()
        self.inputs, self.old, self.outputs = net.inputs, net, net.outputs
        self.values, self.pairs, self.scales = {**net.weights, **net.inputs}, {}, {}
        self.users = {}
        for node in net.nodes:
            for name in node.input:
                self.users.setdefault(name, []).append(node.op_type)
        for name in net.inputs:
            self.pair(name)
        for node in net.nodes:
            self.add(node)

    def add(self, node):
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        result, operands = node.output[0], [self.values[name] for name in node.input]
        self.values[result] = KERNELS[node.op_type](*operands, **attributes)
        names = [self.pairs.get(name, name) for name in node.input]
        if node.op_type in ("Conv", "Gemm"):
            names[1:] = self.quantize_weights(node.input[0], *operands[1:])
        for name in names:
            if name in self.old.weights:
                self.constant(self.old.weights[name], name)
        self.nodes.append(helper.make_node(node.op_type, names, [result], name=result, **attributes))
        # An activation is part of what computes its operand: one rounding for both.
        if result not in self.outputs and not set(self.users[result]) <= {"Relu", "Clip"}:
            self.pair(result, node.input[0] if node.op_type == "Flatten" else None)

    def pair(self, name, like=None):
        low, high = (f(self.values[like or name].min(), self.values[like or name].max(), 0) for f in (min, max))
        self.scales[name] = scale = f4((high - low) / 255)
        operands = [self.constant(scale, name + ".scale"), self.constant(np.uint8(round(-low / scale)), name + ".zero")]
        self.pairs[name] = self.op("DequantizeLinear", self.op("QuantizeLinear", name, *operands), *operands)

    def quantize_weights(self, x, w, b):
        scale = (np.abs(w).reshape(len(w), -1).max(1) / 127).astype(f4)
        whole = np.round(w / scale.reshape(-1, *[1] * (w.ndim - 1))).astype(np.int8)
        sums = scale * self.scales[x]
        # The scale of a bias is the one of the sums it is added to.
        pairs = ((whole, scale), (np.round(b / sums).astype(np.int32), sums))
        return [self.op("DequantizeLinear", self.constant(a), self.constant(s), axis=0) for a, s in pairs]
