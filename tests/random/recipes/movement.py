"""Operators that move elements: shapes, slices, joins, gathers."""
import math

import numpy as np

from build import FLOATS, NUMPY, Skip
from recipes.registry import axis_of, recipe

ANY = ("float", "double", "float16", "int64", "int32", "bool", "uint8", "int8", "string", "bfloat16",
       "int16", "uint16", "uint32", "uint64")


def moved(g, op, x, shape, extra=(), **attributes):
    return g.same(op, x, x.lo, x.hi, x.frac, shape=shape, extra=extra, **attributes)


def padded_range(x):
    return min(x.lo, 0), max(x.hi, 0)


def source(g, op, rank=None, where=None):
    return g.pick([t for t in g.types(op) if t in ANY], rank=rank, where=where)


def factors(g, size, rank):
    """A shape with this many elements."""
    shape = [1] * rank
    for p in (2, 3, 5, 7, 11, 13):
        while size and size % p == 0:
            shape[g.rng.randrange(rank)] *= p
            size //= p
    shape[g.rng.randrange(rank)] *= size
    return shape


@recipe(every=6)
def reshape(g):
    version = g.need("Reshape")
    x = source(g, "Reshape", where=lambda v: v.size > 0)
    shape = factors(g, x.size, g.rng.randint(1, 5))
    given = list(shape)
    for i, d in enumerate(shape):
        if i < x.rank and x.shape[i] == d and g.chance(0.4):
            given[i] = 0
    if g.chance(0.4):
        given[g.rng.randrange(len(given))] = -1
    if version < 5:
        return moved(g, "Reshape", x, shape, shape=given)
    return moved(g, "Reshape", x, shape, [g.ints(given)])


