"""Operators in versions that the ONNX backend tests leave out."""
import numpy as np
from onnx import TensorProto, helper

from case_writer import case, data, f4, i4, i8, info_of, node, refused, rng


# ---- element-wise operators of the first opsets ------------------------------------------------


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def elu(x, alpha):
    return np.where(x < 0, alpha * (np.exp(x) - 1), x)


def unary_cases():
    x = data(2, 3, 4)
    positive = data(2, 3, 4, low=0.1, high=4)
    plain = {
        "Abs": (x, np.abs), "Ceil": (x, np.ceil), "Floor": (x, np.floor),
        "Neg": (x, np.negative), "Relu": (x, lambda v: np.maximum(v, 0)),
        "Sigmoid": (x, sigmoid), "Tanh": (x, np.tanh), "Exp": (x, np.exp),
        "Log": (positive, np.log), "Sqrt": (positive, np.sqrt),
        "Reciprocal": (positive, lambda v: 1 / v),
    }
    for op, (v, f) in plain.items():
        case(op + "_1", 1, node(op, ["x"], ["y"], consumed_inputs=[0]), {"x": v},
             {"y": f(v.astype(np.float64)).astype(f4)})
    half = x.astype(np.float16)
    case("Abs_1_float16", 1, node("Abs", ["x"], ["y"]), {"x": half}, {"y": np.abs(half)})
    case("Relu_13", 13, node("Relu", ["x"], ["y"]), {"x": x}, {"y": np.maximum(x, 0)})

    def with_attributes(op, y, suffix="", **attributes):
        case(op + "_1" + suffix, 1, node(op, ["x"], ["y"], **attributes), {"x": x},
             {"y": y.astype(f4)})
    with_attributes("Elu", elu(x, 1.0), "_default")
    with_attributes("Elu", elu(x, 0.5), alpha=0.5, consumed_inputs=[0])
    with_attributes("LeakyRelu", np.where(x < 0, 0.01 * x, x), "_default")
    with_attributes("LeakyRelu", np.where(x < 0, 0.3 * x, x), alpha=0.3, consumed_inputs=[0])
    with_attributes("Selu", 1.0507 * elu(x, 1.6732), "_default")
    with_attributes("Selu", 3.0 * elu(x, 0.5), alpha=0.5, gamma=3.0, consumed_inputs=[0])
    with_attributes("HardSigmoid", np.clip(0.2 * x + 0.5, 0, 1), "_default")
    with_attributes("HardSigmoid", np.clip(0.7 * x + 0.1, 0, 1), alpha=0.7, beta=0.1,
                    consumed_inputs=[0])
    with_attributes("ThresholdedRelu", np.where(x > 1.0, x, 0), "_default")
    with_attributes("ThresholdedRelu", np.where(x > 0.5, x, 0), alpha=0.5)
    with_attributes("Affine", 2.0 * x - 0.75, alpha=2.0, beta=-0.75)
    with_attributes("Clip", np.clip(x, -1, 0.5), min=-1.0, max=0.5, consumed_inputs=[0])
    with_attributes("Clip", np.minimum(x, 0.5), "_max_only", max=0.5)
    case("Cast_1", 1, node("Cast", ["x"], ["y"], to="INT32"), {"x": x}, {"y": x.astype(i4)})
    case("Cast_1_bool", 1, node("Cast", ["x"], ["y"], to="BOOL"), {"x": np.floor(x)},
         {"y": np.floor(x) != 0})


