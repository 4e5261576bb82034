"""Cases of sizes that only the run tells: one model, several data sets of other sizes."""
import numpy as np

from case_writer import case, data, f4, i8, node


def ints(*values):
    return np.array(values, i8)


def free(**ranks):
    """Symbols for every axis of the named values."""
    return {k: ["%s%d" % (k, i) for i in range(rank)] for k, rank in ranks.items()}


def shape_cases():
    x = [data(2, 6), data(5, 4, seed=1)]
    case("Reshape_14_run_time", 14, node("Reshape", ["x", "s"], ["y"]),
         {"x": x, "s": [ints(3, -1), ints(0, 4)]}, {"y": [x[0].reshape(3, 4), x[1]]},
         shapes=free(x=2, s=1, y=2))
    x = [data(3, 1), data(1, 4, seed=1)]
    case("Expand_13_run_time", 13, node("Expand", ["x", "s"], ["y"]),
         {"x": x, "s": [ints(2, 1, 4), ints(5, 3, 1)]},
         {"y": [np.broadcast_to(x[0], (2, 3, 4)), np.broadcast_to(x[1], (5, 3, 4))]},
         shapes=free(x=2, s=1, y=3))
    case("ConstantOfShape_9_run_time", 9, node("ConstantOfShape", ["s"], ["y"]),
         {"s": [ints(2, 3), ints(0, 4)]}, {"y": [np.zeros((2, 3), f4), np.zeros((0, 4), f4)]},
         shapes=free(s=1, y=2))
    x = [data(2, 3), data(1, 4, seed=1)]
    case("Tile_13_run_time", 13, node("Tile", ["x", "r"], ["y"]),
         {"x": x, "r": [ints(1, 2), ints(3, 0)]}, {"y": [np.tile(x[0], (1, 2)), np.tile(x[1], (3, 0))]},
         shapes=free(x=2, r=1, y=2))
    x = [data(2, 1, 3), data(1, 4, 1, seed=1)]
    case("Squeeze_13_run_time", 13, node("Squeeze", ["x", "a"], ["y"]),
         {"x": x, "a": [ints(1), ints(-1)]}, {"y": [x[0][:, 0], x[1][:, :, 0]]},
         shapes=free(x=3, a=1, y=2))
    case("Unsqueeze_13_run_time", 13, node("Unsqueeze", ["x", "a"], ["y"]),
         {"x": [x[0][:, 0], x[1][0]], "a": [ints(1), ints(-1)]},
         {"y": [x[0], x[1][0][:, :, None]]}, shapes=free(x=2, a=1, y=3))


def part_cases():
    x = [data(5, 4), data(3, 7, seed=1)]
    case("Slice_13_run_time", 13, node("Slice", ["x", "b", "e", "a", "s"], ["y"]),
         {"x": x, "b": [ints(1), ints(-1, 0)], "e": [ints(9), ints(-9, 5)],
          "a": [ints(0), ints(1, 0)], "s": [ints(2), ints(-3, 1)]},
         {"y": [x[0][1:9:2], x[1][0:5, -1::-3]]}, shapes=free(x=2, b=1, e=1, a=1, s=1, y=2))
    case("Pad_19_run_time", 19, node("Pad", ["x", "p"], ["y"], mode="wrap"),
         {"x": x, "p": [ints(1, 0, 2, 1), ints(0, -1, 0, 3)]},
         {"y": [np.pad(x[0], ((1, 2), (0, 1)), mode="wrap"), np.pad(x[1][:, 1:], ((0, 0), (0, 3)), mode="wrap")]},
         shapes=free(x=2, p=1, y=2))
    case("Split_18_run_time", 18, node("Split", ["x", "s"], ["y", "z"], axis=1),
         {"x": x, "s": [ints(1, 3), ints(7, 0)]},
         {"y": [x[0][:, :1], x[1]], "z": [x[0][:, 1:], x[1][:, 7:]]},
         shapes=free(x=2, s=1, y=2, z=2))
    case("Split_18_free", 18, node("Split", ["x"], ["y", "z"], axis=1, num_outputs=2),
         {"x": x}, {"y": [x[0][:, :2], x[1][:, :4]], "z": [x[0][:, 2:], x[1][:, 4:]]},
         shapes=free(x=2, y=2, z=2))
    case("TopK_11_run_time", 11, node("TopK", ["x", "k"], ["y", "i"]),
         {"x": x, "k": [ints(2), ints(5)]},
         {"y": [-np.sort(-v, -1)[:, :k] for v, k in zip(x, (2, 5))],
          "i": [np.argsort(-v, -1, "stable")[:, :k].astype(i8) for v, k in zip(x, (2, 5))]},
         shapes=free(x=2, k=1, y=2, i=2))
    axes = [ints(0), ints(1)]
    case("ReduceSum_13_run_time", 13, node("ReduceSum", ["x", "a"], ["y"], keepdims=0),
         {"x": x, "a": axes}, {"y": [x[0].sum(0), x[1].sum(1)]},
         shapes={"x": ["m", "n"], "a": [1], "y": ["k"]})
    case("ReduceMax_20_run_time", 20, node("ReduceMax", ["x", "a"], ["y"]),
         {"x": x, "a": [ints(), ints(-1)]}, {"y": [x[0].max(keepdims=True), x[1].max(1, keepdims=True)]},
         shapes=free(x=2, a=1, y=2))
    case("CenterCropPad_18_run_time", 18, node("CenterCropPad", ["x", "s"], ["y"], axes=[1]),
         {"x": x, "s": [ints(2), ints(9)]},
         {"y": [x[0][:, 1:3], np.pad(x[1], ((0, 0), (1, 1)))]}, shapes=free(x=2, s=1, y=2))


