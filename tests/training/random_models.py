#!/usr/bin/env python3
"""Random models with training_info as a file of cases; PyTorch gives the expected values.

usage: random_models.py FIRST_SEED COUNT OUT.case [FORM...]

Inference graphs and algorithms are random graphs of tests/gradient/random. Variables change by
descent, by the optimisers of the standard, by exchange, by values of the graph, as counters; they
belong to the inference graph or to an algorithm, and start at stored values or at those of
initialization graphs. A model has one or two training_infos.

FORM changes the form of the inference graph and no result: `function`, `if`, `loop`, `scan` put its
nodes there, in this order when there are several; `some` and `symbolic` make extents of inputs
dynamic.
"""
import os
import random
import re
import sys

import numpy
import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "gradient", "random"))
from builder import Builder  # noqa: E402
from wrap import FORMS, Nodes, Symbols  # noqa: E402
from graph import TRAINING, Env, GradientNode, Node, literal, type_of  # noqa: E402

OPSETS = '"": 22, "ai.onnx.preview.training": 1'
HEAD = f'<ir_version: 10, opset_import: [{OPSETS}, "own": 1]>'
STEPS = 3


def float32(value):
    return float(numpy.float32(value))


# ---- optimisers ---------------------------------------------------------------------------------


def momentum(a):
    alpha, beta, norm = float32(a["alpha"]), float32(a["beta"]), float32(a["norm_coefficient"])

    def step(rate, count, x, g, v):
        g = norm * x + g
        v = alpha * v + (beta if count > 0 else 1.0) * g
        return x - rate * (g + alpha * v if a["mode"] == "nesterov" else v), v
    return step


def adagrad(a):
    decay, epsilon, norm = (float32(a.get(k, d)) for k, d in
                            (("decay_factor", 0.0), ("epsilon", 1e-6), ("norm_coefficient", 0.0)))

    def step(rate, count, x, g, h):
        g = norm * x + g
        h = h + g * g
        return x - rate / (1 + count * decay) * g / (h.sqrt() + epsilon), h
    return step


def adam(a):
    names = (("alpha", 0.9), ("beta", 0.999), ("epsilon", 1e-6), ("norm_coefficient", 0.0),
             ("norm_coefficient_post", 0.0))
    alpha, beta, epsilon, norm, post = (float32(a.get(k, d)) for k, d in names)

    def step(rate, count, x, g, v, h):
        g = norm * x + g
        v = alpha * v + (1 - alpha) * g
        h = beta * h + (1 - beta) * g * g
        if count > 0:
            rate = rate * (1 - beta ** count) ** 0.5 / (1 - alpha ** count)
        return (1 - post) * (x - rate * v / (h.sqrt() + epsilon)), v, h
    return step


def random_optimizer(r):
    norm = r.choice([0.0, 0.1])
    return r.choice([
        ("Momentum", 1, {"alpha": 0.5, "beta": r.choice([1.0, 0.75]), "norm_coefficient": norm,
                         "mode": r.choice(["standard", "nesterov"])}, momentum),
        ("Adagrad", 1, r.choice([{}, {"decay_factor": 0.5, "epsilon": 0.25}]), adagrad),
        ("Adam", 2, r.choice([{}, {"alpha": 0.5, "norm_coefficient_post": 0.125}]), adam)])


# ---- algorithms ---------------------------------------------------------------------------------


