#!/usr/bin/env python3
"""Fits the estimate of code sizes to measured ones: compiler/emit/code_sizes.inc.

usage: code_sizes.py measure ONNXC RESULTS MODEL...   compiles each model for each target; appends to RESULTS
       code_sizes.py fit RESULTS                       prints the table
       code_sizes.py check ONNXC RESULTS               how far estimates of this ONNXC lie from what was measured

RESULTS is a file of JSON lines, one for each model and target; what is in it is not measured again. MODEL may be
followed by :--OPTION for models that need one. Needs numpy for `fit`, and the compilers of the targets; $RISCV_CXX is that for
RISC-V, when riscv64-unknown-elf-g++ has no C++ headers of its own.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

TARGETS = ("cortex-m0plus", "cortex-m4f", "cortex-m55", "rv32imc", "x86-64-v3", "generic")
# What fitted sizes may deviate from without data, in bytes.
USUAL = {"base": 400, "calls": 60, "blocks": 120, "control": 60, "heap": 1000, "values": 3000, "fused": 200}
USUAL_INSTANCE = 1200
NEGLIGIBLE = 512  # bytes by which small programs may be off


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


def functions_of(report):
    return [report, *report.get("training", {}).get("functions", [])]


def features(report):
    """What the estimate counts, as compiler/emit/costs.cpp does it."""
    counts, seen = collections.Counter(base=1), set()
    for step in (s for f in functions_of(report) for s in f.get("steps", [])):
        if step.get("family") == "sequence":
            counts["values"] = 1
        if step["kind"] in ("allocate", "release"):
            counts["blocks"] += 1
            counts["heap"] = 1
        elif step["kind"] != "call" or not step["shape"]:
            counts["control"] += 1
        else:
            counts["calls"] += 1
            instance = (step["kernel"], step["shape"], step["work"])
            if instance not in seen:
                seen.add(instance)
                is_open = re.search(r"[A-Za-z?]", step["shape"]) is not None
                counts[step["family"] + (" open" if is_open else "")] += 1
                counts["fused"] += step["work"].count(" + ")
    return counts


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
                        row.update(bytes=report["costs"]["code_bytes"], features=features(report))
                except (subprocess.SubprocessError, OSError) as error:
                    row["error"] = str(error)
                file.write(json.dumps(row) + "\n")
                file.flush()


def rows_of(results):
    with open(results, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [r for r in rows if r.get("bytes", 0) > 0]


def fit_target(rows, names):
    """Positive bytes for each feature: the smallest deviation of logarithms, by Adam."""
    import numpy as np

    counts = np.array([[r["features"].get(n, 0) for n in names] for r in rows], float)
    sizes = np.array([r["bytes"] for r in rows], float)
    usual = np.log([USUAL.get(n, USUAL_INSTANCE) for n in names])
    x, mean, square, steps, pull = usual.copy(), 0, 0, 4000, 0.1
    for i in range(1, steps + 1):
        weights = np.exp(x)
        predicted = counts @ weights
        off = np.clip(np.log((predicted + NEGLIGIBLE) / (sizes + NEGLIGIBLE)) / 0.2, -1, 1)
        slope = ((counts * weights).T @ (off / (predicted + NEGLIGIBLE)) + pull * (x - usual)) / len(rows)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        x -= 0.03 * (1 - i / steps) * (mean / (1 - 0.9**i)) / (np.sqrt(square / (1 - 0.999**i)) + 1e-8)
    return np.exp(x)


def fit(results):
    rows = rows_of(results)
    names = sorted({n for r in rows for n in r["features"]})
    columns = [fit_target([r for r in rows if r["target"] == t], names) for t in TARGETS]
    for i, name in enumerate(names):
        print(f'{{"{name}", {{{", ".join(str(round(c[i])) for c in columns)}}}}},')


def check(onnxc, results):
    ratios = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for row in rows_of(results):
            model, *options = row["model"].split(":")
            costs = report_of(onnxc, model, row["target"], options, folder, False)["costs"]
            small = abs(costs["code_bytes"] - row["bytes"]) <= NEGLIGIBLE
            within = row["bytes"] <= costs["code_bytes_at_most"]
            ratios[row["target"]].append((1 if small else row["bytes"] / costs["code_bytes"], within, row["model"]))
    for target, list_ in ratios.items():
        list_.sort()
        good = sum(1 / 1.5 <= r <= 1.5 for r, _, _ in list_)
        under = sum(w for _, w, _ in list_)
        print(f"{target:14} {len(list_)} models: {100 * good / len(list_):.0f} % within 1.5, median {list_[len(list_) // 2][0]:.2f}, "
              f"{list_[0][0]:.2f} ({list_[0][2]}) to {list_[-1][0]:.2f} ({list_[-1][2]}); {under} below the upper end")


if __name__ == "__main__":
    commands = {"measure": lambda a: measure(a[0], a[1], a[2:]), "fit": lambda a: fit(*a), "check": lambda a: check(*a)}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](sys.argv[2:])
