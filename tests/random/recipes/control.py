"""If, Loop, Scan, sequences, optionals, functions."""
import numpy as np

from build import FLOATS, NAMES, Builder, Skip, make_node, pb, type_proto, value_info
from recipes.registry import add_recipes, broadcast, recipe

PLAIN = ("float", "int64", "int32", "double")


def grow(g, body, steps, profile="general"):
    """Some random nodes inside a body."""
    if g.root.depth >= 3:
        raise Skip("depth")
    g.root.depth += 1
    try:
        add_recipes(body, profile, steps)
    finally:
        g.root.depth -= 1


def made_in(body, types=PLAIN):
    """Values that nodes of the body make."""
    names = {o for n in body.nodes for o in n.output}
    return [v for v in body.values if v.name in names and not v.hidden and v.type in types]


def inner_profile(g):
    return g.rng.choice(["general", "general", "cnn", "dense", "quant", "sizes"])


def same_as(body, x, lo=None, hi=None):
    """A result of the body with this type and shape."""
    return body.same("Identity", x, x.lo if lo is None else lo, x.hi if hi is None else hi, x.frac)


def condition(g):
    kind = g.rng.randrange(4)
    if kind == 0:
        return g.const(np.bool_(g.chance(0.5)), "bool", hidden=True)
    if kind == 1:
        x = g.pick("float", where=lambda v: v.exact and v.size > 0 and v.rank > 0)
        s = g.op("Size", [x], [("int64", [], 0, 4096, 0)])
        s.hidden = True
        c = g.op("Greater", [s, g.const(np.int64(g.rng.choice([0, 20])), hidden=True)], [("bool", [], 0, 1, 0)])
        c.hidden = True
        return c
    return g.input(np.bool_(g.chance(0.5)), "bool", 0, 1, 0, hidden=True)


@recipe(control=12, every=1)
def if_(g):
    if g.opset < 9:
        raise Skip("comparisons of integers")
    c = condition(g)
    steps, profile = g.rng.randint(1, 3), inner_profile(g)
    first = g.body()
    grow(g, first, steps, profile)
    results = made_in(first)
    if not results:
        raise Skip("nothing made")
    results = g.rng.sample(results, g.rng.randint(1, min(2, len(results))))
    second = g.body()
    if g.chance(0.5):
        grow(g, second, g.rng.randint(1, 2), profile)
    others = [second.pick(r.type, where=lambda v: v.shape == r.shape, fresh=r.shape) for r in results]
    others = [same_as(second, o) for o in others]
    if g.chance(0.2):  # a name of the outer graph, without a node
        results = [same_as(first, r) for r in results]
    branches = [(first, results), (second, others)]
    if g.chance(0.5):
        branches.reverse()
    outs = [(a.type, a.shape, min(a.lo, b.lo), max(a.hi, b.hi),
             max(a.frac, b.frac) if a.frac is not None and b.frac is not None else None)
            for a, b in zip(results, others)]
    g.op("If", [c], outs, then_branch=branches[0][0].graph("then", [], branches[0][1]),
         else_branch=branches[1][0].graph("else", [], branches[1][1]))


