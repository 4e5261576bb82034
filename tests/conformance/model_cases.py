"""Cases of whole models: control flow, captures, states that grow, sequences, inputs and names."""
import numpy as np
from onnx import TensorProto, helper

from case_writer import Sparse, case, data, f4, i8, node


def info(name, elem, shape=None):
    return helper.make_tensor_value_info(name, elem, shape)


def sequence_info(name, elem):
    return helper.make_tensor_sequence_value_info(name, elem, None)


def floats(name, shape=None):
    return info(name, TensorProto.FLOAT, shape)


def integer(name):
    return info(name, TensorProto.INT64, [])


def truth(name):
    return info(name, TensorProto.BOOL, [])


def constant(name, value):
    return helper.make_node("Constant", [], [name],
                            value=helper.make_tensor(name, TensorProto.INT64, np.shape(value),
                                                     np.ravel(value)))


def scalar(value, dtype=i8):
    return np.array(value, dtype)


def nested_case():
    """for i < n: if odd(i): for j < i: s += x * i + w  else: s -= w[0]"""
    inner = helper.make_graph(
        [node("Cast", ["i"], ["fi"], to=TensorProto.FLOAT), node("Mul", ["x", "fi"], ["m"]),
         node("Add", ["m", "w"], ["a"]), node("Add", ["t", "a"], ["t2"]),
         node("Identity", ["more"], ["more2"])], "inner",
        [integer("j"), truth("more"), floats("t", [3])], [truth("more2"), floats("t2", [3])])
    odd = helper.make_graph([node("Loop", ["i", "", "s"], ["r"], body=inner)], "odd", [],
                            [floats("r", [3])])
    even = helper.make_graph([constant("zero", 0), node("Gather", ["w", "zero"], ["w0"]),
                              node("Sub", ["s", "w0"], ["r"])], "even", [], [floats("r", [3])])
    outer = helper.make_graph(
        [constant("two", 2), constant("one", 1), node("Mod", ["i", "two"], ["bit"]),
         node("Equal", ["bit", "one"], ["is_odd"]),
         node("If", ["is_odd"], ["s2"], then_branch=odd, else_branch=even),
         node("Identity", ["go"], ["go2"])], "outer",
        [integer("i"), truth("go"), floats("s", [3])], [truth("go2"), floats("s2", [3])])
    x, w, s = data(3), data(3, seed=1), data(3, seed=2)

    def want(trips):
        t = s.astype(np.float64)
        for i in range(trips):
            t = t + i * (x.astype(np.float64) * i + w) if i % 2 else t - w[0]
        return t.astype(f4)

    case("Loop_16_nested", 16, node("Loop", ["n", "", "s0"], ["y"], body=outer),
         {"n": [scalar(5), scalar(0)], "s0": s, "x": x, "w": w}, {"y": [want(5), want(0)]},
         tolerance=1e-4)


def rank_case():
    """The state is a vector before the first trip, a matrix after it."""
    body = helper.make_graph(
        [node("Cast", ["i"], ["k"], to=TensorProto.FLOAT), node("Mul", ["m", "k"], ["mk"]),
         node("Add", ["mk", "s"], ["s2"]), node("Identity", ["go"], ["go2"])], "body",
        [integer("i"), truth("go"), floats("s")], [truth("go2"), floats("s2")])
    s, m = data(3), data(2, 3, seed=1)
    want = lambda trips: s + sum(m * f4(i) for i in range(trips)) if trips else s
    case("Loop_16_rank", 16, node("Loop", ["n", "", "s0"], ["y"], body=body),
         {"n": [scalar(4), scalar(1), scalar(0)], "s0": s, "m": m},
         {"y": [want(4), want(1), want(0)]}, tolerance=1e-5, shapes={"y": "any"})


def while_case():
    """Sums 1, 2, 3 ... until the bound is passed; the trip count is open."""
    body = helper.make_graph(
        [constant("one", 1), node("Add", ["i", "one"], ["k"]), node("Add", ["sum", "k"], ["sum2"]),
         node("Less", ["sum2", "bound"], ["go2"])], "body",
        [integer("i"), truth("go"), integer("sum")], [truth("go2"), integer("sum2"), integer("k")])
    case("Loop_13_while", 13,
         [constant("zero", 0), node("Less", ["zero", "bound"], ["go0"]),
          node("Loop", ["", "go0", "zero"], ["total", "terms"], body=body)],
         {"bound": [scalar(20), scalar(1), scalar(0)]},
         {"total": [scalar(21), scalar(1), scalar(0)],
          "terms": [np.arange(1, 7), np.arange(1, 2), np.zeros(0, i8)]}, shapes={"terms": ["k"]})


