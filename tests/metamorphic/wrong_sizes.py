#!/usr/bin/env python3
"""Runs programs of models with open sizes on inputs one extent of which is changed: to 0, 1, one less, one more, twice.
A run must end by itself, with any status. What a program does beyond its memory, sanitizers report.

usage: wrong_sizes.py MODELS KEPT
    MODELS: folders of models; KEPT: what `onnxc verify MODELS --keep KEPT` has left, built with sanitizers.
"""
import concurrent.futures
import os
import re
import struct
import subprocess
import sys

import numpy
import onnx
from onnx import TensorProto

TENSOR = 1  # the kind of a value in a file of inputs
SECONDS = 60


def read_inputs(path):
    """(dims, bytes) of each input; None where one is no tensor."""
    with open(path, "rb") as file:
        data = file.read()
    at, inputs = 0, []

    def number():
        nonlocal at
        at += 8
        return struct.unpack_from("<Q", data, at - 8)[0]

    while at < len(data):
        if number() != TENSOR:
            return None
        dims = [number() for _ in range(number())]
        size = number()
        inputs.append((dims, data[at:at + size]))
        at += size
    return inputs


def write_inputs(path, inputs):
    with open(path, "wb") as file:
        for dims, content in inputs:
            file.write(struct.pack(f"<QQ{len(dims)}QQ", TENSOR, len(dims), *dims, len(content)))
            file.write(content)


def open_axes(source):
    """The axes of each input that generated code leaves open: `verify` fixes all sizes where some have to be known."""
    with open(source, encoding="utf-8") as file:
        ports = dict(re.findall(r"int64_t in_(\d+)\[\] = \{(.*?)\}", file.read()))
    return {int(i): [axis for axis, extent in enumerate(dims.split(", ")) if extent == "-1"] for i, dims in ports.items()}


def changed(inputs, axes):
    """(what, inputs) of every change; what is new repeats the last elements."""
    for i, (dims, content) in enumerate(inputs):
        count = int(numpy.prod(dims, dtype=numpy.int64))
        if count == 0 or len(content) % count != 0:  # several elements in a byte
            continue
        elements = numpy.frombuffer(content, numpy.uint8).reshape([*dims, len(content) // count])
        for axis in axes.get(i, []):
            extent = dims[axis]
            for new in sorted({0, 1, extent - 1, extent + 1, 2 * extent} - {extent}):
                kept = elements.take([min(k, extent - 1) for k in range(new)], axis=axis)
                yield (f"input {i}, axis {axis}: {new} instead of {extent}",
                       [*inputs[:i], ([*kept.shape[:-1]], kept.tobytes()), *inputs[i + 1:]])


def problems(model, kept):
    """(runs, what failed) of a model, whose program is in the folder `kept`."""
    run, recorded = os.path.join(kept, "run"), os.path.join(kept, "u0", "inputs")
    inputs = read_inputs(recorded) if os.path.exists(run) and os.path.exists(recorded) else None
    if not inputs:
        return 0, []
    ports = onnx.load(os.path.join(model, "model.onnx")).graph.input
    axes = {i: open_in for i, open_in in open_axes(os.path.join(kept, "u0", "u0.cpp")).items()
            if ports[i].type.tensor_type.elem_type != TensorProto.STRING}
    failed, runs = [], 0
    for what, given in changed(inputs, axes):
        file = os.path.join(kept, "changed")
        write_inputs(file, given)
        try:
            done = subprocess.run([run, "0", file, file + ".result"], capture_output=True, text=True, errors="replace",
                                  timeout=SECONDS, check=False)
            text = done.stderr.strip() or f"exit code {done.returncode}" if done.returncode != 0 else ""
        except subprocess.TimeoutExpired:
            text = f"runs for more than {SECONDS} seconds"
        runs += 1
        if text:
            failed.append(f"{model}: {what}: {text[:300]}")
    return runs, failed


def main():
    models, kept = sys.argv[1:3]
    folders = sorted(folder for folder, _, files in os.walk(models) if "model.onnx" in files)
    runs = failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for more, failed in pool.map(lambda f: problems(f, os.path.join(kept, f.lstrip("/").replace("/", "_"))), folders):
            runs, failures = runs + more, failures + len(failed)
            for text in failed:
                print(text, flush=True)
    print(f"{runs - failures} passed, {failures} failed")
    sys.exit(failures > 0 or runs == 0)


main()