@recipe(control=12, every=1)
def loop(g):
    if g.opset < 8:
        raise Skip("old")
    # Extents of no slices are open where those of the inputs are (decision 0005).
    least = 0 if g.style.get("empty") and g.style["sizes"] == "fixed" else 1
    trips = g.rng.randint(least, 4)
    states = [g.pick(("float", "int64"), where=lambda v: v.mag < 1e3 and v.size < 500) for _ in range(g.rng.randint(1, 2))]
    body = g.body()
    index = body.add(body.name("i"), "int64", (), 0, trips, 0)
    cond = body.add(body.name("c"), "bool", (), 0, 1, 0)
    cond.hidden = True
    inner = []
    for s in states:
        # Exact values stay exact: what grows is clipped.
        v = body.add(body.name("s"), s.type, s.shape, -1e3, 1e3, 3 if s.type in FLOATS else 0)
        v.frac = None if s.type in FLOATS else 0
        inner.append(v)
    grow(g, body, g.rng.randint(1, 3), inner_profile(g))
    carried = [next_state(g, body, v) for v in inner]
    stop = np.bool_(True)
    keep = body.op("Identity", [cond], [("bool", (), 0, 1, 0)]) if g.chance(0.5) else \
        body.const(stop, "bool", hidden=True)
    if not any(keep.name in n.output for n in body.nodes):
        keep = body.op("Identity", [keep], [("bool", (), 0, 1, 0)])
    scans = [v for v in made_in(body) if v.size * max(trips, 1) < 2000 and (trips or not v.rank)]
    scans = g.rng.sample(scans, min(len(scans), g.rng.randint(0, 2)))
    if any(s in carried for s in scans):
        scans = [same_as(body, s) for s in scans]
    inputs = [(index.name, type_proto("int64", [])), (cond.name, type_proto("bool", []))]
    inputs += [(v.name, type_proto(v.type, v.shape if g.chance(0.7) else g.declared(v))) for v in inner]
    graph = body.graph("body", inputs, [keep, *carried, *scans])
    m = scalar_input(g, trips)
    start = None if g.chance(0.5) else g.const(np.bool_(True), "bool", hidden=True)
    outs = [(s.type, s.shape, -1e3, 1e3, None) for s in states]
    outs += [(s.type, (trips,) + s.shape, s.lo, s.hi, s.frac) for s in scans]
    g.op("Loop", [m, start, *states], outs, body=graph)


def scalar_input(g, value):
    array = np.asarray(value, np.int64)
    return g.const(array, "int64", hidden=True) if g.chance(0.6) else g.input(array, "int64", hidden=True)


def next_state(g, body, v):
    """The state after a round, from a value of its type that broadcasts into it."""
    if v.type == "int64":
        return body.same("Add", v, v.lo, v.hi, extra=[body.const(np.int64(1), hidden=True)], frac=0)
    fits = lambda o: o is not v and broadcast(v.shape, o.shape) == v.shape and o.mag < 1e4
    other = body.pick(v.type, where=fits, fresh=v.shape)
    half = body.same("Mul", v, v.lo / 2, v.hi / 2, extra=[body.const(np.float32(0.5), hidden=True)])
    out = body.op("Add", [half, other], [(v.type, v.shape, half.lo + other.lo, half.hi + other.hi, None)])
    return body.same("Tanh", out, -1, 1) if out.mag > 1e3 else out


@recipe(control=10, every=1)
def scan(g):
    if g.opset < 9:
        raise Skip("form of opset 8")
    trips = g.dim() or 1
    xs = [g.pick("float", where=lambda v: v.rank > 0 and v.shape[0] == trips and v.size < 500, fresh=(trips,) + g.shape(most=3))
          for _ in range(g.rng.randint(1, 2))]
    body = g.body()
    rows = [body.add(body.name("r"), x.type, x.shape[1:], x.lo, x.hi, x.frac) for x in xs]
    state = g.pick("float", where=lambda v: v.mag < 1e3 and v.size < 500) if g.chance(0.7) else None
    inner = None
    if state is not None:
        inner = body.add(body.name("s"), state.type, state.shape, -1e3, 1e3, None)
    grow(g, body, g.rng.randint(1, 3), inner_profile(g))
    carried = [next_state(g, body, inner)] if inner is not None else []
    scans = [v for v in made_in(body) if v.size * trips < 2000]
    if not scans and not carried:
        raise Skip("nothing made")
    scans = g.rng.sample(scans, min(len(scans), g.rng.randint(0 if carried else 1, 2)))
    if any(s in carried for s in scans):
        scans = [same_as(body, s) for s in scans]
    ins = ([inner] if inner is not None else []) + rows
    graph = body.graph("body", [(v.name, type_proto(v.type, v.shape if g.chance(0.7) else g.declared(v))) for v in ins],
                       [*carried, *scans])
    reverse = [g.rng.choice([0, 1]) for _ in xs] if g.chance(0.3) else None
    outs = [(state.type, state.shape, -1e3, 1e3, None)] if carried else []
    outs += [(s.type, (trips,) + s.shape, s.lo, s.hi, s.frac) for s in scans]
    g.op("Scan", ([state] if carried else []) + xs, outs, body=graph, num_scan_inputs=len(xs),
         scan_input_directions=reverse,
         scan_output_directions=[1] * len(scans) if scans and g.chance(0.2) else None)