def scan_cases():
    body = helper.make_graph(
        [node("Add", ["s", "x"], ["s2"]), node("Mul", ["s2", "x"], ["y"])], "body",
        [floats("s", [2]), floats("x", [2])], [floats("s2", [2]), floats("y", [2])])

    def run(s, steps):
        rows = []
        for x in steps:
            s = s + x
            rows.append(s * x)
        return s, rows

    s, x = data(2), data(2, 5, seed=1)
    final, rows = run(s, x.T[::-1])
    case("Scan_16_reverse_axis", 16,
         node("Scan", ["s", "x"], ["f", "y"], body=body, num_scan_inputs=1, scan_input_axes=[1],
              scan_input_directions=[1], scan_output_axes=[-1], scan_output_directions=[1]),
         {"s": s, "x": x}, {"f": final, "y": np.stack(rows[::-1], axis=-1)})
    for steps in (3, 1000):
        x = data(steps, 2, seed=steps) / f4(steps)
        final, rows = run(s, x)
        case("Scan_16_%d_steps" % steps, 16,
             node("Scan", ["s", "x"], ["f", "y"], body=body, num_scan_inputs=1),
             {"s": s, "x": x}, {"f": final, "y": np.stack(rows)}, tolerance=1e-4)


def branch_cases():
    small = helper.make_graph([node("Neg", ["a"], ["t"])], "small", [], [floats("t", [3])])
    large = helper.make_graph([node("Abs", ["b"], ["e"])], "large", [], [floats("e", [2, 5])])
    choose = node("If", ["c"], ["r"], then_branch=small, else_branch=large)
    a, b = data(3), data(2, 5, seed=1)
    conditions = [np.array(True), np.array(False)]
    results = [-a, np.abs(b)]
    case("If_16_ranks", 16, choose, {"c": conditions, "a": a, "b": b}, {"r": results},
         shapes={"r": "any"})
    # What follows works on either rank.
    follow = [choose, node("Relu", ["r"], ["p"]), constant("axes", [-1]),
              node("ReduceSum", ["p", "axes"], ["s"], keepdims=1), node("Add", ["s", "d"], ["t"]),
              node("Flatten", ["t"], ["y"], axis=0), node("Shape", ["r"], ["dims"])]
    d = data(2, 1, seed=2)
    sums = [np.maximum(r, 0).sum(-1, keepdims=True) + d for r in results]
    case("If_16_ranks_used", 16, follow, {"c": conditions, "a": a, "b": b, "d": d},
         {"y": [s.reshape(1, -1) for s in sums], "dims": [np.array(r.shape, i8) for r in results]},
         shapes={"y": [1, "n"], "dims": ["rank"]})
    # What follows needs a matrix: the run takes the other branch at its own risk.
    case("If_16_one_rank_fits", 16, [choose, node("MatMul", ["r", "m"], ["p"]),
                                     node("Transpose", ["p"], ["y"], perm=[1, 0])],
         {"c": conditions[1], "a": a, "b": b, "m": data(5, 4, seed=3)},
         {"y": (np.abs(b) @ data(5, 4, seed=3)).T}, shapes={"y": ["n", "k"]})
    # The branch that cannot run does not have to make sense.
    wrong = helper.make_graph([constant("way", [1, 0]), node("Reshape", ["a", "way"], ["e"])],
                              "wrong", [], [floats("e", [1, 0])])
    case("If_16_decided", 16,
         [node("Size", ["a"], ["n"]), constant("three", 3), node("Equal", ["n", "three"], ["c"]),
          node("If", ["c"], ["y"], then_branch=small, else_branch=wrong)], {"a": a}, {"y": -a})


def sequence_cases():
    """Rows of growing length are inserted at the front; the second last is taken out again."""
    body = helper.make_graph(
        [constant("one", 1), constant("ax", [0]), constant("start", [0]),
         node("Add", ["i", "one"], ["k"]), node("Unsqueeze", ["k", "ax"], ["end"]),
         node("Slice", ["x", "start", "end"], ["row"]), constant("front", 0),
         node("SequenceInsert", ["q", "row", "front"], ["q2"]), node("Identity", ["go"], ["go2"])],
        "body", [integer("i"), truth("go"), sequence_info("q", TensorProto.FLOAT)],
        [truth("go2"), sequence_info("q2", TensorProto.FLOAT)])
    x = data(6)
    rows = lambda n: [x[:k] for k in range(n, 0, -1)]
    without = lambda n: [r for k, r in enumerate(rows(n)) if k != n - 2]
    case("Loop_16_ragged", 16,
         [node("SequenceEmpty", [], ["q0"]), node("Loop", ["n", "", "q0"], ["q"], body=body),
          constant("second_last", -2), node("SequenceErase", ["q", "second_last"], ["short"]),
          node("ConcatFromSequence", ["short"], ["y"], axis=0),
          node("SequenceLength", ["short"], ["count"])],
         {"n": [scalar(4), scalar(2)], "x": x},
         {"y": [np.concatenate(without(n)) for n in (4, 2)], "count": [scalar(3), scalar(1)]},
         shapes={"y": ["k"]})


