#!/usr/bin/env python3
"""Writes random valid models with inputs, as folders that `onnxc verify` reads.

usage: generate.py ONNXC OUT --seed S --count N [--profile NAME]

The model of a number is the same in every run: OUT/SEED_NUMBER holds model.onnx and test_data_set_0 with
inputs; what computes the outputs is up to the caller.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys

import numpy as np

try:
    import onnx.defs as defs
except ImportError:
    defs = None

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from build import FLOATS, WEIGHT, Builder, Skip, pb, tensor_proto, type_proto, value_info  # noqa: E402
# Recipes register themselves.
from recipes import (  # noqa: E402, F401
    contrib, control, elementwise, language, movement, neural, others, quantised, text)
from recipes.registry import PROFILES, add_recipes  # noqa: E402

OPSETS = [7, 8, 9, 10, 11, 11, 12, 13, 13, 13, 14, 15, 16, 17, 17, 18, 18, 19, 20, 21, 21, 22, 23, 24, 25,
          26]
# The first format that an opset appeared with.
IR_VERSIONS = {7: 3, 8: 3, 9: 4, 10: 5, 11: 6, 12: 7, 13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9,
               21: 10, 22: 10, 23: 11, 24: 12, 25: 13, 26: 13}
PROFILE_WEIGHTS = {"general": 6, "cnn": 8, "dense": 5, "quant": 6, "sizes": 4, "control": 6, "text": 1, "contrib": 2,
                   "recurrent": 1, "language": 2}
# How inputs say their sizes: as numbers, equal ones by a name, each by its own name, mixed, not at all.
SIZES = ["fixed", "fixed", "names", "own", "some", "unknown"]
FIRST = {"cnn": "image", "quant": "bytes", "text": "string"}


class Schemas:
    """What operators exist and which types they take: from the schemas of the installed onnx package, and
    for newer versions from `onnxc ops --json`."""

    def __init__(self, onnxc):
        rows = json.loads(subprocess.check_output([onnxc, "ops", "--json"]))["operators"]
        self.rows = {("" if r["domain"] == "ai.onnx" else r["domain"], r["name"]): r for r in rows}
        self.cache = {}

    def version(self, op, opset, domain=""):
        """The since_version at this opset; None if there is none."""
        row = self.rows.get((domain, op))
        if not row or (not domain and row["removed_in"] and row["removed_in"] <= opset):
            return None
        limit = opset if not domain else 3
        known = [v for v in row["versions"] if v <= limit]
        return max(known) if known else None

    def types(self, op, opset, index, domain=""):
        """Element types of an input, by its number."""
        key = (op, opset, index, domain)
        if key not in self.cache:
            self.cache[key] = self.find_types(op, opset, index, domain)
        return self.cache[key]

    def find_types(self, op, opset, index, domain):
        formals = self.rows[domain, op]["inputs"]
        ours = re.split(r",\s*", formals[min(index, len(formals) - 1)]["types"])
        if ours == ["any"]:
            ours = list(WEIGHT)
        if not defs or domain == "com.microsoft" or opset > defs.onnx_opset_version():
            return ours
        try:
            schema = defs.get_schema(op, opset if not domain else 3, domain)
        except defs.SchemaError:
            return ours
        formal = schema.inputs[min(index, len(schema.inputs) - 1)]
        theirs = {re.sub(r"^tensor\((.*)\)$", r"\1", t) for t in formal.types}
        return [t for t in ours if t in theirs]


def make_style(rng):
    return {"odd_names": rng.random() < 0.12, "empty": rng.random() < 0.08, "open_ints": rng.random() < 0.15,
            "sizes": rng.choice(SIZES)}


def first_values(g, profile):
    kind = FIRST.get(profile)
    if kind == "image":
        shape = (g.rng.choice([1, 1, 2, 3]), g.rng.choice([1, 2, 3, 4, 8]), g.rng.choice([4, 6, 7]), g.rng.choice([4, 5, 8]))
        g.fresh("float", shape, const=False)
    elif kind == "bytes":
        g.fresh(g.rng.choice(["uint8", "int8"]), (1, g.rng.choice([1, 3, 4, 8]), 5, 6), const=False, wide=True)
    elif kind == "string":
        g.fresh("string", g.shape(most=2), const=False)
    else:
        g.fresh("float", g.shape(least=1), const=False)


def size_names(g):
    """How the inputs say their sizes."""
    mode, names = g.style["sizes"], {}
    for value in g.inputs:
        dims = []
        for i, d in enumerate(value.shape):
            if mode == "fixed" or value.fixed:
                dims.append(d)
            elif mode == "names":  # equal sizes share a name
                dims.append(f"N{d}" if d > 1 or g.chance(0.5) else d)
            elif mode == "own":
                dims.append(f"{value.name}_{i}")
            elif mode == "unknown":
                dims.append(None)
            else:
                dims.append(g.rng.choice([d, d, f"{value.name}_{i}", None]))
        names[value.name] = dims
    return names


def choose_outputs(g):
    """Results without readers, some in the middle of chains; now and then dead ends stay."""
    made = {o for n in g.nodes for o in n.output if o}
    read = {i for n in g.nodes for i in n.input}
    captured = set()
    for node in g.nodes:
        for a in node.attribute:
            if a.HasField("g"):
                captured |= all_reads(a.g)
    values = [v for v in g.values if v.name in made]
    leaves = [v for v in values if v.name not in read | captured and not (v.hidden and g.chance(0.9))]
    outputs = [v for v in leaves if g.chance(0.92)]
    outputs += [v for v in values if v not in leaves and not v.hidden and v.type != "bfloat16" and g.chance(0.15)]
    outputs = [o for o in outputs if o.type != "bfloat16"] or [v for v in values if v.type != "bfloat16"][-1:]
    g.rng.shuffle(outputs)
    return outputs


def all_reads(graph):
    names = {o.name for o in graph.output}
    for node in graph.node:
        names |= set(node.input)
        for a in node.attribute:
            if a.HasField("g"):
                names |= all_reads(a.g)
    return names


def make_model(schemas, seed, number, profile=None, sizes=None):
    """A ModelProto, its graph inputs, and a data.json's tolerances. Raises Skip."""
    rng = random.Random(f"{seed}/{number}")
    profile = profile or rng.choices(list(PROFILE_WEIGHTS), list(PROFILE_WEIGHTS.values()))[0]
    opset = rng.choice(OPSETS)
    g = Builder(rng, schemas, opset, style=make_style(rng))
    g.style["sizes"] = sizes or g.style["sizes"]
    g.depth, g.loose = 0, False
    first_values(g, profile)
    add_recipes(g, profile, rng.choice([1, 2, 4, 6, 8, 12, 16]))
    outputs = choose_outputs(g)
    if not outputs:
        raise Skip("no output")
    return assemble(g, outputs), g.inputs, tolerance(g)


