"""Quantised chains. Scales are powers of two, so that every order of operations rounds alike."""
import numpy as np

from build import NAMES, NUMPY, Skip
from recipes.neural import conv_parts, window
from recipes.registry import axis_of, recipe

BYTES = ("uint8", "int8")


def limits(type):
    info = np.iinfo(NUMPY[type])
    return info.min, info.max


def scale(g, type="float", value=None, shape=()):
    value = value or 2.0 ** g.rng.randint(-5, -1)
    array = np.full(shape, value, np.float32)
    if shape and np.prod(shape) > 1:
        array *= 2.0 ** g.np_rng().randint(-1, 2, shape).astype(np.float32)
    return g.const(array.astype(np.float32), "float", hidden=True)


def zero_point(g, type, shape=(), zero=False):
    lo, hi = limits(type)
    array = g.np_rng().randint(max(lo, -8), min(hi, 140) + 1, shape)
    return g.const(np.asarray(array * (0 if zero else 1), NUMPY[type]), type, hidden=True)


def real_range(type, s, z):
    lo, hi = limits(type)
    most, point = float(np.max(s.const)), np.asarray(0 if z is None else z.const, np.float64)
    return float((lo - point.max()) * most), float((hi - point.min()) * most)


def frac_of(s):
    return int(-np.log2(np.min(s.const)))


def dequantize(g, q, s=None, z=None, axis=None):
    s = s or scale(g)
    z = z if z is not None else zero_point(g, q.type) if g.chance(0.8) else None
    lo, hi = real_range(q.type, s, z)
    return g.same("DequantizeLinear", q, lo, hi, frac_of(s), type="float", extra=[s, z], axis=axis)


def quantize(g, x, type=None, s=None, z=None):
    type = type or g.rng.choice(BYTES)
    if not x.exact and not g.style.get("loose"):
        raise Skip("rounding")
    s = s or scale(g)
    z = z if z is not None else zero_point(g, type)
    lo, hi = limits(type)
    return g.same("QuantizeLinear", x, lo, hi, 0, type=type, extra=[s, z])


@recipe(quant=10, general=1, cnn=1)
def quantize_linear(g):
    g.need("QuantizeLinear")
    quantize(g, g.pick("float", where=lambda v: v.exact))


@recipe(quant=10, general=1)
def dequantize_linear(g):
    g.need("DequantizeLinear")
    x = g.pick(BYTES)
    if x.rank > 0 and g.need("DequantizeLinear") >= 13 and g.chance(0.3) and x.size:
        axis, given = axis_of(g, x.rank)
        shape = (x.shape[axis],)
        return dequantize(g, x, scale(g, shape=shape), zero_point(g, x.type, shape), given)
    return dequantize(g, x)


@recipe(quant=6, cnn=2, dense=1)
def fake_quant(g):
    g.need("QuantizeLinear")
    x = g.pick("float", where=lambda v: v.exact)
    s, type = scale(g), g.rng.choice(BYTES)
    z = zero_point(g, type)
    return dequantize(g, quantize(g, x, type, s, z), s, z)


def per_channel(g, type, m, symmetric=True):
    if g.chance(0.5):
        return scale(g, shape=(m,)), zero_point(g, type, (m,), symmetric), 0
    return scale(g), zero_point(g, type, (), symmetric), None


def quantised_image(g):
    rank = g.rng.choice([4, 4, 4, 3])
    fresh = (g.rng.choice([1, 2]), g.rng.choice([1, 3, 4, 8, 16, 20])) + {3: (7,), 4: (6, 5)}[rank]
    return g.pick(BYTES, rank=rank, where=lambda v: v.size > 0, fresh=fresh, wide=True)


def weight(g, shape, type="int8", const=True):
    if g.chance(0.3):
        return g.fresh(type, shape, const=const, wide=True)
    return g.fresh(type, shape, const=const, lo=-9, hi=9)