def beam_case():
    """Keeps the two best of all extensions of two token rows, step by step."""
    body = helper.make_graph(
        [node("Gather", ["table", "last"], ["step"]), constant("ax", [1]),
         node("Unsqueeze", ["score", "ax"], ["column"]), node("Add", ["step", "column"], ["all"]),
         constant("flat", [-1]), node("Reshape", ["all", "flat"], ["line"]), constant("two", [2]),
         node("TopK", ["line", "two"], ["score2", "at"]), constant("words", 4),
         node("Div", ["at", "words"], ["from"]), node("Mod", ["at", "words"], ["last2"]),
         node("Gather", ["rows", "from"], ["kept"]), node("Unsqueeze", ["last2", "ax"], ["new"]),
         node("Concat", ["kept", "new"], ["rows2"], axis=1), constant("stop", 3),
         node("ReduceMax", ["last2"], ["most"], keepdims=0), node("Less", ["most", "stop"], ["go2"])],
        "body", [integer("i"), truth("go"), floats("score", [2]),
                 info("last", TensorProto.INT64, [2]), info("rows", TensorProto.INT64, [2, "len"])],
        [truth("go2"), floats("score2", [2]), info("last2", TensorProto.INT64, [2]),
         info("rows2", TensorProto.INT64)])

    def search(table, steps):
        beams = [(f4(0), [0]), (f4(-0.5), [1])]
        for _ in range(steps):
            grown = [(s + table[r[-1], w], r + [w]) for s, r in beams for w in range(4)]
            beams = sorted(grown, key=lambda b: -b[0])[:2]
            if max(r[-1] for _, r in beams) >= 3:
                break
        return [np.array([s for s, _ in beams], f4), np.array([r for _, r in beams], i8)]

    tables = [data(4, 4, seed=5), data(4, 4, seed=8)]
    tables[0][:, 3] -= 9  # word 3 ends the search
    found = [search(tables[0], 6), search(tables[1], 50)]
    case("Loop_16_beam", 16,
         [constant("first", [0, 1]), constant("start", [[0], [1]]),
          node("Constant", [], ["score0"], value_floats=[0.0, -0.5]),
          node("Constant", [], ["go0"],
               value=helper.make_tensor("go0", TensorProto.BOOL, [], [True])),
          node("Loop", ["n", "go0", "score0", "first", "start"], ["score", "last", "rows"],
               body=body)],
         {"n": [scalar(6), scalar(50)], "table": tables},
         {"score": [f[0] for f in found], "rows": [f[1] for f in found]}, tolerance=1e-5,
         shapes={"rows": [2, "len"]})


def shape_cases():
    """A shape whose parts come from the model, from an input and from the values."""
    x = [data(2, 12), data(3, 8, seed=1)]
    rows = [np.array([4], i8), np.array([2], i8)]
    case("Concat_13_partly_known", 13,
         [constant("two", [2]), constant("rest", [-1]),
          node("Concat", ["r", "two", "rest"], ["s"], axis=0), node("Reshape", ["x", "s"], ["p"]),
          node("Transpose", ["p"], ["q"], perm=[1, 0, 2]), constant("ones", [1, 1]),
          node("Concat", ["two", "r", "ones"], ["e"], axis=0), constant("axis", [-1]),
          node("Unsqueeze", ["q", "axis"], ["u"]), constant("last", [3]),
          node("ConstantOfShape", ["e"], ["z"]), node("Concat", ["two", "r", "ones"], ["e2"], axis=0),
          node("Expand", ["z", "e2"], ["z2"]), node("Add", ["u", "z2"], ["y"])],
         {"x": x, "r": rows},
         {"y": [v.reshape(int(r[0]), 2, -1).transpose(1, 0, 2)[..., None] for v, r in zip(x, rows)]},
         shapes={"x": ["a", "b"], "y": [2, "c", "d", 1]})


