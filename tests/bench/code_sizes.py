#!/usr/bin/env python3
"""Fits the estimate of code sizes to measured ones: compiler/emit/code_sizes.inc.

usage: code_sizes.py measure ONNXC RESULTS MODEL...   compiles each model for each target; appends to RESULTS
       code_sizes.py fit RESULTS                       prints the table
       code_sizes.py validate RESULTS                  how well tables made without a fifth of the models estimate that fifth
       code_sizes.py check ONNXC RESULTS               how far estimates of this ONNXC lie from what was measured

RESULTS is a file of JSON lines, one for each model and target; what is in it is not measured again. MODEL may be
followed by :--OPTION for models that need one. `fit` and `validate` need numpy, `measure` the compilers of the targets;
$RISCV_CXX is that for RISC-V, when riscv64-unknown-elf-g++ has no C++ headers of its own. It has to link, else what
is in libraries does not count.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import log_fit

TARGETS = ("cortex-m0plus", "cortex-m4f", "cortex-m55", "rv32imc", "x86-64-v3", "generic")
# What fitted sizes may deviate from without data, in bytes: of single rows, and of those of families.
USUAL = {"base": 400, "calls": 60, "blocks": 120, "control": 60, "heap": 1000, "values": 3000, "sizes": 300, "float": 500,
         "double": 500}
USUAL_OPERATOR = 300
USUAL_SUFFIX = {"": 1200, " open": 1200, " more": 300, " open more": 300, " fused": 200, " open fused": 200}
# Operators that call functions of libraries.
OPERATORS = {"Acos", "Asin", "Atan", "Celu", "Cos", "Elu", "Erf", "Exp", "Gelu", "HardSwish", "Log", "Mish", "Pow", "Selu",
             "Sigmoid", "Sin", "Softmax", "Softplus", "Sqrt", "Swish", "Tanh"}
MODELS_OF_ROW = 3  # that a kernel with a row of its own occurs in
PULL, PULL_OF_KERNEL = 0.1, 0.3  # to the usual value, of a kernel to its family
NEGLIGIBLE = 512  # bytes by which small programs may be off
AT_MOST, AT_MOST_MORE = 2.5, 1024  # the upper end, of an estimate


def report_of(onnxc, model, target, options, folder, measured):
    report = os.path.join(folder, "r.json")
    environment = dict(os.environ)
    if target.startswith("rv") and "RISCV_CXX" in environment:
        environment["CXX"] = environment["RISCV_CXX"]
    command = [onnxc, model, "--target", target, "-o", os.path.join(folder, "m"), "--report", report, "-q", *options]
    if measured:
        command.append("--measure")
    subprocess.run(command, check=True, env=environment, timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def steps_of(report):
    """What features are made of, for each step of each function."""
    steps = []
    for function in [report, *report.get("training", {}).get("functions", [])]:
        for step in function.get("steps", []):
            kept = {k: step[k] for k in ("kind", "kernel", "family", "shape", "work") if k in step}
            kept["types"] = sorted({function["tensors"][i]["type"] for i in step["reads"] + step["writes"]})
            steps.append(kept)
    return steps


def features(steps):
    """What the estimate counts, as compiler/emit/costs.cpp does it."""
    counts, instances, variants = collections.Counter(base=1), set(), set()
    for step in steps:
        if step.get("family") == "sequence":
            counts["values"] = 1
        if step["kind"] in ("allocate", "release"):
            counts["blocks"] += 1
            counts["heap"] = 1
        elif step["kind"] != "call" or not step["shape"]:
            counts["control"] += 1
        else:
            add_library(counts, step)
            add_call(counts, instances, variants, step)
    return counts


def is_open(step):
    return re.search(r"[A-Za-z?]", step["shape"]) is not None


def add_library(counts, step):
    for operator in OPERATORS.intersection(step["work"].split(" + ")):
        counts["operator " + operator] = 1
    if is_open(step):
        counts["sizes"] = 1
    if step["family"] not in ("movement", "sequence"):
        for type_ in {"float", "double"}.intersection(step["types"]):
            counts[type_] = 1


def add_call(counts, instances, variants, step):
    counts["calls"] += 1
    instance = (step["kernel"], step["shape"], step["work"])
    if instance in instances:
        return
    instances.add(instance)
    operators = step["work"].split(" + ")
    what = f"{step['family']}/{step['kernel']}{' open' if is_open(step) else ''}"
    variant = (what, *operators[0 if step["family"] == "elementwise" else 1:])
    if variant in variants:
        counts[what + " more"] += 1
        return
    variants.add(variant)
    counts[what] += 1
    counts[what + " fused"] += len(operators) - 1


def measure(onnxc, results, models):
    known = set()
    if os.path.exists(results):
        with open(results, encoding="utf-8") as file:
            known = {(r["model"], r["target"]) for r in map(json.loads, file)}
    with open(results, "a", encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        for word in models:
            model, *options = word.split(":")
            for target in TARGETS:
                if (word, target) in known:
                    continue
                row = {"model": word, "target": target}
                try:
                    report = report_of(onnxc, model, target, options, folder, True)
                    if report["costs"]["measured"]:
                        row.update(bytes=report["costs"]["code_bytes"], steps=steps_of(report))
                except (subprocess.SubprocessError, OSError) as error:
                    row["error"] = str(error)
                file.write(json.dumps(row) + "\n")
                file.flush()


def rows_of(results):
    with open(results, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [r for r in rows if r.get("bytes", 0) > 0]


def family_row(name):
    """The row that stands for a kernel without one of its own."""
    return re.sub(r"/\S+", "", name)


def usual_bytes(name):
    if name.startswith("operator "):
        return USUAL_OPERATOR
    return USUAL.get(name) or USUAL_SUFFIX[re.search(r"( open)?( more| fused)?$", name).group()]


def names_of_rows(all_counts):
    """Of rows that are fitted: first those that are pulled to usual values, then those of kernels."""
    models = collections.Counter(n for counts in all_counts for n in +counts)
    return sorted({family_row(n) for n in models}), sorted(n for n in models if "/" in n and models[n] >= MODELS_OF_ROW)


def fit_table(all_counts, sizes):
    """Positive bytes for each row."""
    import numpy as np

    rows, kernels = names_of_rows(all_counts)
    names = sorted({n for counts in all_counts for n in +counts})
    counts = [[c.get(n, 0) for n in names] for c in all_counts]
    # Logarithms add: that of a kernel is that of its family and its own deviation.
    parts = [[family_row(n) == r for r in rows] + [n == k for k in kernels] for n in names]
    usual = [np.log(usual_bytes(r)) for r in rows] + [0] * len(kernels)
    pull = [PULL] * len(rows) + [PULL_OF_KERNEL] * len(kernels)
    x = log_fit.fit(counts, sizes, parts, usual, pull, NEGLIGIBLE)
    table = {r: float(np.exp(v)) for r, v in zip(rows, x)}
    for kernel, deviation in zip(kernels, x[len(rows):]):
        table[kernel] = table[family_row(kernel)] * float(np.exp(deviation))
    table.update({"other" + suffix: value for suffix, value in USUAL_SUFFIX.items()})
    return table


def fit_rows(rows):
    return fit_table([features(r["steps"]) for r in rows], [r["bytes"] for r in rows])


def value_of(table, name):
    other = re.sub(r"^.*/[^ ]+", "other", name)
    return next((table[n] for n in (name, family_row(name), other) if n in table), 0)


def estimate(table, row):
    return sum(count * value_of(table, name) for name, count in features(row["steps"]).items())


def fit(results):
    rows = rows_of(results)
    tables = [fit_rows([r for r in rows if r["target"] == t]) for t in TARGETS]
    for name in sorted(set().union(*tables)):
        print(f'{{"{name}", {{{", ".join(str(round(value_of(t, name) or usual_bytes(name))) for t in tables)}}}}},')


def relatives_of(row):
    """Variants of a model share the first word of their name."""
    path = row["model"].split(":")[0]
    name = os.path.basename(os.path.dirname(path) if os.path.basename(path) == "model.onnx" else path)
    return re.split("[_.]", name)[0]


def ratio_of(row, estimated):
    return 1 if abs(estimated - row["bytes"]) <= NEGLIGIBLE else row["bytes"] / estimated


def print_ratios(target, ratios):
    """Of (ratio, is below the upper end, model)."""
    ratios.sort()
    outliers = [r for r in ratios if not 1 / 1.5 <= r[0] <= 1.5]
    print(f"{target:14} {len(ratios)} models: {100 - 100 * len(outliers) / len(ratios):.0f} % within 1.5, "
          f"median {ratios[len(ratios) // 2][0]:.2f}, {ratios[0][0]:.2f} to {ratios[-1][0]:.2f}; "
          f"{sum(r[1] for r in ratios)} below the upper end")
    for ratio, _, model in outliers:
        print(f"    {ratio:.2f} {model}")


def validate(results, folds=5):
    rows = rows_of(results)
    groups = sorted({relatives_of(r) for r in rows})
    fold = {group: i % folds for i, group in enumerate(groups)}
    for target in TARGETS:
        ours, ratios = [r for r in rows if r["target"] == target], []
        for k in range(folds):
            table = fit_rows([r for r in ours if fold[relatives_of(r)] != k])
            for row in (r for r in ours if fold[relatives_of(r)] == k):
                estimated = estimate(table, row)
                ratios.append((ratio_of(row, estimated), row["bytes"] <= estimated * AT_MOST + AT_MOST_MORE, row["model"]))
        print_ratios(target, ratios)


def check(onnxc, results):
    ratios = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for row in rows_of(results):
            model, *options = row["model"].split(":")
            costs = report_of(onnxc, model, row["target"], options, folder, False)["costs"]
            within = row["bytes"] <= costs["code_bytes_at_most"]
            ratios[row["target"]].append((ratio_of(row, costs["code_bytes"]), within, row["model"]))
    for target, list_ in ratios.items():
        print_ratios(target, list_)


if __name__ == "__main__":
    commands = {"measure": lambda a: measure(a[0], a[1], a[2:]), "fit": lambda a: fit(*a),
                "validate": lambda a: validate(*a), "check": lambda a: check(*a)}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](sys.argv[2:])
