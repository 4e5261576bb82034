"""Operators for random graphs: each picks operands from a Builder and adds nodes to it."""
import torch
import torch.nn.functional as F

UNARY = {
    "Neg": torch.neg, "Abs": torch.abs, "Tanh": torch.tanh, "Sigmoid": torch.sigmoid,
    "Relu": torch.relu, "Softplus": F.softplus, "Softsign": F.softsign, "Erf": torch.erf,
    "Sin": torch.sin, "Cos": torch.cos, "Atan": torch.atan, "Identity": torch.clone,
    "HardSwish": F.hardswish, "Mish": F.mish, "Asinh": torch.asinh,
    "Floor": lambda x: torch.floor(x), "Sign": lambda x: torch.sign(x),
}
WITH_ATTRIBUTES = [
    ("LeakyRelu", {"alpha": 0.25}, lambda x: F.leaky_relu(x, 0.25)),
    ("Elu", {"alpha": 0.5}, lambda x: F.elu(x, 0.5)),
    ("HardSigmoid", {"alpha": 0.25, "beta": 0.5}, lambda x: torch.clamp(0.25 * x + 0.5, 0, 1)),
    ("ThresholdedRelu", {"alpha": 0.5}, lambda x: torch.where(x > 0.5, x, x * 0)),
    ("Gelu", {}, F.gelu),
    ("Gelu", {"approximate": "tanh"}, lambda x: F.gelu(x, approximate="tanh")),
]
BINARY = {"Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Max": torch.maximum,
          "Min": torch.minimum}
REDUCTIONS = {
    "ReduceSum": lambda x, a, k: x.sum(a, k), "ReduceMean": lambda x, a, k: x.mean(a, k),
    "ReduceSumSquare": lambda x, a, k: (x * x).sum(a, k),
    "ReduceL1": lambda x, a, k: x.abs().sum(a, k),
    "ReduceL2": lambda x, a, k: (x * x).sum(a, k).sqrt(),
    "ReduceLogSumExp": lambda x, a, k: torch.logsumexp(x, a, k),
    "ReduceMax": lambda x, a, k: torch.amax(x, a, k),
    "ReduceMin": lambda x, a, k: torch.amin(x, a, k),
}


# ---- element-wise -----------------------------------------------------------------------------


def unary(b):
    op = b.random.choice(sorted(UNARY))
    b.add(op, [b.pick()], UNARY[op])


def unary_with_attributes(b):
    op, attributes, function = b.random.choice(WITH_ATTRIBUTES)
    b.add(op, [b.pick()], function, attributes)


def bounded_exp(b):
    t = b.add("Tanh", [b.pick()], torch.tanh)
    b.add("Exp", [t], torch.exp)


def positive(b):
    x = b.pick()
    s = b.add("Mul", [x, x], torch.mul)
    return b.add("Add", [s, b.number(0.5)], torch.add)


def of_positive(b):
    p = positive(b)
    op, function = b.random.choice([("Sqrt", torch.sqrt), ("Log", torch.log),
                                    ("Reciprocal", torch.reciprocal)])
    b.add(op, [p], function)


def power(b):
    p = positive(b)
    if b.random.random() < 0.5:
        return b.add("Pow", [p, b.number(b.random.choice([2.0, 0.5, -1.0, 1.5]))], torch.pow)
    e = b.add("Tanh", [b.pick()], torch.tanh)
    if b.broadcasts(p, e):
        b.add("Pow", [p, e], torch.pow)


def division(b):
    p, x = positive(b), b.pick()
    if b.broadcasts(x, p):
        b.add("Div", [x, p], torch.div)


def binary(b):
    op, x = b.random.choice(sorted(BINARY)), b.pick()
    b.add(op, [x, b.pick_for(x)], BINARY[op])


def variadic(b):
    x = b.pick()
    operands = [x] + [b.pick_for(x) for _ in range(b.random.randint(0, 3))]
    if len({v for v in operands}) and all(b.broadcasts(o, x) for o in operands):
        try:
            torch.broadcast_shapes(*[b.shape(o) for o in operands])
        except RuntimeError:
            return
        if b.random.random() < 0.5:
            b.add("Sum", operands, lambda *v: sum(v))
        else:
            b.add("Mean", operands, lambda *v: sum(v) / len(v))


def where(b):
    x = b.pick()
    y = b.pick_for(x)
    c = b.add("Greater", [x, b.number(0.1)], torch.gt, keep=False)
    b.add("Where", [c, x, y], torch.where)


