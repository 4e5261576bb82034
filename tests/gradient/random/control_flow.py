"""If, Loop and Scan with random bodies."""
import torch

from graph import BodyNode


def shaped_like(body, like):
    """A value of the body in the shape of `like`, from whatever the body computed."""
    x = body.pick()
    if body.shape(x) == body.shape(like):
        return body.add("Tanh", [x], torch.tanh)
    mean = body.add("ReduceSum", [x], lambda v: v.sum(), {"keepdims": 0})
    t = body.add("Tanh", [mean], torch.tanh)
    return body.add("Mul", [like, t], torch.mul)


def sometimes_gradient(body):
    if body.random.random() < 0.3:
        body.gradient()


def finish(body, outputs):
    body.graph.outputs = outputs
    for o in outputs:
        body.graph.types.setdefault(o, None)


def adopt(b, node, outputs):
    results = b.append(node)
    for name, value in zip(outputs, results):
        b.hidden[name] = b.hidden[name] | b.hidden_by_bodies
        b.offer(name, value)
    if b.outer:
        b.outer.hidden_by_bodies |= b.hidden_by_bodies
    b.hidden_by_bodies = set()


def branches(b):
    like = b.pick()
    s = b.add("ReduceSum", [b.pick()], lambda v: v.sum(), {"keepdims": 0}, keep=False)
    c = b.add("Greater", [s, b.number(0.2)], torch.gt, keep=False)
    bodies, count = [], b.random.randint(1, 2)
    for _ in range(2):
        body = b.body(b.fresh("branch"))
        body.grow(b.random.randint(0, 4))
        sometimes_gradient(body)
        finish(body, [shaped_like(body, like) for _ in range(count)])
        bodies.append(body.graph)
    outputs = [b.fresh() for _ in range(count)]
    node = BodyNode("If", [c], outputs,
                    lambda env, v: bodies[0 if bool(v[0]) else 1].run(env, []),
                    {"then_branch": bodies[0], "else_branch": bodies[1]})
    adopt(b, node, outputs)


def stacked(lists, axis=0):
    return [torch.stack(v, axis) for v in lists]


def loop(b):
    states = [b.pick() for _ in range(b.random.randint(1, 2))]
    names = [b.fresh("s") for _ in states]
    i, go = b.fresh("i"), b.fresh("c")
    body = b.body(b.fresh("body"), [(i, torch.tensor(0)), (go, torch.tensor(True))] + [
        (n, b.env.values[s].clone()) for n, s in zip(names, states)])
    body.grow(b.random.randint(1, 4))
    sometimes_gradient(body)
    news = [shaped_like(body, n) for n in names]
    scans = [shaped_like(body, names[0])] if b.random.random() < 0.5 else []
    stop = b.random.random() < 0.3
    if stop:  # by the data
        s = body.add("ReduceSum", [news[0]], lambda v: v.sum(), {"keepdims": 0}, keep=False)
        more = body.add("Less", [s, body.number(0.4)], torch.lt, keep=False)
    else:
        more = body.add("Identity", [go], torch.clone, keep=False)
    finish(body, [more] + news + scans)
    trips = b.random.randint(1, 3)
    graph = body.graph

    def run(env, inputs):
        values, stacks, k = inputs[2:], [[] for _ in scans], 0
        while k < trips:
            out = graph.run(env, [torch.tensor(k), torch.tensor(True), *values])
            values = out[1:1 + len(names)]
            for stack, v in zip(stacks, out[1 + len(names):]):
                stack.append(v)
            k += 1
            if not bool(out[0]):
                break
        return values + stacked(stacks)
    outputs = [b.fresh() for _ in names + scans]
    m = b.constant(torch.tensor(trips))
    adopt(b, BodyNode("Loop", [m, "", *states], outputs, run, {"body": graph}), outputs)


def scan(b):
    sequences = [p for p in b.pool if b.shape(p) and b.shape(p)[0] in (1, 2, 3)]
    if not sequences:
        return
    sequence, state = b.random.choice(sequences), b.pick()
    s, e = b.fresh("s"), b.fresh("e")
    values = b.env.values
    body = b.body(b.fresh("body"), [(s, values[state].clone()), (e, values[sequence][0].clone())])
    body.grow(b.random.randint(1, 4))
    sometimes_gradient(body)
    finish(body, [shaped_like(body, s), shaped_like(body, e)])
    graph, backward = body.graph, b.random.randint(0, 1)

    def run(env, inputs):
        h, outs = inputs[0], []
        order = range(inputs[1].shape[0])
        for k in reversed(order) if backward else order:
            h, o = graph.run(env, [h, inputs[1][k]])
            outs.append(o)
        return [h, torch.stack(outs)]
    outputs = [b.fresh(), b.fresh()]
    attributes = {"num_scan_inputs": 1, "scan_input_directions": [backward], "body": graph}
    adopt(b, BodyNode("Scan", [state, sequence], outputs, run, attributes), outputs)


CONTROL_FLOW = [branches, loop, scan]