def chosen_cases():
    x = [np.array([[1, 0, 2], [0, 0, 3]], f4), np.array([[0, 5]], f4), np.zeros((2, 2), f4)]
    case("NonZero_13_run_time", 13, node("NonZero", ["x"], ["y"]), {"x": x},
         {"y": [np.array(np.nonzero(v), i8) for v in x]}, shapes=free(x=2, y=2))
    # Rows of the data that have a positive sum: counted, gathered, and used.
    wide = [data(6, 3), data(2, 5, seed=3)]
    rows = [v[v.sum(1) > 0] for v in wide]
    case("NonZero_13_rows", 13, [
        node("ReduceSum", ["x", "one"], ["sum"], keepdims=0),
        node("Greater", ["sum", "zero"], ["wanted"]),
        node("NonZero", ["wanted"], ["where"]),
        node("Squeeze", ["where", "none"], ["at"]),
        node("Gather", ["x", "at"], ["chosen"], axis=0),
        node("Exp", ["chosen"], ["y"]),
        node("ReduceMean", ["chosen"], ["mean"], axes=[0], keepdims=0)],
         {"x": wide}, {"y": [np.exp(v) for v in rows], "mean": [v.mean(0) for v in rows]},
         init={"one": ints(1), "none": ints(0), "zero": np.zeros((), f4)},
         shapes=free(x=2, y=2, mean=1), tolerance=1e-5)
    wanted = [np.array([1, 0, 1], bool), np.array([0, 1], bool)]
    case("Compress_11_run_time", 11, node("Compress", ["x", "c"], ["y"], axis=0),
         {"x": [wide[0][:4], wide[1]], "c": wanted},
         {"y": [wide[0][[0, 2]], wide[1][[1]]]}, shapes=free(x=2, c=1, y=2))
    x = [np.array([3, 1, 3, 2], f4), np.array([5, 5], f4)]
    unique = [np.unique(v, True, True, True) for v in x]
    case("Unique_11_run_time", 11, node("Unique", ["x"], ["y", "first", "inverse", "count"]),
         {"x": x}, {"y": [u[0] for u in unique], "first": [u[1].astype(i8) for u in unique],
                    "inverse": [u[2].astype(i8) for u in unique],
                    "count": [u[3].astype(i8) for u in unique]},
         shapes=free(x=1, y=1, first=1, inverse=1, count=1))
    boxes = [np.array([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 5, 1, 6]]], f4),
             np.array([[[0, 0, 1, 1], [0, 3, 1, 4]]], f4)]
    scores = [np.array([[[0.5, 0.9, 0.7]]], f4), np.array([[[0.5, 0.9]]], f4)]
    case("NonMaxSuppression_11_run_time", 11,
         node("NonMaxSuppression", ["boxes", "scores", "most", "iou"], ["y"]),
         {"boxes": boxes, "scores": scores, "most": [ints(3), ints(1)]},
         {"y": [np.array([[0, 0, 1], [0, 0, 2]], i8), np.array([[0, 0, 1]], i8)]},
         init={"iou": np.array([0.5], f4)}, shapes=free(boxes=3, scores=3, y=2))
    case("OneHot_11_run_time", 11, node("OneHot", ["i", "d", "v"], ["y"]),
         {"i": [ints(0, 2), ints(1)], "d": [np.array(3, f4), np.array(2, f4)],
          "v": np.array([0, 1], f4)},
         {"y": [np.eye(3, dtype=f4)[[0, 2]], np.eye(2, dtype=f4)[[1]]]}, shapes=free(i=1, y=2))
    case("Range_11_run_time", 11, node("Range", ["a", "b", "d"], ["y"]),
         {"a": [np.array(1, i8), np.array(9, i8)], "b": [np.array(8, i8), np.array(0, i8)],
          "d": [np.array(3, i8), np.array(-4, i8)]},
         {"y": [ints(1, 4, 7), ints(9, 5, 1)]}, shapes=free(y=1))


