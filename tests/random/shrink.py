#!/usr/bin/env python3
"""Makes a failing model smaller while it fails alike, and prints it as a case for tests/conformance/cases.

usage: shrink.py ONNXC FOLDER [OPTION...]     OPTION: of `onnxc verify`, e.g. --threads 3

Tried, until nothing helps: one output alone, outputs in the place of later ones, values that become inputs
(with what ONNX Runtime computes for them), nodes without readers, inner graphs with fewer outputs and
nodes, fixed sizes in the place of names, plain names.
"""
import copy
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402
from build import pb, type_proto, value_info, NAMES  # noqa: E402
import to_case  # noqa: E402

MOST_TRIALS = 150


def subgraphs(node):
    return [a.g for a in node.attribute if a.HasField("g")]


def reads(graph):
    names = {o.name for o in graph.output}
    for node in graph.node:
        names |= set(node.input)
        for body in subgraphs(node):
            names |= reads(body)
    return names


def remove_dead(graph, keep_inputs=False):
    """Nodes, initialisers and inputs without a reader."""
    while True:
        used = reads(graph)
        dead = [n for n in graph.node if not any(o in used for o in n.output if o)]
        if not dead:
            break
        for node in dead:
            graph.node.remove(node)
    for field in (graph.initializer, graph.value_info) + (() if keep_inputs else (graph.input,)):
        for item in [i for i in field if i.name not in used]:
            field.remove(item)
    for node in graph.node:
        for body in subgraphs(node):
            remove_dead(body, True)


class Case:
    """A model and its data. `values`: what its inner values are, where that is known."""

    def __init__(self, folder):
        self.model = pb.ModelProto.FromString(open(os.path.join(folder, "model.onnx"), "rb").read())
        self.data = {}
        for path in oracle.numbered(folder, "input"):
            tensor = pb.TensorProto.FromString(open(path, "rb").read())
            self.data[tensor.name] = tensor
        tolerances = os.path.join(folder, "data.json")
        self.tolerances = open(tolerances).read() if os.path.exists(tolerances) else "{}"

    def write(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "test_data_set_0"))
        with open(os.path.join(folder, "model.onnx"), "wb") as out:
            out.write(self.model.SerializeToString())
        with open(os.path.join(folder, "data.json"), "w") as out:
            out.write(self.tolerances)
        for i, info in enumerate(self.model.graph.input):
            with open(os.path.join(folder, "test_data_set_0", f"input_{i}.pb"), "wb") as out:
                out.write(self.data[info.name].SerializeToString())


