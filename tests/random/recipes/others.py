"""Standalone operators: signals, losses, regions of images, windows, positions."""
import numpy as np

from build import NAMES, Skip, pb, type_proto, value_info
from recipes.registry import axis_of, recipe
from recipes.control import Hidden, hidden_op

MS = "com.microsoft"


def scalar(g, value, kind=np.int64):
    return g.const(np.asarray(value, kind), hidden=True)


@recipe(every=1)
def eye_like(g):
    g.need("EyeLike")
    x = g.pick(("float", "int32", "int64"), rank=2)
    g.same("EyeLike", x, 0, 1, 0, k=g.rng.choice([None, 1, -1]))


@recipe(every=1)
def windows(g):
    op = g.rng.choice(["BlackmanWindow", "HannWindow", "HammingWindow"])
    g.need(op)
    n = g.rng.choice([3, 8, 10])
    g.op(op, [scalar(g, n)], [("float", (n,), -1, 1, None)], periodic=g.rng.choice([0, 1]))


@recipe(every=1)
def crop_or_pad(g):
    g.need("CenterCropPad")
    x = g.pick(("float", "int64"), where=lambda v: v.rank > 0 and v.size > 0)
    axis, given = axis_of(g, x.rank)
    n = g.rng.randint(1, 7)
    g.same("CenterCropPad", x, min(x.lo, 0), max(x.hi, 0), x.frac, shape=x.shape[:axis] + (n,) + x.shape[axis + 1:],
           extra=[g.ints([n])], axes=[given])


@recipe(every=1)
def col2im(g):
    g.need("Col2Im")
    c, h, w, k = g.rng.choice([1, 2]), 4, 5, 2
    x = g.fresh("float", (1, c * k * k, (h - k + 1) * (w - k + 1)))
    g.same("Col2Im", x, -16, 16, x.frac, shape=(1, c, h, w), extra=[g.const(np.array([h, w]), hidden=True),
                                                                  g.const(np.array([k, k]), hidden=True)])


@recipe(every=1)
def determinant(g):
    g.need("Det")
    n = g.rng.choice([1, 2, 3])
    x = g.fresh("float", g.shape(most=2) + (n, n), lo=-1, hi=1)
    g.op("Det", [x], [("float", x.shape[:-2], -9, 9, None)])


