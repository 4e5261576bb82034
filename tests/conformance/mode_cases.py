"""Modes and corners of operators that the ONNX backend tests leave out."""
import numpy as np
from onnx import TensorProto

from case_writer import Packed, case, data, f4, i4, i8, node, refused, rng
from quantized_cases import convolve


def scalar(value):
    return np.array(value, f4)


def statistics(source, out):
    """Nodes: the share of zeros and the mean of the others' quotient by x, of a tensor of x > 0."""
    return [node("Cast", [source], [out + "_flags"], to=9),
            node("Cast", [out + "_flags"], [out + "_ones"], to=1),
            node("ReduceMean", [out + "_ones"], [out + "_kept"], keepdims=0),
            node("Div", [source, "x"], [out + "_factor"]),
            node("ReduceMax", [out + "_factor"], [out + "_scale"], keepdims=0),
            node("ReduceMean", [out + "_factor"], [out + "_whole"], keepdims=0)]


def dropout_cases():
    x = data(64, 1, seed=3, low=0.5, high=2)
    wide = np.ones((1, 256), f4)
    spread = node("MatMul", ["column", "row"], ["x"])
    values = {"column": x, "row": wide}
    for version in (12, 13, 22):
        nodes = [spread, node("Dropout", ["x", "ratio", "train"], ["y", "mask"], seed=11),
                 node("Dropout", ["x", "ratio", "train"], ["again"], seed=11),
                 node("Dropout", ["x", "ratio", "train"], ["other"], seed=12)]
        nodes += statistics("y", "y")
        nodes += [node("Cast", ["mask"], ["stays"], to=1),
                  node("Sub", ["stays", "y_ones"], ["odd"]),
                  node("Sub", ["again", "y"], ["change"]), node("Sub", ["other", "y"], ["news"])]
        for source, out in (("odd", "mask_error"), ("change", "repeat_error")):
            nodes += [node("Abs", [source], [source + "_size"]),
                      node("ReduceMax", [source + "_size"], [out], keepdims=0)]
        nodes += [node("Cast", ["news"], ["differ"], to=9), node("Cast", ["differ"], ["new"], to=1),
                  node("ReduceMean", ["new"], ["news_share"], keepdims=0)]
        # Ratios and modes of the run: half of two masks differ in 2 r (1 - r).
        ratios = [0.25, 0.25, 0.0, 1.0, 0.5]
        train = [True, False, True, True, True]
        drop = [r if t else 0.0 for r, t in zip(ratios, train)]
        scale = [1 / (1 - d) if d < 1 else 0.0 for d in drop]
        case("Dropout_%d_training" % version, version, nodes,
             dict(values, ratio=[scalar(r) for r in ratios], train=[np.array(t) for t in train]),
             {"y_kept": [scalar(1 - d) for d in drop], "y_scale": [scalar(s) for s in scale],
              "y_whole": [scalar(1 if d < 1 else 0) for d in drop],
              "mask_error": scalar(0), "repeat_error": scalar(0),
              "news_share": [scalar(2 * d * (1 - d)) for d in drop]}, tolerance=0.02)
        y, kept = x * 0 + x, np.ones(x.shape, bool)
        case("Dropout_%d_ratio_0" % version, version,
             node("Dropout", ["x", "ratio", "train"], ["y", "mask"]), {"x": x},
             {"y": y, "mask": kept}, init={"ratio": scalar(0), "train": np.array(True)})
    case("Dropout_13_default_ratio", 13,
         [spread, node("Dropout", ["x", "", "train"], ["y"])] + statistics("y", "y"), values,
         {"y_kept": scalar(0.5), "y_scale": scalar(2), "y_whole": scalar(1)},
         init={"train": np.array(True)}, tolerance=0.03)
    case("Dropout_13_half", 13,
         [spread, node("Cast", ["x"], ["h"], to=TensorProto.FLOAT16),
          node("Dropout", ["h", "ratio", "train"], ["d"]), node("Cast", ["d"], ["y"], to=1)] +
         statistics("y", "y"), values,
         {"y_kept": scalar(0.75), "y_scale": scalar(4 / 3), "y_whole": scalar(1)},
         init={"train": np.array(True), "ratio": np.array(0.25, np.float64)}, tolerance=0.03)
    for version in (1, 6):
        nodes = [node("Dropout", ["x"], ["y", "mask"], ratio=0.25),
                 node("Cast", ["y"], ["y_flags"], to="BOOL" if version == 1 else 9),
                 node("Cast", ["y_flags"], ["y_ones"], to="FLOAT" if version == 1 else 1),
                 node("ReduceMean", ["y_ones"], ["kept"], keepdims=0),
                 node("Sub", ["mask", "y_ones"], ["odd"]), node("Abs", ["odd"], ["size"]),
                 node("ReduceMax", ["size"], ["mask_error"], keepdims=0),
                 node("Div", ["y", "x"], ["factor"]),
                 node("ReduceMax", ["factor"], ["scale"], keepdims=0)]
        big = (x @ wide).astype(f4)[:, :128]
        case("Dropout_%d_training" % version, version, nodes, {"x": big},
             {"kept": scalar(0.75), "mask_error": scalar(0), "scale": scalar(4 / 3)},
             tolerance=0.03)
    case("Dropout_13_of_constant", 13,
         [node("Dropout", ["x"], ["kept"]), node("Sum", ["kept", "z"], ["y"])], {"z": x},
         {"y": x + x}, init={"x": x})
    for version in (7, 10):
        ones = np.ones(x.shape, f4 if version == 7 else bool)
        case("Dropout_%d_mask" % version, version, node("Dropout", ["x"], ["y", "mask"], ratio=0.9),
             {"x": x}, {"y": x, "mask": ones})