def image_cases():
    x = [data(1, 2, 4, 6), data(2, 2, 3, 5, seed=1)]
    double = lambda v: v.repeat(2, 2).repeat(2, 3)
    nearest = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric",
               "nearest_mode": "floor"}
    case("Resize_13_free", 13, node("Resize", ["x", "", "s"], ["y"], **nearest),
         {"x": x}, {"y": [double(v) for v in x]}, init={"s": np.array([1, 1, 2, 2], f4)},
         shapes=free(x=4, y=4))
    case("Resize_13_run_time", 13, node("Resize", ["x", "", "s"], ["y"], **nearest),
         {"x": x, "s": [np.array([1, 1, 2, 2], f4), np.array([1, 1, 1, 1], f4)]},
         {"y": [double(x[0]), x[1]]}, shapes=free(x=4, y=4))
    case("Resize_13_sizes", 13, node("Resize", ["x", "", "", "s"], ["y"], **nearest),
         {"x": x, "s": [ints(1, 2, 8, 12), ints(2, 2, 6, 5)]},
         {"y": [double(x[0]), x[1].repeat(2, 2)]}, shapes=free(x=4, y=4))
    # A third is no number of a float: the rounding of the product decides.
    case("Resize_13_third", 13, node("Resize", ["x", "", "s"], ["y"], **nearest),
         {"x": [data(1, 1, 1, 9), data(1, 1, 1, 7, seed=1)]},
         {"y": [data(1, 1, 1, 9)[..., ::3], data(1, 1, 1, 7, seed=1)[..., :6:3]]},
         init={"s": np.array([1, 1, 1, 1 / 3], f4)}, shapes=free(x=4, y=4))
    weights = np.ones((1, 2, 3, 3), f4)

    def same(v):
        p = np.pad(v, ((0, 0), (0, 0), (0 if v.shape[2] % 2 == 0 else 1, 1),
                                       (0 if v.shape[3] % 2 == 0 else 1, 1)))
        h, w = (v.shape[2] + 1) // 2, (v.shape[3] + 1) // 2
        return np.array([[[[p[n, :, 2 * i:2 * i + 3, 2 * j:2 * j + 3].sum() for j in range(w)]
                           for i in range(h)]] for n in range(len(v))], f4)
    case("Conv_11_same", 11,
         node("Conv", ["x", "w"], ["y"], auto_pad="SAME_UPPER", strides=[2, 2]),
         {"x": x}, {"y": [same(v) for v in x]}, init={"w": weights},
         shapes={"x": ["n", 2, "h", "w_"], "y": ["n", 1, "p", "q"]}, tolerance=1e-5)


def signal_cases():
    for name, scale in (("HannWindow", 0.5), ("HammingWindow", 25 / 46)):
        windows = [scale - (1 - scale) * np.cos(2 * np.pi * np.arange(n) / n) for n in (8, 5)]
        case(name + "_17_run_time", 17, node(name, ["n"], ["y"]),
             {"n": [np.array(8, i8), np.array(5, i8)]}, {"y": [w.astype(f4) for w in windows]},
             shapes=free(y=1), tolerance=1e-6)
    x = [data(1, 8, 1), data(2, 6, 1, seed=1)]

    def spectrum(v, n):
        s = np.fft.rfft(v[..., 0], n)
        return np.stack([s.real, s.imag], -1).astype(f4)
    case("DFT_20_run_time", 20, node("DFT", ["x", "n"], ["y"], onesided=1),
         {"x": x, "n": [np.array(5, i8), np.array(6, i8)]},
         {"y": [spectrum(x[0], 5), spectrum(x[1], 6)]},
         shapes={"x": ["b", "t", 1], "y": ["b", "f", 2]}, tolerance=1e-5)


def quantized_cases():
    x = [data(2, 3), data(4, 5, seed=1)]
    scale = [np.array([0.1, 0.2, 0.4], f4), np.array([0.5], f4)]
    case("QuantizeLinear_13_run_time", 13, node("QuantizeLinear", ["x", "s"], ["y"]),
         {"x": x, "s": scale},
         {"y": [np.clip(np.rint(v / s), 0, 255).astype(np.uint8) for v, s in zip(x, scale)]},
         shapes=free(x=2, s=1, y=2))
    table = [data(3, 4), data(2, 5, seed=1)]
    at = [np.array([[0, 1], [2, 3]], i8), np.array([[1, 4]], i8)]
    case("GatherND_13_run_time", 13, node("GatherND", ["x", "i"], ["y"]),
         {"x": table, "i": at}, {"y": [t[tuple(i.T)] for t, i in zip(table, at)]},
         shapes=free(x=2, i=2, y=1))


def make():
    for group in (shape_cases, part_cases, chosen_cases, image_cases, signal_cases,
                  quantized_cases):
        group()
