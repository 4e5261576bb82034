"""Convolutions, pools, normalisations, products, reductions, recurrence."""
import math

import numpy as np

from build import FLOATS, Skip
from recipes.registry import axis_of, partner, recipe

REAL = ("float", "float", "double", "float16")


def image(g, op, ranks=(4, 4, 4, 3, 5), types=None):
    """A batch of channels."""
    rank = g.rng.choice(ranks)
    types = [t for t in types or g.types(op) if t in REAL]
    sizes = {3: (7,), 4: (6, 5), 5: (3, 4, 4)}[rank]
    fresh = (g.rng.choice([1, 1, 2, 3]), g.rng.choice([1, 2, 3, 4, 8])) + sizes
    return g.pick(types, rank=rank, where=lambda v: v.size > 0 and v.mag < 1e4, fresh=fresh)


def window(g, x, kernels=(1, 2, 3, 3), dilate=True):
    """kernel_shape, strides, dilations, pads or auto_pad, and the sizes of the result."""
    spatial, kernel, strides, dilations, pads = x.shape[2:], [], [], [], []
    for d in spatial:
        dilation = g.rng.choice([1, 1, 1, 2]) if dilate else 1
        k = g.rng.choice(kernels)
        while (k - 1) * dilation + 1 > d and k > 1:
            k -= 1
        kernel, dilations = kernel + [k], dilations + [dilation]
        strides.append(g.rng.choice([1, 1, 2, 3]))
        pads.append((g.rng.randint(0, k - 1), g.rng.randint(0, k - 1)))
    auto = g.rng.choice([None] * 5 + ["SAME_UPPER", "SAME_LOWER", "VALID"])
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        dilations = [1] * len(kernel)
        out = [-(-d // s) for d, s in zip(spatial, strides)]
        return dict(kernel_shape=kernel, strides=strides, auto_pad=auto), out
    if auto == "VALID" or g.chance(0.3):
        pads = [(0, 0)] * len(kernel)
    if g.chance(0.4):
        pads = [((k - 1) * dl // 2, (k - 1) * dl // 2) for k, dl in zip(kernel, dilations)]
        if auto == "VALID":
            pads = [(0, 0)] * len(kernel)
    if g.chance(0.4):
        strides = [1] * len(kernel)
    out = [(d + p[0] + p[1] - ((k - 1) * dl + 1)) // s + 1
           for d, p, k, dl, s in zip(spatial, pads, kernel, dilations, strides)]
    attributes = {"kernel_shape": kernel, "strides": strides if any(s > 1 for s in strides) or g.chance(0.5) else None,
                  "pads": None if auto else [p[0] for p in pads] + [p[1] for p in pads], "auto_pad": auto}
    if any(dl > 1 for dl in dilations) or g.chance(0.3):
        attributes["dilations"] = dilations
    return attributes, out


def conv_parts(g, x):
    """Groups and the number of results."""
    c = x.shape[1]
    group = g.rng.choice([1, 1, 1, c] + [n for n in (2, 4) if c % n == 0])
    each = [1, 2, 3, 4] if group < c or c == 1 else [1, 1, 2]
    if group == 1 and g.chance(0.2):  # more than a vector has lanes
        each = [8, 17]
    return group, group * g.rng.choice(each)


@recipe(general=4, cnn=25, recurrent=1, control=2)
def conv(g, x=None):
    x = x or image(g, "Conv")
    attributes, out = window(g, x)
    group, m = conv_parts(g, x)
    kernel = attributes["kernel_shape"]
    w = g.fresh(x.type, [m, x.shape[1] // group] + kernel, const=g.chance(0.9), lo=-1, hi=1)
    extra = [w] + ([g.fresh(x.type, [m], const=g.chance(0.9))] if g.chance(0.6) else [])
    mag = x.mag * w.mag * (x.shape[1] // group) * math.prod(kernel) + 4
    if g.chance(0.3):
        attributes["kernel_shape"] = None
    return g.same("Conv", x, -mag, mag, shape=(x.shape[0], m, *out), extra=extra,
                  group=group if group > 1 or g.chance(0.5) else None, **attributes)


@recipe(cnn=10)
def conv_block(g):
    """Convolution, normalisation, activation; sometimes a sum with the input."""
    x = image(g, "Conv", (4,), ["float"])
    same = g.chance(0.5)
    y = conv_same(g, x) if same else conv(g, x)
    if g.chance(0.5):
        y = batch_norm(g, y)
    kind = g.rng.choice(["Relu", "HardSwish", "Clip", "Sigmoid", None, "mul"])
    if same and g.chance(0.5):
        y = g.same("Add", y, y.lo + x.lo, y.hi + x.hi, extra=[x])
    if kind == "Relu":
        y = g.same("Relu", y, 0, max(y.hi, 0))
    elif kind == "Sigmoid":
        s = g.same("Sigmoid", y, 0, 1)
        y = g.same("Mul", y, -y.mag, y.mag, extra=[s])
    elif kind == "mul":
        k = g.fresh("float", (1, y.shape[1], 1, 1), const=True)
        y = g.same("Mul", y, -y.mag * 4, y.mag * 4, extra=[k])
    return y


def conv_same(g, x):
    k = g.rng.choice([1, 3, 3])
    group = g.rng.choice([1, 1, x.shape[1]])
    w = g.fresh(x.type, [x.shape[1], x.shape[1] // group, k, k], const=True, lo=-1, hi=1)
    mag = x.mag * x.shape[1] * k * k
    return g.same("Conv", x, -mag, mag, extra=[w], group=group, pads=[k // 2] * 4)


@recipe(cnn=8)
def dense_block(g):
    """Convolutions of ever longer joins."""
    x = image(g, "Conv", (4,), ["float"])
    for _ in range(g.rng.randint(1, 3)):
        w = g.fresh("float", [g.rng.choice([1, 2, 4]), x.shape[1], 3, 3], const=True, lo=-1, hi=1)
        mag = x.mag * x.shape[1] * 9
        y = g.same("Conv", x, -mag, mag, shape=(x.shape[0], w.shape[0], *x.shape[2:]), extra=[w], pads=[1] * 4)
        if g.chance(0.6):
            y = g.same("Relu", y, 0, y.hi)
        parts = [x, y] if g.chance(0.7) else [y, x]
        x = g.op("Concat", parts, [("float", (x.shape[0], x.shape[1] + y.shape[1], *x.shape[2:]),
                                    -max(x.mag, y.mag), max(x.mag, y.mag), None)], axis=1)


@recipe(general=1, cnn=4)
def conv_transpose(g):
    x = image(g, "ConvTranspose", (4, 4, 3))
    c, spatial = x.shape[1], x.shape[2:]
    group = g.rng.choice([1, 1, c])
    per = g.rng.choice([1, 2, 3])
    kernel = [g.rng.choice([1, 2, 3]) for _ in spatial]
    strides = [g.rng.choice([1, 2, 2, 3]) for _ in spatial]
    dilations = [g.rng.choice([1, 1, 2]) for _ in spatial]
    pads = [g.rng.randint(0, max(k - 1, 0)) // 2 for k in kernel]
    extra_out = [g.rng.randint(0, s - 1) if g.chance(0.3) else 0 for s in strides]
    out = [(d - 1) * s + e + (k - 1) * dl + 1 - 2 * p
           for d, s, e, k, dl, p in zip(spatial, strides, extra_out, kernel, dilations, pads)]
    w = g.fresh(x.type, [c, per] + kernel, const=g.chance(0.9), lo=-1, hi=1)
    bias = [g.fresh(x.type, [group * per], const=True)] if g.chance(0.5) else []
    mag = x.mag * w.mag * c * math.prod(kernel) + 4
    g.same("ConvTranspose", x, -mag, mag, shape=(x.shape[0], group * per, *out), extra=[w, *bias], group=group,
           strides=strides, dilations=dilations, pads=pads * 2, kernel_shape=kernel if g.chance(0.5) else None,
           output_padding=extra_out if any(extra_out) else None)


@recipe(general=2, cnn=12)
def pool(g):
    op = g.rng.choice(["MaxPool", "MaxPool", "AveragePool", "AveragePool", "LpPool"])
    version = g.need(op)
    types = [t for t in g.types(op) if t in REAL]
    x = image(g, op, types=types)
    dilate = op == "MaxPool" and version >= 10 or op != "MaxPool" and version >= 18
    attributes, out = window(g, x, (2, 2, 3), dilate)
    if not dilate:
        attributes.pop("dilations", None)
    mag = x.mag * (math.prod(attributes["kernel_shape"]) if op == "LpPool" else 1)
    if op == "AveragePool" and version >= 7 and g.chance(0.5):
        attributes["count_include_pad"] = 1
    if version >= 10 and op != "LpPool" and not attributes.get("auto_pad") and g.chance(0.2):
        attributes["ceil_mode"] = 1
        out = ceil_sizes(x, attributes)
    if op == "LpPool":
        attributes["p"] = g.rng.choice([1, 2])
    shape = (*x.shape[:2], *out)
    if op == "MaxPool" and x.exact and version >= 8 and g.chance(0.2) and not attributes.get("ceil_mode"):
        g.op(op, [x], [(x.type, shape, x.lo, x.hi, x.frac), ("int64", shape, 0, 4096, 0)], **attributes)
        return
    g.same(op, x, -mag, mag, x.frac if op == "MaxPool" else None, shape=shape, **attributes)


def ceil_sizes(x, a):
    n = x.rank - 2
    pads, dilations = a.get("pads") or [0] * 2 * n, a.get("dilations") or [1] * n
    strides, out = a.get("strides") or [1] * n, []
    for i, d in enumerate(x.shape[2:]):
        covered = (a["kernel_shape"][i] - 1) * dilations[i] + 1
        o = -(-(d + pads[i] + pads[n + i] - covered) // strides[i]) + 1
        if (o - 1) * strides[i] >= d + pads[i]:
            o -= 1
        out.append(o)
    return out


@recipe(general=1, cnn=5)
def global_pool(g):
    op = g.rng.choice(["GlobalAveragePool", "GlobalMaxPool"])
    x = image(g, op)
    g.same(op, x, x.lo, x.hi, x.frac if op == "GlobalMaxPool" else None, shape=x.shape[:2] + (1,) * (x.rank - 2))


@recipe(cnn=3)
def squeeze_excite(g):
    x = image(g, "Conv", (4,), ["float"])
    p = g.same("GlobalAveragePool", x, x.lo, x.hi, shape=x.shape[:2] + (1, 1))
    w = g.fresh("float", [x.shape[1], x.shape[1], 1, 1], const=True, lo=-1, hi=1)
    y = g.same("Conv", p, -p.mag * 8, p.mag * 8, extra=[w])
    s = g.same(g.rng.choice(["Sigmoid", "HardSigmoid"]), y, 0, 1)
    g.same("Mul", x, -x.mag, x.mag, extra=[s])


def per_channel(g, x, n=None, lo=-1, hi=1):
    return g.fresh(x.type, [x.shape[1] if n is None else n], const=g.chance(0.9), lo=lo, hi=hi)


@recipe(general=2, cnn=6)
def batch_norm(g, x=None):
    version = g.need("BatchNormalization")
    x = x or g.pick(["float", "double"], where=lambda v: v.rank > 1 and v.size > 0 and v.mag < 1e4)
    extra = [per_channel(g, x), per_channel(g, x), per_channel(g, x), per_channel(g, x, lo=0.5, hi=2)]
    mag = (x.mag + 1) * 2 + 1
    return g.same("BatchNormalization", x, -mag, mag, extra=extra, epsilon=g.rng.choice([None, 1e-3]))


@recipe(general=2, cnn=2)
def instance_norm(g):
    op = g.rng.choice(["InstanceNormalization", "GroupNormalization", "LRN", "LpNormalization",
                       "MeanVarianceNormalization"])
    g.need(op)
    x = g.pick("float", where=lambda v: v.rank >= 3 and v.size > 0 and v.mag < 1e3 and min(v.shape[2:]) > 1,
               fresh=(2, 4, 5, 3))
    if op == "GroupNormalization":
        groups = 2 if x.shape[1] % 2 == 0 else 1
        n = groups if g.need(op) < 21 else x.shape[1]
        return g.same(op, x, -9, 9, extra=[per_channel(g, x, n), per_channel(g, x, n)], num_groups=groups,
                      epsilon=0.1)
    if op == "InstanceNormalization":
        return g.same(op, x, -9, 9, extra=[per_channel(g, x), per_channel(g, x)], epsilon=0.1)
    if op == "LRN":
        return g.same(op, x, -x.mag, x.mag, size=g.rng.choice([1, 3, 5]), alpha=0.01)
    if op == "LpNormalization":
        axis, given = axis_of(g, x.rank)
        y = g.same("Add", g.same("Abs", x, 0, x.mag), 1, x.mag + 1,
                   extra=[g.const(np.float32(1), hidden=True)])
        return g.same(op, y, -1, 1, axis=given, p=g.rng.choice([1, 2]))
    if x.rank != 4 or x.const is None and x.given is None:
        raise Skip("default axes")
    return g.same(op, x, -99, 99)


@recipe(general=2, dense=6)
def layer_norm(g):
    op = g.rng.choice(["LayerNormalization", "RMSNormalization"])
    g.need(op)
    x = g.pick("float", where=lambda v: v.rank > 1 and v.size > 0 and v.shape[-1] > 1 and v.mag < 1e4)
    axis = -1 if g.chance(0.7) else g.rng.randrange(x.rank)
    shape = x.shape[axis:]
    extra = [g.fresh("float", shape)] + ([g.fresh("float", shape)] if g.chance(0.6) and op[0] == "L" else [])
    g.same(op, x, -99, 99, extra=extra, axis=axis if axis != -1 or g.chance(0.5) else None, epsilon=0.1)


@recipe(dense=4)
def layer_norm_by_parts(g):
    g.need("ReduceMean")
    x = g.pick("float", where=lambda v: v.rank > 1 and v.size > 0 and v.shape[-1] > 1 and v.mag < 100)
    shape = x.shape[:-1] + (1,)
    mean = reduce_op(g, "ReduceMean", x, [-1], shape, x.lo, x.hi)
    d = g.same("Sub", x, -2 * x.mag, 2 * x.mag, extra=[mean])
    q = g.same("Pow", d, 0, 4 * x.mag ** 2, extra=[g.const(np.float32(2), hidden=True)])
    v = reduce_op(g, "ReduceMean", q, [-1], shape, 0, q.hi)
    s = g.same("Sqrt", g.same("Add", v, 0.1, v.hi + 0.1, extra=[g.const(np.float32(0.1), hidden=True)]), 0.3, v.hi + 1)
    g.same("Div", d, -99, 99, extra=[s])


@recipe(general=3, dense=6, cnn=1)
def softmax(g):
    op = g.rng.choice(["Softmax", "Softmax", "LogSoftmax", "Hardmax"])
    x = g.pick(g.types(op, among=REAL), where=lambda v: v.rank > 0 and v.size > 0 and (op != "Hardmax" or v.exact)
               and v.mag < 80)
    axis, given = axis_of(g, x.rank)
    if g.need(op) < 11:
        given = axis
    g.same(op, x, -200 if op == "LogSoftmax" else 0, 1, 0 if op == "Hardmax" else None,
           axis=given if g.chance(0.8) else None)


@recipe(general=4, dense=12, control=2)
def matmul(g):
    x = g.pick(g.types("MatMul", among=("float", "double", "float16", "int32", "int64")),
               where=lambda v: v.rank >= 1 and v.size > 0 and v.mag < 1e4)
    k = x.shape[-1]
    n = g.dim()
    kind = g.rng.randrange(4)
    lead = x.shape[:-2]
    shape = {0: (k, n), 1: (k,), 2: lead + (k, n), 3: tuple(1 if g.chance(0.5) else d for d in lead) + (k, n)}[kind]
    w = g.pick(x.type, where=lambda v: v.shape == shape, fresh=shape, lo=-2, hi=2)
    mag = max(k, 1) * x.mag * w.mag
    frac = x.frac + w.frac if x.frac is not None and w.frac is not None else None
    out = np.matmul(np.zeros(x.shape), np.zeros(shape)).shape
    g.op("MatMul", [x, w], [(x.type, out, -mag, mag, frac)])


@recipe(general=2, dense=6)
def gemm(g):
    version = g.need("Gemm")
    x = g.pick(g.types("Gemm", among=REAL), rank=2, where=lambda v: v.size > 0 and v.mag < 1e4)
    ta, tb, n = g.rng.choice([None, 0, 1]), g.rng.choice([None, 0, 1]), g.dim()
    m, k = x.shape[::-1] if ta else x.shape
    w = g.fresh(x.type, (n, k) if tb else (k, n), lo=-2, hi=2)
    c = []
    if version < 11 or g.chance(0.7):
        shape = g.rng.choice([(n,), (m, n), (1, n), (m, 1), (1,), ()])
        c = [g.fresh(x.type, shape)]
    alpha, beta = g.rng.choice([None, None, 0.5, 2.0]), g.rng.choice([None, None, 0.5, 0.0])
    mag = k * x.mag * w.mag * 2 + 8
    g.op("Gemm", [x, w, *c], [(x.type, (m, n), -mag, mag, None)], transA=ta, transB=tb, alpha=alpha, beta=beta)


@recipe(general=1, dense=3)
def einsum(g):
    g.need("Einsum")
    form = g.rng.choice(["ij,jk->ik", "bij,bjk->bik", "bij,bkj->bik", "bhid,bhjd->bhij", "ij->ji", "ij->i", "ii->i",
                         "i,j->ij", "...ij,...jk->...ik", "bijd,bjd->bid", "ij,ij->", "abc,cd->bad", "ii"])
    sizes = {c: g.dim() for c in "abcdhijk"}
    left, _, right = form.partition("->")
    dims = lambda t: tuple([2] if t.startswith("...") else []) + tuple(sizes[c] for c in t if c != ".")
    args = []
    for term in left.split(","):
        args.append(g.pick("float", where=lambda v, s=dims(term): v.shape == s and v.mag < 100, fresh=dims(term)))
    mag = math.prod(a.mag for a in args) * math.prod(sizes[c] for c in set(left) & set(sizes) - set(right))
    g.op("Einsum", args, [("float", dims(right), -mag, mag, None)], equation=form)


def reduce_op(g, op, x, axes, shape, lo, hi, frac=None, keepdims=None):
    since = 13 if op == "ReduceSum" else 18
    if g.need(op) < since:
        axes = [a % x.rank for a in axes] if g.opset < 11 else axes
        return g.same(op, x, lo, hi, frac, shape=shape, axes=axes or None, keepdims=keepdims)
    return g.same(op, x, lo, hi, frac, shape=shape, extra=[g.ints(axes)] if axes else [], keepdims=keepdims)


@recipe(every=5, dense=7)
def reduce(g):
    op = g.rng.choice(["Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSum", "LogSumExp"])
    op = "Reduce" + op
    positive = op == "ReduceLogSum"
    data = {"lo": 1, "hi": 4} if positive else {}
    x = g.pick([t for t in g.types(op) if t in ("float", "double", "int32", "int64", "float16")],
               where=lambda v: v.rank > 0 and 0 not in v.shape and (not positive or v.lo > 0.1 and v.type in FLOATS)
               and v.mag < 50, **data)
    if x.type not in FLOATS and op in ("ReduceLogSumExp", "ReduceMean", "ReduceL2", "ReduceLogSum"):
        raise Skip("rounding")
    axes = sorted(g.rng.sample(range(x.rank), g.rng.randint(1, x.rank)))
    none = g.chance(0.15)
    axes = list(range(x.rank)) if none else axes
    keep = g.rng.choice([None, 0, 1])
    shape = [1 if i in axes else d for i, d in enumerate(x.shape)]
    if keep == 0:
        shape = [d for i, d in enumerate(x.shape) if i not in axes]
    n = math.prod(x.shape[a] for a in axes)
    if op == "ReduceProd" and n > 12:
        raise Skip("range")
    mag = {"ReduceMean": x.mag, "ReduceMax": x.mag, "ReduceMin": x.mag,
           "ReduceProd": max(x.mag, 1) ** min(n, 12), "ReduceSumSquare": n * x.mag ** 2}.get(op, n * x.mag + 8)
    frac = x.frac if op in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1") else None
    lo = 0 if op in ("ReduceL1", "ReduceL2", "ReduceSumSquare") or x.lo >= 0 and op != "ReduceLogSum" else -mag
    given = [] if none else [a - x.rank if g.chance(0.3) and g.opset >= 11 else a for a in axes]
    reduce_op(g, op, x, given, shape, x.lo if op in ("ReduceMax", "ReduceMin", "ReduceMean") else lo, mag, frac, keep)


@recipe(every=2)
def arg_max(g):
    op = g.rng.choice(["ArgMax", "ArgMin"])
    version = g.need(op)
    x = g.pick([t for t in g.types(op) if t in ("float", "double", "int32", "int8", "uint8", "float16")],
               where=lambda v: v.rank > 0 and v.exact and 0 not in v.shape)
    axis, given = axis_of(g, x.rank)
    keep = g.rng.choice([None, 0, 1])
    shape = x.shape[:axis] + ((1,) if keep != 0 else ()) + x.shape[axis + 1:]
    last = g.rng.choice([None, 0, 1]) if version >= 12 else None
    g.op(op, [x], [("int64", shape, 0, x.shape[axis], 0)], axis=given if version >= 11 else axis, keepdims=keep,
         select_last_index=last)


@recipe(dense=10)
def attention_by_parts(g):
    """Two products and a softmax, as exporters write attention."""
    b, h, s, d = g.rng.choice([1, 2]), g.rng.choice([1, 2, 4]), g.rng.choice([1, 3, 5]), g.rng.choice([2, 4, 8])
    rank3 = g.chance(0.3)
    lead = (b * h,) if rank3 else (b, h)
    q = g.pick("float", where=lambda v: v.shape == lead + (s, d) and v.mag < 10, fresh=lead + (s, d), lo=-2, hi=2)
    t = g.rng.choice([s, s, 4])
    transposed = g.chance(0.5)
    k = g.fresh("float", lead + ((d, t) if transposed else (t, d)), lo=-2, hi=2)
    v = g.fresh("float", lead + (t, d), lo=-2, hi=2)
    if not transposed:
        perm = list(range(len(lead))) + [len(lead) + 1, len(lead)]
        k = g.same("Transpose", k, shape=lead + (d, t), frac=k.frac, perm=perm)
    kind = g.rng.choice(["q", "after", "mask", "none"])
    if kind == "q":
        q = g.same("Mul", q, extra=[g.const(np.float32(0.5), hidden=True)])
    scores = g.same("MatMul", q, -q.mag * 2 * d, q.mag * 2 * d, shape=lead + (s, t), extra=[k])
    if kind in ("after", "mask"):
        scores = g.same("Div", scores, extra=[g.const(np.float32(2.8284), hidden=True)])
    if kind == "mask":
        mask = g.fresh("float", g.rng.choice([(s, t), (1,) * len(lead) + (s, t), (b, 1, 1, t) if not rank3 else (1, t)]))
        scores = g.same("Add", scores, scores.lo - 4, scores.hi + 4, extra=[mask])
    axis = -1 if g.opset >= 13 or g.chance(0.5) else len(lead) + 1
    p = g.same("Softmax", scores, 0, 1, axis=axis if g.opset >= 11 else len(lead) + 1)
    g.same("MatMul", p, -2, 2, shape=lead + (s, d), extra=[v])


@recipe(dense=6, general=1)
def linear(g):
    """A product with weights, a bias, an activation, a residual."""
    x = g.pick("float", where=lambda v: v.rank >= 2 and v.size > 0 and v.mag < 1e3)
    n = x.shape[-1] if g.chance(0.5) else g.rng.choice([1, 3, 8, 16])
    w = g.fresh("float", (x.shape[-1], n), const=True, lo=-1, hi=1)
    mag = x.mag * x.shape[-1]
    y = g.same("MatMul", x, -mag, mag, shape=x.shape[:-1] + (n,), extra=[w])
    if g.chance(0.8):
        bias = g.fresh("float", (n,), const=True)
        y = g.same("Add", y, -mag - 4, mag + 4, extra=[bias]) if g.chance(0.5) else \
            g.op("Add", [bias, y], [("float", y.shape, -mag - 4, mag + 4, None)])
    if g.chance(0.5):
        y = g.same(g.rng.choice(["Relu", "Tanh", "Sigmoid"]), y, -1, mag + 4)
    if n == x.shape[-1] and g.chance(0.5):
        y = g.same("Add", y, y.lo + x.lo, y.hi + x.hi, extra=[x])


@recipe(recurrent=25, general=1)
def recurrence(g):
    op, gates = g.rng.choice([("RNN", 1), ("GRU", 3), ("LSTM", 4)])
    version = g.need(op)
    layout = g.rng.choice([0, 0, 1]) if version >= 14 else 0
    t, b, n, h = g.rng.randint(1, 5), g.rng.randint(1, 3), g.dim(), g.rng.choice([1, 2, 4, 8])
    shape = (b, t, n) if layout else (t, b, n)
    x = g.pick("float", rank=3, where=lambda v: v.size > 0 and v.mag < 20, fresh=shape)
    t, b, n = (x.shape[1], x.shape[0], x.shape[2]) if layout else x.shape
    direction = g.rng.choice([None, "forward", "reverse", "bidirectional"])
    dirs = 2 if direction == "bidirectional" else 1
    weights = [g.fresh("float", (dirs, gates * h, k), const=g.chance(0.9), lo=-1, hi=1) for k in (n, h)]
    bias = g.fresh("float", (dirs, 2 * gates * h), const=True, lo=-1, hi=1) if g.chance(0.7) else None
    lengths = g.fresh("int32", (b,), lo=1, hi=t) if g.chance(0.3) else None
    if lengths is not None:
        lengths.hidden = True
    state_shape = (b, dirs, h) if layout else (dirs, b, h)
    state = g.fresh("float", state_shape, lo=-1, hi=1) if g.chance(0.4) else None
    extra = [*weights, bias, lengths, state]
    if op == "LSTM" and state is not None:
        extra.append(g.fresh("float", state_shape, lo=-1, hi=1))
        if g.chance(0.3):
            extra.append(g.fresh("float", (dirs, 3 * h), const=True, lo=-1, hi=1))
    y_shape = (b, t, dirs, h) if layout else (t, dirs, b, h)
    outs = [("float", y_shape, -9, 9, None), ("float", state_shape, -9, 9, None)]
    if op == "LSTM":
        outs.append(("float", state_shape, -9, 9, None))
    keep = [g.chance(0.7) for _ in outs]
    keep[g.rng.randrange(len(keep))] = True
    outs = [o if k else None for o, k in zip(outs, keep)]
    while outs[-1] is None:
        outs.pop()
    attributes = {"hidden_size": h, "direction": direction, "layout": layout or None}
    if op == "GRU" and g.chance(0.5):
        attributes["linear_before_reset"] = 1
    if g.chance(0.2):
        attributes["clip"] = 3.0
    if g.chance(0.2) and op == "RNN":
        attributes["activations"] = [g.rng.choice(["Relu", "Tanh", "Sigmoid"])] * dirs
    g.op(op, [x, *extra], outs, **attributes)


@recipe(general=1)
def grid_sample(g):
    g.need("GridSample")
    x = g.pick("float", rank=4, where=lambda v: v.size > 0, fresh=(2, 3, 4, 5))
    grid = g.fresh("float", (x.shape[0], 3, 2, 2), lo=-1, hi=1, exact=False)
    mode = g.rng.choice(["linear", "cubic"] if g.need("GridSample") >= 20 else ["bilinear", "bicubic"])
    g.same("GridSample", x, -x.mag * 3, x.mag * 3, shape=(x.shape[0], x.shape[1], 3, 2), extra=[grid], mode=mode,
           padding_mode=g.rng.choice(["zeros", "border", "reflection"]), align_corners=g.rng.choice([0, 1]))


@recipe(dense=4, general=1)
def attention(g):
    g.need("Attention")
    b, h, s, t, d = g.rng.choice([1, 2]), g.rng.choice([2, 4]), g.rng.choice([1, 3]), g.rng.choice([3, 5]), 4
    kv = g.rng.choice([h, 1]) if g.chance(0.4) else h
    rank3 = g.chance(0.5)
    shape = lambda heads, n: (b, n, heads * d) if rank3 else (b, heads, n, d)
    q, k, v = [g.fresh("float", sh, lo=-2, hi=2) for sh in (shape(h, s), shape(kv, t), shape(kv, t))]
    mask = [g.fresh("float", (s, t))] if g.chance(0.4) else []
    heads = {"q_num_heads": h, "kv_num_heads": kv} if rank3 else {}
    g.op("Attention", [q, k, v, *mask], [("float", shape(h, s), -2, 2, None)],
         is_causal=g.rng.choice([None, 1]) if s <= t else None, **heads)