def batch_normalization_cases():
    x = data(3, 2, 4, 5)
    names = ["x", "scale", "bias", "mean", "var"]

    def parameters(*shape):
        return [data(*shape, seed=k) for k in (1, 2, 3)] + [data(*shape, seed=4, low=0.5, high=2)]

    def normalised(axes, scale, bias, mean, var):
        lift = (lambda v: v[:, None, None]) if len(axes) == 3 else (lambda v: v)
        return lift(scale) * (x - lift(mean)) / np.sqrt(lift(var) + f4(1e-5)) + lift(bias)
    for version, axes in ((1, (0, 2, 3)), (6, (0, 2, 3)), (7, (0, 2, 3)), (9, (0, 2, 3)),
                          (1, (0,)), (6, (0,)), (7, (0,))):
        flat = len(axes) == 1
        scale, bias, mean, var = parameters(*((2, 4, 5) if flat else (2,)))
        attributes = {"spatial": 0} if flat else {}
        if version == 1:
            attributes["consumed_inputs"] = [0, 0, 0, 1, 1]
        suffix = "_flat" if flat else ""
        batch_mean, batch_var = x.mean(axes), x.var(axes)
        blend = lambda old, new: (f4(0.7) * old + f4(0.3) * new).astype(f4)
        case("BatchNormalization_%d_training%s" % (version, suffix), version,
             node("BatchNormalization", names, ["y", "m", "v", "sm", "sv"], momentum=0.7,
                  **attributes), dict(zip(names, (x, scale, bias, mean, var))),
             {"y": normalised(axes, scale, bias, batch_mean, batch_var).astype(f4),
              "m": blend(mean, batch_mean), "v": blend(var, batch_var), "sm": batch_mean,
              "sv": batch_var})
        if flat:
            if version < 7:
                attributes["is_test"] = 1
            case("BatchNormalization_%d_flat" % version, version,
                 node("BatchNormalization", names, ["y"], **attributes),
                 dict(zip(names, (x, scale, bias, mean, var))),
                 {"y": normalised(axes, scale, bias, mean, var).astype(f4)})


def matrix_cases():
    a = rng(1).randint(0, 255, (2, 3, 4, 5)).astype(np.uint8)
    b = rng(2).randint(-128, 127, (3, 5, 6)).astype(np.int8)
    a_zero = rng(3).randint(0, 255, (2, 3, 4, 1)).astype(np.uint8)
    b_zero = rng(4).randint(-128, 127, (3, 1, 6)).astype(np.int8)
    wide = lambda v: v.astype(i4)
    case("MatMulInteger_10_batch", 10,
         node("MatMulInteger", ["a", "b", "az", "bz"], ["y"]),
         {"a": a, "b": b, "az": a_zero, "bz": b_zero},
         {"y": (wide(a) - wide(a_zero)) @ (wide(b) - wide(b_zero))})
    shared = a_zero[:1, :, :1]
    case("MatMulInteger_10_shared", 10, node("MatMulInteger", ["a", "b", "az"], ["y"]),
         {"a": a, "b": b, "az": shared}, {"y": (wide(a) - wide(shared)) @ wide(b)})
    a_scale, b_scale = data(2, 3, 4, 1, low=0.01, high=0.02), data(3, 1, 6, low=0.01, high=0.02)
    product = ((a - a_zero.astype(f4)) * a_scale) @ ((b - b_zero.astype(f4)) * b_scale)
    y = np.clip(np.rint(product / f4(0.25)) + 100, 0, 255).astype(np.uint8)
    case("QLinearMatMul_21_batch", 21,
         node("QLinearMatMul", ["a", "as", "az", "b", "bs", "bz", "ys", "yz"], ["y"]),
         {"a": a, "as": a_scale, "az": a_zero, "b": b, "bs": b_scale, "bz": b_zero,
          "ys": scalar(0.25), "yz": np.array(100, np.uint8)}, {"y": y})
    for kind in (i4, i8, np.uint32, np.uint64):
        low = 0 if kind(0) - kind(0) == kind(0) and np.dtype(kind).kind == "u" else -9
        whole = lambda seed, *shape: rng(seed).randint(low, 9, shape).astype(kind)
        p, q, c = whole(5, 3, 4), whole(6, 4, 5), whole(7, 5)
        y = np.trunc(0.75 * (p @ q).astype(float) + 1.5 * c.astype(float)).astype(kind)
        case("Gemm_13_fraction_" + np.dtype(kind).name, 13,
             node("Gemm", ["a", "b", "c"], ["y"], alpha=0.75, beta=1.5, transB=1),
             {"a": p, "b": q.T.copy(), "c": c}, {"y": y})


