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


@recipe(contrib=6)
def standard_alike(g):
    """What this domain had before the standard."""
    x = g.pick("float", rank=2, where=lambda v: v.size > 0)
    op = g.rng.choice(["Trilu", "Pad", "GatherND", "Range"])
    if op == "Trilu":
        g.same(op, x, min(x.lo, 0), max(x.hi, 0), x.frac, domain=MS, upper=g.rng.choice([0, 1]),
               extra=[g.const(np.int64(g.rng.randint(-2, 2)), hidden=True)])
    elif op == "Pad":
        pads = [g.rng.randint(0, 2) for _ in range(4)]
        shape = (x.shape[0] + pads[0] + pads[2], x.shape[1] + pads[1] + pads[3])
        g.same(op, x, min(x.lo, 0), max(x.hi, 0), x.frac, shape=shape, domain=MS, extra=[g.ints(pads)])
    elif op == "GatherND":
        index = g.np_rng().randint(0, x.shape[0], (3, 1)).astype(np.int64)
        g.same(op, x, frac=x.frac, shape=(3, x.shape[1]), domain=MS, extra=[g.const(index, hidden=True)])
    else:
        n = g.rng.randint(1, 5)
        ends = [g.const(np.float32(v), "float", hidden=True) for v in (1, 1 + 0.5 * n, 0.5)]
        g.op(op, ends, [("float", (n,), 0, 9, 2)], domain=MS)


@recipe(contrib=5)
def rotated(g):
    b, h, s, d = g.rng.choice([1, 2]), 2, g.rng.choice([1, 3]), 4
    x = g.fresh("float", (b, s, h * d))
    angles = g.np_rng().uniform(-3, 3, (8, d // 2)).astype(np.float32)
    position = g.np_rng().randint(0, 5, (b, s)).astype(np.int64)
    tables = [g.const(f(angles), hidden=True) for f in (np.cos, np.sin)]
    g.same("RotaryEmbedding", x, -9, 9, extra=[g.const(position, hidden=True), *tables], domain=MS,
           interleaved=g.rng.choice([0, 1]), num_heads=h)


@recipe(contrib=5)
def grouped_query(g):
    b, s, heads, shared, d = 1, g.rng.choice([1, 3]), 2, g.rng.choice([1, 2]), 8
    past = g.rng.choice([0, 2])
    q = g.fresh("float", (b, s, heads * d), lo=-2, hi=2)
    k, v = (g.fresh("float", (b, s, shared * d), lo=-2, hi=2) for _ in range(2))
    old = [g.fresh("float", (b, shared, past, d), lo=-2, hi=2) if past else None for _ in range(2)]
    lengths = [g.const(np.full((b,), past + s - 1, np.int32), hidden=True), g.const(np.int32(past + s), hidden=True)]
    cache = ("float", (b, shared, past + s, d), -2, 2, None)
    g.op("GroupQueryAttention", [q, k, v, *old, *lengths], [("float", q.shape, -9, 9, None), cache, cache], domain=MS,
         num_heads=heads, kv_num_heads=shared)


@recipe(contrib=6, quant=3)
def qlinear_curves(g):
    """Tables of bytes. What is rounded may differ by one: only its scaled value is read."""
    op = g.rng.choice(["QLinearSigmoid", "QLinearSoftmax"])
    x = g.fresh(g.rng.choice(BYTES), (2, g.rng.choice([2, 4]), 4), wide=True)
    extra = [scale(g), zero_point(g, x.type), scale(g, value=1 / 256), zero_point(g, x.type)]
    attributes = {"axis": -1, "opset": 13} if op == "QLinearSoftmax" else {}
    y = g.same(op, x, *limits(x.type), 0, extra=extra, domain=MS, **attributes)
    y.hidden = True
    g.op("DequantizeLinear", [y, g.const(np.float32(1 / 256), hidden=True)], [("float", x.shape, -1, 1, None)])
    g.root.loose = True


@recipe(contrib=4)
def old_norm(g):
    x = g.pick("float", where=lambda v: v.rank > 0 and v.size > 0 and v.shape[-1] > 1 and v.mag < 1e3)
    g.same("SimplifiedLayerNormalization", x, -99, 99, extra=[g.fresh("float", x.shape[-1:])], axis=-1, epsilon=0.1)


@recipe(contrib=4)
def transposed_matmul(g):
    x = g.pick("float", rank=2, where=lambda v: v.size > 0 and v.mag < 1e3)
    w = g.fresh("float", (g.dim() or 1, x.shape[1]), lo=-2, hi=2)
    mag = x.shape[1] * x.mag * 4
    g.same("TransposeMatMul", x, -mag, mag, shape=(x.shape[0], w.shape[0]), extra=[w], domain=MS, transB=1)


@recipe(contrib=4)
def nhwc_pool(g):
    x = g.fresh(g.rng.choice(BYTES), (1, 4, 6, g.rng.choice([1, 3, 8])), wide=True)
    g.same("NhwcMaxPool", x, x.lo, x.hi, 0, shape=(1, 2, 3, x.shape[3]), domain=MS, kernel_shape=[2, 2], strides=[2, 2])


@recipe(contrib=4, quant=2)
def quantize_here(g):
    """This domain's own pair, which later became the standard's."""
    x = g.pick("float", where=lambda v: v.exact and v.size > 0 and v.mag < 1e3)
    kind = g.rng.choice(BYTES)
    inputs = [scale(g), zero_point(g, kind)]
    q = g.same("QuantizeLinear", x, *limits(kind), 0, type=kind, extra=inputs, domain=MS)
    g.same("DequantizeLinear", q, -300, 300, 10, type="float", extra=inputs, domain=MS)


@recipe(contrib=4, quant=2)
def qattention(g):
    b, s, heads, d, width = g.rng.choice([1, 2]), 3, 2, 4, 4
    x = g.fresh("uint8", (b, s, width), wide=True)
    w = g.fresh("int8", (width, 3 * heads * d), const=True, wide=True)
    bias = g.fresh("float", (3 * heads * d,), const=True)
    steps = [g.const(np.float32(2.0 ** -7), hidden=True) for _ in range(2)]
    g.op("QAttention", [x, w, bias, *steps, None, zero_point(g, x.type), zero_point(g, "int8")],
         [("float", (b, s, heads * d), -99, 99, None)], domain=MS, num_heads=heads,
         unidirectional=g.rng.choice([0, 1]))
    g.root.loose = True


@recipe(contrib=3)
def sampled_here(g):
    x = g.pick("float", rank=4, where=lambda v: v.size > 0 and v.mag < 1e3, fresh=(1, 2, 4, 5))
    grid = g.fresh("float", (x.shape[0], 2, 3, 2), lo=-1.5, hi=1.5)
    mag = x.mag * 4
    g.same("GridSample", x, -mag, mag, shape=x.shape[:2] + (2, 3), extra=[grid], domain=MS,
           mode=g.rng.choice(["bilinear", "bicubic"]), padding_mode=g.rng.choice(["zeros", "border", "reflection"]),
           align_corners=g.rng.choice([0, 1]))