def clip(b):
    low = b.number(-0.5) if b.random.random() < 0.7 else ""
    high = b.number(0.75) if b.random.random() < 0.7 or not low else ""
    b.add("Clip", [b.pick(), low, high],
          lambda x, l, h: torch.clamp(x, None if l is None else l.item(),
                                      None if h is None else h.item()))


def prelu(b):
    x = b.pick()
    s = b.pick_for(x)
    if torch.broadcast_shapes(b.shape(x), b.shape(s)) == b.shape(x):
        b.add("PRelu", [x, s], lambda x, s: torch.where(x > 0, x, x * s))


def integer_side_path(b):
    i = b.add("Cast", [b.pick()], lambda x: x.trunc().to(torch.int64), {"to": 7}, keep=False)
    f = b.add("Cast", [i], lambda x: x.to(torch.float64), {"to": 11})
    x = b.pick_for(f)
    b.add("Mul", [x, f], torch.mul)


# ---- movement -----------------------------------------------------------------------------------


def transpose(b):
    x = b.pick()
    perm = list(range(len(b.shape(x))))
    b.random.shuffle(perm)
    if perm:
        b.add("Transpose", [x], lambda v: v.permute(perm), {"perm": perm})


def reshape(b):
    x = b.pick()
    n, dims = b.size(x), []
    while n > 1 and len(dims) < 3:
        d = b.random.choice([k for k in range(1, n + 1) if n % k == 0])
        dims.append(d)
        n //= d
    dims.append(n)
    target = list(dims)
    if b.random.random() < 0.5 and 0 not in dims:
        target[b.random.randrange(len(dims))] = -1
    for k, d in enumerate(dims):
        if k < len(b.shape(x)) and b.shape(x)[k] == d and b.random.random() < 0.3 and target[k] >= 0:
            target[k] = 0
    zeros = {"allowzero": 1} if 0 in dims else {}
    b.add("Reshape", [x, b.ints(dims if zeros else target)], lambda v, s: v.reshape(dims), zeros)


def squeeze(b):
    x = b.pick()
    axes = [k for k, d in enumerate(b.shape(x)) if d == 1]
    if axes:
        axis = b.random.choice(axes)
        b.add("Squeeze", [x, b.ints([axis])], lambda v, a: v.squeeze(axis))
    else:
        axis = b.random.randint(0, len(b.shape(x)))
        b.add("Unsqueeze", [x, b.ints([axis])], lambda v, a: v.unsqueeze(axis))


def axis_of(b, x):
    return b.random.randrange(len(b.shape(x))) if b.shape(x) else None


def concat(b):
    x = b.pick()
    axis = axis_of(b, x)
    if axis is None:
        return
    def same(o):
        s, t = b.shape(o), b.shape(x)
        return len(s) == len(t) and all(k == axis or s[k] == t[k] for k in range(len(s)))
    others = [o for o in b.pool if same(o)]
    operands = [x] + [b.random.choice(others) for _ in range(b.random.randint(1, 2))]
    b.add("Concat", operands, lambda *v: torch.cat(v, axis), {"axis": axis})


def split(b):
    x = b.pick()
    axis = axis_of(b, x)
    if axis is None or b.shape(x)[axis] < 2:
        return
    first = b.random.randint(1, b.shape(x)[axis] - 1)
    sizes = [first, b.shape(x)[axis] - first]
    b.add("Split", [x, b.ints(sizes)], lambda v, s: v.split(sizes, axis), {"axis": axis}, outputs=2)


def slices(b):
    x = b.pick()
    axis = axis_of(b, x)
    if axis is None or b.shape(x)[axis] == 0:
        return
    n = b.shape(x)[axis]
    step = b.random.choice([1, 1, 2, -1, -2])
    start, end = (b.random.randint(0, n - 1), n) if step > 0 else (n - 1, -n - 1)
    indices = list(range(start, n, step)) if step > 0 else list(range(n - 1, -1, step))
    b.add("Slice", [x] + [b.ints([v]) for v in (start, end, axis, step)],
          lambda v, *_: v.index_select(axis, torch.tensor(indices)))


