"""Complex numbers in the operators that allow them."""
import numpy as np
from onnx import helper

from case_writer import case, data, f4, i8, info_of, node, rng


def complex_data(dtype, *shape, seed=7):
    return (data(*shape, seed=seed) + 1j * data(*shape, seed=seed + 100)).astype(dtype)


def ints(*values):
    return np.array(values, i8)


def one(op, opset, inputs, outputs, init=None, suffix="", **attributes):
    """One node. inputs, init: name -> array, in this order."""
    init = init or {}
    arrays = list(inputs.values()) + list(init.values())
    dtype = next(v.dtype for v in arrays if v.dtype.kind == "c")
    case("%s_%d%s_%s" % (op, opset, suffix, dtype.name.replace("omplex", "")), opset,
         node(op, list(inputs) + list(init), list(outputs), **attributes), inputs, outputs,
         init=init)


def movement(dtype):
    x, z = complex_data(dtype, 2, 3, 4), complex_data(dtype, 2, 3, 4, seed=8)
    index = ints(-1, 0, 1)
    rows = np.array([[[1, 0, 2, 1]], [[2, 2, -1, 0]]], i8)
    flags = rng(3).rand(2, 3, 4) < 0.5
    one("Identity", 13, {"x": x}, {"y": x})
    one("Reshape", 13, {"x": x}, {"y": x.reshape(4, 6)}, {"shape": ints(4, 6)})
    one("Flatten", 13, {"x": x}, {"y": x.reshape(2, 12)})
    one("Transpose", 13, {"x": x}, {"y": x.transpose(2, 0, 1)}, perm=[2, 0, 1])
    one("Concat", 13, {"x": x, "z": z}, {"y": np.concatenate([x, z], 1)}, axis=1)
    one("Split", 13, {"x": x}, {"a": x[..., :1], "b": x[..., 1:]}, {"parts": ints(1, 3)}, axis=2)
    one("Slice", 13, {"x": x}, {"y": x[:, ::-2, 1:3]},
        {"starts": ints(2, 1), "ends": ints(-9, 3), "axes": ints(1, 2), "steps": ints(-2, 1)})
    one("Gather", 13, {"x": x, "index": index}, {"y": x[:, index]}, axis=1)
    one("GatherElements", 13, {"x": x, "rows": rows}, {"y": np.take_along_axis(x, rows % 3, 1)},
        axis=1)
    one("GatherND", 13, {"x": x, "at": np.array([[1, 2], [0, -1]], i8)}, {"y": x[[1, 0], [2, 2]]})
    one("Expand", 13, {"x": x[:, :1]}, {"y": np.tile(x[:, :1], (1, 5, 1))},
        {"shape": ints(2, 5, 4)})
    one("Tile", 13, {"x": x}, {"y": np.tile(x, (1, 2, 3))}, {"repeats": ints(1, 2, 3)})
    for mode in ("constant", "reflect", "edge"):
        one("Pad", 13, {"x": x}, {"y": np.pad(x, ((0, 0), (1, 0), (2, 3)), mode)},
            {"pads": ints(0, 1, 2, 0, 0, 3)}, "_" + mode, mode=mode)
    one("Pad", 13, {"x": x}, {"y": np.pad(x, ((0, 0), (0, 0), (1, 2)), constant_values=2 - 3j)},
        {"pads": ints(0, 0, 1, 0, 0, 2), "value": np.array(2 - 3j, dtype)}, "_value")
    one("Where", 16, {"flags": flags, "x": x, "z": z[:1, :, :1]},
        {"y": np.where(flags, x, z[:1, :, :1])})
    one("Squeeze", 13, {"x": x[:, :1]}, {"y": x[:, 0]}, {"axes": ints(1)})
    one("Unsqueeze", 13, {"x": x}, {"y": x[:, None]}, {"axes": ints(1)})
    one("Shape", 15, {"x": x}, {"y": ints(2, 3, 4)})
    one("Size", 13, {"x": x}, {"y": np.array(24, i8)})
    one("Trilu", 14, {"x": x}, {"y": np.tril(x)}, upper=0)
    one("ReverseSequence", 10, {"x": x, "lengths": ints(2, 3)},
        {"y": np.stack([x[0][[1, 0, 2]], x[1][[2, 1, 0]]])}, batch_axis=0, time_axis=1)
    on, off = dtype(2 - 1j), dtype(1j)
    one("OneHot", 11, {"index": ints(1, 3, 0), "depth": np.array(4, i8),
                       "values": np.array([off, on])},
        {"y": np.where(np.eye(4, dtype=bool)[[1, 3, 0]], on, off)})
    one("CenterCropPad", 18, {"x": x}, {"y": np.pad(x[:, 1:2], ((0, 0), (0, 0), (1, 1)))},
        {"shape": ints(1, 6)}, axes=[1, 2])
    one("RandomUniformLike", 22, {"x": x}, {"y": np.full(x.shape, 4, f4)}, low=4.0, high=4.0,
        dtype=1)


