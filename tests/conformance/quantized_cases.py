"""Cases of quantised convolutions and products: integers summed exactly, then quantised again."""
import numpy as np
from onnx import TensorProto

from case_writer import case, data, f4, i4, node, rng

u1, s1 = np.uint8, np.int8


def integers(dtype, *shape, seed=7, low=None, high=None):
    limits = np.iinfo(dtype)
    low = limits.min if low is None else low
    high = limits.max + 1 if high is None else high
    return rng(seed).randint(low, high, shape).astype(dtype)


def scalar(value, dtype=f4):
    return np.array(value, dtype)


def distance_to_ties(real):
    return np.abs(real - np.floor(real) - 0.5).min()


def step_without_ties(real):
    """A scale by which no value is near the middle between two steps, where a float might round either way."""
    return max((f4(0.3 + 0.001 * i) for i in range(30)), key=lambda s: distance_to_ties(real / np.float64(s)))


def saturate(real, zero, dtype):
    """`real` steps, none of them near the middle between two."""
    assert distance_to_ties(real) > 1e-4
    limits = np.iinfo(dtype)
    return np.clip(np.rint(real) + zero, limits.min, limits.max).astype(dtype)


def convolve(x, w, pad, stride, group):
    """Sums of integers; x already less its zero point."""
    batch, channels, height, width = x.shape
    out_c, in_c, kh, kw = w.shape
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    oh, ow = (height + 2 * pad - kh) // stride + 1, (width + 2 * pad - kw) // stride + 1
    y = np.zeros((batch, out_c, oh, ow))
    for o in range(out_c):
        first = o // (out_c // group) * in_c
        for i in range(oh):
            for j in range(ow):
                part = x[:, first:first + in_c, i * stride:i * stride + kh, j * stride:j * stride + kw]
                y[:, o, i, j] = (part * w[o]).sum(axis=(1, 2, 3))
    return y


def conv_case(name, kind, x_zero, w, w_zero, w_scale, out, y_zero, pad=1, stride=1, group=1, residual=False,
              relu=False, open_batch=False):
    """DequantizeLinear, Conv with a bias in steps, perhaps Add and Relu, QuantizeLinear."""
    x = integers(kind, 2, w.shape[1] * group, 6, 7, seed=3)
    x_scale = f4(0.0173)
    scales = np.broadcast_to(f4(x_scale * w_scale), w.shape[:1])
    bias = integers(i4, w.shape[0], seed=5, low=-900, high=900)
    less_zero = w.astype(np.int64) - np.reshape(w_zero, (-1, 1, 1, 1))
    sums = convolve(x.astype(np.int64) - x_zero, less_zero, pad, stride, group)
    sums += bias.reshape(1, -1, 1, 1)
    real = sums * scales.astype(np.float64).reshape(1, -1, 1, 1)
    nodes = [node("DequantizeLinear", ["x", "xs", "xz"], ["xr"]),
             node("DequantizeLinear", ["w", "ws", "wz"], ["wr"], axis=0),
             node("DequantizeLinear", ["b", "bs"], ["br"], axis=0),
             node("Conv", ["xr", "wr", "br"], ["c"], pads=[pad] * 4, strides=[stride] * 2, group=group)]
    inputs, last = {"x": x}, "c"
    if residual:
        r = integers(kind, *real.shape, seed=9)
        inputs["r"] = r
        nodes += [node("DequantizeLinear", ["r", "xs", "xz"], ["rr"]), node("Add", [last, "rr"], ["a"])]
        real, last = real + (r.astype(np.int64) - x_zero) * np.float64(x_scale), "a"
    if relu:
        nodes.append(node("Relu", [last], ["p"]))
        real, last = np.maximum(real, 0), "p"
    nodes.append(node("QuantizeLinear", [last, "ys", "yz"], ["y"]))
    y_scale = step_without_ties(real)
    shapes = {k: ["batch"] + list(v.shape[1:]) for k, v in inputs.items()} if open_batch else None
    y = saturate(real / np.float64(y_scale), y_zero, out)
    if open_batch:
        shapes["y"] = ["batch"] + list(y.shape[1:])
    case("Conv_11_bytes" + name, 13, nodes, inputs, {"y": y},
         init={"xs": scalar(x_scale), "xz": scalar(x_zero, kind), "w": w, "ws": np.asarray(w_scale, f4),
               "wz": np.asarray(w_zero, w.dtype), "b": bias,
               "bs": np.ascontiguousarray(scales) if np.ndim(w_scale) else scalar(f4(x_scale * w_scale)),
               "ys": scalar(y_scale), "yz": scalar(y_zero, out)}, shapes=shapes)


