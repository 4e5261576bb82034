#!/usr/bin/env python3
"""Makes one model of all rows of tables like elementwise.txt, and the C++ that describes it.

usage: model.py OUTPUT_FOLDER TABLE... [--only REGEX]    writes rules.case, rules32.case and rows.hpp

A row is NAME | inputs | nodes | options, with `;` between inputs and between nodes. An input is
`x[2,N=3] -1 1 avoid 0`: shape, where N=3 is a dynamic dimension that is 3 in the test, range, and
points that no element comes near. Nodes are in ONNX's textual syntax; the result is y, or what the
option `of y,z` names. Option `once`: without second derivatives; `tolerance 1e-6`; `frozen s`: no
derivative by this input; `degree 2`: the results are homogeneous functions of the inputs together.
rules32.case is the same model in float.

For each row the model computes L, the sum of the results times fixed weights, its Gradient, and, as
Q, the sum of that Gradient times weights, and the Gradient of Q.
"""
import argparse
import os
import re

HEAD = '<ir_version: 13, opset_import: ["": 28, "ai.onnx.preview.training": 1, "com.microsoft": 1]>'
TRAINING = "ai.onnx.preview.training"


class Input:
    def __init__(self, text):
        match = re.match(r"(\w+)\[(.*?)\]\s+(\S+)\s+(\S+)(?:\s+avoid\s+(.*))?$", text.strip())
        if not match:
            raise SystemExit(f"bad input: {text}")
        self.name, dims, self.low, self.high, avoid = match.groups()
        self.dims = [d.split("=") for d in dims.split(",") if d]
        self.avoid = (avoid or "").split()

    def shape(self, prefix):
        dims = ",".join(prefix + d[0] if len(d) > 1 else d[0] for d in self.dims)
        return f"double[{dims}]" if dims else "double"

    def extents(self):
        return [int(d[-1]) for d in self.dims]

    def is_dynamic(self):
        return any(len(d) > 1 for d in self.dims)

    def size(self):
        count = 1
        for d in self.extents():
            count *= d
        return count


class Row:
    def __init__(self, line, number):
        cells = [c.strip() for c in line.split("|")]
        self.name, inputs, self.nodes = cells[:3]
        self.prefix = f"r{number}_"
        self.inputs = [Input(i) for i in inputs.split(";")]
        self.options = cells[3] if len(cells) > 3 else ""
        of = self.option("of")
        self.results = of.split(",") if of else ["y"]
        frozen = (self.option("frozen") or "").split(",")
        self.xs = [i for i in self.inputs if i.name not in frozen]
        self.twice = "once" not in self.options.split()
        self.tolerance = self.option("tolerance") or "1e-7"
        self.degree = self.option("degree") or "0"

    def option(self, name):
        match = re.search(rf"\b{name} (\S+)", self.options)
        return match.group(1) if match else None

    def body(self):
        """The nodes, with the prefix of the row before every name of a value."""
        names = {i.name for i in self.inputs}
        for node in self.nodes.split(";"):
            left = re.match(r"\s*([\w\s,\"]*?)=", node)
            if left:
                names |= {n.strip() for n in left.group(1).split(",")}
        names.discard("")
        names.discard('""')
        pattern = r"\b(" + "|".join(sorted(names)) + r")\b(?!\s*:)"
        parts = re.split(r'("[^"]*")', self.nodes.replace(";", "\n  "))
        return "".join(p if p.startswith('"') else re.sub(pattern, self.prefix + r"\1", p)
                       for p in parts)

    def weighted(self, value, to, offset):
        """Nodes that compute the sum of `value` times weights that differ for every element."""
        p = to
        return f"""
  {p}_n = Size ({value})
  {p}_r = Range (zero, {p}_n, one)
  {p}_f = Cast <to = 11> ({p}_r)
  {p}_m = Mul ({p}_f, step)
  {p}_o = Constant <value = double {{{offset}}}> ()
  {p}_a = Add ({p}_m, {p}_o)
  {p}_c = Cos ({p}_a)
  {p}_s = Shape ({value})
  {p}_w = Reshape <allowzero = 1> ({p}_c, {p}_s)
  {p}_l = Mul ({value}, {p}_w)
  {to} = ReduceSum <keepdims = 0> ({p}_l)"""

    def total(self, values, to, offset):
        text, sums = "", []
        for k, value in enumerate(values):
            sums.append(f"{to}_{k}")
            text += self.weighted(value, sums[-1], offset + k)
        return text + f"\n  {to} = Sum ({', '.join(sums)})"

    def derivative(self, y, outputs):
        xs = [self.prefix + i.name for i in self.xs]
        quoted = ", ".join(f'"{x}"' for x in xs)
        return (f"\n  {', '.join(outputs)} = {TRAINING}.Gradient <xs = [{quoted}], y = \"{y}\">"
                f" ({', '.join(xs)})")

    def text(self):
        p = self.prefix
        out = "  " + self.body()
        out += self.total([p + r for r in self.results], p + "L", 0.4)
        out += self.derivative(p + "L", self.firsts())
        if self.twice:
            out += self.total(self.firsts(), p + "Q", 0.9)
            out += self.derivative(p + "Q", self.seconds())
        return out

    def firsts(self):
        return [f"{self.prefix}d{i.name}" for i in self.xs]

    def seconds(self):
        return [f"{self.prefix}dd{i.name}" for i in self.xs] if self.twice else []

    def declared_inputs(self):
        return [f"{i.shape(self.prefix)} {self.prefix}{i.name}" for i in self.inputs]

    def declared_outputs(self):
        p = self.prefix
        shapes = [i.shape(p) for i in self.xs]
        outputs = [f"double {p}L"] + [f"{s} {n}" for s, n in zip(shapes, self.firsts())]
        if self.twice:
            outputs += [f"double {p}Q"] + [f"{s} {n}" for s, n in zip(shapes, self.seconds())]
        return outputs


