"""Operators of ONNX Runtime's domain com.microsoft."""
import numpy as np

from build import NUMPY, Skip
from recipes.neural import conv_parts, image, window
from recipes.quantised import BYTES, limits, quantised_image, scale, zero_point
from recipes.registry import broadcast, partner_shape, recipe

MS = "com.microsoft"


@recipe(contrib=8)
def activations(g):
    op = g.rng.choice(["Gelu", "FastGelu", "QuickGelu", "BiasGelu"])
    x = g.pick("float", where=lambda v: v.rank > 0 and v.mag < 40 and v.size > 0)
    extra = []
    if op == "BiasGelu" or op == "FastGelu" and g.chance(0.5):
        extra = [g.fresh("float", x.shape[-1:])]
    g.same(op, x, -1, x.mag + 4, extra=extra, domain=MS)


@recipe(contrib=6)
def fused_matmul(g):
    x = g.pick("float", where=lambda v: v.rank >= 2 and v.size > 0 and v.mag < 1e3)
    ta, tb = g.rng.choice([0, 1]), g.rng.choice([0, 1])
    m, k = x.shape[-2:] if not ta else x.shape[:-3:-1]
    n = g.dim()
    w = g.fresh("float", x.shape[:-2] + ((n, k) if tb else (k, n)), lo=-2, hi=2)
    mag = k * x.mag * 4
    g.op("FusedMatMul", [x, w], [("float", x.shape[:-2] + (m, n), -mag, mag, None)], domain=MS, transA=ta, transB=tb,
         alpha=g.rng.choice([1.0, 0.5]))


@recipe(contrib=6)
def skip_norm(g):
    op = g.rng.choice(["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"])
    x = g.pick("float", rank=3, where=lambda v: v.size > 0 and v.shape[-1] > 1 and v.mag < 1e3)
    skip = g.pick("float", where=lambda v: v.shape == x.shape and v.mag < 1e3, fresh=x.shape)
    extra = [skip, g.fresh("float", x.shape[-1:])]
    if op == "SkipLayerNormalization":
        extra += [g.fresh("float", x.shape[-1:]), g.fresh("float", x.shape[-1:])][:g.rng.randint(1, 2)]
    g.same(op, x, -99, 99, extra=extra, domain=MS, epsilon=0.1)


