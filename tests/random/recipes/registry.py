"""The list of recipes. A recipe adds a few nodes to a Builder, or raises Skip."""
from build import Skip

RECIPES = []
PROFILES = ("general", "cnn", "dense", "quant", "sizes", "control", "text", "contrib", "recurrent",
            "language")


def recipe(**weights):
    """Weights by profile; `every` counts for all of them."""
    def register(function):
        every = weights.pop("every", 0)
        RECIPES.append((function, {p: weights.get(p, every) for p in PROFILES}))
        return function
    return register


def broadcast(a, b):
    """NumPy's rule; None if the shapes do not fit."""
    out = []
    for i in range(max(len(a), len(b))):
        x = a[len(a) - 1 - i] if i < len(a) else 1
        y = b[len(b) - 1 - i] if i < len(b) else 1
        if x != y and x != 1 and y != 1:
            return None
        out.append(y if x == 1 else x)
    return tuple(reversed(out))


def partner_shape(g, shape):
    """A shape that broadcasts with this one: shorter, with ones, or longer."""
    out = [1 if g.chance(0.3) else d for d in shape]
    if g.chance(0.5):
        out = out[g.rng.randint(0, len(out)):]
    if g.chance(0.1) and len(out) == len(shape) < 5:
        out = [g.dim()] + out
    return tuple(out)


def partner(g, x, types=None, **data):
    """A second operand for x: a value in scope that fits, or a new one."""
    types = types or [x.type]
    if x.type in types and g.chance(0.15):
        own = g.part(x.type, partner_shape(g, x.shape), of=x, **data)
        if own:
            return own
    return g.pick(types, where=lambda v: broadcast(x.shape, v.shape) is not None,
                  fresh=partner_shape(g, x.shape), **data)


def axis_of(g, rank):
    """An axis, rarely counted from the end."""
    if rank == 0:
        raise Skip("rank")
    axis = g.rng.randrange(rank)
    return axis, axis - rank if g.chance(0.3) else axis


def snapshot(scopes):
    return [(s, len(s.values), len(s.nodes), len(s.inputs), len(s.initializers)) for s in scopes]


def restore(saved):
    for s, values, nodes, inputs, initializers in saved:
        del s.values[values:], s.nodes[nodes:], s.inputs[inputs:], s.initializers[initializers:]


def add_recipes(g, profile, steps):
    """Runs that many recipes; those that do not fit leave nothing behind."""
    table = [(f, w[profile]) for f, w in RECIPES if w[profile]]
    done = 0
    for _ in range(steps * 12):
        if done == steps:
            return
        scopes, scope = [], g
        while scope:
            scopes.append(scope)
            scope = scope.parent
        saved, functions, loose = snapshot(scopes), len(g.root.functions), g.root.loose
        try:
            g.rng.choices([f for f, _ in table], [w for _, w in table])[0](g)
            done += 1
        except Skip:
            restore(saved)
            del g.root.functions[functions:]
            g.root.loose = loose