class Shrinker:
    def __init__(self, onnxc, folder, options):
        self.onnxc, self.options = onnxc, options
        self.work = tempfile.mkdtemp(prefix="shrink")
        self.best, self.trials = Case(folder), 0
        self.values = self.inner_values()
        self.wanted = self.outcome(self.best)

    def inner_values(self):
        case = copy.deepcopy(self.best)
        graph = case.model.graph
        known = {o.name for o in graph.output}
        for node in graph.node:
            graph.output.extend(pb.ValueInfoProto(name=o) for o in node.output if o and o not in known)
        folder = os.path.join(self.work, "values")
        case.write(folder)
        if not oracle.available() or oracle.answer([folder]):
            return {}
        tensors = [pb.TensorProto.FromString(open(p, "rb").read()) for p in oracle.numbered(folder, "output")]
        return {t.name: t for t in tensors}

    def outcome(self, case):
        """What goes wrong, without numbers and names; None if nothing does."""
        folder = os.path.join(self.work, "trial")
        case.write(folder)
        done = subprocess.run(["timeout", "100", self.onnxc, os.path.join(folder, "model.onnx"), "-q", "-o",
                               os.path.join(self.work, "code", "m"), *self.options], capture_output=True, text=True,
                              errors="replace")
        if done.returncode:
            first = (done.stderr.strip().split("\n") or [""])[0]
            first = re.sub(r'^.*?model.onnx: |node \d+|making|"[^"]*"|\b[\w.]+: the size|\d+', "", first)
            return f"{done.returncode} " + " ".join(first.split("(")[0].split())[:60]
        if getattr(self, "wanted", "4")[0] not in "4":
            return None
        if oracle.available():
            if oracle.answer([folder]):
                return None
        report = os.path.join(self.work, "report.tsv")
        subprocess.run([self.onnxc, "verify", folder, "--report", report, "--scaled", "2e-4", *self.options],
                       env=dict(os.environ, CXXFLAGS=os.environ.get("CXXFLAGS", "-O0")), capture_output=True)
        status = open(report).read().split("\n")[1].split("\t")[1]
        return None if status == "pass" else "4 " + status

    def attempt(self, change):
        """Applies a change to a copy; keeps it if the failure stays."""
        if self.trials >= MOST_TRIALS:
            return False
        case = copy.deepcopy(self.best)
        if change(case) is False:
            return False
        remove_dead(case.model.graph)
        if not case.model.graph.output or case.model == self.best.model:
            return False
        self.trials += 1
        if self.outcome(case) != self.wanted:
            return False
        self.best = case
        return True

    # ---- changes: each returns whether one was kept ---------------------------------------------

    def fewer_outputs(self):
        names = [o.name for o in self.best.model.graph.output]
        if len(names) > 1:
            for name in names:
                if self.attempt(lambda c: keep_outputs(c.model.graph, {name})):
                    return True
            for name in names:
                if self.attempt(lambda c: keep_outputs(c.model.graph, set(names) - {name})):
                    return True
        return False

    def earlier_outputs(self):
        graph = self.best.model.graph
        outputs = {o.name for o in graph.output}
        for node in reversed(graph.node):
            if set(node.output) & outputs:
                for name in node.input:
                    if name in self.values and self.attempt(lambda c: replace_outputs(c, set(node.output), name, self.values[name])):
                        return True
        return False

    def inner_inputs(self):
        for i, node in enumerate(list(self.best.model.graph.node)):
            tensors = [self.values.get(o) for o in node.output if o]
            if all(t is not None for t in tensors) and node.op_type != "Constant":
                if self.attempt(lambda c: cut(c, i, tensors)):
                    return True
        return False

    def smaller_bodies(self):
        for i, node in enumerate(self.best.model.graph.node):
            for j, body in enumerate(subgraphs(node)):
                for k in range(len(body.node)):
                    if self.attempt(lambda c: bypass(subgraphs(c.model.graph.node[i])[j], k)):
                        return True
        return False

    def fixed_sizes(self):
        kept = self.attempt(fix_all)
        for i, info in enumerate(self.best.model.graph.input):
            for j in range(len(info.type.tensor_type.shape.dim)):
                kept |= self.attempt(lambda c: fix_one(c, i, j))
        return kept

    def plainer(self):
        kept = self.attempt(lambda c: c.model.graph.ClearField("value_info"))
        for i in range(len(self.best.model.graph.output)):
            kept |= self.attempt(lambda c: c.model.graph.output[i].type.tensor_type.ClearField("shape"))
        return kept

    def run(self):
        if self.wanted is None:
            return None
        changes = [self.fewer_outputs, self.earlier_outputs, self.inner_inputs, self.smaller_bodies]
        while any(change() for change in changes):
            pass
        self.fixed_sizes()
        self.plainer()
        return self.best


def keep_outputs(graph, names):
    for o in [o for o in graph.output if o.name not in names]:
        graph.output.remove(o)


def info_of(tensor):
    return value_info(tensor.name, type_proto(NAMES[tensor.data_type], list(tensor.dims)))


def replace_outputs(case, old, name, tensor):
    graph = case.model.graph
    for o in [o for o in graph.output if o.name in old]:
        graph.output.remove(o)
    if name not in {o.name for o in graph.output}:
        graph.output.append(info_of(tensor))


def cut(case, index, tensors):
    graph = case.model.graph
    del graph.node[index]
    names = {o.name for o in graph.output}
    for t in tensors:
        if t.name in names:
            keep_outputs(graph, names - {t.name})
        graph.input.append(info_of(t))
        case.data[t.name] = t


def bypass(body, index):
    """The readers of a node's result read its first input."""
    node = body.node[index]
    if not node.input or len(node.output) != 1:
        return False
    old, new = node.output[0], node.input[0]
    for other in body.node:
        for i, name in enumerate(other.input):
            if name == old:
                other.input[i] = new
    del body.node[index]
    for o in body.output:
        if o.name == old:
            body.node.add(op_type="Identity", input=[new], output=[old])
    return None


def fix_one(case, i, j):
    info = case.model.graph.input[i]
    dim = info.type.tensor_type.shape.dim[j]
    if dim.HasField("dim_value"):
        return False
    dim.dim_value = case.data[info.name].dims[j]
    return None


def fix_all(case):
    for i, info in enumerate(case.model.graph.input):
        for j in range(len(info.type.tensor_type.shape.dim)):
            fix_one(case, i, j)


def main(onnxc, folder, *options):
    shrinker = Shrinker(onnxc, folder, options)
    best = shrinker.run()
    if best is None:
        print(f"# {folder}: passes")
        return
    name = os.path.basename(os.path.normpath(folder))
    out = os.path.join(shrinker.work, "result", name)
    best.write(out)
    if oracle.available():
        oracle.answer([out])
    print(f"# {shrinker.wanted}; options: {' '.join(options) or 'none'}; {shrinker.trials} trials", flush=True)
    subprocess.run([sys.executable, os.path.join(os.path.dirname(to_case.__file__), "to_case.py"), out])
    shutil.rmtree(shrinker.work)


if __name__ == "__main__":
    main(*sys.argv[1:])
