#!/usr/bin/python3
"""Cases of the conformance suites as a few models of many outputs, which every target runs on the same inputs.

usage: sweep.py merge FOLDER GROUPS LIST CASES...  writes FOLDER/0, 1, ...: sweep.onnx, sweep_data.h, manifest.json
       sweep.py compare GROUP WANT GOT             compares what two programs wrote for a group
       sweep.py covered TEMPLATES LIST GENERATED...  which kernels the generated sources have, and which are missing
       sweep.py choose ONNXC CASES...              the cases that together have all kernels that any case has
       sweep.py all ONNXC CASES...                 every case that could be in a list

LIST names a case a line, as FILE/NAME below one of the folders CASES, which `onnxc verify --export` or ONNX wrote;
a line `without HEADER` or `without FOLDER/` names kernels of templates/ that no model of a sweep can have.
Each case becomes a function with opset imports of its own, so that cases of all versions share a model.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
from onnx import FunctionProto, ModelProto, TensorProto, helper, load, numpy_helper

# Elements as numpy has them; narrow floats of 8 bits are compared by their bits.
DTYPES = {1: "f4", 2: "u1", 3: "i1", 4: "u2", 5: "i2", 6: "i4", 7: "i8", 9: "u1", 10: "f2", 11: "f8",
          12: "u4", 13: "u8", 14: "f4", 15: "f8", 16: "u2", 17: "u1", 18: "u1", 19: "u1", 20: "u1"}
PARTS = {14: 2, 15: 2}  # complex numbers
# Relative to the largest element: sums in another order; a narrow float may be rounded to its neighbour then.
TOLERANCE = {1: 2e-6, 14: 2e-6, 11: 1e-12, 15: 1e-12, 10: 2.0 ** -10, 16: 2.0 ** -7}
# Vectors of a Cortex-M55 take denormals for zero.
LEAST_NORMAL = 1.17549435e-38


class Unsuitable(Exception):
    """A case that no target without a heap and a file system can run."""


class Case:
    """A model and its first set of data; sizes are those of the data."""

    def __init__(self, folder):
        self.folder = folder
        self.model = load(f"{folder}/model.onnx")
        graph = self.model.graph
        if self.model.functions or graph.sparse_initializer:
            raise Unsuitable("functions or sparse initializers")
        constants = {t.name for t in graph.initializer}
        inputs = [v for v in graph.input if v.name not in constants]
        self.inputs = [(v.name, self.tensor(f"input_{i}.pb", v)) for i, v in enumerate(inputs)]
        self.outputs = [(v.name, self.tensor(f"output_{i}.pb", v)) for i, v in enumerate(graph.output)]

    def tensor(self, file, value):
        """The data of a file; without one, as for outputs without expected values, what the model
        declares."""
        if value.type.WhichOneof("value") != "tensor_type":
            raise Unsuitable("no tensor")
        declared = value.type.tensor_type
        tensor = TensorProto(data_type=declared.elem_type, dims=[d.dim_value for d in declared.shape.dim])
        path = f"{self.folder}/test_data_set_0/{file}"
        if os.path.exists(path) or file.startswith("input"):
            with open(path, "rb") as f:
                tensor.ParseFromString(f.read())
        if tensor.data_type not in DTYPES or 0 in tensor.dims:
            raise Unsuitable("elements of this type, or none")
        return tensor

    def function(self, name):
        """The graph as a function of the domain `sweep`, and what it is called with: inputs and initializers."""
        f = FunctionProto(name=name, domain="sweep")
        f.input.extend([n for n, _ in self.inputs] + [t.name for t in self.model.graph.initializer])
        f.output.extend(n for n, _ in self.outputs)
        f.node.extend(self.model.graph.node)
        f.opset_import.extend(self.model.opset_import)
        return f


def elements(tensor):
    """The bytes of a tensor as generated code reads them."""
    if tensor.raw_data:
        return tensor.raw_data
    if tensor.data_type in (TensorProto.BFLOAT16, 17, 18, 19, 20):
        return np.array(tensor.int32_data, DTYPES[tensor.data_type]).tobytes()
    return numpy_helper.to_array(tensor).tobytes()


def element_count(tensor):
    return int(np.prod(list(tensor.dims), dtype=np.int64)) * PARTS.get(tensor.data_type, 1)


class Group:
    """Cases that become one model."""

    def __init__(self):
        self.model = ModelProto(ir_version=9)
        self.model.graph.name = "sweep"
        for domain, version in (("", 20), ("sweep", 1)):
            self.model.opset_import.add(domain=domain, version=version)
        self.inputs, self.outputs = [], []  # bytes; entries of the manifest

    def add(self, case, name):
        number = len(self.model.functions)
        graph = self.model.graph
        f = case.function(f"case_{number}")
        self.model.functions.append(f)
        given = []
        for _, tensor in case.inputs:
            given.append(f"in_{len(self.inputs)}")
            graph.input.append(helper.make_tensor_value_info(given[-1], tensor.data_type, tensor.dims))
            self.inputs.append(elements(tensor))
        for tensor in case.model.graph.initializer:
            given.append(f"case_{number}_{len(given)}")
            graph.initializer.add().CopyFrom(tensor)
            graph.initializer[-1].name = given[-1]
        made = []
        for output, tensor in case.outputs:
            made.append(f"out_{len(self.outputs)}")
            graph.output.append(helper.make_tensor_value_info(made[-1], tensor.data_type, tensor.dims))
            size = np.dtype(DTYPES[tensor.data_type]).itemsize * element_count(tensor)
            self.outputs.append({"case": name, "output": output, "type": tensor.data_type, "bytes": size})
        graph.node.append(helper.make_node(f.name, given, made, domain="sweep", name=name))

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/sweep.onnx", "wb") as file:
            file.write(self.model.SerializeToString())
        with open(f"{folder}/manifest.json", "w") as file:
            json.dump(self.outputs, file)
        with open(f"{folder}/sweep_data.h", "w") as file:
            file.write("// Written by sweep.py.\n#pragma once\n#ifndef SWEEP_DATA\n#define SWEEP_DATA const char\n#endif\n")
            for i, data in enumerate(self.inputs):
                text = "".join(f"\\{byte:03o}" for byte in data)  # compiles faster than a list of numbers
                file.write(f"alignas(8) SWEEP_DATA data_{i}[] = \"{text}\";\n")
            file.write("#define SWEEP_INPUTS(F)" + "".join(f" F(in_{i}, data_{i})" for i in range(len(self.inputs))))
            file.write("\n#define SWEEP_OUTPUTS(F)" + "".join(
                f" F(out_{i}, {o['bytes']})" for i, o in enumerate(self.outputs)) + "\n")


def find(name, folders):
    for folder in folders:
        if os.path.isfile(f"{folder}/{name}/model.onnx"):
            return f"{folder}/{name}"
    sys.exit(f"no such case: {name}")


def read_list(path):
    """The names of cases, and of kernels that are left out."""
    with open(path) as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [r[0] for r in rows if r[0] != "without"], {r[1] for r in rows if r[0] == "without"}


def merge(folder, count, list_file, *folders):
    groups = [Group() for _ in range(int(count))]
    for i, name in enumerate(read_list(list_file)[0]):
        groups[i % len(groups)].add(Case(find(name, folders)), name)
    for i, group in enumerate(groups):
        group.write(f"{folder}/{i}")


def numbers(data, elem):
    if elem == TensorProto.BFLOAT16:
        return (np.frombuffer(data, "u2").astype("u4") << 16).view("f4")
    return np.frombuffer(data, DTYPES[elem])


def difference(want, got, elem):
    """What is wrong, or None."""
    a, b = numbers(want, elem), numbers(got, elem)
    if elem not in TOLERANCE:
        wrong = np.flatnonzero(a != b)
        return None if wrong.size == 0 else f"{wrong.size} of {a.size}, [{wrong[0]}] {b[wrong[0]]} for {a[wrong[0]]}"
    a, b = a.astype("f8"), b.astype("f8")
    finite = np.isfinite(a)
    same = np.where(np.isnan(a), np.isnan(b), a == b)
    largest = np.abs(a[finite]).max(initial=0)
    with np.errstate(invalid="ignore"):
        near = np.abs(a - b) <= TOLERANCE[elem] * largest + LEAST_NORMAL
    wrong = np.flatnonzero(~np.where(finite, near, same))
    if wrong.size == 0:
        return None
    at = wrong[0]
    return f"{wrong.size} of {a.size}, [{at}] {b[at]!r} for {a[at]!r}, the largest is {largest!r}"


def compare(group, want_file, got_file):
    with open(f"{group}/manifest.json") as file:
        outputs = json.load(file)
    want, got = open(want_file, "rb").read(), open(got_file, "rb").read()
    if len(want) != sum(o["bytes"] for o in outputs) or len(want) != len(got):
        sys.exit(f"{len(want)} bytes of the host, {len(got)} of the target")
    at, failures = 0, 0
    for o in outputs:
        end = at + o["bytes"]
        wrong = difference(want[at:end], got[at:end], o["type"])
        at = end
        if wrong:
            failures += 1
            print(f"{o['case']} {o['output']}: {wrong}")
    sys.exit(1 if failures else 0)


def headers_of(text):
    return set(re.findall(r"^// (\w+\.hpp) - ", text, re.M))


def kernels_of(text):
    """What the generated function calls, with the functions of its epilogues."""
    body = text[text.rfind('\nextern "C" '):]
    return set(re.findall(r"^ +(?:status = |.*\|\| )?(\w+)(?:<[^()]*>)?\(\w*\{", body, re.M)) | set(
        re.findall(r"\bfn::(\w+)", text))


def kernels_in(templates):
    """The headers that can be in generated code, by file name, with their path."""
    found = {}
    for folder, _, files in os.walk(templates):
        for file in files:
            if not file.endswith("_calls.hpp"):
                found[file] = os.path.relpath(f"{folder}/{file}", templates)
    return found


def read_text(path):
    with open(path, errors="replace") as file:
        return file.read()


def covered(templates, list_file, *generated):
    known = kernels_in(templates)
    seen = set().union(*(headers_of(read_text(path)) for path in generated))
    left_out = read_list(list_file)[1]
    excused = {h for h, path in known.items() if path in left_out or os.path.dirname(path) + "/" in left_out}
    print(f"{len(seen)} headers")
    missing = sorted(known[h] for h in known if h not in seen | excused)
    wrong = sorted(known[h] for h in known if h in seen & excused)
    if missing or wrong:
        sys.exit(f"in no model of the sweep: {missing}; named by `without`, but there: {wrong}")


def suitable(folders):
    """The cases below the folders that a target may run, by name."""
    for root in folders:
        for folder, _, files in sorted(os.walk(root)):
            if "model.onnx" in files:
                try:
                    yield os.path.relpath(folder, root), Case(folder)
                except (Unsuitable, OSError, ValueError):
                    pass


def choose(onnxc, *folders):
    """Greedy cover of headers, kernels and element-wise functions."""
    features = {name: features_of(onnxc, case) for name, case in suitable(folders)}
    left = set().union(*features.values())
    while left:
        best = max(sorted(features), key=lambda name: len(features[name] & left))
        left -= features[best]
        print(best)


def compiles(onnxc, case, work, target):
    group = Group()
    group.add(case, "case")
    group.write(work)
    return subprocess.run([onnxc, f"{work}/sweep.onnx", "-o", f"{work}/{target}", "-q", "--no-heap", "--target", target],
                          stderr=subprocess.DEVNULL).returncode == 0


def print_all(onnxc, *folders):
    for name, case in suitable(folders):
        with tempfile.TemporaryDirectory() as work:
            if compiles(onnxc, case, work, "cortex-m4f"):
                print(name)


def features_of(onnxc, case):
    found = set()
    with tempfile.TemporaryDirectory() as work:
        for target in ("cortex-m4f", "armv8-a"):
            if not compiles(onnxc, case, work, target):
                return set()
            text = read_text(f"{work}/{target}.cpp")
            found |= headers_of(text) | kernels_of(text)
    return found


if __name__ == "__main__":
    commands = {"merge": merge, "compare": compare, "covered": covered, "choose": choose, "all": print_all}
    commands[sys.argv[1]](*sys.argv[2:])