def blocks(dtype):
    deep, flat = complex_data(dtype, 1, 8, 2, 3), complex_data(dtype, 1, 1, 4, 6)
    split = deep.reshape(1, 2, 2, 2, 2, 3).transpose(0, 3, 4, 1, 5, 2)
    one("DepthToSpace", 13, {"x": deep}, {"y": split.reshape(1, 2, 4, 6)}, blocksize=2)
    split = flat.reshape(1, 1, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4)
    one("SpaceToDepth", 13, {"x": flat}, {"y": split.reshape(1, 4, 2, 3)}, blocksize=2)


def found(dtype):
    """Operators whose results have as many elements as the data says; the model declares them."""
    x = complex_data(dtype, 2, 3, 4)
    one("Compress", 11, {"x": x, "keep": np.array([True, False, True])}, {"y": x[:, [0, 2]]},
        axis=1)
    sparse = np.where(rng(4).rand(2, 3, 4) < 0.5, x, 0)
    sparse[0, 0, 0], sparse[0, 0, 1] = 1j, 0
    one("NonZero", 13, {"x": sparse}, {"y": np.array(np.nonzero(sparse), i8)})
    few = np.array([2, 1j, 1 - 1j, 2, -1j, 1j], dtype)
    values, first, inverse, count = np.unique(few, True, True, True)
    one("Unique", 11, {"x": few}, {"y": values, "first": first, "inverse": inverse, "count": count})


def scatter(dtype):
    x, update = complex_data(dtype, 3, 4), complex_data(dtype, 2, 3, seed=9)
    index = np.array([[1, 0, 2], [1, 2, 2]], i8)
    rows = np.array([[1], [0]], i8)
    many = complex_data(dtype, 2, 4, seed=9)
    for name, opset, f in (("none", 13, None), ("add", 16, np.add), ("mul", 16, np.multiply)):
        reduction = {"reduction": name} if f else {}
        y = x.copy()
        for at in np.ndindex(2, 3):
            to = index[at], at[1]
            y[to] = f(y[to], update[at]) if f else update[at]
        one("ScatterElements", opset, {"x": x, "index": index, "update": update}, {"y": y},
            suffix="_" + name, **reduction)
        y = x.copy()
        y[[1, 0]] = f(y[[1, 0]], many) if f else many
        one("ScatterND", opset, {"x": x, "rows": rows, "many": many}, {"y": y}, suffix="_" + name,
            **reduction)
    past, step = complex_data(dtype, 2, 5, 3), complex_data(dtype, 2, 2, 3, seed=9)
    y = past.copy()
    y[0, 1:3], y[1, 3:5] = step[0], step[1]
    one("TensorScatter", 24, {"past": past, "step": step, "at": ints(1, 3)}, {"y": y}, axis=1)