# ---- sequences and optionals --------------------------------------------------------------------

class Hidden:
    """A value that is not a tensor: only its name."""

    def __init__(self, name):
        self.name = name


def hidden_op(g, op, inputs, **attributes):
    g.need(op)
    value = Hidden(g.name("q"))
    names = [v.name if v else "" for v in inputs]
    g.nodes.append(make_node(op, names, [value.name], attributes))
    return value


@recipe(control=8, text=6, every=1)
def sequence(g):
    """Tensors go into a sequence, which is changed and read."""
    g.need("SequenceConstruct")
    x = g.pick(("float", "int64", "int32"))
    items = [x] + [g.pick(x.type, where=lambda v: v.rank == x.rank, fresh=g.shape(x.rank)) for _ in range(g.rng.randint(0, 3))]
    s = hidden_op(g, "SequenceConstruct", items)
    index = lambda i: g.const(np.asarray(i, g.rng.choice([np.int64, np.int32])), hidden=True)
    for _ in range(g.rng.randint(0, 3)):
        kind = g.rng.choice(["insert", "erase", "at"])
        if kind == "insert":
            at = g.rng.randint(-len(items), len(items))
            s = hidden_op(g, "SequenceInsert", [s, x] + ([index(at)] if g.chance(0.7) or True else []))
            items.insert(at if at >= 0 else len(items) + at, x)
        elif kind == "erase" and len(items) > 1:
            at = g.rng.randint(-len(items), len(items) - 1)
            s = hidden_op(g, "SequenceErase", [s, index(at)])
            del items[at]
    at = g.rng.randint(-len(items), len(items) - 1)
    chosen = items[at]
    g.op("SequenceAt", [s, index(at)], [(x.type, chosen.shape, chosen.lo, chosen.hi, chosen.frac)])
    g.op("SequenceLength", [s], [("int64", (), 0, 9, 0)])
    if all(i.shape == x.shape for i in items) and g.chance(0.7):
        new = 1 if g.chance(0.5) or not x.rank else 0
        shape = (len(items),) + x.shape if new else (len(items) * x.shape[0],) + x.shape[1:]
        frac = max(i.frac for i in items) if all(i.frac is not None for i in items) else None
        g.op("ConcatFromSequence", [s], [(x.type, shape, min(i.lo for i in items), max(i.hi for i in items), frac)],
             axis=0, new_axis=new)


@recipe(control=5, every=1)
def split_to_sequence(g):
    g.need("SplitToSequence")
    x = g.pick(("float", "int64"), where=lambda v: v.rank > 0 and v.shape[0] > 0)
    n = x.shape[0]
    if g.chance(0.5):
        sizes, keep, extra = [1] * n, g.rng.choice([0, 1]), []
    else:
        cut = g.rng.randint(0, n)
        sizes = [s for s in (cut, n - cut) if s]
        keep, extra = None, [g.ints(sizes)]
    s = hidden_op(g, "SplitToSequence", [x, *extra], axis=0, keepdims=keep)
    at = g.rng.randrange(len(sizes))
    shape = x.shape[1:] if keep == 0 else (sizes[at],) + x.shape[1:]
    g.op("SequenceAt", [s, g.const(np.int64(at), hidden=True)], [(x.type, shape, x.lo, x.hi, x.frac)])
    if keep != 0 and g.chance(0.5):
        g.op("ConcatFromSequence", [s], [(x.type, x.shape, x.lo, x.hi, x.frac)], axis=0)


