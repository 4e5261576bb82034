"""Element-wise operators: arithmetic, comparisons, logic, activations, casts."""
import math

import numpy as np

from build import FLOATS, INTS, LARGEST, NAMES, NUMPY, Skip
from recipes.registry import broadcast, partner, partner_shape, recipe

INF = math.inf


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > -50 else 0.0


# Operator: (lowest and highest input, bounds of the result from those of the input).
UNARY = {
    "Exp": (-20, 6, lambda a, b: (0, math.exp(b))), "Log": (0.1, INF, lambda a, b: (math.log(a), math.log(b))),
    "Sqrt": (0, INF, lambda a, b: (0, math.sqrt(b))), "Sin": (-50, 50, lambda a, b: (-1, 1)),
    "Cos": (-50, 50, lambda a, b: (-1, 1)), "Tan": (-1.4, 1.4, lambda a, b: (-6, 6)),
    "Asin": (-0.9, 0.9, lambda a, b: (-2, 2)), "Acos": (-0.9, 0.9, lambda a, b: (0, 4)),
    "Atan": (-INF, INF, lambda a, b: (-2, 2)), "Sinh": (-5, 5, lambda a, b: (-80, 80)),
    "Cosh": (-5, 5, lambda a, b: (0, 80)), "Tanh": (-INF, INF, lambda a, b: (-1, 1)),
    "Asinh": (-INF, INF, lambda a, b: (-80, 80)), "Acosh": (1.1, INF, lambda a, b: (0, 80)),
    "Atanh": (-0.9, 0.9, lambda a, b: (-2, 2)), "Sigmoid": (-INF, INF, lambda a, b: (0, 1)),
    "Erf": (-INF, INF, lambda a, b: (-1, 1)), "Softplus": (-INF, 60, lambda a, b: (0, max(b, 0) + 1)),
    "Softsign": (-INF, INF, lambda a, b: (-1, 1)), "HardSwish": (-INF, INF, lambda a, b: (-1, max(b, 0))),
    "Mish": (-60, 60, lambda a, b: (-1, max(b, 0))), "Gelu": (-INF, INF, lambda a, b: (-1, max(b, 0))),
    "Selu": (-60, INF, lambda a, b: (-2, 1.1 * max(b, 0))), "Reciprocal": (0.2, INF, lambda a, b: (0, 1 / a)),
}


def inside(low, high):
    return lambda v: v.lo >= low and v.hi <= high


def in_domain(g, op, low, high):
    data = {}
    if low > -INF:
        data["lo"] = low if low > 0 else max(low, -3)
    if high < INF:
        data["hi"] = min(high, 3)
    return g.pick(g.types(op, among=FLOATS), where=inside(low, high), **data)


@recipe(every=5)
def unary(g):
    op = g.rng.choice(list(UNARY))
    low, high, result = UNARY[op]
    g.need(op)
    x = in_domain(g, op, low, high)
    attributes = {}
    if op == "Gelu" and g.chance(0.5):
        attributes["approximate"] = g.rng.choice(["none", "tanh"])
    lo, hi = result(x.lo, x.hi)
    g.same(op, x, lo, hi, **attributes)


@recipe(every=4)
def exact_unary(g):
    """Those that compute without an error."""
    op = g.rng.choice(["Relu", "Relu", "Relu", "Abs", "Neg", "Identity", "Sign"])
    types = g.types(op, among=set(FLOATS) | set(INTS))
    if op == "Neg":
        types = [t for t in types if not t.startswith("u")]
    x = g.pick(types, where=lambda v: op != "Sign" or v.exact)
    lo, hi = {"Relu": (max(x.lo, 0), max(x.hi, 0)), "Abs": (0, x.mag), "Neg": (-x.hi, -x.lo),
              "Identity": (x.lo, x.hi), "Sign": (-1, 1)}[op]
    g.same(op, x, lo, hi, 0 if op == "Sign" else x.frac)


