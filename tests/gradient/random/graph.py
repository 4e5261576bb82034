"""Random graphs in ONNX's textual syntax that PyTorch evaluates as they grow.

A node knows how to compute itself, so Gradient can be evaluated as the standard defines it: what is
between the named tensors and y is computed again at the points given.
"""
import torch

TRAINING = "ai.onnx.preview.training"
TYPES = {torch.float64: "double", torch.float32: "float", torch.int64: "int64", torch.bool: "bool"}


def type_of(value):
    dims = ",".join(str(d) for d in value.shape)
    return TYPES[value.dtype] + (f"[{dims}]" if dims else "")


def literal(value):
    def text(v):
        return str(int(v)) if not value.dtype.is_floating_point else repr(float(v))
    return "{" + ", ".join(text(v) for v in value.detach().flatten().tolist()) + "}"


def attribute(value):
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(attribute(v) for v in value) + "]"
    if isinstance(value, torch.Tensor):
        return f"{type_of(value)} {literal(value)}"
    if isinstance(value, Graph):
        return value.text()
    return repr(value)


class Env:
    """The values of names, and the nodes that made them."""

    def __init__(self, values=None, trail=None):
        self.values = dict(values or {})
        self.trail = list(trail or [])

    def child(self, more):
        return Env({**self.values, **more}, self.trail)

    def run(self, nodes):
        for node in nodes:
            self.values.update(zip(node.outputs, node.compute(self)))
            self.trail.append(node)


class Node:
    def __init__(self, op, inputs, outputs, function, attributes=None, domain=""):
        self.op, self.inputs, self.outputs = op, inputs, outputs
        self.function, self.attributes, self.domain = function, attributes or {}, domain

    def operands(self):
        return [i for i in self.inputs if i]

    def compute(self, env):
        results = self.function(*[env.values[i] if i else None for i in self.inputs])
        if not isinstance(results, (list, tuple)):
            results = [results]
        # Every name is a tensor of its own for autograd.
        return [r.clone() for r in results]

    def text(self):
        attributes = ", ".join(f"{k} = {attribute(v)}" for k, v in self.attributes.items())
        name = f"{self.domain}.{self.op}" if self.domain else self.op
        outputs = ", ".join(o or '""' for o in self.outputs)
        inputs = ", ".join(i or '""' for i in self.inputs)
        return f"  {outputs} = {name} {f'<{attributes}> ' if attributes else ''}({inputs})\n"


def copy_of(value):
    copy = value.clone()
    return copy if copy.requires_grad else copy.requires_grad_()


class GradientNode(Node):
    """xs and zs are names; points replace them."""

    def __init__(self, xs, zs, y, points, outputs):
        attributes = {"xs": xs, **({"zs": zs} if zs else {}), "y": y}
        super().__init__("Gradient", points, outputs, None, attributes, TRAINING)
        self.xs, self.zs, self.y = xs, zs, y

    def operands(self):
        return [*self.inputs, self.y, *self.xs, *self.zs]

    def compute(self, env):
        named = self.xs + self.zs
        fresh = {n: copy_of(env.values[p]) for n, p in zip(named, self.inputs)}
        inner = Env({**env.values, **fresh})
        dirty = set(named)
        for k, node in enumerate(env.trail):
            if dirty.isdisjoint(node.operands()) or not set(named).isdisjoint(node.outputs):
                continue
            inner.trail = env.trail[:k]
            inner.values.update(zip(node.outputs, node.compute(inner)))
            dirty |= set(node.outputs)
        same = {n for n, p in zip(named, self.inputs) if n == p}
        self.between = (dirty | {self.y}) - same
        xs = [fresh[x] for x in self.xs]
        y = inner.values[self.y]
        if not y.requires_grad or not y.dtype.is_floating_point:
            return [torch.zeros_like(x) for x in xs]
        found = torch.autograd.grad(y.sum(), xs, create_graph=True, allow_unused=True)
        return [torch.zeros_like(x) if g is None else g.clone() for x, g in zip(xs, found)]


class BodyNode(Node):
    """An operator with bodies; function(env, inputs)."""

    def operands(self):
        names = [i for i in self.inputs if i]
        for value in self.attributes.values():
            if isinstance(value, Graph):
                names += value.captured()
        return names

    def compute(self, env):
        results = self.function(env, [env.values[i] if i else None for i in self.inputs])
        return [r.clone() for r in results]


class Graph:
    """The body of an operator, or the model."""

    def __init__(self, name, inputs):
        self.name, self.inputs, self.nodes, self.outputs = name, inputs, [], []
        self.types = {}

    def captured(self):
        made = set(self.inputs)
        names = []
        for node in self.nodes:
            names += [n for n in node.operands() if n not in made]
            made |= set(node.outputs)
        return names + [o for o in self.outputs if o not in made]

    def run(self, env, values):
        inner = env.child(dict(zip(self.inputs, values)))
        inner.run(self.nodes)
        return [inner.values[o] for o in self.outputs]

    def text(self):
        inputs = ", ".join(f"{self.types[i]} {i}" for i in self.inputs)
        outputs = ", ".join(f"{self.types[o]} {o}" for o in self.outputs)
        nodes = "".join(n.text() for n in self.nodes)
        return f"{self.name} ({inputs}) => ({outputs}) {{\n{nodes}  }}"