def convolutions():
    per_channel = np.linspace(0.011, 0.029, 10).astype(f4)
    w = integers(s1, 10, 5, 3, 3, seed=2)
    zeros = np.zeros(10, s1)
    conv_case("", u1, 9, w, zeros, per_channel, u1, 100)
    conv_case("_signed", s1, -7, w, zeros, per_channel, s1, 3, stride=2)
    conv_case("_relu", u1, 128, w, zeros, per_channel, u1, 0, relu=True)
    conv_case("_residual", u1, 3, w, zeros, per_channel, s1, -20, residual=True, relu=True)
    conv_case("_residual_signed", s1, 3, w, zeros, per_channel, u1, 60, residual=True, stride=2)
    conv_case("_open_batch", u1, 9, w, zeros, per_channel, u1, 100, open_batch=True, residual=True)
    conv_case("_pointwise", u1, 77, integers(s1, 20, 8, 1, 1, seed=2), scalar(0, s1), 0.02, u1, 120, pad=0)
    conv_case("_pointwise_odd", s1, 7, integers(s1, 20, 7, 1, 1, seed=2), scalar(0, s1), 0.02, u1, 120, pad=0,
              stride=2)
    conv_case("_unsigned_weights", u1, 9, integers(u1, 10, 5, 3, 3, seed=2), scalar(139, u1), 0.02, u1, 100)
    conv_case("_unsigned_weights_255", u1, 9, integers(u1, 10, 5, 3, 3, seed=2) | u1(1), scalar(0, u1), 0.004, u1,
              1)
    conv_case("_groups", u1, 9, integers(s1, 6, 3, 3, 3, seed=2), scalar(0, s1), 0.02, u1, 100, group=2)
    depthwise = integers(s1, 19, 1, 3, 3, seed=2)
    conv_case("_depthwise", u1, 9, depthwise, np.zeros(19, s1), np.linspace(0.01, 0.03, 19).astype(f4), u1, 100,
              group=19, stride=2)
    conv_case("_depthwise_signed", s1, 9, depthwise, scalar(0, s1), 0.02, s1, 0, group=19, residual=True)
    conv_case("_depthwise_wide", u1, 9, integers(u1, 6, 1, 5, 5, seed=2), scalar(120, u1), 0.02, u1, 128, pad=2,
              group=6)


def products():
    a, b = integers(u1, 3, 9, seed=1), integers(s1, 9, 21, seed=2)
    scales = np.linspace(0.01, 0.02, 21).astype(f4)
    exact = (a.astype(np.int64) - 11) @ b.astype(np.int64)
    real = exact * (f4(0.02) * scales).astype(np.float64)
    step = step_without_ties(real)
    params = {"as": scalar(0.02), "az": scalar(11, u1), "b": b, "ys": scalar(step), "yz": scalar(90, u1)}
    want = saturate(real / np.float64(step), 90, u1)
    case("MatMul_13_bytes", 13,
         [node("DequantizeLinear", ["a", "as", "az"], ["ar"]),
          node("DequantizeLinear", ["b", "bs", "bz"], ["br"], axis=1), node("MatMul", ["ar", "br"], ["c"]),
          node("QuantizeLinear", ["c", "ys", "yz"], ["y"])],
         {"a": a}, {"y": want}, init=dict(params, bs=scales, bz=np.zeros(21, s1)))
    bias = np.linspace(-3, 3, 21).astype(f4)
    real = real + bias
    case("Gemm_13_bytes", 13,
         [node("DequantizeLinear", ["a", "as", "az"], ["ar"]),
          node("DequantizeLinear", ["t", "bs", "bz"], ["br"], axis=0),
          node("Gemm", ["ar", "br", "c"], ["y"], transB=1)],
         {"a": a}, {"y": real.astype(f4)},
         init={"as": params["as"], "az": params["az"], "t": np.ascontiguousarray(b.T), "bs": scales,
               "bz": np.zeros(21, s1), "c": bias}, tolerance=1e-4)
    case("MatMulInteger_10_bytes", 13,
         [node("MatMulInteger", ["a", "b", "az", "bz"], ["s"]), node("Cast", ["s"], ["f"], to=TensorProto.FLOAT),
          node("Mul", ["f", "k"], ["y"])],
         {"a": a, "az": scalar(11, u1)},
         {"y": (((a.astype(np.int64) - 11) @ (b.astype(np.int64) - 5)) * 0.5).astype(f4)},
         init={"b": b, "bz": scalar(5, s1), "k": scalar(0.5)})