def in_float(text):
    text = text.replace("=== rules", "=== rules32").replace("to = 11>", "to = 1>")
    return re.sub(r"\bdouble\b", "float", text)


def model(rows):
    inputs = ", ".join(i for r in rows for i in r.declared_inputs())
    outputs = ", ".join(o for r in rows for o in r.declared_outputs())
    constants = ("  zero = Constant <value = int64 {0}> ()\n  one = Constant <value = int64 {1}> ()\n"
                 "  step = Constant <value = double {1.7}> ()\n")
    body = "\n".join(r.text() for r in rows)
    return f"=== rules\n{HEAD}\n({inputs}) => ({outputs}) {{\n{constants}{body}\n}}\nrefused \"never\"\n"


def member(out, name, pointer, value, extents, is_output):
    """Assignments to the members of an argument struct of the generated function."""
    out.append(f"  {pointer}.{name} = {value};")
    if extents is None:
        return
    if is_output:
        out.append(f"  {pointer}.{name}_capacity = 4096;")
    else:
        for k, d in enumerate(extents):
            out.append(f"  {pointer}.{name}_dims[{k}] = {d};")


def describe(rows):
    """rows.hpp: the table of rows and the call of the generated function."""
    table, calls, at = [], [], 0
    for r in rows:
        first = at
        for i in r.inputs:
            extents = i.extents() if i.is_dynamic() else None
            member(calls, r.prefix + i.name, "in", f"x + {at}", extents, False)
            at += i.size()
        ranges = ", ".join(
            f"{{{i.size()}, {i.low}, {i.high}, {{{', '.join(i.avoid)}}}, "
            f"{'true' if i in r.xs else 'false'}}}" for i in r.inputs)
        table.append(f'    {{"{r.name}", {first}, '
                     f"{str(r.twice).lower()}, {r.tolerance}, "
                     f"{r.degree}, {{{ranges}}}}},")
        calls.append(f"  out.{r.prefix}L = sums + {2 * (len(table) - 1)};")
        if r.twice:
            calls.append(f"  out.{r.prefix}Q = sums + {2 * (len(table) - 1) + 1};")
        for names, array in ((r.firsts(), "first"), (r.seconds(), "second")):
            offsets = {i.name: first + sum(k.size() for k in r.inputs[:r.inputs.index(i)])
                       for i in r.xs}
            for i, name in zip(r.xs, names):
                member(calls, name, "out", f"{array} + {offsets[i.name]}",
                       i.extents() if i.is_dynamic() else None, True)
    lines = ["// The rows of the tables and the call of the model; written by model.py.",
             '#include "rules.h"  // of rules.case or rules32.case', "", "const std::vector<Row> kRows = {", *table, "};",
             f"constexpr std::size_t kElements = {at};", "",
             "// x: the inputs of all rows, one after the other; the derivatives likewise. sums: L and Q.",
             "bool evaluate(const Element* x, Element* first, Element* second, Element* sums, void* arena) {",
             "  rules_inputs in{};", "  rules_outputs out{};", *calls,
             "  return rules_run(&in, &out, arena) == RULES_OK;", "}"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    lines = [line for t in args.tables for line in open(t).read().replace("\\\n", " ").splitlines()]
    lines = [line for line in lines if line.strip() and not line.startswith("#")]
    rows = [Row(line, k) for k, line in enumerate(lines)
            if re.search(args.only, line.split("|")[0].strip())]
    text = model(rows)
    for name, text in (("rules.case", text), ("rules32.case", in_float(text)),
                       ("rows.hpp", describe(rows))):
        with open(os.path.join(args.folder, name), "w") as f:
            f.write(text)


main()