@recipe(contrib=6)
def fused_conv(g):
    x = image(g, "Conv", (4,), ["float"])
    attributes, out = window(g, x)
    if attributes.get("auto_pad"):
        raise Skip("auto_pad")
    group, m = conv_parts(g, x)
    w = g.fresh("float", [m, x.shape[1] // group] + attributes["kernel_shape"], const=True, lo=-1, hi=1)
    mag = x.mag * w.size + 4
    g.same("FusedConv", x, -mag, mag, shape=(x.shape[0], m, *out), extra=[w, g.fresh("float", [m], const=True)],
           domain=MS, group=group, activation=g.rng.choice(["Relu", "Tanh", "Sigmoid"]), **attributes)


@recipe(contrib=6)
def fused_gemm(g):
    x = g.pick("float", rank=2, where=lambda v: v.size > 0 and v.mag < 1e3)
    n = g.dim()
    w = g.fresh("float", (x.shape[1], n), lo=-2, hi=2)
    mag = x.mag * x.shape[1] * 2 + 4
    g.same("FusedGemm", x, -mag, mag, shape=(x.shape[0], n), extra=[w, g.fresh("float", (n,))], domain=MS,
           activation=g.rng.choice(["Relu", "Tanh"]))


@recipe(contrib=8, quant=6)
def qlinear_binary(g):
    op = g.rng.choice(["QLinearAdd", "QLinearMul"])
    x = g.pick(BYTES, where=lambda v: v.size > 0)
    y = g.fresh(x.type, partner_shape(g, x.shape), wide=True)
    inputs = [x, scale(g), zero_point(g, x.type), y, scale(g), zero_point(g, x.type), scale(g), zero_point(g, x.type)]
    g.op(op, inputs, [(x.type, broadcast(x.shape, y.shape), *limits(x.type), 0)], domain=MS)


@recipe(contrib=6, quant=3)
def qlinear_unary(g):
    op = g.rng.choice(["QLinearLeakyRelu", "QLinearGlobalAveragePool", "QLinearConcat", "QLinearAveragePool"])
    x = quantised_image(g)
    if op == "QLinearLeakyRelu":
        return g.same(op, x, *limits(x.type), 0, domain=MS, alpha=0.25,
                      extra=[scale(g), zero_point(g, x.type), scale(g), zero_point(g, x.type)])
    if op == "QLinearConcat":
        y = g.pick(x.type, where=lambda v: v.shape == x.shape, fresh=x.shape, wide=True)
        inputs = [scale(g), zero_point(g, x.type), x, scale(g), zero_point(g, x.type), y, scale(g), zero_point(g, x.type)]
        return g.op(op, inputs, [(x.type, x.shape[:1] + (2 * x.shape[1],) + x.shape[2:], *limits(x.type), 0)], domain=MS,
                    axis=1)
    # A mean of 2, 4 or 8 elements is exact.
    x = g.fresh(x.type, (1, 3, 4, 4), wide=True)
    extra = [scale(g), zero_point(g, x.type), scale(g), zero_point(g, x.type)]
    if op == "QLinearGlobalAveragePool":
        return g.same(op, x, *limits(x.type), 0, shape=(1, 3, 1, 1), extra=extra, domain=MS)
    return g.same(op, x, *limits(x.type), 0, shape=(1, 3, 2, 2), extra=extra, domain=MS, kernel_shape=[2, 2],
                  strides=[2, 2])


@recipe(contrib=4, quant=3)
def integer_to_float(g):
    op = g.rng.choice(["MatMulIntegerToFloat", "DynamicQuantizeMatMul"])
    if op == "DynamicQuantizeMatMul":
        x = g.fresh("float", g.shape(least=2, most=3), exact=False)
    else:
        x = g.pick(BYTES, where=lambda v: v.rank >= 2 and v.size > 0, fresh=g.shape(least=2, most=3), wide=True)
    n, k = g.dim(), x.shape[-1]
    if not n or not k:
        raise Skip("empty")
    w = g.fresh("int8", (k, n), const=True, lo=-9, hi=9)
    scales = [scale(g)] if op[0] == "D" else [scale(g), scale(g, shape=g.rng.choice([(), (n,)]))]
    points = [] if op[0] == "D" else [zero_point(g, x.type), zero_point(g, "int8")]
    g.op(op, [x, w, *scales, *points], [("float", x.shape[:-1] + (n,), -1e5, 1e5, None)], domain=MS)
    g.root.loose = g.root.loose or op[0] == "D"


@recipe(contrib=3)
def expand_dims(g):
    x = g.pick(("float", "int64"), where=lambda v: v.rank < 5)
    axis = g.rng.randint(0, x.rank)
    g.same("ExpandDims", x, frac=x.frac, shape=x.shape[:axis] + (1,) + x.shape[axis:], domain=MS,
           extra=[g.const(np.asarray(axis, np.int32), hidden=True)])


@recipe(contrib=3)
def inverse(g):
    n = g.rng.choice([2, 3])
    array = (g.np_rng().uniform(-1, 1, (2, n, n)) + 4 * np.eye(n)).astype(np.float32)
    g.same("Inverse", g.input(array, "float", -6, 6, None), -2, 2, domain=MS)


@recipe(contrib=5)
def multi_head(g):
    b, s, h, d = 1, g.rng.choice([2, 5]), g.rng.choice([1, 2]), 4
    q, k, v = (g.fresh("float", (b, s, h * d), lo=-2, hi=2) for _ in range(3))
    bias = g.fresh("float", (3 * h * d,), const=True) if g.chance(0.5) else None
    g.op("MultiHeadAttention", [q, k, v, bias], [("float", (b, s, h * d), -9, 9, None)], domain=MS, num_heads=h)


@recipe(contrib=4)
def block_weights(g):
    k, n, block = g.rng.choice([16, 32, 48]), g.rng.choice([1, 3, 8]), 16
    x = g.fresh("float", (g.rng.choice([1, 2, 5]), k))
    blocks = -(-k // block)
    b = g.const(g.np_rng().randint(0, 256, (n, blocks, block // 2)).astype(np.uint8), hidden=True)
    s = g.const((2.0 ** -g.np_rng().randint(1, 4, (n * blocks,))).astype(np.float32), "float", hidden=True)
    g.op("MatMulNBits", [x, b, s], [("float", (x.shape[0], n), -9e3, 9e3, None)], domain=MS, K=k, N=n, bits=4,
         block_size=block)


@recipe(contrib=4)
def attention(g):
    b, s, h, d, width = g.rng.choice([1, 2]), 3, 2, 4, 5
    x = g.fresh("float", (b, s, width))
    w = g.fresh("float", (width, 3 * h * d), const=True, lo=-1, hi=1)
    bias = g.fresh("float", (3 * h * d,), const=True)
    g.op("Attention", [x, w, bias], [("float", (b, s, h * d), -99, 99, None)], domain=MS, num_heads=h,
         unidirectional=g.rng.choice([0, 1]))