def pad(b):
    x = b.pick()
    axis = axis_of(b, x)
    if axis is None or b.shape(x)[axis] < 2:
        return
    before, after = b.random.randint(-1, 1), b.random.randint(0, 1)
    if before + after == 0 and before < 0:
        after = 1
    mode = b.random.choice(["constant", "edge", "reflect"])
    pads = [0] * (2 * len(b.shape(x)))
    pads[axis], pads[len(b.shape(x)) + axis] = before, after
    n = b.shape(x)[axis]
    if mode == "reflect" and n + min(before, 0) <= after:
        mode = "edge"  # what is left is too short to be reflected

    def function(v, _, value=None):
        positions = list(range(-before, n + after))
        if mode == "edge":
            positions = [min(max(p, 0), n - 1) for p in positions]
        if mode == "reflect":
            positions = [abs(p) if p < n else 2 * (n - 1) - p for p in positions]
        inside = [p if 0 <= p < n else 0 for p in positions]
        out = v.index_select(axis, torch.tensor(inside))
        shape = [1] * v.dim()
        shape[axis] = len(positions)
        mask = torch.tensor([0 <= p < n for p in positions]).reshape(shape)
        return out if value is None else torch.where(mask, out, value)
    inputs = [x, b.ints(pads)] + ([b.number(0.25)] if mode == "constant" else [])
    b.add("Pad", inputs, function, {"mode": mode})


def expand(b):
    x = b.pick()
    s = b.shape(x)
    target = [b.random.choice([2, 3]) if d == 1 else d for d in s]
    if b.random.random() < 0.4:
        target = [2] + target
    b.add("Expand", [x, b.ints(target)], lambda v, _: v.expand(target))


def tile(b):
    x = b.pick()
    repeats = [b.random.choice([1, 1, 2]) for _ in b.shape(x)]
    if repeats:
        b.add("Tile", [x, b.ints(repeats)], lambda v, _: v.repeat(repeats))


def gather(b):
    x = b.pick()
    axis = axis_of(b, x)
    if axis is None or b.shape(x)[axis] == 0:
        return
    n = b.shape(x)[axis]
    rows = torch.tensor([b.random.randrange(-n, n) for _ in range(b.random.randint(1, 3))])
    if b.random.random() < 0.3:
        rows = rows[0]
    b.add("Gather", [x, b.constant(rows)],
          lambda v, i: v.index_select(axis, (i % n).flatten()).reshape(
              v.shape[:axis] + i.shape + v.shape[axis + 1:]), {"axis": axis})


def scatter(b):
    x = b.pick()
    axis = axis_of(b, x)
    if axis is None or b.size(x) == 0:
        return
    updates = b.pick()
    if len(b.shape(updates)) != len(b.shape(x)) or b.size(updates) == 0 or any(
            u > d for k, (u, d) in enumerate(zip(b.shape(updates), b.shape(x))) if k != axis):
        return
    n = b.shape(x)[axis]
    how = "add" if b.shape(updates)[axis] > n or b.random.random() < 0.6 else "none"
    index = torch.empty(b.shape(updates), dtype=torch.int64)
    for k in range(b.shape(updates)[axis]):
        index.select(axis, k).fill_(k % n if how == "none" else b.random.randrange(n))
    name = b.constant(index)
    def function(v, i, u):
        return v.scatter_add(axis, i, u) if how == "add" else v.scatter(axis, i, u)
    b.add("ScatterElements", [x, name, updates], function, {"axis": axis, "reduction": how})


def trilu(b):
    x = b.pick()
    if len(b.shape(x)) >= 2:
        upper = b.random.randint(0, 1)
        b.add("Trilu", [x], torch.triu if upper else torch.tril, {"upper": upper})


def cumsum(b):
    x = b.pick()
    axis = axis_of(b, x)
    if axis is not None:
        b.add("CumSum", [x, b.constant(torch.tensor(axis))], lambda v, a: v.cumsum(axis))


# ---- contractions, reductions -------------------------------------------------------------------


def matmul(b):
    x = b.pick()
    s = b.shape(x)
    if not s:
        return
    def fits(o):
        t = b.shape(o)
        if not t or s[-1] != t[-2 if len(t) > 1 else 0]:
            return False
        try:
            torch.broadcast_shapes(s[:-2], t[:-2])
            return True
        except RuntimeError:
            return False
    others = [o for o in b.pool if fits(o)]
    if others:
        b.add("MatMul", [x, b.random.choice(others)], torch.matmul)
    else:
        w = b.weight([s[-1], b.random.randint(1, 3)])
        b.add("MatMul", [x, w], torch.matmul)