@recipe(every=1)
def rounding(g):
    op = g.rng.choice(["Floor", "Ceil", "Round"])
    x = g.pick(g.types(op, among=FLOATS), where=lambda v: v.exact)
    g.same(op, x, math.floor(x.lo), math.ceil(x.hi), 0)


@recipe(every=3, cnn=4)
def activation(g):
    op = g.rng.choice(["LeakyRelu", "Elu", "HardSigmoid", "ThresholdedRelu", "Celu", "Shrink", "Swish"])
    x = g.pick(g.types(op, among=FLOATS), where=lambda v: -60 < v.lo)
    given = g.chance(0.6)
    alpha = g.rng.choice([0.1, 0.5, 1.5])
    if op == "HardSigmoid":
        g.same(op, x, 0, 1, alpha=alpha if given else None, beta=0.25 if given else None)
    elif op in ("ThresholdedRelu", "Shrink"):
        if not x.exact:
            raise Skip("jumps")
        extra = {"alpha": alpha} if op == "ThresholdedRelu" else {"bias": 0.25, "lambd": alpha}
        g.same(op, x, -x.mag - 1, x.mag + 1, None, **(extra if given else {}))
    else:
        g.same(op, x, -2 - x.mag * 1.6, max(x.hi, 0) + 1, alpha=alpha if given else None)


def sums(a, b):
    return a.lo + b.lo, a.hi + b.hi


def products(a, b):
    all_of = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return min(all_of), max(all_of)


def both_exact(a, b, frac):
    return frac if a.frac is not None and b.frac is not None else None


@recipe(every=9)
def arithmetic(g):
    op = g.rng.choice(["Add", "Add", "Sub", "Mul", "Mul"])
    x = g.pick(g.types(op))
    y = partner(g, x)
    lo, hi = {"Add": sums(x, y), "Sub": (x.lo - y.hi, x.hi - y.lo), "Mul": products(x, y)}[op]
    frac = both_exact(x, y, (x.frac or 0) + (y.frac or 0) if op == "Mul" else max(x.frac or 0, y.frac or 0))
    if g.chance(0.3):
        x, y = (y, x)
        if op == "Sub":
            lo, hi = -hi, -lo
    g.op(op, [x, y], [(x.type, broadcast(x.shape, y.shape), lo, hi, frac)])


@recipe(every=3)
def division(g):
    x = g.pick(g.types("Div"))
    y = partner(g, x, lo=1, hi=5) if g.chance(0.3) else None
    if y is None or y.lo < 0.2:
        y = g.fresh(x.type, partner_shape(g, x.shape), lo=1 if x.type not in FLOATS else 0.5, hi=5)
    mag = x.mag / min(1, y.lo)
    g.op("Div", [x, y], [(x.type, broadcast(x.shape, y.shape), -mag if x.lo < 0 else 0, mag, None)])


@recipe(every=1)
def remainder(g):
    x = g.pick(g.types("Mod", among=set(INTS) | {"float", "double"}), where=lambda v: v.exact)
    y = g.fresh(x.type, partner_shape(g, x.shape), lo=1, hi=5)
    fmod = 1 if x.type in FLOATS else g.rng.choice([None, 0, 1])
    frac = both_exact(x, y, max(x.frac or 0, y.frac or 0))
    lo = 0 if x.type.startswith("u") else -x.mag
    g.op("Mod", [x, y], [(x.type, broadcast(x.shape, y.shape), lo, max(x.mag, y.mag), frac)], fmod=fmod)


@recipe(every=2)
def power(g):
    version = g.need("Pow")
    x = g.pick(g.types("Pow"), where=inside(-12, 12))
    kind = g.rng.randrange(3)
    types = [x.type] if version < 12 else [t for t in g.types("Pow", 1) if t in ("float", "int32", "int64", x.type)]
    if x.type in INTS:
        y = g.fresh(g.some_type([t for t in types if t in INTS]), partner_shape(g, x.shape), lo=0, hi=2)
    elif kind == 0 and x.lo > 0.2:
        y = g.fresh(x.type, partner_shape(g, x.shape), lo=-2, hi=2)
    else:
        y = g.const(np_full(x.type, g.rng.choice([2, 3, 0, 1, 2])), x.type)
    most = max(x.mag, 1) ** 3 if y.lo >= 0 else max(x.mag, 1 / x.lo) ** 2
    lo = 0 if x.type.startswith("u") else -most
    g.op("Pow", [x, y], [(x.type, broadcast(x.shape, y.shape), lo, most, None)])


