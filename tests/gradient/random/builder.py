"""Grows random graphs by operators, control flow and Gradients."""
import torch

from control_flow import CONTROL_FLOW
from graph import Env, GradientNode, Graph, Node, type_of
from operators import OPERATORS

LARGEST = 100.0  # elements and values: beyond, tolerances would mean little


class Builder:
    """Grows a graph; `outer`: the builder of the graph around a body."""

    def __init__(self, seed_or_random, name, outer=None, inputs=()):
        self.random, self.outer = seed_or_random, outer
        self.model = outer.model if outer else self
        self.graph = Graph(name, [n for n, _ in inputs])
        self.env = outer.env.child({}) if outer else Env()
        self.pool = list(outer.pool) if outer else []
        self.depth = outer.depth + 1 if outer else 0
        self.ancestors = dict(outer.ancestors) if outer else {}
        self.hidden = dict(outer.hidden) if outer else {}  # see gradient()
        self.hidden_by_bodies = set()
        for n, value in inputs:
            self.define(n, value)
        if not outer:
            self.count, self.inputs, self.weights = 0, [], []

    def define(self, name, value, keep=True):
        self.env.values[name] = value
        self.graph.types[name] = type_of(value)
        self.ancestors[name] = {name}
        if keep and value.dtype == torch.float64:
            self.pool.append(name)

    def fresh(self, stem="v"):
        self.model.count += 1
        return f"{stem}{self.model.count}"

    def body(self, name, inputs=()):
        return Builder(self.random, name, self, inputs)

    # ---- choosing ---------------------------------------------------------------------------------

    def shape(self, name):
        return tuple(self.env.values[name].shape)

    def size(self, name):
        return self.env.values[name].numel()

    def pick(self):
        """Recent values more often than old ones, so that graphs grow deep."""
        n = len(self.pool)
        return self.pool[max(self.random.randrange(n), self.random.randrange(n))]

    def broadcasts(self, a, b):
        try:
            shape = torch.broadcast_shapes(self.shape(a), self.shape(b))
            return shape.numel() <= 64
        except RuntimeError:
            return False

    def pick_for(self, x):
        """Another value that broadcasts with x; the same one where there is none."""
        return self.random.choice([o for o in self.pool if self.broadcasts(o, x)] or [x])

    # ---- adding -----------------------------------------------------------------------------------

    def append(self, node):
        results = node.compute(self.env)
        self.graph.nodes.append(node)
        self.env.trail.append(node)
        sources, hidden = set(), set()
        for name in node.operands():
            sources |= self.ancestors.get(name, set())
            hidden |= self.hidden.get(name, set())
        for name, value in zip(node.outputs, results):
            if name:
                self.define(name, value, keep=False)
                self.ancestors[name] = sources | {name}
                self.hidden[name] = hidden
        return results

    def add(self, op, inputs, function, attributes=None, outputs=1, keep=True):
        names = [self.fresh() for _ in range(outputs)]
        results = self.append(Node(op, inputs, names, function, attributes))
        for name, value in zip(names, results):
            if keep:
                self.offer(name, value)
        return names if outputs > 1 else names[0]

    def offer(self, name, value):
        """Takes a value into the pool if it is small and of double."""
        if value.dtype != torch.float64 or value.numel() > 64 or value.dim() > 5:
            return
        if value.numel() == 0 or value.detach().abs().max() < LARGEST:
            self.pool.append(name)

    def constant(self, value):
        return self.add("Constant", [], lambda: value, {"value": value}, keep=False)

    def ints(self, values):
        return self.constant(torch.tensor(values, dtype=torch.int64))

    def number(self, value):
        return self.constant(torch.tensor(value, dtype=torch.float64))

    def tensor(self, shape):
        values = [round(self.random.uniform(-1.5, 1.5), 3) for _ in range(max(torch.Size(shape).numel(), 0))]
        return torch.tensor(values, dtype=torch.float64).reshape(shape).requires_grad_()

    def weight(self, shape):
        """A new input or initialiser of the model."""
        name, value = self.fresh("w"), self.tensor(shape)
        m = self.model
        (m.inputs if self.random.random() < 0.5 else m.weights).append(name)
        at = self
        while at:
            at.env.values[name] = value
            at.graph.types[name] = type_of(value)
            at.ancestors[name] = {name}
            at.pool.append(name)
            at = at.outer
        return name

    def grow(self, steps):
        for _ in range(steps):
            if self.depth < 2 and self.random.random() < 0.07:
                self.random.choice(CONTROL_FLOW)(self)
            else:
                self.random.choice(OPERATORS)(self)

    # ---- Gradient ---------------------------------------------------------------------------------

    def independent(self, names):
        return all(a not in self.ancestors[b] for a in names for b in names if a != b)

    def gradient(self):
        """What is between xs and y is not a variable of the derivative: it is hidden from Gradients of
        it."""
        y = self.pick()
        hidden = self.hidden.get(y, set())
        sources = sorted((self.ancestors[y] & set(self.pool)) - {y} - hidden) or [y]
        xs, zs = [], []
        for _ in range(self.random.randint(1, 4)):
            candidate = self.random.choice(sources if self.random.random() < 0.85 else self.pool)
            if candidate not in xs and candidate not in hidden and self.independent(xs + [candidate]):
                xs.append(candidate)
        if self.random.random() < 0.4:
            candidate = self.random.choice(sources)
            if candidate not in xs and self.independent(xs + [candidate]):
                zs.append(candidate)
        points = [self.point(n) for n in xs + zs]
        if not xs:
            return []
        outputs = [self.fresh("g") for _ in xs]
        node = GradientNode(xs, zs, y, points, outputs)
        for name, value in zip(outputs, self.append(node)):
            self.hidden[name] = self.hidden[name] | node.between
            if self.outer:
                self.outer.hidden_by_bodies |= node.between
            self.offer(name, value)
        return outputs

    def point(self, name):
        others = [o for o in self.pool if self.shape(o) == self.shape(name)]
        return self.random.choice(others) if self.random.random() < 0.25 else name