def gemm(b):
    x = b.pick()
    if len(b.shape(x)) != 2:
        return
    ta, tb, n = b.random.randint(0, 1), b.random.randint(0, 1), b.random.randint(1, 3)
    k = b.shape(x)[0 if ta else 1]
    w = b.weight([n, k] if tb else [k, n])
    c = b.weight(b.random.choice([[n], [1, n], [1], []]))
    alpha, beta = b.random.choice([(1.0, 1.0), (0.5, 2.0), (0.5, 0.0)])
    b.add("Gemm", [x, w, c], lambda x, w, c: alpha * ((x.t() if ta else x) @ (w.t() if tb else w))
          + beta * c, {"transA": ta, "transB": tb, "alpha": alpha, "beta": beta})


def image(b):
    """A pool value as [N, C, H, W]."""
    x = b.pick()
    n = b.size(x)
    options = [(c, h, n // (c * h)) for c in (1, 2, 3) for h in (2, 3, 4)
               if n > 0 and n % (c * h) == 0 and 2 <= n // (c * h) <= 6]
    if not options:
        return None
    shape = [1, *b.random.choice(options)]
    return b.add("Reshape", [x, b.ints(shape)], lambda v, s: v.reshape(shape))


def conv(b):
    x = image(b)
    if x is None:
        return
    c, k, m = b.shape(x)[1], b.random.randint(1, 2), b.random.randint(1, 2)
    stride, padding = b.random.randint(1, 2), b.random.randint(0, 1)
    w, bias = b.weight([m, c, k, k]), b.weight([m])
    b.add("Conv", [x, w, bias], lambda x, w, v: F.conv2d(x, w, v, stride, padding),
          {"strides": [stride] * 2, "pads": [padding] * 4, "kernel_shape": [k, k]})


def conv_transpose(b):
    x = image(b)
    if x is None:
        return
    w, stride = b.weight([b.shape(x)[1], 2, 2, 2]), b.random.randint(1, 2)
    b.add("ConvTranspose", [x, w], lambda x, w: F.conv_transpose2d(x, w, None, stride),
          {"strides": [stride] * 2})


def pool(b):
    x = image(b)
    if x is None:
        return
    choice = b.random.randrange(3)
    if choice == 0:
        b.add("MaxPool", [x], lambda v: F.max_pool2d(v, 2, 1), {"kernel_shape": [2, 2]})
    elif choice == 1:
        b.add("AveragePool", [x], lambda v: F.avg_pool2d(v, 2, 1), {"kernel_shape": [2, 2]})
    else:
        b.add("GlobalAveragePool", [x], lambda v: v.mean((2, 3), True))


def reduction(b):
    x, op = b.pick(), b.random.choice(sorted(REDUCTIONS))
    rank = len(b.shape(x))
    if b.size(x) == 0 and op not in ("ReduceSum", "ReduceSumSquare", "ReduceL1"):
        return
    axes = sorted(b.random.sample(range(rank), b.random.randint(1, rank))) if rank else []
    keep = b.random.randint(0, 1)
    if not axes:
        return
    b.add(op, [x, b.ints(axes)], lambda v, a: REDUCTIONS[op](v, tuple(axes), bool(keep)),
          {"keepdims": keep})


def softmax(b):
    x = b.pick()
    axis = axis_of(b, x)
    if axis is not None:
        op, function = b.random.choice([("Softmax", torch.softmax), ("LogSoftmax", torch.log_softmax)])
        b.add(op, [x], lambda v: function(v, axis), {"axis": axis})


def layer_norm(b):
    x = b.pick()
    s = b.shape(x)
    if s and s[-1] > 1:
        w, v = b.weight([s[-1]]), b.weight([s[-1]])
        b.add("LayerNormalization", [x, w, v],
              lambda x, w, v: F.layer_norm(x, [s[-1]], w, v, 0.25), {"axis": -1, "epsilon": 0.25})


def top_k(b):
    x = b.pick()
    axis = axis_of(b, x)
    if axis is None or b.shape(x)[axis] < 2:
        return
    k = b.random.randint(1, b.shape(x)[axis] - 1)
    values, _ = b.add("TopK", [x, b.ints([k])],
                      lambda v, _: torch.topk(v, k, axis), {"axis": axis}, outputs=2, keep=False)
    b.pool.append(values)


OPERATORS = [unary, unary, unary, unary_with_attributes, bounded_exp, of_positive, power, division,
             binary, binary, binary, binary, variadic, where, clip, prelu, integer_side_path,
             transpose, reshape, reshape, squeeze, concat, split, slices, pad, expand, tile, gather,
             scatter, trilu, cumsum, matmul, matmul, gemm, conv, conv_transpose, pool, reduction,
             reduction, softmax, layer_norm, top_k]