def np_full(type, value):
    return np.asarray(value, NUMPY[type if type != "bfloat16" else "float"])


@recipe(every=3)
def variadic(g):
    op = g.rng.choice(["Min", "Max", "Sum", "Mean"])
    x = g.pick(g.types(op))
    args, shape = [x], x.shape
    for _ in range(g.rng.randint(0, 3)):
        y = partner(g, x)
        if broadcast(shape, y.shape) is not None and (g.opset >= 8 or y.shape == x.shape):
            args, shape = args + [y], broadcast(shape, y.shape)
    exact = all(v.frac is not None for v in args)
    frac = max(v.frac for v in args) if exact and op != "Mean" else None
    lo, hi = min(v.lo for v in args), max(v.hi for v in args)
    if op == "Sum":
        lo, hi = sum(v.lo for v in args), sum(v.hi for v in args)
    g.op(op, args, [(x.type, shape, lo, hi, frac)])


@recipe(every=3)
def comparison(g):
    op = g.rng.choice(["Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"])
    x = g.pick(g.types(op), where=lambda v: v.exact)
    y = partner(g, x)
    if not y.exact:
        raise Skip("inexact")
    g.op(op, [x, y], [("bool", broadcast(x.shape, y.shape), 0, 1, 0)])


@recipe(every=2)
def logic(g):
    op = g.rng.choice(["And", "Or", "Xor", "Not"])
    x = g.pick("bool")
    if op == "Not":
        return g.same(op, x)
    y = partner(g, x)
    g.op(op, [x, y], [("bool", broadcast(x.shape, y.shape), 0, 1, 0)])


@recipe(every=1)
def bits(g):
    op = g.rng.choice(["BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitShift"])
    x = g.pick(g.types(op))
    lo, hi = type_range(x.type)
    if op == "BitwiseNot":
        return g.same(op, x, lo, hi, 0)
    if op == "BitShift":
        y = g.fresh(x.type, partner_shape(g, x.shape), lo=0, hi=7)
        return g.op(op, [x, y], [(x.type, broadcast(x.shape, y.shape), lo, hi, 0)],
                    direction=g.rng.choice(["LEFT", "RIGHT"]))
    y = partner(g, x)
    return g.op(op, [x, y], [(x.type, broadcast(x.shape, y.shape), lo, hi, 0)])


def type_range(type):
    info = np.iinfo(NUMPY[type])
    return info.min, info.max


@recipe(every=3)
def where(g):
    c = g.pick("bool")
    x = g.pick(g.types("Where", 1), where=lambda v: broadcast(c.shape, v.shape) is not None, fresh=c.shape)
    shape = broadcast(c.shape, x.shape)
    y = g.pick(x.type, where=lambda v: broadcast(shape, v.shape) is not None, fresh=partner_shape(g, x.shape))
    shape = broadcast(shape, y.shape)
    if shape is None:
        raise Skip("shape")
    frac = both_exact(x, y, max(x.frac or 0, y.frac or 0))
    g.op("Where", [c, x, y], [(x.type, shape, min(x.lo, y.lo), max(x.hi, y.hi), frac)])


