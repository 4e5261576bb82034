#!/usr/bin/env python3
"""Prints random chains of layers as cases, in floats and in 8-bit integers; see line_buffered_test.sh.
usage: line_buffered.py SEED COUNT"""
import random
import sys


class Chain:
    """Layers that read each other; every other chain is of integers."""

    def __init__(self, number, rng):
        self.rng, self.number, self.int8 = rng, number, number % 2 == 1
        self.type = rng.choice(["uint8", "int8"]) if self.int8 else "float"
        self.c, self.h, self.w = rng.choice([1, 2, 3]), rng.randint(14, 30), rng.randint(5, 20)
        self.shape = f"1,{self.c},{self.h},{self.w}"
        self.weights, self.lines, self.last = [], [], "x"

    def fresh(self, stem):
        return f"{stem}{len(self.lines)}"

    def window(self, most):
        """Attributes of a window that fits, and the sizes of the output."""
        rng = self.rng
        while True:
            k = [rng.randint(1, most), rng.randint(1, most)]
            d = [rng.choice([1, 1, 2]), rng.choice([1, 1, 2])]
            s = [rng.choice([1, 1, 2]), rng.choice([1, 1, 2])]
            reach = [(k[i] - 1) * d[i] + 1 for i in (0, 1)]
            more = 2 if rng.random() < 0.04 else 0  # now and then a window sees nothing but pads
            pads = [rng.randint(0, k[i % 2] - 1 + more) for i in range(4)]
            out = [(n + pads[i] + pads[i + 2] - reach[i]) // s[i] + 1 for i, n in enumerate((self.h, self.w))]
            if min(self.h + pads[0] + pads[2] - reach[0], self.w + pads[1] + pads[3] - reach[1]) >= 0 and min(out) > 1:
                return f"kernel_shape = {k}, dilations = {d}, strides = {s}, pads = {pads}", k, out

    def conv(self, depthwise, same=False):
        rng, y = self.rng, self.fresh("c")
        if same:
            k, out, attributes = [3, 3], [self.h, self.w], "kernel_shape = [3, 3], pads = [1, 1, 1, 1]"
        else:
            attributes, k, out = self.window(5 if rng.random() < 0.3 else 3)
        group, channels = (self.c, self.c) if depthwise else (1, self.c if same else rng.choice([4, 6, 8, 16]))
        shape = f"{channels},{self.c // group},{k[0]},{k[1]}"
        if self.int8:
            self.weights.append(f"int8[{shape}] w{y} = integers({len(self.lines) + 7 * self.number}, -128, 128)")
            self.lines.append(f"{y} = QLinearConv <{attributes}, group = {group}> "
                              f"({self.last}, s, z, w{y}, t, n, s, z)")
        else:
            self.weights.append(f"float[{shape}] w{y} = uniform({len(self.lines) + 7 * self.number}, -1, 1)")
            self.lines.append(f"{y} = Conv <{attributes}, group = {group}> ({self.last}, w{y})")
        self.c, (self.h, self.w), self.last = channels, out, y

    def pool(self):
        attributes, _, (self.h, self.w) = self.window(3)
        y = self.fresh("p")
        self.lines.append(f"{y} = MaxPool <{attributes}> ({self.last})")
        self.last = y

    def activation(self):
        if self.int8:
            return
        y = self.fresh("a")
        self.lines.append(f"{y} = {self.rng.choice(['Relu', 'Sigmoid', 'HardSwish'])} ({self.last})")
        self.last = y

    def residual(self):
        if self.int8 or self.c < 4:
            return
        x = self.last
        self.conv(False, same=True)
        y = self.fresh("r")
        self.lines.append(f"{y} = Add ({self.last}, {x})")
        self.last = y

    def preamble(self):
        """As exporters write what a camera's picture needs: to floats, then mean and scale, and axes moved."""
        rng, c = self.rng, self.c
        picture = rng.choice(["nchw", "nhwc", "hwc"])
        steps = ["Cast"] + rng.sample(["Mul", "Sub", "Div"], rng.randint(0, 3))
        last = picture != "nchw"  # the channels' axis
        dims, moves = {"nchw": ([1, c, self.h, self.w], []), "nhwc": ([1, self.h, self.w, c], ["Transpose"]),
                       "hwc": ([self.h, self.w, c], ["Unsqueeze", "Transpose"])}[picture]
        self.shape = ",".join(map(str, dims))
        places = sorted(rng.randint(0, len(steps)) for _ in moves)
        for place, move in reversed(list(zip(places, moves))):
            steps.insert(place, move)
        for op in steps:
            y, operand = self.fresh("b"), ""
            if op == "Transpose":
                operand, last = "<perm = [0, 3, 1, 2]>", False
            elif op == "Unsqueeze":
                self.weights.append("int64[1] front = {0}")
            elif op == "Cast":
                operand = "<to = 1>"
            name = {"Unsqueeze": "front", "Mul": "scale", "Sub": "mean", "Div": "deviation"}.get(op)
            if name in ("scale", "mean", "deviation"):
                self.weights.append({"scale": f"float scale = {{{rng.choice([0.0039, 0.00390625])}}}",
                                     "mean": f"float[{c if last else f'{c},1,1'}] mean = uniform({self.number}, 90, 140)",
                                     "deviation": "float[1] deviation = {58.4}"}[name])
            self.lines.append(f"{y} = {op} {operand} ({self.last}{', ' + name if name else ''})")
            self.last = y
        if rng.random() < 0.3:
            y = self.fresh("p")
            self.weights.append("int64[8] border = {0, 0, 1, 0, 0, 0, 1, 2}")
            self.lines.append(f"{y} = Pad ({self.last}, border)")
            self.last, self.h, self.w = y, self.h + 2, self.w + 2
            self.conv(False)

    def layer(self):
        kind = self.rng.random()
        if kind < 0.35 and self.c >= 4:
            self.conv(True)
        elif kind < 0.8:
            self.conv(False)
        elif kind < 0.9:
            self.pool()
        else:
            self.residual()
        if self.rng.random() < 0.5:
            self.activation()

    def case(self):
        if self.int8:
            self.lines.append("q = QuantizeLinear (x, s, z)")
            self.last = "q"
            zero = self.rng.choice([0, 3, 120])
            self.weights += ["float s = {0.02}", f"{self.type} z = {{{zero}}}", "float t = {0.004}", "int8 n = {0}"]
        element, values = "float", f"uniform({self.number}, -2, 2)"
        if not self.int8 and self.rng.random() < 0.5:
            self.preamble()
            element, values = "uint8", f"integers({self.number}, 0, 256)"
        for _ in range(self.rng.randint(3, 7)):
            if min(self.h, self.w) > 3:
                self.layer()
        if self.int8:
            self.lines.append(f"d = DequantizeLinear ({self.last}, s, z)")
            self.last = "d"
        mean = self.rng.random() < 0.4
        self.lines.append(f"y = {'GlobalAveragePool' if mean else 'Neg'} ({self.last})")
        out = f"1,{self.c},{'1,1' if mean else f'{self.h},{self.w}'}"
        # The sum of the integers is exact, that of floats rounds.
        tolerance = "rtol 1e-6 atol 1e-6\n" if mean and self.int8 else ""
        body = "\n".join("  " + line for line in self.lines)
        return (f"=== chain{self.number}\n<ir_version: 8, opset_import: [\"\": 17]>\n({element}[{self.shape}] x) => "
                f"(float[{out}] y) <{', '.join(self.weights)}> {{\n{body}\n}}\n"
                f"{tolerance}given {element}[{self.shape}] x = {values}\n")


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        print(Chain(number, random.Random(seed * 1000003 + number)).case())


if __name__ == "__main__":
    main()