def tolerance(g):
    narrow = {v.type for v in g.values} & {"float16", "bfloat16"}
    if g.loose:
        return 5e-2, 5e-2
    return (4e-2, 2e-2) if narrow else (1e-3, 1e-4)


def assemble(g, outputs):
    model = pb.ModelProto(ir_version=max(IR_VERSIONS[g.opset], 8 if g.functions else 4), producer_name="random")
    for domain, version in g.domains.items():
        model.opset_import.add(domain=domain, version=version)
    if g.functions and "local" not in g.domains:
        del g.functions[:]
    model.functions.extend(g.functions)
    graph = model.graph
    graph.name = "g"
    sizes = size_names(g)
    graph.input.extend(value_info(v.name, type_proto(v.type, sizes[v.name])) for v in g.inputs)
    graph.initializer.extend(g.initializers)
    graph.node.extend(g.nodes)
    graph.output.extend(value_info(v.name, type_proto(v.type, g.declared(v))) for v in outputs)
    chosen = {v.name for v in outputs} | {v.name for v in g.inputs}
    if g.chance(0.2):
        graph.value_info.extend(value_info(v.name, type_proto(v.type, v.shape)) for v in g.values
                                if v.name not in chosen and v.const is None and g.chance(0.5))
    return model


def write_model(folder, model, inputs, tolerances):
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    with open(os.path.join(folder, "model.onnx"), "wb") as out:
        out.write(model.SerializeToString())
    write_tolerances(folder, tolerances)
    for i, v in enumerate(inputs):
        with open(os.path.join(data, f"input_{i}.pb"), "wb") as out:
            out.write(tensor_proto(v.name, v.type, v.given).SerializeToString())


def write_tolerances(folder, tolerances):
    with open(os.path.join(folder, "data.json"), "w") as out:
        out.write('{"rtol": %g, "atol": %g}\n' % tolerances)


def write_models(onnxc, out, seed, first, count, profile=None, sizes=None):
    """The folders written; numbers without a model are left out."""
    schemas, written = Schemas(onnxc), []
    for number in range(first, first + count):
        try:
            model, inputs, tolerances = make_model(schemas, seed, number, profile, sizes)
        except Skip:
            continue
        folder = os.path.join(out, f"{seed}_{number}")
        write_model(folder, model, inputs, tolerances)
        written.append(folder)
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("onnxc")
    parser.add_argument("out")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--profile", choices=PROFILES)
    parser.add_argument("--sizes", choices=SIZES)
    o = parser.parse_args()
    written = write_models(o.onnxc, o.out, o.seed, o.first, o.count, o.profile, o.sizes)
    print(f"{len(written)} models in {o.out}")


if __name__ == "__main__":
    main()
