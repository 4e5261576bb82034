"""Cases of Loop, Scan and If whose sizes change on the way, or that only the run tells."""
import numpy as np
from onnx import TensorProto, helper

from case_writer import case, data, f4, i8, node

FLOAT, BOOL, INT64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64


def value(name, elem=FLOAT, shape=None):
    return helper.make_tensor_value_info(name, elem, shape)


def graph(nodes, inputs, outputs):
    """inputs, outputs: names, of floats, or values. Nothing is declared about the shapes of names."""
    as_value = lambda v: value(v) if isinstance(v, str) else v
    return helper.make_graph(nodes, "body", [as_value(v) for v in inputs], [as_value(v) for v in outputs])


def scan(body, inputs, outputs, scanned, **attributes):
    return node("Scan", inputs, outputs, body=body, num_scan_inputs=scanned, **attributes)


def loop(nodes, states, scans, inputs, outputs, init=()):
    """A Loop of `trips` iterations over states [(before, after)]."""
    body = helper.make_graph(
        [*nodes, node("Identity", ["go"], ["on"])], "body",
        [value("i", INT64, []), value("go", BOOL, []), *(value(a) for a, _ in states)],
        [value("on", BOOL, []), *(value(b) for _, b in states), *(value(s) for s in scans)])
    body.initializer.extend(init)
    return node("Loop", ["trips", "", *inputs], outputs, body=body)


def widening_cases():
    """The first iteration broadcasts the state, by sizes whose expression is long."""
    names = ["extent_of_the_%s" % v for v in ("state", "first", "second", "third")]
    inputs = {"s": [data(1), data(3)], "a": [data(4, seed=1), data(1, seed=1)],
              "b": [data(1, seed=2), data(3, seed=2)], "c": [data(4, seed=3), data(3, seed=3)],
              "x": [data(3, 1, seed=4), data(2, 3, seed=4)]}
    nodes = [node("Add", ["t", "a"], ["u"]), node("Mul", ["u", "b"], ["v"]), node("Sub", ["v", "c"], ["w"]),
             node("Add", ["w", "r"], ["next"]), node("Tanh", ["next"], ["slice"])]
    final, all_slices = [], []
    for s, a, b, c, x in zip(*inputs.values()):
        slices = []
        for r in x:
            s = (s + a) * b - c + r
            slices.append(np.tanh(s))
        final.append(s)
        all_slices.append(np.stack(slices))
    shapes = {**{k: [n] for k, n in zip("sabc", names)}, "x": ["rows", "columns"], "f": ["p"], "y": ["q", "r"]}
    case("Scan_16_state_of_long_extents", 16,
         scan(graph(nodes, ["t", "r"], ["next", "slice"]), ["s", "x"], ["f", "y"], 1),
         inputs, {"f": final, "y": all_slices}, shapes=shapes, tolerance=1e-4)
    case("Scan_16_slices_of_unknown_size_backwards", 16,
         scan(graph(nodes, ["t", "r"], ["next", "slice"]), ["s", "x"], ["f", "y"], 1,
              scan_output_axes=[1], scan_output_directions=[1]),
         inputs, {"f": final, "y": [v[::-1].T for v in all_slices]}, shapes=shapes, tolerance=1e-4)
    picked = [node("Gather", ["x", "i"], ["r"], axis=0), *nodes]
    case("Loop_16_state_of_long_extents", 16,
         loop(picked, [("t", "next")], ["slice"], ["s"], ["f", "y"]),
         {**inputs, "trips": [np.array(3, i8), np.array(2, i8)]},
         {"f": final, "y": all_slices}, shapes=shapes, tolerance=1e-4)


def earlier_state_cases():
    """A slice that the state had before its only iteration made it wider."""
    s, a = data(1, 2), data(4, 1, seed=1)
    nodes = [node("Add", ["t", "a"], ["next"]), node("Neg", ["t"], ["slice"])]
    shapes = {"s": ["s0", "s1"], "a": ["a0", "a1"], "f": ["f0", "f1"], "y": ["y0", "y1", "y2"]}
    case("Loop_16_slice_of_the_narrow_state", 16, loop(nodes, [("t", "next")], ["slice"], ["s"], ["f", "y"]),
         {"s": s, "a": a, "trips": np.array(1, i8)}, {"f": s + a, "y": -s[None]}, shapes=shapes)
    case("Scan_16_slice_of_the_narrow_state", 16,
         scan(graph(nodes + [node("Neg", ["r"], ["unused"])], ["t", "r"], ["next", "slice", "unused"]),
              ["s", "x"], ["f", "y", "z"], 1),
         {"s": s, "a": a, "x": data(1, 2)}, {"f": s + a, "y": -s[None], "z": -data(1, 2)},
         shapes={**shapes, "x": ["x0", "x1"], "z": ["z0", "z1"]})
    # No memory is touched where there is no iteration.
    case("Loop_16_no_iteration", 16, loop(nodes, [("t", "next")], ["slice"], ["s"], ["f"]),
         {"s": s, "a": a, "trips": np.array(0, i8)}, {"f": s}, shapes={k: shapes[k] for k in "saf"})