@recipe(control=3)
def optional(g):
    g.need("Optional")
    if g.opset < 18:
        raise Skip("old form")
    x = g.pick(("float", "int64"))
    o = hidden_op(g, "Optional", [x])
    g.op("OptionalHasElement", [o], [("bool", (), 0, 1, 0)])
    g.op("OptionalGetElement", [o], [(x.type, x.shape, x.lo, x.hi, x.frac)])


@recipe(control=4)
def loop_of_sequence(g):
    """A loop that collects what it makes in a sequence."""
    if g.opset < 13:
        raise Skip("sequences as states")
    x = g.pick("float", where=lambda v: v.size < 200 and v.mag < 1e3)
    trips = g.rng.randint(1, 4)
    body = g.body()
    i, c, s = body.name("i"), body.name("c"), body.name("s")
    seq = pb.TypeProto()
    seq.sequence_type.elem_type.CopyFrom(type_proto("float", None if g.chance(0.5) else [None] * x.rank))
    y = body.same("Mul", x, -2 * x.mag, 2 * x.mag, extra=[body.const(np.float32(2), hidden=True)])
    out = hidden_op(body, "SequenceInsert", [Hidden(s), y])
    keep = body.name("k")
    body.nodes.append(make_node("Identity", [c], [keep], {}))
    graph = body.graph("body", [(i, type_proto("int64", [])), (c, type_proto("bool", []))], [])
    graph.input.append(value_info(s, seq))
    graph.output.append(value_info(keep, type_proto("bool", [])))
    graph.output.append(value_info(out.name, seq))
    start = hidden_op(g, "SequenceEmpty", [], dtype=None)
    done = hidden_op(g, "Loop", [scalar_input(g, trips), None, start], body=graph)
    g.op("ConcatFromSequence", [done], [("float", (trips,) + x.shape, y.lo, y.hi, None)], axis=0, new_axis=1)


# ---- functions ----------------------------------------------------------------------------------

@recipe(control=8, every=1, cnn=2)
def function(g):
    """A model-local function of a few nodes, called one to three times."""
    if g.opset < 9 or g.parent:
        raise Skip("place")
    x = g.pick("float", where=lambda v: v.mag < 100 and v.size > 0)
    inner = Builder(g.rng, g.schemas, g.opset, style=g.style)
    inner.depth, inner.loose, inner.count = g.root.depth + 2, False, g.root.count
    formal = inner.add(inner.name("p"), x.type, x.shape, -100, 100, None)
    inner.no_inputs = True
    add_recipes(inner, g.rng.choice(["general", "dense"]), g.rng.randint(1, 4))
    results = made_in(inner)
    if inner.inputs or not results or inner.functions or any(not reads(inner, formal, r) for r in results[-1:]):
        raise Skip("not a function")
    g.root.count = inner.count
    result = results[-1]
    f = pb.FunctionProto(name=g.name("F").replace("*", "").replace("/", ""), domain="local")
    f.input.append(formal.name)
    f.output.append(result.name)
    for tensor in inner.initializers:
        f.node.append(make_node("Constant", [], [tensor.name], {"value": tensor}))
    f.node.extend(inner.nodes)
    for domain, version in inner.domains.items():
        f.opset_import.add(domain=domain, version=version)
    g.root.functions.append(f)
    for _ in range(g.rng.randint(1, 3)):
        y = g.op(f.name, [x], [(result.type, result.shape, result.lo, result.hi, None)], domain="local")
        if y.type == x.type and y.shape == x.shape and y.mag < 100:
            x = y


def reads(body, source, target):
    """Whether target is made from source."""
    known = {source.name}
    for node in body.nodes:
        if known & set(node.input):
            known |= set(node.output)
    return target.name in known