@recipe(every=3, cnn=4)
def clip(g):
    version = g.need("Clip")
    x = g.pick(g.types("Clip"))
    a, b = g.rng.choice([(0.0, 6.0), (-1.0, 1.0), (None, 2.0), (1.0, None), (None, None)])
    if x.type.startswith("u") and a is not None:
        a = abs(a)
    lo = x.lo if a is None else min(max(x.lo, a), b if b is not None else INF)
    hi = x.hi if b is None else max(min(x.hi, b), a if a is not None else -INF)
    hi = max(hi, lo)
    if version < 11:
        return g.same("Clip", x, lo, hi, x.frac, min=a, max=b)
    bound = lambda v: None if v is None else (
        g.const(np_full(x.type, v), x.type, hidden=True) if x.type != "bfloat16" else
        g.cast(g.const(np_full("float", v), hidden=True), "bfloat16"))
    return g.same("Clip", x, lo, hi, x.frac, extra=[bound(a), bound(b)])


@recipe(every=3)
def cast(g):
    x = g.pick([t for t in g.types("Cast") if t != "string"], where=lambda v: v.exact)
    targets = [t for t in g.types("Cast") if t not in ("string", x.type)] + ["float"]
    to = g.some_type(targets)
    if to == "bool":
        return g.op("Cast", [x], [("bool", x.shape, 0, 1, 0)], to=9)
    if to in INTS:
        lo, hi = type_range(to)
        if x.lo < lo or x.hi > hi:
            raise Skip("range")
        return g.op("Cast", [x], [(to, x.shape, math.trunc(x.lo), math.trunc(x.hi), 0)], to=NAMES.index(to))
    if x.mag > LARGEST[to]:
        raise Skip("range")
    return g.cast(x, to)


@recipe(every=1)
def cast_inexact(g):
    x = g.pick(FLOATS, where=lambda v: v.type in g.types("Cast"))
    to = g.some_type([t for t in FLOATS if t != x.type and t in g.types("Cast")])
    if x.mag > LARGEST[to]:
        raise Skip("range")
    g.cast(x, to)


@recipe(every=1)
def cast_like(g):
    g.need("CastLike")
    x = g.pick(["float", "int32", "int64"], where=lambda v: v.exact)
    y = g.pick(["float", "double", "int64", "int32"])
    g.op("CastLike", [x, y], [(y.type, x.shape, x.lo, x.hi, x.frac if y.type in FLOATS else 0)])


@recipe(every=1)
def tests_of_values(g):
    op = g.rng.choice(["IsNaN", "IsInf"])
    x = g.pick(g.types(op, among=FLOATS))
    g.same(op, x, 0, 1, 0, type="bool")


@recipe(every=1, cnn=2)
def prelu(g):
    x = g.pick(g.types("PRelu", among=FLOATS), where=lambda v: v.rank > 0)
    shape = g.rng.choice([x.shape[1:], (1,), x.shape, (x.shape[1],) + (1,) * (x.rank - 2) if x.rank > 1 else (1,)])
    slope = g.fresh(x.type, shape, lo=0, hi=1)
    g.same("PRelu", x, -x.mag, x.mag, None, extra=[slope])


@recipe(every=1)
def dropout(g):
    version = g.need("Dropout")
    x = g.pick(g.types("Dropout", among=FLOATS))
    mask = g.chance(0.3) and version >= 12  # before, the mask of inference was open
    outputs = [(x.type, x.shape, x.lo, x.hi, x.frac)] + ([("bool", x.shape, 0, 1, 0)] if mask else [])
    g.op("Dropout", [x], outputs, ratio=0.5 if version < 12 and g.chance(0.5) else None)


@recipe(dense=4, general=1)
def gelu_by_parts(g):
    """The chain that exporters write for an activation, and others that fusion looks for."""
    x = g.pick("float", where=inside(-40, 40))
    if g.chance(0.5):
        h = g.same("Div", x, extra=[g.const(np_full("float", 1.4142135))])
        e = g.same("Add", g.same("Erf", h, -1, 1), 0, 2, extra=[g.const(np_full("float", 1.0))])
        m = g.same("Mul", x, -80, 80, extra=[e])
        return g.same("Mul", m, -40, 40, extra=[g.const(np_full("float", 0.5))])
    return g.same("Mul", x, -x.mag, x.mag, extra=[g.same("Sigmoid", x, 0, 1)])