def branches(then_nodes, else_nodes, outputs, condition="flag"):
    """An If; both branches make `outputs`."""
    inside = lambda nodes, prefix: helper.make_graph(nodes, prefix, [], [value(prefix + o) for o in outputs])
    return node("If", [condition], outputs, then_branch=inside(then_nodes, "then_"),
                else_branch=inside(else_nodes, "else_"))


def captured_cases():
    """Bodies read what a convolution outside made, which is a result or read outside as well."""
    x, w = data(1, 3, 4, 4), data(5, 3, 1, 1, seed=1)
    c = np.einsum("nchw,oc->nohw", x, w[:, :, 0, 0])
    conv, flag = node("Conv", ["x", "w"], ["c"]), np.array([True, False])
    pooled = c.reshape(1, 5, 2, 2, 2, 2).mean((3, 5))
    pool = lambda v, y: node("AveragePool", [v], [y], kernel_shape=[2, 2], strides=[2, 2])
    pick = lambda a, b: [a, b]
    for name, more, extra in (("result", [], {}), ("read_outside", [node("Sigmoid", ["c"], ["z"])], {"z": 1 / (1 + np.exp(-c))})):
        outputs = extra or {"c": c}
        case("If_16_captures_Conv_" + name, 16, [
            conv, branches([pool("c", "then_y")], [node("ReduceMax", ["c"], ["else_y"], axes=[2])], ["y"]), *more],
            {"x": x, "flag": [flag[0], flag[1]]},
            {**outputs, "y": pick(pooled, c.max(2, keepdims=True))},
            init={"w": w}, shapes={"y": [1, 5, "h", "w_"]}, tolerance=1e-5)
        case("Loop_16_captures_Conv_" + name, 16, [
            conv, loop([node("Add", ["t", "c"], ["next"]), pool("next", "slice")], [("t", "next")], ["slice"],
                       ["c"], ["f", "y"]), *more],
            {"x": x, "trips": np.array(2, i8)},
            {**outputs, "f": 3 * c, "y": np.stack([2 * pooled, 3 * pooled])},
            init={"w": w}, shapes={"y": "any"}, tolerance=1e-5)
        case("Scan_16_captures_Conv_" + name, 16, [
            conv, scan(graph([node("Mul", ["c", "r"], ["m"]), pool("m", "slice"), node("Add", ["s", "r"], ["next"])],
                             ["s", "r"], ["next", "slice"]), ["start", "rows"], ["f", "y"], 1), *more],
            {"x": x, "start": np.zeros((), f4), "rows": np.array([2, -1], f4)},
            {**outputs, "f": np.array(1, f4), "y": np.stack([2 * pooled, -pooled])},
            init={"w": w}, tolerance=1e-5)
    case("If_16_branch_is_Conv_outside", 16, [
        conv, branches([node("Identity", ["c"], ["then_y"])], [node("Neg", ["c"], ["else_y"])], ["y"])],
        {"x": x, "flag": [flag[0], flag[1]]}, {"y": [c, -c]}, init={"w": w}, tolerance=1e-5)
    q = np.random.RandomState(3).randint(-100, 100, (1, 4, 4, 4)).astype(np.int8)
    d = q.astype(f4) * f4(0.5)
    pooled = d.reshape(1, 4, 2, 2, 2, 2).mean((3, 5))
    for name, more, extra in (("", [], {}), ("_read_outside", [node("Exp", ["d"], ["z"])], {"z": np.exp(d / 50)})):
        if more:
            more = [node("Div", ["d", "fifty"], ["e"]), node("Exp", ["e"], ["z"])]
        case("If_16_pools_DequantizeLinear" + name, 16, [
            node("DequantizeLinear", ["q", "scale"], ["d"]),
            branches([pool("d", "then_y")], [node("Identity", ["zeros"], ["else_y"])], ["y"]), *more],
            {"q": q, "flag": [flag[0], flag[1]]}, {**extra, "y": [pooled, np.zeros_like(pooled)]},
            init={"scale": np.array(0.5, f4), "zeros": np.zeros_like(pooled), "fifty": np.array(50, f4)},
            tolerance=1e-4)