def shared_function_cases():
    """The same function on one layer after the other, with a function inside it."""
    standard, own = helper.make_opsetid("", 17), helper.make_opsetid("own", 1)
    spread = helper.make_function(
        "own", "Spread", ["x"], ["y"],
        [node("ReduceMean", ["x"], ["m"], axes=[-1]), node("Sub", ["x", "m"], ["c"]),
         node("Softmax", ["c"], ["s"]), node("Mul", ["s", "c"], ["y"])], [standard])
    layer = helper.make_function(
        "own", "Layer", ["x", "w", "b", "v"], ["y"],
        [node("MatMul", ["x", "w"], ["p"]), node("Add", ["p", "b"], ["q"]),
         node("Spread", ["q"], ["r"], domain="own"), node("MatMul", ["r", "v"], ["o"]),
         node("Add", ["o", "x"], ["y"])], [standard, own])

    def soft(x):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    for layers in (2, 12):
        x, nodes, weights = data(3, 4), [], {}
        want = x.astype(np.float64)
        for i in range(layers):
            w, b = data(4, 6, seed=3 * i), data(6, seed=3 * i + 1)
            v = data(6, 4, seed=3 * i + 2, low=-0.2, high=0.2)
            weights.update({"w%d" % i: w, "b%d" % i: b, "v%d" % i: v})
            q = want @ w + b
            c = q - q.mean(-1, keepdims=True)
            want = (soft(c) * c) @ v + want
            nodes.append(node("Layer", ["h%d" % i, "w%d" % i, "b%d" % i, "v%d" % i],
                              ["h%d" % (i + 1)], domain="own", name="layer.%d" % i))
        for kind, shape in (("", [3, 4]), ("_open", ["rows", 4])):
            case("functions_17_%d_layers%s" % (layers, kind), 17, nodes, {"h0": x},
                 {"h%d" % layers: want.astype(f4)}, init=weights, tolerance=1e-5,
                 shapes={"h0": shape, "h%d" % layers: shape}, functions=[spread, layer])


def stream_cases():
    """A recurrent detector on a whole signal, and on chunks of it with its state given back."""
    sigmoid = lambda v: 1 / (1 + np.exp(-v))
    w, r, b = data(1, 12, 2, seed=1), data(1, 12, 3, seed=2), data(1, 24, seed=3)
    x = data(12, 1, 2, seed=4)
    branches = [helper.make_graph([node("Mul", ["x", k], ["scaled"])], k, [],
                                  [floats("scaled", ["steps", 1, 2])]) for k in ("one", "half")]
    nodes = [node("Equal", ["rate", "full"], ["is_full"]),
             node("If", ["is_full"], ["z"], then_branch=branches[0], else_branch=branches[1]),
             node("LSTM", ["z", "w", "r", "b", "", "h", "c"], ["y", "h2", "c2"], hidden_size=3)]
    constants = {"w": w, "r": r, "b": b, "full": scalar(16000), "one": np.ones(1, f4),
                 "half": np.full(1, 0.5, f4)}

    def run(x, h, c, rate):
        rows = []
        for v in x * (1 if rate == 16000 else 0.5):
            i, o, f, g = np.split(v @ w[0].T + h @ r[0].T + b[0, :12] + b[0, 12:], 4, axis=-1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            rows.append(h)
        return np.array(rows, f4)[:, None], h.astype(f4)[None], c.astype(f4)[None]

    zero = np.zeros((1, 1, 3), f4)
    for name, chunk in (("whole", 12), ("chunks", 4)):
        given = {k: [] for k in ("x", "h", "c", "rate")}
        wanted = {k: [] for k in ("y", "h2", "c2")}
        for rate in (16000, 8000):
            state = (zero, zero)
            for at in range(0, 12, chunk):
                y, h, c = run(x[at:at + chunk], state[0][0], state[1][0], rate)
                for k, v in zip(given, (x[at:at + chunk], *state, scalar(rate))):
                    given[k].append(v)
                for k, v in zip(wanted, (y, h, c)):
                    wanted[k].append(v)
                state = (h, c)
        case("stream_16_" + name, 16, nodes, given, wanted, init=constants, tolerance=1e-5)


def sparse_case():
    """Sparse tensors go through; no operator of the standard computes with them."""
    x = data(3, 4)
    x[np.abs(x) < 1] = 0
    case("Identity_16_sparse", 16, node("Identity", ["x"], ["y"]), {"x": Sparse(x)},
         {"y": Sparse(x)})


def default_case():
    """The data replaces the default value of an input."""
    x, w = data(2, 3), data(3, seed=1)
    case("Add_14_default", 14, node("Add", ["x", "w"], ["y"]), {"x": x, "w": w}, {"y": x + w},
         init={"w": np.ones(3, f4)})


def name_case():
    """Values named like what the generated interface uses itself."""
    inputs = {n: data(2, seed=i) for i, n in enumerate(["in", "inputs", "arena", "status", "run"])}
    case("Sum_13_names", 13, node("Sum", list(inputs), ["in_"]), inputs,
         {"in_": sum(inputs.values())}, tolerance=1e-5)


def make():
    name_case()
    default_case()
    nested_case()
    rank_case()
    while_case()
    scan_cases()
    branch_cases()
    sequence_cases()
    beam_case()
    shape_cases()
    shared_function_cases()
    stream_cases()
    sparse_case()