def bit_cast_cases():
    codes = np.arange(-3, 18).reshape(3, 7) % 16
    types = {"int4": (22, 4), "uint4": (21, 4), "float4e2m1": (23, 4), "int2": (26, 2),
             "uint2": (25, 2)}
    for source, to in (("int4", "uint4"), ("uint4", "float4e2m1"), ("float4e2m1", "int4"),
                       ("uint4", "int4"), ("int2", "uint2"), ("uint2", "int2")):
        elem, width = types[source]
        bits = codes % (1 << width)
        case("BitCast_26_%s_%s" % (source, to), 26, node("BitCast", ["x"], ["y"], to=types[to][0]),
             {"x": Packed(elem, width, bits)}, {"y": Packed(types[to][0], width, bits)})
    x = data(3, 2)
    pair = x.view(np.complex64)[:, 0].copy()
    case("BitCast_26_complex64_int64", 26, node("BitCast", ["x"], ["y"], to=TensorProto.INT64),
         {"x": pair}, {"y": pair.view(i8)})
    case("BitCast_26_double_complex64", 26,
         node("BitCast", ["x"], ["y"], to=TensorProto.COMPLEX64),
         {"x": pair.view(np.float64)}, {"y": pair})


def narrow_resize_cases():
    """Integers of 2 and 4 bits: the mean of two, cut to its whole part."""
    for name, elem, width, signed in (("int4", 22, 4, True), ("uint4", 21, 4, False),
                                      ("int2", 26, 2, True), ("uint2", 25, 2, False)):
        bits = rng(3).randint(0, 1 << width, (1, 1, 4, 2))
        numbers = np.where(signed & (bits >= 1 << (width - 1)), bits - (1 << width), bits)
        mean = np.trunc((numbers[:, :, ::2] + numbers[:, :, 1::2]) / 2).astype(int)
        case("Resize_19_" + name, 19,
             node("Resize", ["x", "", "scales"], ["y"], mode="linear"),
             {"x": Packed(elem, width, bits)},
             {"y": Packed(elem, width, mean % (1 << width))},
             init={"scales": np.array([1, 1, 0.5, 1], f4)})
        corners = np.array([[[[-1, -1], [1, 1], [3, 3]]]], f4)
        found = np.array([bits[0, 0, 0, 0], bits[0, 0, 3, 1], 0]).reshape(1, 1, 1, 3)
        case("GridSample_22_" + name, 22, node("GridSample", ["x", "at"], ["y"], align_corners=1),
             {"x": Packed(elem, width, bits), "at": corners}, {"y": Packed(elem, width, found)})


def old_cases():
    for dtype in (np.float16, np.float64):
        short = np.dtype(dtype).name
        x = data(2, 3, 4, 4).astype(dtype)
        case("Affine_1_" + short, 1, node("Affine", ["x"], ["y"], alpha=0.5, beta=2.0), {"x": x},
             {"y": x * dtype(0.5) + dtype(2)})
        bias = np.array([1, -2, 3], dtype)[:, None, None]
        case("ImageScaler_1_" + short, 1,
             node("ImageScaler", ["x"], ["y"], scale=0.5, bias=[1.0, -2.0, 3.0]), {"x": x},
             {"y": x * dtype(0.5) + bias})
    x = data(2, 3, 4)
    number = lambda v: np.array([v], f4)
    case("Tile_1_run_time", 1, node("Tile", ["x", "tiles", "axis"], ["y"]),
         {"x": x, "tiles": number(2), "axis": [number(1), number(-2)]},
         {"y": np.tile(x, (1, 2, 1))})
    case("Tile_1_once", 1, node("Tile", ["x", "tiles", "axis"], ["y"]),
         {"x": x, "tiles": number(1), "axis": number(2)}, {"y": x})
    case("OneHot_11_float_depth", 11, node("OneHot", ["x", "depth", "values"], ["y"]),
         {"x": np.array([1, -1, 5], f4), "depth": np.array([4.5], f4),
          "values": np.array([2, 3], i4)},
         {"y": 2 + np.eye(5, 4, dtype=i4)[[1, 3, 4]]})