def binary_cases():
    """Opset 1 broadcast only when told to, B aligned with A at `axis`."""
    a, b, row, mid = data(2, 3, 4), data(2, 3, 4, seed=8), data(4, seed=9), data(3, seed=9)
    arithmetic = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}
    positive = np.abs(a) + f4(0.1)
    for op, f in list(arithmetic.items()) + [("Pow", np.power)]:
        left = positive if op == "Pow" else a
        consumed = {} if op == "Pow" else {"consumed_inputs": [0, 0]}
        case(op + "_1", 1, node(op, ["a", "b"], ["y"], **consumed), {"a": left, "b": b},
             {"y": f(left, b)})
        case(op + "_1_axis", 1, node(op, ["a", "b"], ["y"], axis=1, broadcast=1),
             {"a": left, "b": mid}, {"y": f(left, mid[:, None])})
        case(op + "_1_suffix", 1, node(op, ["a", "b"], ["y"], broadcast=1),
             {"a": left, "b": row}, {"y": f(left, row)})
    near = np.where(rng(3).rand(2, 3, 4) < 0.5, a, b)
    for op, f in (("Greater", np.greater), ("Less", np.less)):
        case(op + "_1", 1, node(op, ["a", "b"], ["y"]), {"a": a, "b": near}, {"y": f(a, near)})
        case(op + "_1_axis", 1, node(op, ["a", "b"], ["y"], axis=1, broadcast=1),
             {"a": a, "b": mid}, {"y": f(a, mid[:, None])})
    p, q = rng(1).rand(2, 3, 4) < 0.5, rng(2).rand(2, 3, 4) < 0.5
    for op, f in (("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor)):
        case(op + "_1", 1, node(op, ["a", "b"], ["y"]), {"a": p, "b": q}, {"y": f(p, q)})
        case(op + "_1_axis", 1, node(op, ["a", "b"], ["y"], axis=1, broadcast=1),
             {"a": p, "b": q[0, :, 0].copy()}, {"y": f(p, q[0, :, 0][:, None])})
    whole = rng(4).randint(0, 3, (2, 3, 4)).astype(i4)
    other = rng(5).randint(0, 3, (2, 3, 4)).astype(i4)
    case("Equal_1", 1, node("Equal", ["a", "b"], ["y"]), {"a": whole, "b": other},
         {"y": whole == other})
    case("Equal_1_axis", 1, node("Equal", ["a", "b"], ["y"], axis=0, broadcast=1),
         {"a": whole, "b": other[:, 0, 0].copy()}, {"y": whole == other[:, 0, 0][:, None, None]})
    c = data(2, 3, 4, seed=10)
    for op, y in (("Sum", a + b + c), ("Mean", (a + b + c) / 3),
                  ("Max", np.maximum(np.maximum(a, b), c)),
                  ("Min", np.minimum(np.minimum(a, b), c))):
        case(op + "_1", 1, node(op, ["a", "b", "c"], ["y"], consumed_inputs=[0, 0, 0]),
             {"a": a, "b": b, "c": c}, {"y": y.astype(f4)})
        case(op + "_1_single", 1, node(op, ["a"], ["y"]), {"a": a}, {"y": a})
    slope = np.array([0.25], f4)
    case("PRelu_1_shared", 1, node("PRelu", ["x", "slope"], ["y"]), {"x": a, "slope": slope},
         {"y": np.where(a < 0, a * slope, a)})
    case("PRelu_1", 1, node("PRelu", ["x", "slope"], ["y"], consumed_inputs=[0, 0]),
         {"x": a, "slope": mid}, {"y": np.where(a < 0, a * mid[:, None], a)})


# ---- moving data -------------------------------------------------------------------------------


def tensor_cases():
    x = data(2, 3, 4)
    b = data(2, 5, 4, seed=8)
    case("Concat_1", 1, node("Concat", ["a", "b"], ["y"]), {"a": x, "b": b},
         {"y": np.concatenate([x, b], 1)})
    case("Concat_1_axis", 1, node("Concat", ["a", "b"], ["y"], axis=2), {"a": x, "b": b[:, :3]},
         {"y": np.concatenate([x, b[:, :3]], 2)})
    case("Reshape_1", 1, node("Reshape", ["x"], ["y"], shape=[0, -1], consumed_inputs=[0]),
         {"x": x}, {"y": x.reshape(2, 12)})
    case("Split_1", 1, node("Split", ["x"], ["a", "b"], axis=2, split=[1, 3]), {"x": x},
         {"a": x[:, :, :1], "b": x[:, :, 1:]})
    case("Split_1_equal", 1, node("Split", ["x"], ["a", "b"], axis=2), {"x": x},
         {"a": x[:, :, :2], "b": x[:, :, 2:]})
    case("Pad_1", 1, node("Pad", ["x"], ["y"], paddings=[0, 1, 2, 1, 0, 3], value=1.5), {"x": x},
         {"y": np.pad(x, ((0, 1), (1, 0), (2, 3)), constant_values=1.5)})
    for mode in ("reflect", "edge"):
        case("Pad_1_" + mode, 1, node("Pad", ["x"], ["y"], paddings=[0, 1, 2, 0, 2, 3], mode=mode),
             {"x": x}, {"y": np.pad(x, ((0, 0), (1, 2), (2, 3)), mode)})
    case("Tile_1", 1, node("Tile", ["x", "tiles", "axis"], ["y"]), {"x": x},
         {"y": np.tile(x, (1, 3, 1))}, init={"tiles": np.array([3], f4), "axis": np.array([1], f4)})
    image = data(2, 3, 6, 7)
    case("Crop_1", 1, node("Crop", ["x"], ["y"], border=[1, 2, 3, 0]), {"x": image},
         {"y": image[:, :, 2:6, 1:4]})
    case("Crop_1_scale", 1, node("Crop", ["x"], ["y"], border=[1, 2, 0, 0], scale=[3, 4]),
         {"x": image}, {"y": image[:, :, 2:5, 1:5]})
    case("ImageScaler_1", 1, node("ImageScaler", ["x"], ["y"], scale=0.5, bias=[1.0, -2.0, 3.0]),
         {"x": image}, {"y": image * f4(0.5) + np.array([1, -2, 3], f4)[:, None, None]})
    refused("Upsample_10", 10, node("Upsample", ["x", "scales"], ["y"]),
            {"x": image, "scales": np.array([1, 1, 2, 3], f4)}, "Upsample was removed in opset 10")

    index = np.array([[1, 0, 2, 1], [-1, 1, 0, 0]], i8)
    update = data(2, 4, seed=9)
    refused("Scatter_11", 11, node("Scatter", ["x", "index", "update"], ["y"]),
            {"x": x[0], "index": index, "update": update}, "Scatter was removed in opset 11")
    along = np.array([[3, 0], [1, -1], [0, 2]], i8)
    case("ScatterElements_13", 13, node("ScatterElements", ["x", "index", "update"], ["y"], axis=1),
         {"x": x[0], "index": along, "update": data(3, 2, seed=9)},
         {"y": scatter(x[0], along, data(3, 2, seed=9), 1)})
    rows = np.array([[1, 2], [0, 0], [1, -3]], i8)
    y = x.copy()
    values = data(3, 4, seed=9)
    for r, v in zip(rows, values):
        y[tuple(r)] = v
    case("ScatterND_13", 13, node("ScatterND", ["x", "rows", "values"], ["y"]),
         {"x": x, "rows": rows, "values": values}, {"y": y})
    small = rng(3).randint(-100, 100, (2, 3, 4)).astype(np.int8)
    case("ReduceMin_12", 12, node("ReduceMin", ["x"], ["y"], axes=[1], keepdims=0), {"x": small},
         {"y": small.min(1)})


def scatter(x, index, update, axis):
    y = x.copy()
    for at in np.ndindex(*index.shape):
        to = list(at)
        to[axis] = index[at]
        y[tuple(to)] = update[at]
    return y


# ---- neural network operators ------------------------------------------------------------------


def pool(x, kernel, strides, pads, dilations, reduce, fill):
    """reduce: windows [n, c, kh, kw] -> [n, c]."""
    padded = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])),
                    constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    out = [(padded.shape[2 + i] - reach[i]) // strides[i] + 1 for i in (0, 1)]
    y = np.empty(x.shape[:2] + tuple(out), x.dtype)
    for r, c in np.ndindex(*out):
        top, left = r * strides[0], c * strides[1]
        y[:, :, r, c] = reduce(padded[:, :, top:top + reach[0]:dilations[0],
                                      left:left + reach[1]:dilations[1]])
    return y


def lp(p):
    return lambda w: (np.abs(w).astype(np.float64)**p).sum((2, 3))**(1.0 / p)


def pool_cases():
    x = data(2, 3, 6, 7)
    for version in (1, 2, 11):
        number = float if version == 1 else int
        case("LpPool_%d" % version, version,
             node("LpPool", ["x"], ["y"], p=number(3), kernel_shape=[2, 3], strides=[2, 1],
                  pads=[1, 0, 0, 2]), {"x": x},
             {"y": pool(x, [2, 3], [2, 1], [1, 0, 0, 2], [1, 1], lp(3), 0)})
        case("LpPool_%d_default" % version, version,
             node("LpPool", ["x"], ["y"], kernel_shape=[3, 3], auto_pad="SAME_UPPER",
                  strides=[2, 2]), {"x": x},
             {"y": pool(x, [3, 3], [2, 2], [0, 1, 1, 1], [1, 1], lp(2), 0)})
    for version in (1, 2, 22):
        number = float if version == 1 else int
        for p in (1, 2, 3):
            case("GlobalLpPool_%d_p%d" % (version, p), version,
                 node("GlobalLpPool", ["x"], ["y"], p=number(p)), {"x": x},
                 {"y": lp(p)(x)[:, :, None, None].astype(f4)})
        case("GlobalLpPool_%d" % version, version, node("GlobalLpPool", ["x"], ["y"]),
             {"x": x[0:1]}, {"y": lp(2)(x[0:1])[:, :, None, None].astype(f4)})
    case("MaxPool_11", 11,
         node("MaxPool", ["x"], ["y"], kernel_shape=[2, 3], strides=[2, 2], pads=[1, 1, 0, 1],
              dilations=[2, 1]), {"x": x},
         {"y": pool(x, [2, 3], [2, 2], [1, 1, 0, 1], [2, 1], lambda w: w.max((2, 3)), -np.inf)})

    rois = np.array([[0, 0, 0, 12, 10], [1, 3, 2, 7, 9], [1, 8, 8, 13, 11], [0, 6, 5, 6, 5]], f4)
    for version in (1, 22):
        case("MaxRoiPool_%d" % version, version,
             node("MaxRoiPool", ["x", "rois"], ["y"], pooled_shape=[2, 3], spatial_scale=0.49),
             {"x": x, "rois": rois}, {"y": max_roi_pool(x, rois, 2, 3, 0.49)})
        case("MaxRoiPool_%d_whole" % version, version,
             node("MaxRoiPool", ["x", "rois"], ["y"], pooled_shape=[3, 2]),
             {"x": x, "rois": np.minimum(rois, 5)},
             {"y": max_roi_pool(x, np.minimum(rois, 5), 3, 2, 1.0)})


def max_roi_pool(x, rois, ph, pw, scale):
    """Girshick, Fast R-CNN: corners inclusive, bins rounded outwards."""
    height, width = x.shape[2:]
    y = np.zeros((len(rois), x.shape[1], ph, pw), f4)
    for r, roi in enumerate(rois):
        left, top, right, bottom = [int(np.floor(v * scale + 0.5)) for v in roi[1:]]
        h, w = max(bottom - top + 1, 1), max(right - left + 1, 1)
        for i, j in np.ndindex(ph, pw):
            y0 = np.clip(i * h // ph + top, 0, height)
            y1 = np.clip(-(-(i + 1) * h // ph) + top, 0, height)
            x0 = np.clip(j * w // pw + left, 0, width)
            x1 = np.clip(-(-(j + 1) * w // pw) + left, 0, width)
            if y1 > y0 and x1 > x0:
                y[r, :, i, j] = x[int(roi[0]), :, y0:y1, x0:x1].max((1, 2))
    return y


def normalization_cases():
    x = data(2, 3, 4, 5)
    scale, bias, mean = data(3, seed=1), data(3, seed=2), data(3, seed=3)
    var = data(3, seed=4, low=0.5, high=2)
    col = lambda v: v[:, None, None]
    names = ["x", "scale", "bias", "mean", "var"]
    y = col(scale) * (x - col(mean)) / np.sqrt(col(var) + f4(1e-3)) + col(bias)
    case("BatchNormalization_1", 1,
         node("BatchNormalization", names, ["y"], is_test=1, epsilon=1e-3,
              consumed_inputs=[0, 0, 0, 1, 1]),
         dict(zip(names, (x, scale, bias, mean, var))), {"y": y.astype(f4)})
    m, v = x.mean((2, 3), keepdims=True), x.var((2, 3), keepdims=True)
    case("InstanceNormalization_1", 1,
         node("InstanceNormalization", names[:3], ["y"], consumed_inputs=[0, 0, 0], epsilon=1e-2),
         dict(zip(names, (x, scale, bias))),
         {"y": (col(scale) * (x - m) / np.sqrt(v + f4(1e-2)) + col(bias)).astype(f4)})
    for across, axes in ((0, (0, 2, 3)), (1, (0, 1, 2, 3))):
        for variance in (0, 1):
            y = x - x.mean(axes, keepdims=True)
            y = y / np.sqrt(x.var(axes, keepdims=True)) if variance else y
            case("MeanVarianceNormalization_1_%d%d" % (across, variance), 1,
                 node("MeanVarianceNormalization", ["x"], ["y"], across_channels=across,
                      normalize_variance=variance), {"x": x}, {"y": y.astype(f4)})
    for p in (1, 2):
        norm = (np.abs(x)**p).sum(1, keepdims=True)**(1 / p)
        case("LpNormalization_1_p%d" % p, 1, node("LpNormalization", ["x"], ["y"], axis=1, p=p),
             {"x": x}, {"y": (x / norm).astype(f4)})
    for version in (1, 6):
        case("Dropout_%d" % version, version,
             node("Dropout", ["x"], ["y"], is_test=1, ratio=0.3), {"x": x}, {"y": x})
    a, b, c = data(3, 4), data(4, 5, seed=8), data(3, 5, seed=9)
    case("Gemm_1", 1, node("Gemm", ["a", "b", "c"], ["y"], alpha=0.5, beta=2.0),
         {"a": a, "b": b, "c": c}, {"y": f4(0.5) * (a @ b) + 2 * c})
    case("Gemm_1_broadcast", 1,
         node("Gemm", ["a", "b", "c"], ["y"], transA=1, transB=1, broadcast=1),
         {"a": a.T.copy(), "b": b.T.copy(), "c": c[0]}, {"y": a @ b + c[0]})
    case("FusedGemm_1", 1,
         node("FusedGemm", ["a", "b", "c"], ["y"], domain="com.microsoft", activation="LeakyRelu",
              activation_alpha=0.1, alpha=0.5),
         {"a": a, "b": b, "c": c[0]},
         {"y": (lambda v: np.where(v < 0, f4(0.1) * v, v))(f4(0.5) * (a @ b) + c[0])},
         domain="com.microsoft")


def gru(x, w, r, b, h, before_reset):
    """One direction: x [seq, batch, in], w [3h, in], r [3h, h], b [6h]; all steps' states."""
    n = r.shape[1]
    wz, wr, wh = np.split(w, 3)
    rz, rr, rh = np.split(r, 3)
    bz, br, bh, cz, cr, ch = np.split(b, 6)
    states = []
    for step in x:
        z = sigmoid(step @ wz.T + h @ rz.T + bz + cz)
        g = sigmoid(step @ wr.T + h @ rr.T + br + cr)
        if before_reset:
            t = np.tanh(step @ wh.T + g * (h @ rh.T + ch) + bh)
        else:
            t = np.tanh(step @ wh.T + (g * h) @ rh.T + ch + bh)
        h = (1 - z) * t + z * h
        states.append(h)
    return np.stack(states).astype(f4)


def recurrent_cases():
    seq, batch, size, hidden = 4, 2, 3, 5
    x = data(seq, batch, size)
    w, r = data(1, 3 * hidden, size, seed=1), data(1, 3 * hidden, hidden, seed=2)
    b, h = data(1, 6 * hidden, seed=3), data(1, batch, hidden, seed=4)
    names = ["x", "w", "r", "b", "", "h"]
    values = {"x": x, "w": w, "r": r, "b": b, "h": h}
    y = gru(x, w[0], r[0], b[0], h[0], False)
    case("GRU_1", 1, node("GRU", names, ["y", "last"], hidden_size=hidden, output_sequence=1),
         values, {"y": y[:, None], "last": y[-1][None]})
    y = gru(x[::-1], w[0], r[0], b[0], h[0], True)[::-1]
    case("GRU_3", 3,
         node("GRU", names, ["y", "last"], hidden_size=hidden, output_sequence=1,
              linear_before_reset=1, direction="reverse"), values,
         {"y": y[:, None], "last": y[0][None]})


def attention_cases():
    q, k, v = data(2, 4, 3, 8), data(2, 2, 5, 8, seed=1), data(2, 2, 5, 6, seed=2)
    keys, values = k.repeat(2, 1), v.repeat(2, 1)
    scores = q @ keys.transpose(0, 1, 3, 2) / np.sqrt(f4(8))
    soft = lambda s: np.exp(s) / np.exp(s).sum(-1, keepdims=True)
    case("Attention_25", 25, node("Attention", ["q", "k", "v"], ["y"]),
         {"q": q, "k": k, "v": v}, {"y": soft(scores) @ values})
    seen = np.arange(5)[None] <= np.arange(3)[:, None]
    case("Attention_25_causal", 25, node("Attention", ["q", "k", "v"], ["y"], is_causal=1),
         {"q": q, "k": k, "v": v}, {"y": soft(np.where(seen, scores, -np.inf)) @ values})


# ---- control flow ------------------------------------------------------------------------------


def subgraph(name, nodes, inputs, outputs):
    return helper.make_graph(nodes, name, [info_of(v, k) for k, v in inputs.items()],
                             [info_of(v, k) for k, v in outputs.items()])


def if_cases():
    x, y = data(3), data(3, seed=8)
    for version in (1, 21, 23, 24, 25):
        yes = subgraph("yes", [node("Sub", ["x", "y"], ["t"]), node("Abs", ["t"], ["a"])], {},
                       {"a": x})
        no = subgraph("no", [node("Sum", ["y", "y"], ["b"])], {}, {"b": x})
        case("If_%d" % version, version,
             [node("If", ["c"], ["r"], then_branch=yes, else_branch=no),
              node("Neg", ["r"], ["z"])],
             {"c": [np.array(True), np.array(False)], "x": x, "y": y},
             {"z": [-np.abs(x - y), -(y + y)]})


def loop_cases():
    x = data(3)
    zero = np.array(0, i8)
    flag = np.array(True)
    for version in (1, 19, 21, 23, 24):
        body = subgraph(
            "body", [node("Add", ["v", "x"], ["w"]), node("Neg", ["w"], ["row"]),
                     node("Identity", ["go"], ["on"])],
            {"i": zero, "go": flag, "v": x}, {"on": flag, "w": x, "row": x})
        case("Loop_%d" % version, version, node("Loop", ["n", "", "v0"], ["v9", "rows"], body=body),
             {"v0": x * 0, "x": x},
             {"v9": 4 * x, "rows": -np.stack([(k + 1) * x for k in range(4)])},
             init={"n": np.array(4, i8)})

        # Doubles until the bound is reached or the trips run out; with a first condition of false
        # nothing happens.
        body = subgraph(
            "body", [node("Sum", ["v", "v"], ["w"]), node("Less", ["w", "bound"], ["on"])],
            {"i": zero, "go": flag, "v": x[0]}, {"on": flag, "w": x[0]})
        n = [np.array(t, i8) for t in (10, 2, 0, 10)]
        go = [np.array(t) for t in (True, True, True, False)]
        last = [np.array(t, f4) for t in (16, 4, 1, 1)]
        case("Loop_%d_while" % version, version,
             node("Loop", ["n", "go0", "v0"], ["v9"], body=body),
             {"n": n, "go0": go, "v0": np.array(1, f4), "bound": np.array(9, f4)}, {"v9": last})


def scan_cases():
    x, z = data(4, 3), data(2, 4, seed=8)
    for version in (11, 16, 19, 21, 23, 24):
        body = subgraph("body", [node("Add", ["s", "a"], ["t"]), node("Mul", ["t", "a"], ["row"])],
                        {"s": x[0], "a": x[0]}, {"t": x[0], "row": x[0]})
        sums = np.cumsum(x, 0, dtype=f4)
        case("Scan_%d" % version, version,
             node("Scan", ["s0", "x"], ["s9", "rows"], body=body, num_scan_inputs=1),
             {"s0": x[0] * 0, "x": x}, {"s9": sums[-1], "rows": sums * x})

        # Two inputs along other axes, one of them backwards; the results from the back as well.
        body = subgraph(
            "body", [node("ReduceSum", ["b"], ["m"], keepdims=0), node("Add", ["a", "m"], ["t"]),
                     node("Add", ["s", "t"], ["u"]), node("Identity", ["u"], ["row"])],
            {"s": x[0], "a": x[0], "b": z[:, 0]}, {"u": x[0], "row": x[0]})
        terms = x[::-1] + z.sum(0)[:, None]
        sums = np.cumsum(terms, 0, dtype=f4)
        case("Scan_%d_axes" % version, version,
             node("Scan", ["s0", "x", "z"], ["s9", "rows"], body=body, num_scan_inputs=2,
                  scan_input_axes=[0, -1], scan_input_directions=[1, 0], scan_output_axes=[1],
                  scan_output_directions=[1]),
             {"s0": x[0] * 0, "x": x, "z": z}, {"s9": sums[-1], "rows": sums[::-1].T})


def scan_8_case():
    """Every entry of the batch by itself, along axis 1."""
    x, s = data(2, 4, 3), data(2, 3, seed=8)
    body = lambda: subgraph(
        "body", [node("Add", ["s", "a"], ["t"]), node("Mul", ["t", "b"], ["row"])],
        {"s": x[0, 0], "a": x[0, 0], "b": x[0, 0]}, {"t": x[0, 0], "row": x[0, 0]})
    sums = s[:, None] + np.cumsum(x, 1, dtype=f4)
    case("Scan_8", 8,
         node("Scan", ["", "s0", "x", "x"], ["last", "rows"], body=body(), num_scan_inputs=2,
              directions=[0, 1]),
         {"s0": s, "x": x}, {"last": sums[:, -1], "rows": sums * x[:, ::-1]})
    lengths = np.array([2, 4], i8)
    case("Scan_8_lengths", 8,
         node("Scan", ["n", "s0", "x", "x"], ["last"], body=body(), num_scan_inputs=2),
         {"n": lengths, "s0": s, "x": x}, {"last": sums[[0, 1], lengths - 1]})
    case("Scan_8_no_steps", 8,
         node("Scan", ["n", "s0", "x", "x"], ["last"], body=body(), num_scan_inputs=2),
         {"n": np.array([0, 1], i8), "s0": s, "x": x}, {"last": np.stack([s[0], sums[1, 0]])})


# ---- random operators --------------------------------------------------------------------------


def moments(source, out):
    """Nodes for mean and standard deviation of a float tensor."""
    return [node("ReduceMean", [source], [out + "_mean"], keepdims=0),
            node("Mul", [source, source], [out + "_square"]),
            node("ReduceMean", [out + "_square"], [out + "_power"], keepdims=0),
            node("Mul", [out + "_mean", out + "_mean"], [out + "_bias"]),
            node("Sub", [out + "_power", out + "_bias"], [out + "_var"]),
            node("Sqrt", [out + "_var"], [out + "_dev"])]


def random_cases():
    scalar = lambda v: np.array(v, f4)
    shape = [64, 32, 32]
    for version in (1, 22):
        for op, attributes, mean, dev in (
                ("RandomNormal", {"mean": 1.5, "scale": 2.0}, 1.5, 2.0),
                ("RandomUniform", {"low": -1.0, "high": 3.0}, 1.0, 4 / 12**0.5)):
            for kind in ("", "Like"):
                # The input of the Like forms gives its shape only.
                inputs = ["like"] if kind else []
                extra = dict(attributes) if kind else dict(attributes, shape=shape)
                nodes = [node("RandomUniform", [], ["like"], shape=shape)] if kind else []
                nodes += [node(op + kind, inputs, ["r"], seed=3.0, **extra)]
                nodes += [node(op + kind, inputs, ["again"], seed=3.0, **extra)]
                nodes += [node(op + kind, inputs, ["other"], seed=4.0, **extra)]
                nodes += moments("r", "r")
                nodes += [node("Sub", ["r", "again"], ["same"]), node("Abs", ["same"], ["error"]),
                          node("ReduceMax", ["error"], ["repeat"], keepdims=0)]
                # Independent numbers: the mean of their products is the product of the means.
                nodes += [node("Mul", ["r", "other"], ["pair"]),
                          node("ReduceMean", ["pair"], ["mixed"], keepdims=0),
                          node("ReduceMean", ["other"], ["other_mean"], keepdims=0),
                          node("Mul", ["r_mean", "other_mean"], ["means"]),
                          node("Sub", ["mixed", "means"], ["covariance"])]
                outputs = {"r_mean": scalar(mean), "r_dev": scalar(dev), "repeat": scalar(0),
                           "covariance": scalar(0)}
                if op == "RandomUniform":
                    nodes += [node("ReduceMin", ["r"], ["low"], keepdims=0),
                              node("ReduceMax", ["r"], ["high"], keepdims=0)]
                    outputs.update(low=scalar(-1), high=scalar(3))
                case("%s%s_%d" % (op, kind, version), version, nodes, {}, outputs, tolerance=0.05)

        # Types: half and double results from the attribute.
        nodes = [node("RandomNormal", [], ["d"], dtype=TensorProto.DOUBLE, shape=shape),
                 node("RandomUniform", [], ["h"], dtype=TensorProto.FLOAT16, shape=shape)]
        nodes += [node("ReduceMean", ["d"], ["double"], keepdims=0)]
        nodes += [node("Cast", ["h"], ["f"], to="FLOAT" if version == 1 else 1),
                  node("ReduceMean", ["f"], ["half"], keepdims=0)]
        case("RandomNormal_%d_types" % version, version, nodes, {},
             {"double": np.array(0.0), "half": scalar(0.5)}, tolerance=0.05)


def bernoulli_cases():
    scalar = lambda v: np.array(v, f4)
    for version in (15, 22):
        p = np.repeat(np.array([0, 0.3, 1], f4)[:, None], 4096, 1)
        share = {"axes": np.array([1], i8)}
        mean = (lambda s, o: node("ReduceMean", [s, "axes"], [o], keepdims=0)) if version == 22 \
            else (lambda s, o: node("ReduceMean", [s], [o], keepdims=0, axes=[1]))
        nodes = [node("Expand", ["p", "wide"], ["all"]),
                 node("Bernoulli", ["all"], ["r"], seed=5.0), mean("r", "mean"),
                 node("Bernoulli", ["all"], ["flags"], dtype=TensorProto.BOOL),
                 node("Cast", ["flags"], ["numbers"], to=1), mean("numbers", "flag_mean"),
                 node("Mul", ["r", "r"], ["square"]), node("Sub", ["square", "r"], ["residue"]),
                 node("ReduceMax", ["residue"], ["neither"], keepdims=0)]
        init = {"wide": np.array([3, 4096], i8)}
        if version == 22:
            init.update(share)
        case("Bernoulli_%d" % version, version, nodes, {"p": p[:, :1]},
             {"mean": p[:, 0], "flag_mean": p[:, 0], "neither": scalar(0)}, init=init,
             tolerance=0.03)


def multinomial_cases():
    chances = np.array([[0.2, 0.0, 0.5, 0.3], [0.1, 0.6, 0.1, 0.2]], f4)
    logs = np.log(np.maximum(chances, 1e-30)).astype(f4) + np.array([[0], [2]], f4)
    for version in (7, 22):
        for kind, name in ((TensorProto.INT32, "Multinomial_%d"),
                           (TensorProto.INT64, "Multinomial_%d_int64")):
            nodes, shares = [node("Multinomial", ["logs"], ["r"], sample_size=8192, seed=2.0,
                                  dtype=kind)], []
            for k in range(4):
                nodes += [node("Equal", ["r", "k%d" % k], ["is%d" % k]),
                          node("Cast", ["is%d" % k], ["one%d" % k], to=1)]
                axes = ["one%d" % k] + (["axes"] if version == 22 else [])
                nodes += [node("ReduceMean", axes, ["share%d" % k], keepdims=1,
                               **({} if version == 22 else {"axes": [1]}))]
                shares.append("share%d" % k)
            nodes += [node("Concat", shares, ["shares"], axis=1)]
            number = i4 if kind == TensorProto.INT32 else i8
            init = {"k%d" % k: np.array([k], number) for k in range(4)}
            if version == 22:
                init["axes"] = np.array([1], i8)
            case(name % version, version, nodes, {"logs": logs}, {"shares": chances}, init=init,
                 tolerance=0.03)


def default_cases():
    """Attributes that a model leaves out, where the default decides the result."""
    x = np.array([-3.0, -1.25, -0.5, 0.75, 2.0], f4)
    selu = 1.0507 * np.where(x < 0, 1.6732 * np.expm1(x.astype(np.float64)), x)
    case("Selu_1_constants", 1, node("Selu", ["x"], ["y"]), {"x": x}, {"y": selu.astype(f4)},
         tolerance=1e-6)
    far = np.array([-np.inf, -1.0, 2.0, np.inf], f4)
    largest = np.finfo(f4).max
    for version, low, high in ((1, -np.inf, np.inf), (6, -largest, largest)):
        case("Clip_%d_infinity" % version, version,
             [node("Clip", ["x"], ["a"], max=1.0), node("Clip", ["x"], ["b"], min=0.0)],
             {"x": far}, {"a": np.clip(far, f4(low), 1), "b": np.clip(far, 0, f4(high))})
    # Gradients so small that epsilon is half of the divisor and more.
    training = "ai.onnx.preview.training"
    weight, slope, zero = np.array([1.0, -2.0], f4), np.array([1e-6, -3e-6], f4), np.zeros(2, f4)
    inputs = {"rate": f4(0.5).reshape(()), "step": np.array(0, i8), "x": weight, "g": slope,
              "h": zero}
    square = slope * slope
    case("Adagrad_1_epsilon", 1,
         node("Adagrad", ["rate", "step", "x", "g", "h"], ["y", "s"], domain=training), inputs,
         {"y": weight - f4(0.5) * slope / (np.sqrt(square) + f4(1e-6)), "s": square},
         domain=training, tolerance=1e-6)
    mean, square = f4(0.1) * slope, f4(0.001) * slope * slope
    case("Adam_1_epsilon", 1,
         node("Adam", ["rate", "step", "x", "g", "v", "h"], ["y", "m", "s"], domain=training),
         dict(rate=inputs["rate"], step=inputs["step"], x=weight, g=slope, v=zero, h=zero),
         {"y": weight - f4(0.5) * mean / (np.sqrt(square) + f4(1e-6)), "m": mean, "s": square},
         domain=training, tolerance=1e-6)


def make():
    for group in (unary_cases, binary_cases, tensor_cases, pool_cases, normalization_cases,
                  recurrent_cases, attention_cases, if_cases, loop_cases, scan_cases, scan_8_case,
                  random_cases, bernoulli_cases, multinomial_cases, default_cases):
        group()