class Algorithm:
    """Grows on top of the values of an inference graph."""

    def __init__(self, model, number):
        self.model, self.random = model, model.random
        outer = model.graph
        self.builder = Builder(self.random, f"algorithm{number}", outer)
        # What the algorithm adds is its own: the next one must not pick it.
        kept = outer.inputs, outer.weights, outer.pool
        outer.inputs, outer.weights, outer.pool = [], [], list(outer.pool)
        self.grow(number)
        self.inputs, self.weights = outer.inputs, outer.weights
        outer.inputs, outer.weights, outer.pool = kept

    def grow(self, number):
        b = self.builder
        self.updates, self.outputs = {}, []
        b.grow(self.random.randint(0, 4))
        self.loss = self.make_loss(f"loss{number}")
        self.outputs.append(self.loss)
        trained = self.random.sample(self.model.variables,
                                     self.random.randint(1, len(self.model.variables)))
        fixed = [x for x in self.model.graph.inputs if self.random.random() < 0.3]
        gradients = [b.fresh("g") for _ in trained]
        b.append(GradientNode(trained, fixed, self.loss, trained + fixed, gradients))
        self.change(trained, gradients)
        if self.random.random() < 0.4:
            self.exchange()

    def make_loss(self, name):
        b, terms = self.builder, []
        for v in self.model.variables + [b.pick()]:
            s = b.add("Sin", [v], torch.sin)
            terms.append(b.add("ReduceSum", [s], lambda x: x.sum(), {"keepdims": 0}))
        for v in self.model.results:
            t = b.add("Tanh", [v], torch.tanh)
            terms.append(b.add("ReduceSum", [t], lambda x: x.sum(), {"keepdims": 0}))
        b.append(Node("Sum", terms, [name], lambda *v: sum(v)))
        return name

    def change(self, names, gradients):
        b, choice = self.builder, self.random.randrange(3)
        rate = self.initializer(torch.tensor(0.125, dtype=torch.float64))
        if choice == 0:
            for n, g in zip(names, gradients):
                step = b.add("Mul", [g, rate], torch.mul)
                self.updates[n] = b.add("Sub", [n, step], torch.sub)
        else:
            self.optimize(names, gradients, rate)

    def optimize(self, names, gradients, rate):
        b = self.builder
        op, states, attributes, make = random_optimizer(self.random)
        count = self.initializer(torch.tensor(self.random.randint(0, 2)), "count")
        one = b.constant(torch.tensor(1))
        after = b.add("Add", [count, one], torch.add, keep=False)
        kept = [[self.initializer(torch.full_like(b.env.values[n].detach(), 0.5)) for n in names]
                for _ in range(states)]
        used = self.random.choice([count, after])
        groups = [names] + kept
        outputs = [[b.fresh("n") for _ in group] for group in groups]
        step = make(attributes)

        def run(r, t, *tensors):
            k = len(names)
            lists = [tensors[i * k:(i + 1) * k] for i in range(states + 2)]
            results = [step(r, t.item(), *operands) for operands in zip(*lists)]
            return [result[i] for i in range(states + 1) for result in results]
        inputs = [rate, used, *names, *gradients, *[n for group in kept for n in group]]
        b.append(Node(op, inputs, sum(outputs, []), run, attributes, TRAINING))
        for group, results in zip(groups, outputs):
            self.updates.update(zip(group, results))
        self.updates[count] = after

    def exchange(self):
        """Two variables of one type get each other's values, or one gets what the graph computes."""
        b, all_ = self.builder, self.model.variables
        pairs = [(x, y) for x in all_ for y in all_ if x != y and b.shape(x) == b.shape(y)]
        if pairs:
            x, y = self.random.choice(pairs)
            self.updates[x] = b.add("Identity", [y], torch.clone)
            self.updates[y] = b.add("Identity", [x], torch.clone)
        x = self.random.choice(all_)
        same = [o for o in self.model.results if b.shape(o) == b.shape(x)]
        if same:
            self.updates[x] = self.random.choice(same)

    def initializer(self, value, stem="k"):
        b = self.builder
        name = b.fresh(stem)
        b.define(name, value, keep=False)
        self.model.graph.weights.append(name)
        return name

    def free_outputs(self):
        taken = set(self.updates.values())
        return [o for o in self.model.results if o not in taken], \
            [o for o in self.outputs if o not in taken]

    def text(self):
        types = self.builder.graph.types
        inputs = ", ".join(f"{types[i]} {i}" for i in self.inputs)
        made = [v for v in self.updates.values() if v not in self.model.results]
        outputs = ", ".join(f"{types[o]} {o}" for o in self.outputs + sorted(set(made)))
        weights = ", ".join(f"{types[w]} {w} = {literal(self.builder.env.values[w])}"
                            for w in self.weights)
        nodes = "".join("  " + n.text() for n in self.builder.graph.nodes)
        keys = ", ".join(f"{k} = {v}" for k, v in self.updates.items())
        return (f"  algorithm ({inputs}) => ({outputs}) {f'<{weights}> ' if weights else ''}{{\n"
                f"{nodes}  }}\n"), f"  update {{{keys}}}\n"


