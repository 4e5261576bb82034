#!/usr/bin/env python3
"""Compares every operator's row with the schema of the standard that the installed onnx package has.

usage: schemas.py ONNXC       Prints each difference; exit code 0 if there is none, 77 without python3-onnx.

Compared for every since_version of ai.onnx, ai.onnx.ml and ai.onnx.preview.training: which exist, the
attributes with type, default and whether they are required; for the newest one also the counts of inputs
and outputs. EXPECTED lists what differs on purpose, with the reason.
"""
import json
import subprocess
import sys

try:
    import onnx.defs as defs
except ImportError:
    sys.exit(77)

DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview.training")
KINDS = ("", "float", "int", "string", "tensor", "graph", "floats", "ints", "strings", "tensors",
         "graphs", "sparse_tensor", "sparse_tensors", "type", "types")

# (operator, attribute or "inputs" or "outputs"): why it differs.
EXPECTED = {
    ("Cast", "to"): "exporters of ONNX 1.1 write the name of the type in version 6, too",
    ("Clip", "min"): "upgrade supplies the bounds, which differ between opsets 1 and 6",
    ("Clip", "max"): "upgrade supplies the bounds, which differ between opsets 1 and 6",
    ("Selu", "alpha"): "upgrade supplies the five digits of opset 1",
    ("Selu", "gamma"): "upgrade supplies the five digits of opset 1",
    ("Softmax", "axis"): "upgrade supplies the 1 of the versions before 13",
    ("LogSoftmax", "axis"): "upgrade supplies the 1 of the versions before 13",
    ("Hardmax", "axis"): "upgrade supplies the 1 of the versions before 13",
    ("Gemm", "broadcast"): "says nothing: every version broadcasts what has the shape for it",
    ("GRU", "direction"): "the schema of opset 1 spells the default 'foward'",
    ("GridSample", "mode"): "upgrade renames bilinear, the default of opset 16, to linear",
    ("RNN", "activations"): "the row has no lists as defaults",
    ("MeanVarianceNormalization", "axes"): "the row has no lists as defaults",
    ("SequenceEmpty", "dtype"): "the default is in the text of the schema",
    ("Split", "axis"): "the default of opset 1 is in the text of the schema",
    ("RegexFullMatch", "pattern"): "without a pattern there is nothing to match",
    ("CategoryMapper", "cats_int64s"): "the text demands both lists",
    ("CategoryMapper", "cats_strings"): "the text demands both lists",
    ("BatchNormalization", "outputs"): "versions before 14 have up to five",
    ("Loop", "inputs"): "the two leading inputs are optional",
    ("Upsample", "inputs"): "versions before 9 have the scales as an attribute",
}

# Experimental operators of opset 1 that were no part of a release, and revisions without a schema.
EXTRA_VERSIONS = {"GroupNormalization": {18}, "LayerNormalization": {1}, "ThresholdedRelu": {1},
                  "MeanVarianceNormalization": {1}, "Scatter": {11}, "Upsample": {10},
                  "TreeEnsembleClassifier": {5}, "TreeEnsembleRegressor": {5}}


def default_of(attribute):
    value = attribute.default_value
    kind = KINDS[value.type]
    if kind == "int":
        return value.i
    if kind == "float":
        return value.f
    if kind == "string":
        return value.s.decode()
    return "list" if kind else None


def same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return a is not None and b is not None and abs(a - b) <= 1e-6 * abs(a)
    return a == b


def ours_at(row, version):
    """name -> attribute of the row, as of this since_version."""
    return {a["name"]: a for a in row["attributes"]
            if a["first_version"] <= version <= a.get("last_version", version)}


def compare_attributes(row, schema):
    ours, theirs = ours_at(row, schema.since_version), schema.attributes
    for name in sorted(set(ours) ^ set(theirs)):
        yield name, "only in " + ("the row" if name in ours else "the schema")
    for name in sorted(set(ours) & set(theirs)):
        a, b = ours[name], theirs[name]
        if a["type"] != KINDS[int(b.type)]:
            yield name, f"{a['type']} instead of {KINDS[int(b.type)]}"
        if a["required"] != b.required:
            yield name, "required" if a["required"] else "not required"
        if not same(default_of(b), a.get("default")):
            yield name, f"default {a.get('default')} instead of {default_of(b)}"


def compare_counts(row, schema):
    if (row["min_inputs"], row["min_outputs"]) != (schema.min_input, schema.min_output):
        yield "inputs", f"at least {row['min_inputs']} instead of {schema.min_input}"
    for side, most in (("inputs", schema.max_input), ("outputs", schema.max_output)):
        formals = row[side]
        variadic = bool(formals) and formals[-1]["variadic"]
        if variadic != (most > 1 << 20) or not variadic and len(formals) != most:
            yield side, f"at most {len(formals)} instead of {most}"


def compare(row, schemas):
    name, newest = row["name"], max(s.since_version for s in schemas)
    ours = {v for v in row["versions"] if v <= max(newest, min(row["versions"]))}
    theirs = {s.since_version for s in schemas if not s.deprecated}
    if ours - EXTRA_VERSIONS.get(name, set()) != theirs:
        yield "versions", f"{sorted(ours)} instead of {sorted(theirs)}"
    for schema in schemas:
        if schema.deprecated or schema.since_version not in row["versions"]:
            continue
        yield from ((f, f"version {schema.since_version}: {m}") for f, m in compare_attributes(row, schema))
        if schema.since_version == max(row["versions"]):
            yield from compare_counts(row, schema)


def main():
    rows = json.loads(subprocess.check_output([sys.argv[1], "ops", "--json"]))["operators"]
    rows = {(r["domain"].replace("ai.onnx", "") if r["domain"] == "ai.onnx" else r["domain"], r["name"]): r
            for r in rows}
    schemas = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain in DOMAINS:
            schemas.setdefault((schema.domain, schema.name), []).append(schema)
    problems = []
    for key, versions in sorted(schemas.items()):
        if key not in rows:
            problems.append((key, "operator", "missing"))
            continue
        problems += [(key, field, text) for field, text in compare(rows[key], versions)
                     if (key[1], field) not in EXPECTED]
    for (domain, name), field, text in problems:
        print(f"{domain or 'ai.onnx'} {name}, {field}: {text}")
    print(f"{len(schemas)} operators, {sum(map(len, schemas.values()))} schemas, {len(problems)} differences")
    sys.exit(1 if problems or len(schemas) < 150 else 0)


if __name__ == "__main__":
    main()