def interpolation(dtype):
    """Of the real and imaginary parts apart."""
    x = complex_data(dtype, 1, 2, 3, 4)
    one("Resize", 13, {"x": x}, {"y": x.repeat(2, 2).repeat(3, 3)},
        {"roi": np.array([], f4), "scales": np.array([1, 1, 2, 3], f4)}, mode="nearest",
        coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    at = np.arange(6) / 2.0
    low = np.minimum(np.floor(at).astype(int), 2)
    part = (at - low)[:, None]
    y = x[:, :, low] * (1 - part) + x[:, :, np.minimum(low + 1, 2)] * part
    one("Resize", 13, {"x": x}, {"y": y.astype(dtype)},
        {"roi": np.array([], f4), "scales": np.array([1, 1, 2, 1], f4)}, "_linear", mode="linear",
        coordinate_transformation_mode="asymmetric")
    half = lambda v, axis: (v.take(range(0, 4, 2), axis) + v.take(range(1, 4, 2), axis)) / 2
    square = complex_data(dtype, 1, 1, 4, 4)
    one("Resize", 13, {"x": square}, {"y": half(half(square, 2), 3).astype(dtype)},
        {"roi": np.array([], f4), "scales": np.array([1, 1, 0.5, 0.5], f4)}, "_two_axes",
        mode="linear")
    grid = np.array([[[[-1, -1], [0, 0]], [[1 / 3, 1], [1, -0.5]]]], f4)
    columns, lines = (grid[0, ..., 0] + 1) / 2 * 3, (grid[0, ..., 1] + 1) / 2 * 2
    y = np.zeros((1, 2, 2, 2), dtype)
    for i, j in np.ndindex(2, 2):
        c, r = int(columns[i, j] + 1e-6), int(lines[i, j])
        u, v = columns[i, j] - c, lines[i, j] - r
        for dr, dc in np.ndindex(2, 2):
            weight = (v if dr else 1 - v) * (u if dc else 1 - u)
            y[0, :, i, j] += dtype(weight) * x[0, :, min(r + dr, 2), min(c + dc, 3)]
    one("GridSample", 20, {"x": x, "grid": grid}, {"y": y}, align_corners=1, mode="linear")
    windows = complex_data(dtype, 1, 4, 4)  # blocks of 2 x 2 over 3 x 3, one channel
    image = np.zeros((1, 1, 3, 3), dtype)
    for tap, (r, c) in enumerate(np.ndindex(2, 2)):
        image[0, 0, r:r + 2, c:c + 2] += windows[0, tap].reshape(2, 2)
    one("Col2Im", 18, {"x": windows}, {"y": image}, {"image": ints(3, 3), "block": ints(2, 2)})


def control_flow(dtype):
    x, z = complex_data(dtype, 3), complex_data(dtype, 3, seed=8)
    short = "c64" if dtype is np.complex64 else "c128"
    branch = lambda name, source: helper.make_graph([node("Identity", [source], [name])], name, [],
                                                    [info_of(x, name)])
    case("If_16_" + short, 16,
         node("If", ["c"], ["y"], then_branch=branch("yes", "x"), else_branch=branch("no", "z")),
         {"c": [np.array(True), np.array(False)], "x": x, "z": z}, {"y": [x, z]})
    body = helper.make_graph(
        [node("Identity", ["go"], ["on"]), node("Gather", ["v", "turn"], ["w"]),
         node("Identity", ["v"], ["row"])], "body",
        [info_of(np.array(0, i8), "i"), info_of(np.array(True), "go"), info_of(x, "v")],
        [info_of(np.array(True), "on"), info_of(x, "w"), info_of(x, "row")])
    turned = [np.roll(x, -k) for k in range(5)]
    case("Loop_16_" + short, 16, node("Loop", ["n", "", "x"], ["last", "rows"], body=body),
         {"x": x}, {"last": turned[4], "rows": np.stack(turned[:4])},
         init={"n": np.array(4, i8), "turn": ints(1, 2, 0)})
    case("Constant_13_" + short, 13,
         [node("Constant", [], ["k"], value=helper.make_tensor(
             "k", 14 if dtype is np.complex64 else 15, [3], x.tolist())),
          node("Concat", ["x", "k", "k"], ["y"], axis=0)],
         {"x": z}, {"y": np.concatenate([z, x, x])})


def free(dtype):
    """Sizes that only the run tells."""
    x, z = complex_data(dtype, 2, 3, 4), complex_data(dtype, 2, 5, 4, seed=8)
    short = "c64" if dtype is np.complex64 else "c128"
    case("Concat_13_free_" + short, 13,
         [node("Concat", ["x", "z"], ["xz"], axis=1),
          node("Transpose", ["xz"], ["y"], perm=[1, 0, 2])],
         {"x": x, "z": z}, {"y": np.concatenate([x, z], 1).transpose(1, 0, 2)},
         shapes={"x": ["b", "m", 4], "z": ["b", "n", 4], "y": ["k", "b", 4]})


def make():
    for dtype in (np.complex64, np.complex128):
        for group in (free, movement, blocks, found, scatter, interpolation, control_flow):
            group(dtype)