def experimental_cases():
    x = data(2, 3)
    case("ConstantFill_1", 1, node("ConstantFill", [], ["y"], shape=[2, 3], value=1.5), {},
         {"y": np.full((2, 3), 1.5, f4)})
    case("ConstantFill_1_like", 1,
         node("ConstantFill", ["x"], ["y"], extra_shape=[4], dtype=TensorProto.INT32, value=3.0),
         {"x": x}, {"y": np.full((2, 3, 4), 3, i4)})
    case("ConstantFill_1_contents", 1,
         node("ConstantFill", ["s"], ["y"], input_as_shape=1, extra_shape=[2]), {},
         {"y": np.zeros((3, 1, 2), f4)}, init={"s": np.array([3, 1], i8)})
    wide = data(4, 5, 2)
    for kind in (i4, i8):
        case("DynamicSlice_1_" + np.dtype(kind).name, 1,
             node("DynamicSlice", ["x", "starts", "ends", "axes"], ["y"]),
             {"x": wide, "starts": np.array([1, -9], kind), "ends": np.array([-1, 3], kind)},
             {"y": wide[:3, 1:4]}, init={"axes": np.array([1, 0], kind)})
    case("DynamicSlice_1", 1, node("DynamicSlice", ["x", "starts", "ends"], ["y"]),
         {"x": wide, "starts": np.array([1, 1, 0], i8), "ends": np.array([9, -1, 1], i8)},
         {"y": wide[1:, 1:-1, :1]})


def softmax(x):
    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)


def head_size_cases():
    """Head sizes that only the run tells: the scale depends on them."""
    q, k, v = data(2, 4, 3, 8), data(2, 2, 5, 8, seed=1), data(2, 2, 5, 6, seed=2)
    keys, values = k.repeat(2, 1), v.repeat(2, 1)
    y = softmax(q @ keys.transpose(0, 1, 3, 2) / np.sqrt(f4(8))) @ values
    case("FlexAttention_1_free", 1,
         node("FlexAttention", ["q", "k", "v"], ["y"], domain="ai.onnx.preview"),
         {"q": q, "k": k, "v": v}, {"y": y}, domain="ai.onnx.preview",
         shapes={"q": ["b", 4, "s", "d"], "k": ["b", 2, "t", "d"], "v": ["b", 2, "t", "e"],
                 "y": ["b", 4, "s", "e"]})
    q, k, v = data(1, 4, 6), data(1, 4, 6, seed=1), data(1, 4, 4, seed=2)
    y = np.zeros((1, 4, 4), f4)
    for head in range(2):
        state = np.zeros((3, 2), f4)
        for t in range(4):
            at, to = slice(3 * head, 3 * head + 3), slice(2 * head, 2 * head + 2)
            state = state + np.outer(k[0, t, at], v[0, t, to])
            y[0, t, to] = q[0, t, at] @ state / np.sqrt(f4(3))
    case("LinearAttention_27_free", 27,
         node("LinearAttention", ["q", "k", "v"], ["y"], q_num_heads=2, kv_num_heads=2,
              update_rule="linear"),
         {"q": q, "k": k, "v": v}, {"y": y},
         shapes={"q": ["b", "t", "d"], "k": ["b", "t", "d"], "v": ["b", "t", "e"],
                 "y": ["b", "t", "e"]})