class Model:
    def __init__(self, seed):
        self.random = random.Random(seed)
        g = self.graph = Builder(self.random, f"t{seed}")
        for _ in range(self.random.randint(2, 4)):
            rank = self.random.randint(0, 2)
            name = g.weight([self.random.randint(1, 3) for _ in range(rank)])
            if self.random.random() < 0.4 and g.inputs and name == g.inputs[-1]:
                g.weights.append(g.inputs.pop())
        if not g.weights:
            g.weights.append(g.inputs.pop())
        g.grow(self.random.randint(4, 10))
        self.variables = self.random.sample(g.weights, self.random.randint(1, len(g.weights)))
        made = [p for p in dict.fromkeys(g.pool) if p not in g.inputs + g.weights]
        self.results = self.random.sample(made, min(len(made), self.random.randint(1, 2)))
        self.algorithms = [Algorithm(self, k) for k in range(self.random.randint(1, 2))]
        self.initializations = [self.initialization(a) for a in self.algorithms]

    # ---- state ------------------------------------------------------------------------------------

    def stored(self):
        values = {n: self.graph.env.values[n] for n in self.graph.weights}
        for a in self.algorithms:
            values.update({n: a.builder.env.values[n] for n in a.weights})
        return {n: v.detach() for n, v in values.items()}

    def state_names(self):
        return list(dict.fromkeys(n for a in self.algorithms for n in a.updates))

    def initialization(self, algorithm):
        """For each of some variables: another variable's sum plus a constant, in its shape."""
        doubles = [n for n in algorithm.updates if "count" not in n]
        if self.random.random() < 0.5:
            return []
        shared = [n for n in self.graph.weights if n in self.state_names()]
        return [(n, self.random.choice(shared), round(self.random.uniform(-1, 1), 3))
                for n in self.random.sample(doubles, self.random.randint(1, len(doubles)))
                if shared]

    def initialized(self):
        values = self.stored()
        for a, init in zip(self.algorithms, self.initializations):
            new = {n: torch.full_like(values[n], float(values[s].sum() * c)) for n, s, c in init}
            values.update(new)
        return values

    # ---- steps ------------------------------------------------------------------------------------

    def step(self, values, data, algorithm):
        env = Env({**self.graph.env.values, **algorithm.builder.env.values})
        env.values.update({n: v.clone().requires_grad_(v.dtype == torch.float64)
                           for n, v in {**values, **data}.items()})
        env.run(self.graph.graph.nodes)
        env.run(algorithm.builder.graph.nodes)
        types = {**self.graph.graph.types, **algorithm.builder.graph.types}
        if any(type_of(env.values[n]) != types[n] for n in types if n in env.values):
            raise RuntimeError("the number of iterations, and so a shape, depends on the data")
        new = {k: env.values[v].detach() for k, v in algorithm.updates.items()}
        return {**values, **new}, env.values

    # ---- text -------------------------------------------------------------------------------------

    def initialization_text(self, init):
        if not init:
            return "", ""
        types = self.graph.model.graph.types
        nodes, outputs = [], []
        for k, (name, source, c) in enumerate(init):
            shape = self.stored()[name].shape
            dims = ", ".join(str(d) for d in shape)
            shown = type_of(self.stored()[name])
            nodes.append(f"    s{k} = ReduceSum <keepdims = 0> ({source})\n"
                         f"    c{k} = Constant <value = double {{{c!r}}}> ()\n"
                         f"    p{k} = Mul (s{k}, c{k})\n"
                         f"    d{k} = Constant <value = int64[{len(shape)}] {{{dims}}}> ()\n"
                         f"    o{k} = Expand (p{k}, d{k})\n")
            outputs.append(f"{shown} o{k}")
        keys = ", ".join(f"{n} = o{k}" for k, (n, _, _) in enumerate(init))
        return (f"  initialization () => ({', '.join(outputs)}) {{\n{''.join(nodes)}  }}\n",
                f"  initialize {{{keys}}}\n")

    def wrapped(self, forms):
        """The inference graph's nodes, and what algorithms and outputs read of it."""
        nodes = Nodes(self.graph.graph.nodes)
        wanted = list(self.results)
        for a in self.algorithms:
            for n in a.builder.graph.nodes:
                wanted += n.operands()
        for form in forms:
            if form in FORMS:
                nodes.wrap(form, list(dict.fromkeys(wanted)), self.graph.graph.types, OPSETS)
        return nodes

    def text(self, forms=()):
        g = self.graph
        values = g.env.values
        some = self.random if "some" in forms else None
        symbols = Symbols(some) if "some" in forms or "symbolic" in forms else None

        def typed(names):
            types = [type_of(values[n]) for n in names]
            types = [symbols.of(t) for t in types] if symbols else types
            return ", ".join(f"{t} {n}" for t, n in zip(types, names))
        nodes = self.wrapped(forms)
        weights = ", ".join(f"{type_of(values[w])} {w} = {literal(values[w])}" for w in g.weights)
        lines = f"=== {g.graph.name}\n{HEAD}\n({typed(g.inputs)}) => ({typed(self.results)}) " \
                f"<{weights}> {{\n"
        lines += nodes.text + "}\n" + nodes.functions
        for a, init in zip(self.algorithms, self.initializations):
            graph, keys = self.initialization_text(init)
            algorithm, updates = a.text()
            lines += f"training {{\n{graph}{algorithm}{keys}{updates}}}\n"
        return lines + "rtol 1e-8 atol 1e-8\n" + self.data()

    def state_text(self, values):
        return "".join(f"state {type_of(values[n])} {n} = {literal(values[n])}\n"
                       for n in self.state_names())

    def data(self):
        values = self.initialized()
        out = self.state_text(values)
        for _ in range(STEPS):
            index = self.random.randrange(len(self.algorithms) + 1)
            chosen = self.algorithms if index == len(self.algorithms) else [self.algorithms[index]]
            names = list(self.graph.inputs)
            for a in chosen:
                names += a.inputs
            data = {n: self.graph.tensor(self.any_value(n).shape).detach() for n in names}
            expected = {}
            for a in chosen:
                values, computed = self.step(values, data, a)
                for o in sum(a.free_outputs(), []):
                    expected[o] = computed[o].detach()
            out += "step\n" if len(chosen) == len(self.algorithms) else f"step {index}\n"
            out += "".join(f"given {type_of(data[n])} {n} = {literal(data[n])}\n" for n in names)
            out += "".join(f"expect {type_of(v)} {n} = {literal(v)}\n" for n, v in expected.items())
            out += self.state_text(values)
        return out

    def any_value(self, name):
        for env in [self.graph.env] + [a.builder.env for a in self.algorithms]:
            if name in env.values:
                return env.values[name]
        raise KeyError(name)


def is_tame(text):
    """Whether training neither fails nor diverges: the sine of a huge number has no digit in common
    with that of its neighbour."""
    huge = re.search(r"\d{9}\.|\de\+", text)
    return not huge and "nan" not in text and "inf" not in text.replace("inference", "")


def main():
    first, count, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with open(out, "w") as f:
        for seed in range(first, first + count):
            try:
                text = Model(seed).text(sys.argv[4:])
            except RuntimeError:  # other data give other shapes
                continue
            if is_tame(text):
                f.write(text + "\n")


main()
