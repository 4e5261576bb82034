"""Convolutions whose results a Concat joins while other nodes read them as well: what is computed in
its place inside the joined tensor must be read there by everybody."""
import numpy as np

from case_writer import case, data, i8, node


def conv(x, w):
    """Of 1 x 1 kernels."""
    return np.einsum("nchw,oc->nohw", x, w[:, :, 0, 0])


def relu(x):
    return np.maximum(x, 0)


def max_pool(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max((3, 5))


def pool_node(x, y):
    return node("MaxPool", [x], [y], kernel_shape=[2, 2], strides=[2, 2])


def join(inputs, y):
    return node("Concat", inputs, [y], axis=1)


W = {name: data(o, i, 1, 1, seed=s) for s, (name, o, i) in
     enumerate((("w43", 4, 3), ("w57", 5, 7), ("w44", 4, 4), ("w48", 4, 8), ("w512", 5, 12)), 30)}


def of_weights(*names):
    return {n: W[n] for n in names}


def output_cases():
    x = data(2, 3, 4, 4)
    b = relu(conv(x, W["w43"]))
    joined = np.concatenate((b, x), 1)
    case("Concat_13_part_is_output", 13, [
        node("Conv", ["x", "w43"], ["a"]), node("Relu", ["a"], ["b"]),
        join(["b", "x"], "d"), node("Conv", ["d", "w57"], ["e"])],
        {"x": x}, {"b": b, "e": conv(joined, W["w57"])}, init=of_weights("w43", "w57"), tolerance=1e-5)
    # A dense block: every layer reads all before it.
    first = conv(x, W["w43"])
    second = relu(conv(first, W["w44"]))
    two = np.concatenate((first, second), 1)
    third = relu(conv(two, W["w48"]))
    three = np.concatenate((two, third), 1)
    case("Concat_13_dense_block", 13, [
        node("Conv", ["x", "w43"], ["first"]),
        node("Conv", ["first", "w44"], ["a"]), node("Relu", ["a"], ["second"]),
        join(["first", "second"], "two"),
        node("Conv", ["two", "w48"], ["b"]), node("Relu", ["b"], ["third"]),
        join(["two", "third"], "three"), node("Conv", ["three", "w512"], ["y"])],
        {"x": x}, {"second": second, "two": two, "y": conv(three, W["w512"])},
        init=of_weights("w43", "w44", "w48", "w512"), tolerance=1e-4)


def reader_cases():
    x = data(2, 3, 4, 4)
    a = conv(x, W["w43"])
    joined = np.concatenate((a, x), 1)
    readers = {
        "Reshape": (node("Reshape", ["a", "s"], ["z"]), a.reshape(4, 32)),
        "Flatten": (node("Flatten", ["a"], ["z"]), a.reshape(2, 64)),
        "Transpose": (node("Transpose", ["a"], ["z"], perm=[0, 2, 3, 1]), a.transpose(0, 2, 3, 1)),
        "Transpose_all": (node("Transpose", ["a"], ["z"]), a.T),
        "Unsqueeze": (node("Unsqueeze", ["a", "one"], ["z"]), a[:, None]),
        "ReduceSum": (node("ReduceSum", ["a", "one"], ["z"]), a.sum(1, keepdims=True)),
        "Softmax": (node("Softmax", ["a"], ["z"], axis=1), np.exp(a) / np.exp(a).sum(1, keepdims=True)),
        "Split": (node("Split", ["a"], ["z", "unused"], axis=1), a[:, :2]),
        "Slice": (node("Slice", ["a", "one", "four", "one"], ["z"]), a[:, 1:4]),
        "GlobalAveragePool": (node("GlobalAveragePool", ["a"], ["z"]), a.mean((2, 3), keepdims=True)),
        "MaxPool": (pool_node("a", "z"), max_pool(a)),
        "Gather": (node("Gather", ["a", "one"], ["z"], axis=1), a[:, 1:2]),
        "Add": (node("Add", ["a", "a"], ["z"]), a + a),
    }
    for name, (reader, z) in readers.items():
        case("Concat_13_part_read_by_" + name, 13, [
            node("Conv", ["x", "w43"], ["a"]), join(["a", "x"], "d"),
            node("Conv", ["d", "w57"], ["e"]), reader],
            {"x": x}, {"e": conv(joined, W["w57"]), "z": z},
            init={**of_weights("w43", "w57"), "s": np.array([4, 32], i8), "one": np.array([1], i8), "four": np.array([4], i8)},
            tolerance=1e-4)
    p = max_pool(x)
    case("Concat_13_pool_and_Flatten", 13, [
        pool_node("x", "p"), pool_node("x", "q"), join(["p", "q"], "d"), node("Flatten", ["p"], ["z"])],
        {"x": x}, {"d": np.concatenate((p, p), 1), "z": p.reshape(2, 12)})


def fused_cases():
    """One value per channel, which is a part, beside a tensor that the same convolution adds."""
    x, r, g = data(1, 3, 4, 4), data(1, 4, 4, 4, seed=5), data(1, 3, 1, 1, seed=6)
    v = conv(g, W["w43"])
    case("Concat_13_part_is_fused_scale", 13, [
        node("Conv", ["g", "w43"], ["v"]), join(["g", "v"], "d"), node("Conv", ["d", "w57"], ["e"]),
        node("Conv", ["x", "w43"], ["a"]), node("Mul", ["a", "v"], ["b"]), node("Add", ["b", "r"], ["y"])],
        {"x": x, "r": r, "g": g},
        {"e": conv(np.concatenate((g, v), 1), W["w57"]), "y": conv(x, W["w43"]) * v + r},
        init=of_weights("w43", "w57"), tolerance=1e-5)
    a = conv(x, W["w43"])
    b = relu(conv(a, W["w44"]) + a)
    case("Concat_13_part_is_fused_residual", 13, [
        node("Conv", ["x", "w43"], ["a"]), node("Conv", ["a", "w44"], ["c"]), node("Add", ["c", "a"], ["s"]),
        node("Relu", ["s"], ["b"]), join(["a", "b"], "d"), node("Conv", ["d", "w48"], ["y"])],
        {"x": x}, {"b": b, "y": conv(np.concatenate((a, b), 1), W["w48"])},
        init=of_weights("w43", "w44", "w48"), tolerance=1e-4)


def twice_cases():
    x = data(2, 3, 4, 4)
    p, a = max_pool(x), conv(x, W["w43"])
    case("Concat_13_twice_the_same_pool", 13, [pool_node("x", "p"), join(["p", "p"], "y")],
         {"x": x}, {"y": np.concatenate((p, p), 1)})
    double = np.concatenate((a, a), 1)
    case("Concat_13_twice_the_same_Conv", 13, [
        node("Conv", ["x", "w43"], ["a"]), join(["a", "a"], "d"), node("Conv", ["d", "w48"], ["y"])],
        {"x": x}, {"y": conv(double, W["w48"])}, init=of_weights("w43", "w48"), tolerance=1e-4)
    three = np.concatenate((x, a, x, a, a), 1)
    case("Concat_13_in_two_Concats", 13, [
        node("Conv", ["x", "w43"], ["a"]), join(["a", "x"], "d"), join(["x", "a", "x", "a", "a"], "f"),
        pool_node("d", "y"), pool_node("f", "z")],
        {"x": x}, {"y": max_pool(np.concatenate((a, x), 1)), "z": max_pool(three)},
        init=of_weights("w43"), tolerance=1e-5)


def make():
    output_cases()
    reader_cases()
    fused_cases()
    twice_cases()