def integer_operators():
    """ConvInteger and MatMulInteger with constant weights: sums as they are, or as floats."""
    def conv(name, kind, x_zero, w, w_zero, pad=1, stride=1, group=1, known=False, real=False):
        x = integers(kind, 2, w.shape[1] * group, 6, 7, seed=3)
        sums = convolve(x.astype(np.int64) - x_zero, w.astype(np.int64) - np.reshape(w_zero, (-1, 1, 1, 1)), pad,
                        stride, group).astype(i4)
        zero, init = {"xz": scalar(x_zero, kind)}, {"w": w, "wz": w_zero}
        nodes = [node("ConvInteger", ["x", "w", "xz", "wz"], ["y"], pads=[pad] * 4, strides=[stride] * 2, group=group)]
        y = sums
        if real:
            scales = np.linspace(0.25, 2, w.shape[0]).astype(f4).reshape(-1, 1, 1)
            init["s"] = scales
            nodes = [node("ConvInteger", ["x", "w", "xz", "wz"], ["c"], pads=[pad] * 4, strides=[stride] * 2,
                          group=group), node("Cast", ["c"], ["f"], to=TensorProto.FLOAT),
                     node("Mul", ["f", "s"], ["m"]), node("Relu", ["m"], ["y"])]
            y = np.maximum(sums * scales, 0).astype(f4)
        case("ConvInteger_10_bytes" + name, 13, nodes, {"x": x, **({} if known else zero)}, {"y": y},
             init={**init, **(zero if known else {})})

    signed = integers(s1, 20, 7, 3, 3, seed=2)
    conv("", u1, 77, signed, scalar(0, s1))
    conv("_known_zero", u1, 77, signed, scalar(0, s1), known=True, stride=2)
    conv("_signed", s1, -7, signed, scalar(3, s1), real=True)
    conv("_channels", u1, 200, integers(u1, 6, 3, 3, 3, seed=2), integers(u1, 6, seed=8, low=100, high=156),
         real=True)
    conv("_groups", u1, 9, integers(s1, 6, 3, 3, 3, seed=2), scalar(0, s1), group=2, real=True)
    conv("_depthwise", u1, 250, integers(s1, 19, 1, 3, 3, seed=2), scalar(0, s1), group=19, real=True)
    conv("_depthwise_signed", s1, 3, integers(s1, 19, 1, 3, 3, seed=2), scalar(0, s1), group=19)
    conv("_pointwise", u1, 9, integers(s1, 18, 8, 1, 1, seed=2), scalar(0, s1), pad=0)
    a, b = integers(u1, 3, 9, seed=1), integers(s1, 9, 21, seed=2)
    sums = ((a.astype(np.int64) - 11) @ (b.astype(np.int64) + 5)).astype(i4)
    # Two readers, of which one wants floats.
    case("MatMulInteger_10_bytes_sums", 13,
         [node("MatMulInteger", ["a", "b", "az", "bz"], ["s"]), node("Cast", ["s"], ["f"], to=TensorProto.FLOAT)],
         {"a": a, "az": scalar(11, u1)}, {"s": sums, "f": sums.astype(f4)}, init={"b": b, "bz": scalar(-5, s1)})


def half_weights():
    """Weights of 16 bits behind a Cast, for one row, for some and for many."""
    k, n = 136, 130
    for name, kind, elem in (("float16", np.float16, TensorProto.FLOAT16), ("bfloat16", f4, TensorProto.BFLOAT16)):
        w = data(k, n, seed=3, low=-1, high=1)
        if elem == TensorProto.BFLOAT16:
            w = (w.view(np.uint32) & np.uint32(0xffff0000)).view(f4)
            init = {"w": w}
        else:
            w = w.astype(kind)
            init = {"w": w}
        inputs = {"a": data(1, k, seed=1), "b": data(5, k, seed=2), "c": data(40, k, seed=4)}
        source = "w" if elem == TensorProto.BFLOAT16 else "f"
        nodes = [] if source == "w" else [node("Cast", ["w"], ["f"], to=TensorProto.FLOAT)]
        outputs = {}
        for x, y in (("a", "p"), ("b", "q"), ("c", "r")):
            nodes += [node("MatMul", [x, source], [y + "m"]), node("Add", [y + "m", "bias"], [y + "s"]),
                      node("Relu", [y + "s"], [y])]
            outputs[y] = np.maximum(inputs[x].astype(np.float64) @ w.astype(np.float64) + 0.5, 0).astype(f4)
        init["bias"] = np.full(n, 0.5, f4)
        case("MatMul_13_weights_" + name, 13, nodes, inputs, outputs, init=init, tolerance=1e-4)