@recipe(every=1)
def transforms(g):
    version = g.need("DFT")
    n = g.rng.choice([4, 6, 8])
    x = g.fresh("float", (g.rng.choice([1, 2]), n, g.rng.choice([1, 2])), lo=-2, hi=2)
    half = g.chance(0.3) and x.shape[2] == 1
    out = [("float", (x.shape[0], n // 2 + 1 if half else n, 2), -99, 99, None)]
    extra = [None, scalar(g, 1)] if version >= 20 else []
    attributes = {"onesided": 1 if half else None, "inverse": 1 if not half and g.chance(0.3) else None}
    g.op("DFT", [x, *extra], out, axis=1 if version < 20 else None, **attributes)


@recipe(every=1)
def losses(g):
    op = g.rng.choice(["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"])
    g.need(op)
    n, c, rest = g.rng.choice([1, 3]), g.rng.choice([2, 4]), g.rng.choice([(), (3,), (2, 2)])
    x = g.pick("float", where=lambda v: v.shape == (n, c) + rest and v.mag < 50, fresh=(n, c) + rest)
    target = g.fresh(g.rng.choice(["int64", "int32"]), (n,) + rest, lo=0, hi=c - 1)
    target.hidden = True
    weight = [g.fresh("float", (c,), lo=0.5, hi=2)] if g.chance(0.5) else []
    how = g.rng.choice([None, "mean", "sum", "none"])
    out = [("float", (n,) + rest if how == "none" else (), -999, 999, None)]
    if op[0] == "S" and g.chance(0.4):
        out.append(("float", x.shape, -99, 0, None))
    g.op(op, [x, target, *weight], out, reduction=how, ignore_index=0 if g.chance(0.2) and how != "mean" else None)


@recipe(every=1)
def roi_align(g):
    version = g.need("RoiAlign")
    x = g.pick("float", rank=4, where=lambda v: v.size > 0 and v.shape[2] >= 4, fresh=(2, 2, 6, 5))
    n = g.rng.choice([1, 2])
    corners = g.np_rng().uniform(0, 2, (n, 2))
    rois = np.concatenate([corners, corners + g.np_rng().uniform(1, 2, (n, 2))], 1).astype(np.float32)
    batch = g.np_rng().randint(0, x.shape[0], (n,)).astype(np.int64)
    mode = {"coordinate_transformation_mode": g.rng.choice(["half_pixel", "output_half_pixel"])} if version >= 16 else {}
    g.same("RoiAlign", x, shape=(n, x.shape[1], 2, 3), extra=[g.const(rois, hidden=True), g.const(batch, hidden=True)],
           output_height=2, output_width=3, sampling_ratio=g.rng.choice([0, 2]), spatial_scale=1.0,
           mode=g.rng.choice(["avg", None]), **mode)


@recipe(every=1)
def rotary(g):
    g.need("RotaryEmbedding")
    b, h, s, d = g.rng.choice([1, 2]), 2, g.rng.choice([1, 3]), 4
    x = g.fresh("float", (b, h, s, d))
    angles = g.np_rng().uniform(-3, 3, (8, d // 2)).astype(np.float32)
    position = g.np_rng().randint(0, 8, (b, s)).astype(np.int64)
    extra = [g.const(np.cos(angles), hidden=True), g.const(np.sin(angles), hidden=True), g.const(position, hidden=True)]
    g.same("RotaryEmbedding", x, -9, 9, extra=extra, interleaved=g.rng.choice([None, 1]))


@recipe(every=1, cnn=2)
def unpool(g):
    if g.need("MaxPool") < 8:
        raise Skip("indices")
    g.need("MaxUnpool")
    x = g.fresh("float", (1, g.rng.choice([1, 3]), 4, 6), exact=True)
    shape = x.shape[:2] + (2, 3)
    y, index = g.op("MaxPool", [x], [("float", shape, x.lo, x.hi, x.frac), ("int64", shape, 0, 999, 0)],
                    kernel_shape=[2, 2], strides=[2, 2])
    g.same("MaxUnpool", y, min(x.lo, 0), max(x.hi, 0), x.frac, shape=x.shape, extra=[index], kernel_shape=[2, 2],
           strides=[2, 2])


@recipe(every=1)
def boxes(g):
    """Results whose number the elements decide."""
    g.need("NonMaxSuppression")
    n = 4
    corner = g.np_rng().randint(0, 8, (1, n, 2)).astype(np.float32)
    array = np.concatenate([corner, corner + g.np_rng().randint(1, 8, (1, n, 2))], 2).astype(np.float32)
    scores = g.np_rng().permutation(n).reshape(1, 1, n).astype(np.float32)
    selected = g.op("NonMaxSuppression", [g.input(array, "float", hidden=True), g.const(scores, hidden=True),
                                          scalar(g, 3), scalar(g, 0.4, np.float32)], [("int64", (3, 3), 0, 9, 0)])
    selected.hidden = True  # how many there are is not known here
    kind = "int64" if g.opset >= 12 else "float"  # the type that ReduceMax has
    if kind == "float":
        selected = g.op("Cast", [selected], [(kind, (3, 3), 0, 9, 0)], to=1)
        selected.hidden = True
    g.op("ReduceMax", [selected], [(kind, (1, 1), 0, 9, 0)], axes=None)


@recipe(every=1, cnn=2)
def upsample(g):
    version = g.need("Upsample")
    x = g.pick("float", rank=4, where=lambda v: v.size > 0)
    shape = x.shape[:2] + (x.shape[2] * 2, x.shape[3] * 3)
    mode = g.rng.choice(["nearest", "linear"])
    if version < 9:
        return g.same("Upsample", x, shape=shape, mode=mode, scales=[1.0, 1.0, 2.0, 3.0])
    scales = g.const(np.array([1, 1, 2, 3], np.float32), hidden=True)
    return g.same("Upsample", x, shape=shape, mode=mode, extra=[scales])


@recipe(every=1)
def global_lp(g):
    g.need("GlobalLpPool")
    x = g.pick("float", where=lambda v: v.rank >= 3 and v.size > 0 and v.mag < 1e3, fresh=(1, 2, 3, 4))
    g.same("GlobalLpPool", x, 0, x.mag * x.size, shape=x.shape[:2] + (1,) * (x.rank - 2), p=g.rng.choice([1, 2]))


@recipe(control=5)
def sequence_map(g):
    g.need("SequenceMap")
    x = g.pick("float", where=lambda v: v.mag < 1e3 and v.size < 500)
    items = [x] + [g.pick("float", rank=x.rank, fresh=g.shape(x.rank)) for _ in range(g.rng.randint(0, 2))]
    s = hidden_op(g, "SequenceConstruct", items)
    body, name = g.body(), g.name("e")
    out = body.name("m")
    body.nodes.append(pb.NodeProto(op_type="Neg", input=[name], output=[out]))
    graph = body.graph("map", [(name, type_proto("float", None))], [])
    graph.output.append(value_info(out, type_proto("float", None)))
    t = hidden_op(g, "SequenceMap", [s], body=graph)
    at = g.rng.randrange(len(items))
    i = items[at]
    g.op("SequenceAt", [t, scalar(g, at)], [("float", i.shape, -i.hi, -i.lo, i.frac)])


@recipe(text=6)
def string_split(g):
    g.need("StringSplit")
    x = g.fresh("string", (g.rng.randint(1, 4),))
    parts = Hidden(g.name("p"))
    count = g.add(g.name("k"), "int64", x.shape, 0, 9, 0)
    g.nodes.append(pb.NodeProto(op_type="StringSplit", input=[x.name], output=[parts.name, count.name]))


@recipe(contrib=4, quant=2)
def qlinear_where(g):
    from recipes.quantised import BYTES, limits, scale, zero_point
    c = g.pick("bool")
    x = g.fresh(g.rng.choice(BYTES), c.shape, wide=True)
    y = g.fresh(x.type, c.shape, wide=True)
    g.op("QLinearWhere", [c, x, scale(g), zero_point(g, x.type), y, scale(g), zero_point(g, x.type), scale(g),
                          zero_point(g, x.type)], [(x.type, c.shape, *limits(x.type), 0)], domain=MS)


@recipe(contrib=4, quant=2)
def qgemm(g):
    from recipes.quantised import BYTES, limits, scale, zero_point
    x = g.pick(BYTES, rank=2, where=lambda v: v.size > 0, fresh=(g.dim() or 1, g.dim() or 1), wide=True)
    n, flip = g.rng.choice([1, 4]), g.rng.choice([0, 1])
    w = g.fresh(x.type, (n, x.shape[1]) if flip else (x.shape[1], n), const=True, lo=-9, hi=9)
    bias = g.fresh("int32", (n,), const=True, lo=-99, hi=99)
    g.op("QGemm", [x, scale(g), zero_point(g, x.type), w, scale(g), zero_point(g, x.type), bias,
                   scale(g, value=2.0 ** g.rng.randint(-1, 3)), zero_point(g, x.type)],
         [(x.type, (x.shape[0], n), *limits(x.type), 0)], domain=MS, transB=flip, alpha=1.0)


@recipe(contrib=4)
def embed(g):
    b, s, d = g.rng.choice([1, 2]), 3, 4
    ids = g.input(g.np_rng().randint(0, 5, (b, s)).astype(np.int32), "int32", hidden=True)
    tables = [g.fresh("float", (n, d), const=True) for n in (5, 4, 2)]
    segments = g.input(g.np_rng().randint(0, 2, (b, s)).astype(np.int32), "int32", hidden=True)
    norm = [g.fresh("float", (d,), const=True) for _ in range(2)]
    g.op("EmbedLayerNormalization", [ids, segments, *tables, *norm],
         [("float", (b, s, d), -99, 99, None), ("int32", (b,), 0, 9, 0)], domain=MS, epsilon=0.1)


@recipe(contrib=3)
def bias_split(g):
    x = g.fresh("float", (1, 2, 3, 4))
    bias = g.fresh("float", (4,), const=True)
    skip = g.fresh("float", (1, 2, 3, 4)) if g.chance(0.5) else None
    if skip is None:
        return g.same("BiasSoftmax", g.fresh("float", (2, 4)), 0, 1, extra=[g.fresh("float", (2, 4))], domain=MS, axis=1,
                      is_inner_broadcast=0)
    return g.same("SkipLayerNormalization", g.fresh("float", (1, 3, 4)), -99, 99,
                  extra=[g.fresh("float", (1, 3, 4)), bias], domain=MS, epsilon=0.1)


@recipe(every=1)
def grids(g):
    g.need("AffineGrid")
    axes, n = g.rng.choice([2, 3]), g.rng.choice([1, 2])
    corners = g.rng.choice([None, 1])
    size = (n, 1) + tuple(g.rng.choice([2, 3] if corners else [1, 2, 4]) for _ in range(axes))
    theta = g.fresh("float", (n, axes, axes + 1), lo=-1, hi=1)
    g.same("AffineGrid", theta, -9, 9, shape=(n, *size[2:], axes), extra=[g.ints(size)], align_corners=corners)


@recipe(every=1, cnn=2)
def deformable(g):
    g.need("DeformConv")
    x = g.pick("float", rank=4, where=lambda v: v.size > 0 and v.mag < 1e3 and min(v.shape[2:]) >= 3, fresh=(1, 2, 5, 4))
    n, c, h, w = x.shape
    parts, k = g.rng.choice([1, c]), g.rng.choice([1, 2, 3])
    out = (n, 3, h - k + 1, w - k + 1)
    weight = g.fresh("float", (3, c, k, k), const=True, lo=-1, hi=1)
    offset = g.fresh("float", (n, 2 * parts * k * k, *out[2:]), lo=-2, hi=2)
    bias = g.fresh("float", (3,), const=True) if g.chance(0.5) else None
    mask = g.fresh("float", (n, parts * k * k, *out[2:]), lo=0, hi=1) if g.chance(0.5) else None
    mag = x.mag * c * k * k + 4
    g.same("DeformConv", x, -mag, mag, shape=out, extra=[weight, offset, bias, mask], offset_group=parts,
           kernel_shape=[k, k] if g.chance(0.5) else None)


@recipe(every=1)
def roi_pool(g):
    g.need("MaxRoiPool")
    x = g.pick("float", rank=4, where=lambda v: v.size > 0 and min(v.shape[2:]) >= 4, fresh=(2, 2, 6, 5))
    first = g.np_rng().randint(0, 3, (3, 2))
    batch = g.np_rng().randint(0, x.shape[0], (3, 1))
    rois = np.concatenate([batch, first, first + g.np_rng().randint(0, 3, (3, 2))], 1).astype(np.float32)
    g.same("MaxRoiPool", x, min(x.lo, 0), max(x.hi, 0), x.frac, shape=(3, x.shape[1], 2, 2),
           extra=[g.const(rois, hidden=True)], pooled_shape=[2, 2], spatial_scale=1.0)


@recipe(every=1)
def short_time_transform(g):
    g.need("STFT")
    n, step, frame = g.rng.choice([8, 11]), g.rng.choice([1, 3]), 4
    x = g.fresh("float", (g.rng.choice([1, 2]), n, 1), lo=-2, hi=2)
    window = g.fresh("float", (frame,), const=True, lo=0, hi=1)
    half = g.chance(0.5)
    out = (x.shape[0], (n - frame) // step + 1, frame // 2 + 1 if half else frame, 2)
    g.same("STFT", x, -9, 9, shape=out, extra=[scalar(g, step), window, scalar(g, frame)], onesided=int(half))


@recipe(every=1)
def mel_weights(g):
    g.need("MelWeightMatrix")
    inputs = [scalar(g, 4), scalar(g, 16), scalar(g, 8192), scalar(g, 0, np.float32), scalar(g, 4096, np.float32)]
    g.op("MelWeightMatrix", inputs, [("float", (9, 4), 0, 1, None)])


@recipe(every=1)
def old_scatter(g):
    g.need("Scatter")
    x = g.pick(("float", "int64", "int32"), where=lambda v: v.rank > 0 and v.size > 0)
    axis, given = axis_of(g, x.rank)
    n = g.rng.randint(1, x.shape[axis])
    index = np.zeros(x.shape[:axis] + (n,) + x.shape[axis + 1:], np.int64)
    index += g.np_rng().permutation(x.shape[axis])[:n].reshape((n,) + (1,) * (x.rank - axis - 1))
    y = g.fresh(x.type, index.shape)
    frac = None if x.frac is None or y.frac is None else max(x.frac, y.frac)
    g.same("Scatter", x, min(x.lo, y.lo), max(x.hi, y.hi), frac, extra=[g.const(index, hidden=True), y], axis=given)


@recipe(every=1)
def cache_update(g):
    g.need("TensorScatter")
    b, n, m = g.rng.choice([1, 2]), 6, g.rng.choice([1, 2, 4])
    mode = g.rng.choice([None, "linear", "circular"])
    x, y = g.fresh("float", (b, 2, n, 3)), g.fresh("float", (b, 2, m, 3))
    last = n if mode == "circular" else n - m + 1
    at = [g.const(g.np_rng().randint(0, last, (b,)), hidden=True)] if g.chance(0.7) else []
    frac = None if x.frac is None or y.frac is None else max(x.frac, y.frac)
    g.same("TensorScatter", x, frac=frac, extra=[y, *at], mode=mode)


@recipe(every=1)
def running_product(g):
    g.need("CumProd")
    x = g.fresh(g.rng.choice(["float", "int64"]), g.shape(least=1), lo=-2, hi=2)
    axis, given = axis_of(g, x.rank)
    mag = 2.0 ** x.shape[axis]
    g.same("CumProd", x, -mag, mag, extra=[scalar(g, given)], exclusive=g.rng.choice([None, 1]), reverse=g.rng.choice([None, 1]))


@recipe(every=1)
def bits(g):
    g.need("BitCast")
    x = g.fresh("int16", g.shape(), wide=True)
    g.same("BitCast", x, 0, 65535, 0, type="uint16", to=NAMES.index("uint16"))