def slice_cases():
    """Scan outputs whose size is declared, told by the run, or not even of a fixed rank."""
    x, once = data(3), {"trips": np.array(1, i8)}
    negated = loop([node("Neg", ["x"], ["slice"])], [], ["slice"], [], ["y"])
    case("Loop_16_one_slice_of_input_size", 16, negated, {"x": x}, {"y": -x[None]}, init=once,
         shapes={"x": ["n"], "y": [1, "d"]})
    chosen = loop([node("Compress", ["x", "c"], ["slice"])], [], ["slice"], [], ["y"])
    case("Loop_16_one_slice_of_chosen_size", 16, chosen, {"x": x, "c": np.array([True, False, True])},
         {"y": x[None, [0, 2]]}, init=once, shapes={"x": ["n"], "c": ["m"], "y": [1, "d"]})
    choice = branches([node("Unsqueeze", ["x", "zero"], ["then_slice"])], [node("Neg", ["x"], ["else_slice"])],
                      ["slice"])
    twice, zero = {"trips": np.array(2, i8)}, {"zero": np.array([0], i8)}
    both = {"y": [np.stack([x[None]] * 2), np.stack([-x] * 2)]}
    flags = [np.array(True), np.array(False)]
    case("Loop_16_slices_of_two_ranks", 16, loop([choice], [], ["slice"], [], ["y"]),
         {"x": x, "flag": flags}, both, init={**zero, **twice}, shapes={"y": "any"})
    case("Loop_16_slices_of_declared_rank", 16, loop([choice], [], ["slice"], [], ["y"]),
         {"x": x, "flag": flags[0], **twice}, {"y": both["y"][0]}, init=zero, shapes={"y": [2, 1, 3]})
    rows = data(2, 3, seed=2)
    case("Scan_16_slices_of_two_ranks", 16,
         scan(graph([choice, node("Neg", ["r"], ["unused"])], ["r"], ["slice"]), ["rows"], ["y"], 1),
         {"x": x, "flag": flags, "rows": rows}, both, init=zero, shapes={"y": "any"})
    s = data(3, seed=5)
    sums = np.stack([s + rows[0], s + rows[0] + rows[1]])
    added = graph([node("Add", ["t", "r"], ["next"]), node("Neg", ["next"], ["o"])], ["t", "r"], ["next", "o"])
    case("Scan_16_state_of_unknown_rank", 16, scan(added, ["s", "rows"], ["f", "y"], 1), {"s": s, "rows": rows},
         {"f": sums[1], "y": -sums}, shapes={"s": "any", "f": "any", "y": "any"}, tolerance=1e-5)


def one_element_cases():
    """What the standard wants as scalars, as tensors of one element."""
    x = data(3)
    either = branches([node("Neg", ["x"], ["then_y"])], [node("Abs", ["x"], ["else_y"])], ["y"])
    flags = [np.array([[True]]), np.array([[False]])]
    case("If_16_condition_of_one_element", 16, either, {"x": x, "flag": flags}, {"y": [-x, np.abs(x)]},
         shapes={"flag": ["n", "m"]})
    body = helper.make_graph(
        [node("Identity", ["go"], ["on"]), node("Gather", ["x", "i"], ["g"], axis=0),
         node("Add", ["t", "g"], ["next"]), node("Concat", ["i", "i"], ["o"], axis=0)], "body",
        [value("i", INT64, [1]), value("go", BOOL, [1]), value("t")],
        [value("on", BOOL, [1]), value("next"), value("o", INT64)])
    case("Loop_16_iteration_of_one_element", 16, node("Loop", ["trips", "go_on", "s"], ["f", "y"], body=body),
         {"trips": np.array([3], i8), "go_on": np.array([True]), "s": data(1), "x": x},
         {"f": data(1) + x.sum(), "y": np.array([[0, 0], [1, 1], [2, 2]], i8)}, tolerance=1e-5)


def make():
    slice_cases()
    one_element_cases()
    captured_cases()
    widening_cases()
    earlier_state_cases()