def int8_weights():
    """Weights of 8 bits times real numbers, with a scale for each column and without."""
    x, w = data(5, 136, seed=1), integers(u1, 130, 136, seed=2)
    scales, zeros = np.linspace(0.001, 0.003, 130).astype(f4), integers(u1, 130, seed=3, low=100, high=150)
    bias = data(130, seed=4)
    real = (w.astype(np.float64) - zeros.reshape(-1, 1)) * scales.astype(np.float64).reshape(-1, 1)
    case("Gemm_13_weights_uint8", 13,
         [node("DequantizeLinear", ["w", "s", "z"], ["f"], axis=0), node("Gemm", ["x", "f", "b"], ["y"], transB=1)],
         {"x": x}, {"y": (x.astype(np.float64) @ real.T + bias).astype(f4)},
         init={"w": w, "s": scales, "z": zeros, "b": bias}, tolerance=1e-4)
    case("MatMul_13_weights_uint8", 13,
         [node("DequantizeLinear", ["w", "s"], ["f"]), node("MatMul", ["x", "f"], ["y"])],
         {"x": x}, {"y": (x.astype(np.float64) @ w.T.astype(np.float64) * 0.0078125).astype(f4)},
         init={"w": np.ascontiguousarray(w.T), "s": scalar(0.0078125)}, tolerance=1e-3)


def moves():
    """Only moved, and quantised as before: the numbers themselves."""
    x = integers(u1, 2, 3, 4)
    nodes = [node("DequantizeLinear", ["x", "s", "z"], ["a"]), node("Transpose", ["a"], ["b"], perm=[0, 2, 1]),
             node("QuantizeLinear", ["b", "s", "z"], ["c"]), node("DequantizeLinear", ["c", "s", "z"], ["d"]),
             node("Flatten", ["d"], ["e"]), node("QuantizeLinear", ["e", "s", "z"], ["y"])]
    case("QuantizeLinear_13_moves", 13, nodes, {"x": x}, {"y": x.transpose(0, 2, 1).reshape(2, 12)},
         init={"s": scalar(0.013), "z": scalar(7, u1)})
    x, r = integers(u1, 1, 20, 5, 6, seed=1), integers(u1, 1, 3, 5, 6, seed=2)
    nodes = [node("DequantizeLinear", ["x", "s", "z"], ["a"]), node("DequantizeLinear", ["r", "s", "z"], ["b"]),
             node("Concat", ["a", "b"], ["c"], axis=1), node("QuantizeLinear", ["c", "s", "z"], ["q"]),
             node("DequantizeLinear", ["q", "s", "z"], ["d"]),
             node("Resize", ["d", "", "k"], ["e"], mode="nearest", coordinate_transformation_mode="asymmetric",
                  nearest_mode="floor"),
             node("AveragePool", ["e"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
             node("QuantizeLinear", ["p", "s", "z"], ["y"])]
    case("Concat_13_quantized", 13, nodes, {"x": x, "r": r}, {"y": np.concatenate([x, r], axis=1)},
         init={"s": scalar(0.25), "z": scalar(7, u1), "k": np.array([1, 1, 2, 2], f4)})
    x = integers(u1, 2, 3, 4)
    half = node("QuantizeLinear", ["m", "s", "z"], ["y"])
    nodes = [node("DequantizeLinear", ["x", "s", "z"], ["a"]), node("Mul", ["a", "k"], ["m"]), half]
    want = np.clip(np.rint((x.astype(np.int64) - 7) * 0.5) + 7, 0, 255).astype(u1)
    case("QuantizeLinear_13_ties", 13, nodes, {"x": x}, {"y": want},
         init={"s": scalar(0.25), "z": scalar(7, u1), "k": scalar(0.5)})


def sum_case():
    """A bias so large that the sum leaves 32 bits, as the real numbers behind it may."""
    x, w = np.full((1, 2, 3, 3), 255, u1), np.full((1, 2, 3, 3), 127, s1)
    bias, step = np.array([2**31 - 1000], i4), 0.5
    nodes = [node("DequantizeLinear", ["x", "s"], ["xr"]), node("DequantizeLinear", ["w", "s"], ["wr"]),
             node("DequantizeLinear", ["b", "bs"], ["br"]), node("Conv", ["xr", "wr", "br"], ["y"])]
    want = (int(bias[0]) + 18 * 255 * 127) * 0.25
    case("Conv_13_quantized_long_sum", 13, nodes, {"x": x}, {"y": np.full((1, 1, 1, 1), want, f4)},
         init={"w": w, "b": bias, "s": scalar(step), "bs": scalar(0.25)}, tolerance=1024)


def make():
    sum_case()
    convolutions()
    products()
    integer_operators()
    half_weights()
    int8_weights()
    moves()
