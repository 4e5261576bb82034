"""Cases of Conv over volumes."""
import itertools

import numpy as np

from case_writer import case, data, f4, node


def convolve(x, w, b, strides, pads, dilations, group):
    """Straight from the definition, in double."""
    x = np.pad(x.astype(np.float64), [(0, 0), (0, 0)] + [(pads[i], pads[i + 3]) for i in range(3)])
    kernel = w.shape[2:]
    out = [(x.shape[i + 2] - dilations[i] * (kernel[i] - 1) - 1) // strides[i] + 1 for i in range(3)]
    y = np.zeros([x.shape[0], w.shape[0]] + out)
    per_group = w.shape[0] // group
    for m, at in itertools.product(range(w.shape[0]), itertools.product(*map(range, out))):
        first = m // per_group * w.shape[1]
        window = tuple(slice(at[i] * strides[i], at[i] * strides[i] + dilations[i] * (kernel[i] - 1) + 1, dilations[i])
                       for i in range(3))
        part = x[(slice(None), slice(first, first + w.shape[1])) + window]
        y[(slice(None), m) + at] = (part * w[m].astype(np.float64)).sum(axis=(1, 2, 3, 4)) + b[m]
    return y


def volume(name, x_shape, w_shape, strides=(1, 1, 1), pads=(0,) * 6, dilations=(1, 1, 1), group=1, open_batch=False,
           followed=False):
    x, w, b = data(*x_shape, seed=1), data(*w_shape, seed=2), data(w_shape[0], seed=3)
    y = convolve(x, w, b, strides, pads, dilations, group)
    nodes = [node("Conv", ["x", "w", "b"], ["c" if followed else "y"], strides=list(strides), pads=list(pads),
                  dilations=list(dilations), group=group)]
    inputs = {"x": x}
    if followed:
        inputs["r"] = data(*y.shape, seed=4)
        nodes += [node("Add", ["c", "r"], ["a"]), node("Relu", ["a"], ["y"])]
        y = np.maximum(y + inputs["r"], 0)
    shapes = {"x": ["batch"] + list(x_shape[1:]), "y": ["batch"] + list(y.shape[1:])} if open_batch else None
    case("Conv_22_volume_" + name, 22, nodes, inputs, {"y": y.astype(f4)}, init={"w": w, "b": b}, tolerance=2e-4,
         shapes=shapes)


def make():
    volume("padded", (1, 3, 5, 6, 7), (4, 3, 3, 3, 3), pads=(1,) * 6)
    volume("strides_and_uneven_pads", (2, 2, 7, 6, 5), (3, 2, 3, 2, 2), strides=(2, 1, 2), pads=(2, 0, 1, 0, 1, 1))
    volume("dilated", (1, 2, 8, 6, 6), (2, 2, 3, 2, 2), dilations=(3, 2, 1))
    volume("groups", (1, 6, 4, 5, 5), (4, 3, 2, 3, 3), group=2, pads=(0, 1, 1, 1, 1, 1))
    volume("depthwise", (1, 4, 4, 5, 5), (4, 1, 3, 3, 3), group=4, pads=(1,) * 6)
    volume("kernel_of_one_element", (2, 5, 3, 4, 4), (6, 5, 1, 1, 1))
    volume("kernel_of_one_slice", (1, 3, 4, 5, 5), (2, 3, 1, 3, 3), strides=(2, 1, 1))
    volume("whole_depth", (1, 3, 4, 5, 5), (2, 3, 4, 1, 1))
    volume("open_batch", (3, 2, 4, 5, 5), (3, 2, 2, 3, 3), open_batch=True)
    volume("then_add_and_relu", (1, 2, 4, 5, 5), (3, 2, 2, 3, 3), followed=True)
