#!/usr/bin/python3
"""Random integer arithmetic on sizes, each result used as a value, a bound, a shape or an index.

usage: generate.py [--seed S] [--models N] [--uses N] [--sizes N,M,K] > FILE.case

Each model reads the sizes of x [N,M,K] and makes integers of them; the expected values come from NumPy's integers of the
same type. Without --sizes a model has three sets of data with random sizes from 0 to 9, else one with these sizes.
"""
import argparse
import random

import numpy as np

LOW = {np.int32: -2**31, np.int64: -2**63}
NAMES = {np.int32: "int32", np.int64: "int64", np.float32: "float", np.bool_: "bool"}
DATA = np.arange(10, dtype=np.float32)
TABLE = np.arange(24, dtype=np.float32).reshape(2, 12)


def wrapped(value, kind):
    """The low bits of an exact integer, as a number of that type."""
    span = -2 * LOW[kind]
    return (value - LOW[kind]) % span + LOW[kind]


class Term:
    """An integer of a model: its name, its type, and its exact value for each set of sizes."""

    def __init__(self, name, kind, values):
        self.name, self.kind, self.values = name, kind, [wrapped(v, kind) for v in values]


class Model:
    def __init__(self, rng, sizes):
        self.rng, self.sizes = rng, sizes
        self.lines, self.initializers, self.outputs, self.count = [], [], [], 0
        self.fresh_constants = {}

    def new(self):
        self.count += 1
        return f"v{self.count}"

    def emit(self, op, inputs, attributes=""):
        name = self.new()
        self.lines.append(f"{name} = {op} {attributes}{' ' if attributes else ''}({', '.join(inputs)})")
        return name

    def constant(self, kind, numbers, scalar=False):
        shape = "" if scalar else f"[{len(numbers)}]"
        text = f"{NAMES[kind]}{shape} {{}} = {{{{{', '.join(map(str, numbers))}}}}}"
        if text not in self.fresh_constants:
            self.fresh_constants[text] = f"c{len(self.fresh_constants)}"
            self.initializers.append(text.format(self.fresh_constants[text]))
        return self.fresh_constants[text]

    # Integers.

    def number(self, value, kind):
        return Term(self.constant(kind, [value], True), kind, [value] * len(self.sizes))

    def size(self, kind):
        axis = self.rng.randrange(3)
        shape = self.emit("Shape", ["x"])
        name = self.emit("Gather", [shape, self.constant(np.int64, [axis], True)])
        t = Term(name, np.int64, [s[axis] for s in self.sizes])
        return t if kind is np.int64 else self.cast(t, kind)

    def cast(self, t, kind):
        code = 7 if kind is np.int64 else 6
        return Term(self.emit("Cast", [t.name], f"<to = {code}>"), kind, t.values)

    def binary(self, op, a, b, f, attributes=""):
        return Term(self.emit(op, [a.name, b.name], attributes), a.kind, [f(x, y) for x, y in zip(a.values, b.values)])

    def leaf(self, kind):
        if self.rng.random() < 0.65:
            return self.size(kind)
        numbers = list(range(-9, 10)) * 2 + [100, -100, 1000]
        if self.rng.random() < 0.1:
            numbers = [LOW[kind], -LOW[kind] - 1, LOW[kind] // 2, -LOW[kind] // 2, 2**30, -(2**30)]
        return self.number(self.rng.choice(numbers), kind)

    def expression(self, kind, depth):
        if depth == 0 or self.rng.random() < 0.1:
            return self.leaf(kind)
        op = self.rng.choice(["Add", "Sub", "Sub", "Mul", "Div", "Mod", "fmod", "Min", "Max", "Neg", "Abs", "Cast", "Where"])
        if op == "Cast":
            other = np.int32 if kind is np.int64 else np.int64
            return self.cast(self.expression(other, depth - 1), kind)
        a = self.expression(kind, depth - 1)
        if op in ("Neg", "Abs"):
            values = [-v if op == "Neg" else abs(v) for v in a.values]
            return Term(self.emit(op, [a.name]), kind, values)
        if op in ("Div", "Mod", "fmod"):
            return self.quotient(op, a)
        b = self.expression(kind, depth - 1)
        if op == "Where":
            return self.where(a, b)
        f = {"Add": int.__add__, "Sub": int.__sub__, "Mul": int.__mul__, "Min": min, "Max": max}[op]
        return self.binary(op, a, b, f)

    def quotient(self, op, a):
        d = self.rng.choice([1, 2, 2, 2, 3, 4, 5, 7, -1, -2, -3])
        b = self.number(d, a.kind)
        truncated = lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        if op == "Div":
            return self.binary("Div", a, b, truncated)
        if op == "Mod":
            return self.binary("Mod", a, b, lambda x, y: x % y)
        return self.binary("Mod", a, b, lambda x, y: x - y * truncated(x, y), "<fmod = 1>")

    def where(self, a, b):
        c = self.rng.choice(["Less", "Greater", "Equal"])
        limit = self.rng.randrange(-3, 8)
        condition = self.emit(c, [a.name, self.constant(a.kind, [limit], True)])
        holds = {"Less": int.__lt__, "Greater": int.__gt__, "Equal": int.__eq__}[c]
        values = [x if holds(x, limit) else y for x, y in zip(a.values, b.values)]
        return Term(self.emit("Where", [condition, a.name, b.name]), a.kind, values)

    def within(self, t, low, high):
        """The number clamped, or its remainder: from low to high."""
        if self.rng.random() < 0.5:
            clamped = self.binary("Max", t, self.number(low, t.kind), max)
            return self.binary("Min", clamped, self.number(high, t.kind), min)
        rest = self.binary("Mod", t, self.number(high - low + 1, t.kind), lambda x, y: x % y)
        return self.binary("Add", rest, self.number(low, t.kind), int.__add__) if low else rest

    def vector(self, kind):
        """A tensor of three numbers made of all sizes: its name and its values for each set of sizes."""
        name, values = self.emit("Shape", ["x"]), [list(s) for s in self.sizes]
        if kind is np.int32:
            name = self.emit("Cast", [name], "<to = 6>")
        functions = {"Add": int.__add__, "Sub": int.__sub__, "Mul": int.__mul__, "Min": min, "Max": max}
        for _ in range(self.rng.randrange(1, 5)):
            op = self.rng.choice(list(functions))
            numbers = [self.rng.randrange(-6, 7) for _ in range(3)]
            if self.rng.random() < 0.4:
                numbers = numbers[:1]
            name = self.emit(op, [name, self.constant(kind, numbers)])
            values = [[wrapped(functions[op](v, numbers[i % len(numbers)]), kind) for i, v in enumerate(row)] for row in values]
        return name, values

    def listed(self, *terms):
        """A tensor of int64 of these numbers."""
        zero = self.constant(np.int64, [0])
        parts = [self.emit("Unsqueeze", [t.name if t.kind is np.int64 else self.cast(t, np.int64).name, zero])
                 for t in terms]
        return parts[0] if len(parts) == 1 else self.emit("Concat", parts, "<axis = 0>")

    # Uses.

    def output(self, name, kind, results):
        results = [np.asarray(r, dtype=kind) for r in results]
        dims = ",".join("?" for _ in results[0].shape)
        self.outputs.append((f"{NAMES[kind]}{'[' + dims + ']' if dims else ''}", name, kind, results))

    def use(self):
        kind = self.rng.choice([np.int64, np.int64, np.int32])
        if self.rng.random() < 0.15:
            return self.rng.choice([self.vector_value, self.vector_fill, self.vector_slice])(kind)
        t = self.expression(kind, self.rng.randrange(1, 5))
        uses = [self.value, self.value, self.compared, self.sliced, self.sliced, self.sliced, self.padded, self.ranged,
                self.tiled, self.expanded, self.reshaped, self.gathered, self.filled, self.split, self.largest,
                self.scattered, self.depth, self.clipped, self.resized, self.triangle,
                self.cropped, self.repeated]
        self.rng.choice(uses)(t)

    def value(self, t):
        self.output(t.name, t.kind, t.values)

    def compared(self, t):
        op = self.rng.choice(["Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"])
        limit = self.rng.randrange(-6, 10)
        holds = {"Less": int.__lt__, "Greater": int.__gt__, "Equal": int.__eq__, "LessOrEqual": int.__le__,
                 "GreaterOrEqual": int.__ge__}[op]
        name = self.emit(op, [t.name, self.constant(t.kind, [limit], True)])
        self.output(name, np.bool_, [holds(v, limit) for v in t.values])

    def clipped(self, t):
        low, high = sorted(self.rng.randrange(-20, 40) for _ in range(2))
        name = self.emit("Clip", [t.name, self.constant(t.kind, [low], True), self.constant(t.kind, [high], True)])
        self.output(name, t.kind, [min(max(v, low), high) for v in t.values])

    def sliced(self, t):
        far = 2**63 - 1
        other = self.rng.choice([None, self.expression(np.int64, 2)])
        step = self.rng.choice([1, 1, 1, 2, -1, -3])
        last = Term(self.constant(np.int64, [far if step > 0 else -far], True), np.int64,
                    [far if step > 0 else -far] * len(self.sizes))
        bounds = [t, other or last]
        if self.rng.random() < 0.4:
            bounds.reverse()
            if other is None:
                bounds[0] = self.number(0 if step > 0 else 9, np.int64)
        data = self.constant(np.float32, DATA)
        # With a negative step the standard clamps a start before the axis to its first element, NumPy does not.
        results = [DATA[(a if step > 0 else max(a, -len(DATA))):b:step]
                   for a, b in zip(bounds[0].values, bounds[1].values)]
        one = self.constant(np.int64, [0])
        name = self.emit("Slice", [data, self.listed(bounds[0]), self.listed(bounds[1]), one,
                                   self.constant(np.int64, [step])])
        self.output(name, np.float32, results)

    def padded(self, t):
        before, after = self.within(t, 0, 4), self.within(self.expression(np.int64, 1), -2, 3)
        name = self.emit("Pad", [self.constant(np.float32, DATA), self.listed(before, after)])
        padded = [np.pad(DATA[:len(DATA) + min(a, 0)], (b, max(a, 0))) for b, a in zip(before.values, after.values)]
        self.output(name, np.float32, padded)

    def ranged(self, t):
        step = self.rng.choice([1, 1, 2, 3, -1, -2])
        first, last = self.within(t, -5, 9), self.within(self.expression(t.kind, 2), -5, 20)
        name = self.emit("Range", [first.name, last.name, self.number(step, t.kind).name])
        self.output(name, t.kind, [np.arange(a, b, step) for a, b in zip(first.values, last.values)])

    def tiled(self, t):
        repeats = self.within(t, 0, 3)
        name = self.emit("Tile", [self.constant(np.float32, DATA), self.listed(repeats)])
        self.output(name, np.float32, [np.tile(DATA, r) for r in repeats.values])

    def expanded(self, t):
        rows = self.within(t, 0, 4)
        shape = self.listed(rows, self.number(1, np.int64))
        name = self.emit("Expand", [self.constant(np.float32, DATA), shape])
        self.output(name, np.float32, [np.tile(DATA, (r, 1)) for r in rows.values])

    def reshaped(self, t):
        """The rows of a table as 2, 0 (copied) or -1 (inferred), whatever the sizes say."""
        bit = self.within(t, 0, 1)
        scale, base = self.rng.choice([(2, 0), (3, -1), (-1, 0), (-2, 2), (-3, 2)])
        scaled = self.binary("Mul", bit, self.number(scale, bit.kind), int.__mul__)
        rows = self.binary("Add", scaled, self.number(base, bit.kind), int.__add__)
        columns = self.number(12, np.int64)
        table = self.emit("Reshape", [self.constant(np.float32, TABLE.ravel()), self.constant(np.int64, [2, 12])])
        name = self.emit("Reshape", [table, self.listed(rows, columns)])
        self.output(name, np.float32, [TABLE] * len(self.sizes))

    def gathered(self, t):
        index = self.within(t, -10, 9)
        name = self.emit("Gather", [self.constant(np.float32, DATA), index.name])
        self.output(name, np.float32, [DATA[i] for i in index.values])

    def filled(self, t):
        count = self.within(t, 0, 5)
        name = self.emit("ConstantOfShape", [self.listed(count)])
        self.output(name, np.float32, [np.zeros(c) for c in count.values])

    def split(self, t):
        first = self.within(t, 0, 10)
        rest = self.binary("Sub", self.number(10, first.kind), first, int.__sub__)
        lengths = self.listed(first, rest)
        parts = self.new(), self.new()
        self.lines.append(f"{parts[0]}, {parts[1]} = Split ({self.constant(np.float32, DATA)}, {lengths})")
        self.output(parts[0], np.float32, [DATA[:v] for v in first.values])
        self.output(parts[1], np.float32, [DATA[v:] for v in first.values])

    def largest(self, t):
        count = self.within(t, 0, 10)
        name, places = self.new(), self.new()
        self.lines.append(f"{name}, {places} = TopK ({self.constant(np.float32, DATA)}, {self.listed(count)})")
        self.output(name, np.float32, [DATA[::-1][:c] for c in count.values])

    def scattered(self, t):
        index = self.within(t, -10, 9)
        name = self.emit("ScatterND", [self.constant(np.float32, DATA), self.listed(index),
                                       self.constant(np.float32, [77], True)])
        results = []
        for i in index.values:
            result = DATA.copy()
            result[i] = 77
            results.append(result)
        self.output(name, np.float32, results)

    def depth(self, t):
        count = self.within(t, 0, 6)
        name = self.emit("OneHot", [self.constant(np.int64, [3]), count.name, self.constant(np.float32, [0, 1])])
        self.output(name, np.float32, [np.arange(c)[None] == 3 for c in count.values])

    def resized(self, t):
        count = self.within(t, 1, 7)
        name = self.emit("Resize", [self.constant(np.float32, DATA), "\"\"", "\"\"", self.listed(count)],
                         "<mode = \"nearest\", nearest_mode = \"floor\", coordinate_transformation_mode = \"asymmetric\">")
        self.output(name, np.float32, [DATA[np.arange(c) * 10 // c] for c in count.values])

    def triangle(self, t):
        diagonal = self.within(t, -3, 3)
        table = self.constant(np.float32, TABLE.ravel())
        rows = self.emit("Reshape", [table, self.constant(np.int64, [4, 6])])
        k = diagonal.name if diagonal.kind is np.int64 else self.cast(diagonal, np.int64).name
        upper = self.rng.randrange(2)
        f = np.triu if upper else np.tril
        name = self.emit("Trilu", [rows, k], f"<upper = {upper}>")
        self.output(name, np.float32, [f(TABLE.reshape(4, 6), d) for d in diagonal.values])

    def cropped(self, t):
        count = self.within(t, 1, 15)
        name = self.emit("CenterCropPad", [self.constant(np.float32, DATA), self.listed(count)], "<axes = [0]>")
        results = []
        for c in count.values:
            less, more = max(10 - c, 0), max(c - 10, 0)
            results.append(np.pad(DATA[less // 2:10 - (less - less // 2)], (more // 2, more - more // 2)))
        self.output(name, np.float32, results)

    def repeated(self, t):
        trips = self.within(t, -2, 5)
        count = trips.name if trips.kind is np.int64 else self.cast(trips, np.int64).name
        name = self.new()
        self.lines.append(f"{name} = Loop <body = b{name} (int64 i{name}, bool c{name}, int64 s{name}) => "
                          f"(bool d{name}, int64 t{name}) {{ d{name} = Identity (c{name}) t{name} = Add (s{name}, i{name}) }}> "
                          f"({count}, \"\", {self.constant(np.int64, [5], True)})")
        self.output(name, np.int64, [5 + sum(range(v)) for v in trips.values])

    def vector_value(self, kind):
        name, values = self.vector(kind)
        self.output(name, kind, values)

    def vector_fill(self, kind):
        name, values = self.vector(kind)
        rest = self.emit("Mod", [name, self.constant(kind, [4])])
        wide = rest if kind is np.int64 else self.emit("Cast", [rest], "<to = 7>")
        name = self.emit("ConstantOfShape", [wide])
        self.output(name, np.float32, [np.zeros([v % 4 for v in row]) for row in values])

    def vector_slice(self, kind):
        name, values = self.vector(kind)
        table = self.emit("Reshape", [self.constant(np.float32, TABLE.ravel()), self.constant(np.int64, [2, 3, 4])])
        end = self.constant(kind, [2**31 - 1] * 3)
        name = self.emit("Slice", [table, name, end])
        self.output(name, np.float32, [TABLE.reshape(2, 3, 4)[row[0]:, row[1]:, row[2]:] for row in values])

    # Text.

    def text(self, name):
        outputs = ", ".join(f"{declared} {value}" for declared, value, _, _ in self.outputs)
        lines = [f"=== {name}", "<ir_version: 8, opset_import: [\"\": 18]>",
                 f"g (float[N,M,K] x) => ({outputs}) <{', '.join(self.initializers)}> {{"]
        lines += ["  " + line for line in self.lines] + ["}", "rtol 0 atol 0"]
        for i, sizes in enumerate(self.sizes):
            lines.append(f"given float[{','.join(map(str, sizes))}] x = full(0)")
            lines += [f"expect {value_text(value, kind, results[i])}" for _, value, kind, results in self.outputs]
        return "\n".join(lines) + "\n"


def value_text(name, kind, array):
    shape = f"[{','.join(map(str, array.shape))}]" if array.shape else ""
    elements = ", ".join(str(int(v)) for v in array.ravel())
    return f"{NAMES[kind]}{shape} {name} = {{{elements}}}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", type=int, default=2)
    parser.add_argument("--uses", type=int, default=20)
    parser.add_argument("--sizes")
    options = parser.parse_args()
    for m in range(options.models):
        rng = random.Random(f"{options.seed} {m}")
        sets = [[rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) for _ in range(3)] for _ in range(3)]
        if options.sizes:
            sets = [[int(s) for s in options.sizes.split(",")]]
        model = Model(rng, sets)
        for _ in range(options.uses):
            model.use()
        print(model.text(f"sizes_{options.seed}_{m}"))


main()