@recipe(quant=14)
def qdq_conv(g):
    """DequantizeLinear, Conv, QuantizeLinear."""
    g.need("QuantizeLinear")
    if g.opset < 13:
        raise Skip("per axis")
    x = quantised_image(g)
    sx, zx = scale(g), zero_point(g, x.type)
    xf = dequantize(g, x, sx, zx)
    attributes, out = window(g, x)
    group, m = conv_parts(g, x)
    w = weight(g, [m, x.shape[1] // group] + attributes["kernel_shape"], g.rng.choice(["int8", "int8", "uint8"]))
    sw, zw, axis = per_channel(g, w.type, m)
    wf = dequantize(g, w, sw, zw, axis)
    extra = [wf]
    if g.chance(0.5):
        b = g.fresh("int32", (m,), const=True, lo=-99, hi=99)
        sb = g.const((sx.const * np.broadcast_to(sw.const, (m,))).astype(np.float32), "float", hidden=True)
        zb = g.const(np.zeros((m,), np.int32), "int32", hidden=True)
        extra.append(g.same("DequantizeLinear", b, -99, 99, 20, type="float", extra=[sb, zb], axis=0))
    k = int(np.prod(w.shape[1:]))
    mag = xf.mag * wf.mag * k + 99
    frac = frac_of(sx) + frac_of(sw)
    y = g.same("Conv", xf, -mag, mag, frac, shape=(x.shape[0], m, *out), extra=extra, group=group, **attributes)
    if g.chance(0.5):
        y = g.same("Relu", y, 0, y.hi, y.frac)
    if g.chance(0.85) and y.exact:
        y = quantize(g, y, x.type if g.chance(0.7) else None, scale(g, value=2.0 ** g.rng.randint(-3, 2)))


@recipe(quant=10)
def qdq_join(g):
    """Sums, products, joins, pools, resizes and moves between quantised values."""
    g.need("QuantizeLinear")
    x = quantised_image(g)
    s, z = scale(g), zero_point(g, x.type)
    a = dequantize(g, x, s, z)
    op = g.rng.choice(["Add", "Mul", "Concat", "MaxPool", "Transpose", "Reshape", "Relu", "Sub", "Max"])
    if op in ("Add", "Mul", "Concat", "Sub", "Max"):
        y = g.pick(x.type, where=lambda v: v.shape == x.shape, fresh=x.shape, wide=True)
        same = g.chance(0.5) or op == "Max"
        b = dequantize(g, y, s if same else None, z if same else None)
        mag = a.mag * b.mag if op == "Mul" else a.mag + b.mag
        shape = x.shape if op != "Concat" else x.shape[:1] + (2 * x.shape[1],) + x.shape[2:]
        frac = a.frac + b.frac if op == "Mul" else max(a.frac, b.frac)
        r = g.op(op, [a, b], [("float", shape, -mag, mag, frac)], **({"axis": 1} if op == "Concat" else {}))
    elif op == "MaxPool":
        attributes, out = window(g, a, (2, 3), False)
        attributes.pop("dilations", None)
        r = g.same(op, a, a.lo, a.hi, a.frac, shape=(*x.shape[:2], *out), **attributes)
    elif op == "Transpose":
        r = g.same(op, a, a.lo, a.hi, a.frac, shape=x.shape[::-1])
    elif op == "Reshape":
        r = g.same(op, a, a.lo, a.hi, a.frac, shape=(x.shape[0], x.size // x.shape[0]),
                   extra=[g.ints([x.shape[0], -1])])
    else:
        r = g.same(op, a, 0, max(a.hi, 0), a.frac)
    if g.chance(0.9):
        same = op in ("MaxPool", "Transpose", "Reshape", "Concat") and g.chance(0.8)
        quantize(g, r, x.type, s if same else None, z if same else None)


@recipe(quant=8)
def qdq_matmul(g):
    g.need("QuantizeLinear")
    x = g.pick(BYTES, where=lambda v: v.rank >= 2 and v.size > 0, fresh=g.shape(least=2, most=3), wide=True)
    sx = scale(g)
    a = dequantize(g, x, sx)
    n = g.dim()
    w = weight(g, (x.shape[-1], n))
    sw = scale(g)
    b = dequantize(g, w, sw, zero_point(g, "int8", (), True))
    mag = a.mag * b.mag * x.shape[-1]
    y = g.op("MatMul", [a, b], [("float", x.shape[:-1] + (n,), -mag, mag, a.frac + b.frac)])
    if g.chance(0.3):
        bias = g.fresh("float", (n,), const=True, exact=True)
        y = g.same("Add", y, y.lo - 4, y.hi + 4, max(y.frac or 0, 3) if y.exact else None, extra=[bias])
    if g.chance(0.8) and y.exact:
        quantize(g, y, x.type, scale(g, value=2.0 ** g.rng.randint(-2, 3)))


@recipe(quant=8)
def qlinear_conv(g):
    g.need("QLinearConv")
    x = quantised_image(g)
    attributes, out = window(g, x)
    group, m = conv_parts(g, x)
    w = weight(g, [m, x.shape[1] // group] + attributes["kernel_shape"],
               x.type if x.type == "int8" else g.rng.choice(BYTES))
    sw, zw, _ = per_channel(g, w.type, m, w.type == "int8")
    if zw.const.size > 1:
        zw = g.const(np.full((m,), zw.const.flat[0], NUMPY[w.type]), w.type, hidden=True)
    bias = [g.fresh("int32", (m,), const=True, lo=-999, hi=999)] if g.chance(0.5) else []
    inputs = [x, scale(g), zero_point(g, x.type), w, sw, zw,
              scale(g, value=2.0 ** g.rng.randint(-2, 3)), zero_point(g, x.type), *bias]
    g.op("QLinearConv", inputs, [(x.type, (x.shape[0], m, *out), *limits(x.type), 0)], group=group, **attributes)


@recipe(quant=5)
def qlinear_matmul(g):
    g.need("QLinearMatMul")
    x = g.pick(BYTES, where=lambda v: v.rank >= 2 and v.size > 0, fresh=g.shape(least=2, most=3), wide=True)
    n = g.dim()
    w = weight(g, (x.shape[-1], n), x.type, const=None)
    inputs = [x, scale(g), zero_point(g, x.type), w, scale(g), zero_point(g, x.type),
              scale(g, value=2.0 ** g.rng.randint(-2, 3)), zero_point(g, x.type)]
    g.op("QLinearMatMul", inputs, [(x.type, x.shape[:-1] + (n,), *limits(x.type), 0)])


@recipe(quant=5, dense=1)
def matmul_integer(g):
    g.need("MatMulInteger")
    x = g.pick(BYTES, where=lambda v: v.rank >= 2 and v.size > 0, fresh=g.shape(least=2, most=3), wide=True)
    n, k = g.dim(), x.shape[-1]
    w = weight(g, (k, n), g.rng.choice(BYTES) if x.type == "uint8" else "int8", const=None)
    points = g.rng.choice([[], [zero_point(g, x.type)], [zero_point(g, x.type), zero_point(g, w.type)]])
    mag = k * 400 * 400
    y = g.op("MatMulInteger", [x, w, *points], [("int32", x.shape[:-1] + (n,), -mag, mag, 0)])
    if g.chance(0.4):
        f = g.cast(y, "float")
        g.same("Mul", f, f.lo, f.hi, None, extra=[g.const(np.float32(0.0125), hidden=True)])


@recipe(quant=4)
def conv_integer(g):
    g.need("ConvInteger")
    x = g.pick("uint8", rank=4, where=lambda v: v.size > 0, fresh=(1, 3, 5, 5), wide=True)
    attributes, out = window(g, x)
    group, m = conv_parts(g, x)
    w = weight(g, [m, x.shape[1] // group] + attributes["kernel_shape"], g.rng.choice(BYTES))
    points = [zero_point(g, "uint8")] if g.chance(0.6) else []
    if points and g.chance(0.5):
        points.append(zero_point(g, w.type))
    mag = int(np.prod(w.shape[1:])) * 400 * 400
    g.op("ConvInteger", [x, w, *points], [("int32", (x.shape[0], m, *out), -mag, mag, 0)], group=group, **attributes)


@recipe(quant=4)
def dynamic_quantize(g):
    """The scale is a quotient, so the bytes may differ by one: only their product is read."""
    g.need("DynamicQuantizeLinear")
    x = g.fresh("float", (g.dim(), g.dim()), exact=False)
    q, s, z = g.op("DynamicQuantizeLinear", [x], [("uint8", x.shape, 0, 255, 0), ("float", (), 0, 1, None),
                                                  ("uint8", (), 0, 255, 0)])
    q.hidden = s.hidden = z.hidden = True
    w = weight(g, (x.shape[1], g.dim()))
    mag = x.shape[1] * 255 * w.mag
    y = g.op("MatMulInteger", [q, w, z], [("int32", (x.shape[0], w.shape[1]), -mag, mag, 0)])
    y.hidden = True
    f = g.op("Cast", [y], [("float", y.shape, -mag, mag, None)], to=NAMES.index("float"))
    f.hidden = True
    most = x.shape[1] * w.mag * (x.mag + 1)
    g.same("Mul", f, -most, most, extra=[s])
    g.root.loose = True