@recipe(sizes=8, every=1)
def reshape_by_shape(g):
    """Shape, Gather, Concat, Reshape: what exporters write for a view."""
    x = source(g, "Reshape", where=lambda v: v.rank > 1 and v.size > 0)
    s = g.op("Shape", [x], [("int64", [x.rank], 0, 4096, 0)])
    s.hidden = True
    keep = g.rng.randrange(x.rank)
    if g.chance(0.5):
        d = g.op("Gather", [s, g.ints([keep])], [("int64", [1], 0, 4096, 0)], axis=0)
    else:
        scalar = g.op("Gather", [s, g.const(np.int64(keep), hidden=True)], [("int64", [], 0, 4096, 0)], axis=0)
        d = unsqueeze_op(g, scalar, [0], (1,))
        scalar.hidden = True
    d.hidden = True
    if g.chance(0.3):
        two = g.const(np.array([1], np.int64), hidden=True)
        d = g.same("Mul", d, extra=[two])
        d.hidden = True
    parts, shape = [d, g.ints([-1])], [x.shape[keep], x.size // max(x.shape[keep], 1)]
    if g.chance(0.5):
        parts, shape = parts[::-1], shape[::-1]
    if g.chance(0.3):
        parts, shape = parts + [g.ints([1])], shape + [1]
    target = g.op("Concat", parts, [("int64", [len(shape)], 0, 4096, 0)], axis=0)
    target.hidden = True
    moved(g, "Reshape", x, shape, [target])


@recipe(every=5)
def transpose(g):
    x = source(g, "Transpose")
    perm = list(range(x.rank))
    g.rng.shuffle(perm)
    if g.chance(0.2):
        return moved(g, "Transpose", x, x.shape[::-1])
    return moved(g, "Transpose", x, [x.shape[p] for p in perm], perm=perm)


@recipe(every=6, cnn=12)
def concat(g):
    version = g.need("Concat")
    x = source(g, "Concat", where=lambda v: v.rank > 0)
    axis, given = axis_of(g, x.rank)
    if x.rank == 4 and g.chance(0.7):
        axis = given = 1
    if version < 11 and given < 0:
        given = axis
    fits = lambda v: v.rank == x.rank and all(a == b for i, (a, b) in enumerate(zip(x.shape, v.shape)) if i != axis)
    parts = [x]
    for _ in range(g.rng.randint(0, 3)):
        shape = list(x.shape)
        shape[axis] = g.dim()
        parts.append(g.pick(x.type, where=fits, fresh=shape))
    g.rng.shuffle(parts)
    shape = list(x.shape)
    shape[axis] = sum(p.shape[axis] for p in parts)
    frac = max(p.frac for p in parts) if all(p.frac is not None for p in parts) else None
    g.op("Concat", parts, [(x.type, shape, min(p.lo for p in parts), max(p.hi for p in parts), frac)], axis=given)


@recipe(every=4)
def split(g):
    version = g.need("Split")
    x = source(g, "Split", where=lambda v: v.rank > 0)
    axis, given = axis_of(g, x.rank)
    if version < 11 and given < 0:
        given = axis
    d = x.shape[axis]
    equal = [n for n in range(1, 5) if d % n == 0]
    sizes, extra, attributes = None, [], {"axis": given if axis or g.chance(0.5) else None}
    if g.chance(0.4) and d:
        n = g.rng.choice(equal)
        sizes = [d // n] * n
        if version >= 18:
            attributes["num_outputs"] = n
    else:
        cuts = sorted(g.rng.randint(0, d) for _ in range(g.rng.randint(0, 3)))
        sizes = [b - a for a, b in zip([0] + cuts, cuts + [d])]
        if not g.style.get("empty") and 0 in sizes:
            sizes = [d]
        if version < 13:
            attributes["split"] = sizes
        else:
            extra = [g.ints(sizes)]
    outputs = [(x.type, x.shape[:axis] + (s,) + x.shape[axis + 1:], x.lo, x.hi, x.frac) for s in sizes]
    g.op("Split", [x, *extra], outputs, **attributes)


def slice_length(d, start, end, step):
    """As the standard says; Python's slices differ where a start is before the first element."""
    def clamped(i, low, high):
        return max(low, min(i + d if i < 0 else i, high))
    if d == 0:
        return 0
    if step > 0:
        return max(0, -(-(clamped(end, 0, d) - clamped(start, 0, d)) // step))
    return max(0, -((clamped(start, 0, d - 1) - clamped(end, -1, d - 1)) // step))


@recipe(every=5)
def slice_(g):
    version = g.need("Slice")
    x = source(g, "Slice", where=lambda v: v.rank > 0 and v.type != "bfloat16")
    axes = sorted(g.rng.sample(range(x.rank), g.rng.randint(1, x.rank)))
    starts, ends, steps, shape = [], [], [], list(x.shape)
    for a in axes:
        step = g.rng.choice([1, 1, 1, 2, -1, -2]) if version >= 10 else 1
        start, end = g.rng.randint(-x.shape[a] - 1, x.shape[a]), g.rng.randint(-x.shape[a] - 2, x.shape[a] + 2)
        if g.chance(0.3):
            start, end = (0, 2 ** 31 - 1) if step > 0 else (-1, -2 ** 31)
        shape[a] = slice_length(x.shape[a], start, end, step)
        starts, ends, steps = starts + [start], ends + [end], steps + [step]
    if 0 in shape and not g.style.get("empty"):
        raise Skip("empty")
    if version < 10:
        return moved(g, "Slice", x, shape, starts=starts, ends=ends, axes=axes)
    kind = g.rng.choice(["int64", "int32"])
    extra = [g.ints(v, kind) for v in (starts, ends, axes, steps)]
    if all(s == 1 for s in steps) and g.chance(0.7):
        extra.pop()
        if axes == list(range(len(axes))) and g.chance(0.5):
            extra.pop()
    return moved(g, "Slice", x, shape, extra)


def with_axes(g, op, x, axes, shape, since=13):
    if g.need(op) < since:
        return moved(g, op, x, shape, axes=axes)
    return moved(g, op, x, shape, [g.ints(axes)])


@recipe(every=3)
def squeeze(g):
    x = source(g, "Squeeze", where=lambda v: 1 in v.shape)
    ones = [i for i, d in enumerate(x.shape) if d == 1]
    # A size that is known only at run time would decide the rank (decision 0005).
    if g.chance(0.2) and g.style["sizes"] == "fixed":
        return moved(g, "Squeeze", x, [d for d in x.shape if d != 1])
    axes = sorted(g.rng.sample(ones, g.rng.randint(1, len(ones))))
    return with_axes(g, "Squeeze", x, axes, [d for i, d in enumerate(x.shape) if i not in axes])


def unsqueeze_op(g, x, axes, shape):
    return with_axes(g, "Unsqueeze", x, axes, shape)


@recipe(every=3)
def unsqueeze(g):
    x = source(g, "Unsqueeze", where=lambda v: v.rank < 5)
    rank = x.rank + g.rng.randint(1, 2)
    axes = sorted(g.rng.sample(range(rank), rank - x.rank))
    rest = iter(x.shape)
    unsqueeze_op(g, x, axes, [1 if i in axes else next(rest) for i in range(rank)])


@recipe(every=2)
def flatten(g):
    version = g.need("Flatten")
    x = source(g, "Flatten")
    axis = g.rng.randint(0, x.rank) if x.rank else 0
    rows = int(np.prod(x.shape[:axis], dtype=np.int64))
    cols = int(np.prod(x.shape[axis:], dtype=np.int64))
    given = axis - x.rank if version >= 11 and axis < x.rank and g.chance(0.3) else axis
    moved(g, "Flatten", x, [rows, cols], axis=given)


@recipe(every=2)
def expand(g):
    x = source(g, "Expand")
    shape = [g.dim() if d == 1 else d for d in x.shape]
    if g.chance(0.3):
        shape = [g.dim()] + shape
    given = [1 if d == s and i and g.chance(0.2) else s for i, (s, d) in
             enumerate(zip(shape, [1] * (len(shape) - x.rank) + list(x.shape)))]
    moved(g, "Expand", x, shape, [g.ints(given)])


@recipe(every=2)
def tile(g):
    version = g.need("Tile")
    x = source(g, "Tile", where=lambda v: v.rank > 0)
    if version < 6:
        raise Skip("old form")
    repeats = [g.rng.choice([1, 1, 2, 3]) for _ in x.shape]
    moved(g, "Tile", x, [d * r for d, r in zip(x.shape, repeats)], [g.ints(repeats)])


@recipe(every=3)
def pad(g):
    version = g.need("Pad")
    x = source(g, "Pad", where=lambda v: v.rank > 0 and v.type not in ("string", "bfloat16"))
    mode = g.rng.choice(["constant", "constant", "reflect", "edge"])
    if mode != "constant" and 0 in x.shape:
        raise Skip("empty")
    most = lambda d: min(2, d - 1) if mode == "reflect" else 2
    begin = [g.rng.randint(0, most(d)) if g.chance(0.5) else 0 for d in x.shape]
    end = [g.rng.randint(0, most(d)) if g.chance(0.5) else 0 for d in x.shape]
    if mode == "constant" and g.chance(0.15):
        i = g.rng.randrange(x.rank)
        begin[i] = -g.rng.randint(0, max(x.shape[i] - 1, 0))
    shape = [d + b + e for d, b, e in zip(x.shape, begin, end)]
    value = g.rng.choice([None, 0, 1])
    lo, hi = min(padded_range(x)[0], 0), max(padded_range(x)[1], 1)
    attributes = {"mode": mode if mode != "constant" or g.chance(0.3) else None}
    if version < 11:
        return g.same("Pad", x, lo, hi, x.frac, shape=shape, pads=begin + end,
                      value=None if value is None else float(value), **attributes)
    extra = [g.ints(begin + end)]
    if value is not None and mode == "constant":
        extra.append(g.const(np.asarray(value, NUMPY[x.type]), x.type, hidden=True))
    return g.same("Pad", x, lo, hi, x.frac, shape=shape, extra=extra, **attributes)


@recipe(every=4)
def gather(g):
    x = source(g, "Gather", where=lambda v: v.rank > 0 and 0 not in v.shape)
    axis, given = axis_of(g, x.rank)
    low = -x.shape[axis] if g.need("Gather") >= 11 else 0
    index = g.fresh(g.rng.choice(["int64", "int32"]), g.shape(most=2), lo=low, hi=x.shape[axis] - 1)
    index.hidden = True
    if x.type == "string" and math.prod(x.shape[axis + 1:]) > 1:
        raise Skip("ONNX Runtime copies the first string of each block")
    moved(g, "Gather", x, x.shape[:axis] + index.shape + x.shape[axis + 1:], [index], axis=given)


@recipe(every=2)
def gather_elements(g):
    x = source(g, "GatherElements", where=lambda v: v.rank > 0 and 0 not in v.shape)
    axis, given = axis_of(g, x.rank)
    shape = [g.rng.randint(1, d) for d in x.shape]
    shape[axis] = g.rng.randint(1, 5)
    index = g.fresh(g.rng.choice(["int64", "int32"]), shape, lo=-x.shape[axis], hi=x.shape[axis] - 1)
    index.hidden = True
    moved(g, "GatherElements", x, shape, [index], axis=given)


@recipe(every=1)
def gather_nd(g):
    version = g.need("GatherND")
    x = source(g, "GatherND", where=lambda v: v.rank > 1 and 0 not in v.shape)
    batch = g.rng.choice([0, 1]) if version >= 12 else 0
    depth = g.rng.randint(1, x.rank - batch)
    lead = x.shape[:batch] + g.shape(g.rng.randint(0, 2))
    limit = np.array(x.shape[batch:batch + depth])
    index = (g.np_rng().randint(0, 1 << 20, lead + (depth,)) % limit).astype(np.int64)
    value = g.const(index, hidden=True) if g.chance(0.5) else g.input(index, "int64", hidden=True)
    value.fixed = True
    moved(g, "GatherND", x, lead + x.shape[batch + depth:], [value], batch_dims=batch if batch else None)


@recipe(every=2)
def scatter_elements(g):
    x = source(g, "ScatterElements", where=lambda v: v.rank > 0 and 0 not in v.shape)
    axis, given = axis_of(g, x.rank)
    shape = [g.rng.randint(1, d) for d in x.shape]
    # No index twice along the axis: the order of writes is open.
    array = np.argsort(g.np_rng().rand(*x.shape), axis=axis)[tuple(slice(0, s) for s in shape)].astype(np.int64)
    index = g.const(array, hidden=True) if g.chance(0.5) else g.input(array, "int64", hidden=True)
    update = g.pick(x.type, where=lambda v: v.shape == tuple(shape), fresh=shape)
    frac = max(x.frac, update.frac) if x.frac is not None and update.frac is not None else None
    g.op("ScatterElements", [x, index, update],
         [(x.type, x.shape, min(x.lo, update.lo), max(x.hi, update.hi), frac)], axis=given)


@recipe(every=2)
def scatter_nd(g):
    x = source(g, "ScatterND", where=lambda v: v.rank > 0 and 0 not in v.shape)
    depth = g.rng.randint(1, x.rank)
    cells = int(np.prod(x.shape[:depth]))
    chosen = g.np_rng().permutation(cells)[:g.rng.randint(1, min(cells, 5))]
    array = np.stack(np.unravel_index(chosen, x.shape[:depth]), -1).astype(np.int64)
    index = g.const(array, hidden=True) if g.chance(0.5) else g.input(array, "int64", hidden=True)
    index.fixed = True
    update = g.fresh(x.type, (len(chosen),) + x.shape[depth:])
    frac = max(x.frac, update.frac) if x.frac is not None and update.frac is not None else None
    g.op("ScatterND", [x, index, update],
         [(x.type, x.shape, min(x.lo, update.lo), max(x.hi, update.hi), frac)])


@recipe(every=1, cnn=2)
def depth_to_space(g):
    version = g.need("DepthToSpace")
    b = 2
    x = g.pick(["float", "double", "uint8"], rank=4, where=lambda v: v.shape[1] % (b * b) == 0 and v.shape[1],
               fresh=(g.dim(), 4, 2, 3))
    if x.type not in g.types("DepthToSpace"):
        raise Skip("type")
    n, c, h, w = x.shape
    mode = g.rng.choice([None, "DCR", "CRD"]) if version >= 11 else None
    moved(g, "DepthToSpace", x, (n, c // 4, h * 2, w * 2), blocksize=2, mode=mode)


@recipe(every=1, cnn=2)
def space_to_depth(g):
    x = g.pick("float", rank=4, where=lambda v: v.shape[2] % 2 == 0 and v.shape[3] % 2 == 0,
               fresh=(g.dim(), 3, 4, 2))
    n, c, h, w = x.shape
    moved(g, "SpaceToDepth", x, (n, c * 4, h // 2, w // 2), blocksize=2)


@recipe(cnn=4)
def channel_shuffle(g):
    x = g.pick("float", rank=4, where=lambda v: v.shape[1] % 2 == 0 and v.shape[1] > 2 and v.size,
               fresh=(1, 8, 4, 4))
    n, c, h, w = x.shape
    a = moved(g, "Reshape", x, (n, 2, c // 2, h, w), [g.ints([n, 2, c // 2, h, w])])
    b = moved(g, "Transpose", a, (n, c // 2, 2, h, w), perm=[0, 2, 1, 3, 4])
    moved(g, "Reshape", b, x.shape, [g.ints([n, -1, h, w])])


@recipe(every=2, sizes=4)
def shape_of(g):
    version = g.need("Shape")
    x = source(g, "Shape")
    if g.chance(0.2):
        return g.op("Size", [x], [("int64", [], 0, 4096, 0)])
    start = g.rng.randint(-x.rank, x.rank) if version >= 15 and g.chance(0.3) else None
    end = g.rng.randint(-x.rank, x.rank) if version >= 15 and g.chance(0.3) else None
    count = len(range(*slice(start, end).indices(x.rank)))
    if not count and not g.style.get("empty"):
        raise Skip("empty")
    return g.op("Shape", [x], [("int64", [count], 0, 4096, 0)], start=start, end=end)


@recipe(every=1, sizes=3)
def constant_of_shape(g):
    from build import tensor_proto
    shape = g.shape()
    type = g.rng.choice(["float", "int64", "int32", "bool"])
    value = np.asarray([g.rng.randint(0, 1)], NUMPY[type])
    x = g.pick("float") if g.chance(0.4) else None
    if x is not None:
        s = g.op("Shape", [x], [("int64", [x.rank], 0, 4096, 0)])
        shape, s.hidden = x.shape, True
    else:
        s = g.ints(list(shape))
    v = float(value[0])
    g.op("ConstantOfShape", [s], [(type, shape, v, v, 0)], value=tensor_proto("", type, value))


@recipe(every=1, sizes=2)
def range_(g):
    g.need("Range")
    type = g.rng.choice(["int64", "int32", "float"])
    start, delta, n = g.rng.randint(-5, 5), g.rng.choice([1, 2, -1, -3]), g.rng.randint(1, 6)
    scalar = lambda v: (g.const if g.chance(0.7) else lambda a, t, **k: g.input(a, t, **k))(
        np.asarray(v, NUMPY[type]), type, hidden=True)
    limit = start + delta * n
    g.op("Range", [scalar(start), scalar(limit), scalar(delta)],
         [(type, [n], min(start, limit), max(start, limit), 0)])


@recipe(every=1)
def trilu(g):
    x = source(g, "Trilu", where=lambda v: v.rank > 1 and v.type not in ("string", "bfloat16", "uint8", "int8"))
    extra = [g.const(np.int64(g.rng.randint(-2, 2)), hidden=True)] if g.chance(0.5) else []
    lo, hi = padded_range(x)
    g.same("Trilu", x, lo, hi, x.frac, extra=extra, upper=g.rng.choice([0, 1, None]))


@recipe(every=1)
def cumsum(g):
    x = g.pick(g.types("CumSum", among=("float", "double", "int32", "int64")), where=lambda v: v.rank > 0)
    axis, given = axis_of(g, x.rank)
    n = max(x.shape[axis], 1)
    g.same("CumSum", x, -x.mag * n, x.mag * n, x.frac,
           extra=[g.const(np.asarray(given, np.int32), hidden=True)],
           exclusive=g.rng.choice([None, 0, 1]), reverse=g.rng.choice([None, 0, 1]))


@recipe(every=2)
def top_k(g):
    version = g.need("TopK")
    x = g.pick([t for t in g.types("TopK") if t in ("float", "double", "int32", "int64")],
               where=lambda v: v.rank > 0 and v.exact and 0 not in v.shape)
    axis, given = axis_of(g, x.rank)
    k = g.rng.randint(1, x.shape[axis])
    shape = x.shape[:axis] + (k,) + x.shape[axis + 1:]
    if version < 10:
        return None
    if version < 11:
        given = axis
    attributes = {} if version < 11 else {"largest": g.rng.choice([None, 0, 1])}
    return g.op("TopK", [x, g.ints([k])], [(x.type, shape, x.lo, x.hi, x.frac),
                                           ("int64", shape, 0, x.shape[axis], 0)], axis=given, **attributes)


@recipe(every=1)
def one_hot(g):
    g.need("OneHot")
    depth = g.rng.randint(2, 5)
    index = g.fresh(g.rng.choice(["int64", "int32"]), g.shape(most=2), lo=-depth, hi=depth - 1)
    axis = g.rng.randint(-1, index.rank)
    at = axis if axis >= 0 else index.rank
    type = g.rng.choice(["float", "int64", "int32"])
    values = g.const(np.array([0, 1], NUMPY[type]), type, hidden=True)
    d = g.const(np.asarray(depth, np.int64), hidden=True)
    g.op("OneHot", [index, d, values], [(type, index.shape[:at] + (depth,) + index.shape[at:], 0, 1, 0)], axis=axis)


@recipe(every=1)
def reverse_sequence(g):
    g.need("ReverseSequence")
    x = source(g, "ReverseSequence", where=lambda v: v.rank > 1 and v.type not in ("bfloat16",) and v.size)
    batch = g.rng.choice([0, 1])
    n, t = x.shape[batch], x.shape[1 - batch]
    lengths = g.fresh("int64", (n,), lo=1, hi=t)
    lengths.hidden = True
    moved(g, "ReverseSequence", x, x.shape, [lengths], batch_axis=batch, time_axis=1 - batch)


@recipe(every=2, cnn=4)
def resize(g):
    version = g.need("Resize")
    x = g.pick("float", rank=4, where=lambda v: v.size)
    n, c, h, w = x.shape
    mode = g.rng.choice(["nearest", "linear", "cubic"])
    sh, sw = g.rng.choice([(2, 2), (2, 1), (3, 2), (1, 1), (2, 2)])
    shape = (n, c, h * sh, w * sw)
    mag = x.mag * 3
    if version < 11:
        mode = g.rng.choice(["nearest", "linear"])
        return g.same("Resize", x, -mag, mag, shape=shape, mode=mode,
                      extra=[g.const(np.array([1, 1, sh, sw], np.float32), hidden=True)])
    transform = g.rng.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
    attributes = {"mode": mode, "coordinate_transformation_mode": transform}
    if mode == "nearest":
        attributes["coordinate_transformation_mode"] = "asymmetric"
        attributes["nearest_mode"] = "floor"
    roi = None
    if g.chance(0.5):
        sizes = g.const(np.array(shape, np.int64), hidden=True)
        empty = None if version >= 13 else g.const(np.zeros([0], np.float32), hidden=True)
        extra = [roi or empty, empty, sizes]
    else:
        extra = [None if version >= 13 else g.const(np.zeros([0], np.float32), hidden=True),
                 g.const(np.array([1, 1, sh, sw], np.float32), hidden=True)]
    return g.same("Resize", x, -mag, mag, None, shape=shape, extra=extra, **attributes)


@recipe(every=1, sizes=2)
def open_sizes(g):
    """Results whose size the elements decide; they are outputs, or go through a reduction."""
    kind = g.rng.choice(["NonZero", "Compress", "Unique"])
    g.need(kind)
    x = g.pick("float", where=lambda v: v.rank > 0 and v.exact and (v.given is not None or v.const is not None) and v.size)
    array = x.given if x.given is not None else x.const
    if kind == "NonZero":
        count = int(np.count_nonzero(array))
        if count:
            g.op("NonZero", [x], [("int64", (x.rank, count), 0, 64, 0)])
    elif kind == "Compress":
        keep = g.np_rng().randint(0, 2, array.size).astype(bool)
        if keep.any():
            moved(g, "Compress", x, (int(keep.sum()),), [g.input(keep, "bool", 0, 1, 0, hidden=True)])
    else:
        values, first, inverse, counts = np.unique(array, True, True, True)
        g.op("Unique", [x], [("float", values.shape, x.lo, x.hi, x.frac), ("int64", first.shape, 0, 4096, 0),
                             ("int64", (array.size,), 0, 4096, 0), ("int64", counts.shape, 0, 4096, 0)],
             sorted=1)


@recipe(cnn=5, every=1)
def concat_of_views(g):
    """Parts of one value, put together again in another order, with other readers of the parts."""
    x = g.pick("float", where=lambda v: v.rank > 1 and v.shape[1] > 1 and 0 not in v.shape)
    if not g.has("Split") or g.need("Split") >= 18 and x.shape[1] < 2:
        raise Skip("opset")
    cut = g.rng.randint(1, x.shape[1] - 1)
    sizes = [cut, x.shape[1] - cut]
    outputs = [("float", x.shape[:1] + (s,) + x.shape[2:], x.lo, x.hi, x.frac) for s in sizes]
    given = {"split": sizes} if g.need("Split") < 13 else {}
    a, b = g.op("Split", [x] + ([] if given else [g.ints(sizes)]), outputs, axis=1, **given)
    if g.chance(0.5):
        a = g.same("Relu", a, 0, max(a.hi, 0), a.frac)
    parts = g.rng.choice([[b, a], [a, b], [a, a], [b, a, b], [a, b, x]])
    shape = x.shape[:1] + (sum(p.shape[1] for p in parts),) + x.shape[2:]
    g.op("Concat", parts, [("float", shape, min(p.lo for p in parts), max(p.hi for p in parts), x.frac)], axis=1)