def left_out_cases():
    """The first output, which nobody reads, has no name."""
    x, image, vector = data(2, 3, 4), data(1, 2, 4, 4), data(3)

    def one(op, opset, inputs, outputs, init=None, **attributes):
        case("%s_%d_left_out" % (op, opset), opset,
             node(op, list(inputs) + list(init or {}), [""] + list(outputs), **attributes),
             inputs, outputs, init=init)
    one("Dropout", 13, {"x": x, "ratio": scalar(0.5), "train": np.array(False)},
        {"mask": np.ones(x.shape, bool)})
    one("TopK", 11, {"x": x}, {"index": np.argsort(-x, -1)[..., :2]}, {"k": np.array([2], i8)})
    flat = image.reshape(2, 16).argmax(1) + np.array([0, 16])
    one("MaxPool", 12, {"x": image}, {"index": flat.reshape(1, 2, 1, 1)}, kernel_shape=[4, 4])
    one("BatchNormalization", 15, {"x": x, "a": vector, "b": vector, "c": vector, "d": abs(vector)},
        {"mean": f4(0.9) * vector + f4(0.1) * x.mean((0, 2))}, training_mode=1)
    one("LayerNormalization", 17, {"x": x, "a": data(4)}, {"mean": x.mean(-1, keepdims=True)})
    scale = np.array((x.max() - x.min()) / 255, f4)
    one("DynamicQuantizeLinear", 11, {"x": x},
        {"scale": scale, "zero": np.array(np.rint(-x.min() / scale), np.uint8)})
    one("Split", 13, {"x": x}, {"b": x[..., 2:]}, axis=2)


def given_weights_cases():
    """Convolutions whose weights only the run gives, computed by the model or not."""
    def one(name, x, w, pad, stride, group, computed=False):
        y = convolve(x.astype(np.float64), w.astype(np.float64) * (2 if computed else 1), pad, stride, group)
        nodes = [node("Add", ["w", "w"], ["v"])] if computed else []
        nodes.append(node("Conv", ["x", "v" if computed else "w"], ["y"], pads=[pad] * 4, strides=[stride] * 2,
                          group=group))
        case("Conv_11_given_weights_" + name, 11, nodes, {"x": x, "w": w}, {"y": y.astype(f4)}, tolerance=1e-4)
    one("3x3", data(2, 5, 6, 7), data(9, 5, 3, 3), 1, 1, 1)
    one("groups", data(1, 6, 6, 7), data(8, 3, 3, 3), 1, 2, 2)
    one("depthwise", data(1, 6, 6, 7), data(6, 1, 3, 3), 1, 1, 6)
    one("pointwise_computed", data(1, 20, 5, 5), data(18, 20, 1, 1), 0, 1, 1, computed=True)


def wide_kernel_cases():
    """Rounding up, a kernel that is wider than the padded input has one window, of what there is."""
    x = data(1, 2, 2, 3)
    attributes = dict(kernel_shape=[3, 5], strides=[2, 3], ceil_mode=1)
    padded = dict(attributes, pads=[0, 1, 0, 0])
    largest, mean = x.max((2, 3), keepdims=True), x.mean((2, 3), keepdims=True)
    for name, shapes in (("", {}), ("_run_time", {"x": [1, 2, "h", "w"], "y": [1, 2, "p", "q"]})):
        case("MaxPool_12_wide_kernel" + name, 12, node("MaxPool", ["x"], ["y"], **attributes), {"x": x},
             {"y": largest}, shapes=shapes)
        case("AveragePool_19_wide_kernel" + name, 19, node("AveragePool", ["x"], ["y"], **padded), {"x": x},
             {"y": mean}, shapes=shapes, tolerance=1e-6)
        case("AveragePool_19_wide_kernel_over_padding" + name, 19,
             node("AveragePool", ["x"], ["y"], count_include_pad=1, **padded), {"x": x},
             {"y": mean * 6 / 8}, shapes=shapes, tolerance=1e-6)
        case("LpPool_18_wide_kernel" + name, 18, node("LpPool", ["x"], ["y"], **attributes), {"x": x},
             {"y": np.sqrt((x * x).sum((2, 3), keepdims=True))}, shapes=shapes, tolerance=1e-5)
    indexes = x.reshape(1, 2, 6).argmax(2).reshape(1, 2, 1, 1).astype(i8) + np.array([0, 6]).reshape(1, 2, 1, 1)
    case("MaxPool_12_wide_kernel_indices", 12, node("MaxPool", ["x"], ["y", "at"], **attributes), {"x": x},
         {"y": largest, "at": indexes})
    refused("MaxPool_12_wider_than_a_stride", 12,
            node("MaxPool", ["x"], ["y"], kernel_shape=[3, 6], strides=[2, 3], ceil_mode=1), {"x": x},
            "the kernel covers 6 positions of axis 1, the padded input has 3")
    refused("MaxPool_12_storage_order", 12,
            node("MaxPool", ["x"], ["y"], kernel_shape=[1, 1], storage_order=7), {"x": x},
            "7 is neither 0 nor 1")


def make():
    for group in (dropout_cases, batch_normalization_cases, matrix_cases, bit_cast_cases,
                  narrow_resize_cases,
                  old_cases, experimental_cases, head_size_cases, left_out_cases,
                  given_weights_cases, wide_kernel_cases):
        group()
