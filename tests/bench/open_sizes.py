#!/usr/bin/env python3
"""Compares code for open sizes with code for the sizes of the recorded data.

usage: open_sizes.py ONNXC MODEL_DIR... [-- OPTION...]
    MODEL_DIR holds model.onnx and test_data_set_0/input_N.pb
    OPTION: of onnxc bench, like --target x86-64-v3

The first axis of every input becomes an open size, and in a second form every axis but the channels of
an image. A form that the model does not allow, or that ONNX cannot express (a Reshape to constants), has
no row. Prints the shortest times of a run in microseconds, their ratio, and the sizes of the code.
Needs python3-onnx.
"""
import json
import os
import subprocess
import sys
import tempfile

import onnx

FORMS = {
    "batch": lambda rank: [0],
    "all": lambda rank: [0, 2, 3] if rank == 4 else range(rank),
}


def opened(model, axes_of):
    """A copy in which these axes of the inputs are open; None if they were all."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    constants = {w.name for w in model.graph.initializer}
    changed = False
    for i in model.graph.input:
        dims = i.type.tensor_type.shape.dim
        if i.name in constants:
            continue
        for axis in axes_of(len(dims)):
            if axis < len(dims) and dims[axis].HasField("dim_value"):
                # Inputs of one extent share the size, as a batch does.
                dims[axis].dim_param = "n%d" % dims[axis].dim_value
                changed = True
    del model.graph.value_info[:]
    for o in model.graph.output:
        o.type.tensor_type.ClearField("shape")
    return model if changed else None


def bench(onnxc, model, data, options):
    """The JSON of onnxc bench; None if it fails."""
    command = [onnxc, "bench", model, "--data", data, "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def rows(onnxc, folder, options, work):
    path, data = os.path.join(folder, "model.onnx"), os.path.join(folder, "test_data_set_0")
    fixed = bench(onnxc, path, data, options)
    if fixed is None:
        return
    model = onnx.load(path)
    for form, axes_of in FORMS.items():
        copy = opened(model, axes_of)
        if copy is None:
            continue
        onnx.save(copy, work + "/model.onnx")
        result = bench(onnxc, work + "/model.onnx", data, options + ["--open-sizes"])
        if result is not None:
            yield form, fixed, result


def main(arguments):
    split = arguments.index("--") if "--" in arguments else len(arguments)
    onnxc, *folders = arguments[:split]
    print("%-28s %-6s %10s %10s %6s %9s %9s" % ("model", "open", "fixed us", "open us", "ratio", "code KiB", "open KiB"))
    with tempfile.TemporaryDirectory() as work:
        for folder in folders:
            for form, fixed, result in rows(onnxc, folder, arguments[split + 1:], work):
                a, b = (1e3 * r["min_ms"] for r in (fixed, result))
                print("%-28s %-6s %10.1f %10.1f %6.2f %9.1f %9.1f" % (
                    os.path.basename(folder.rstrip("/")), form, a, b, b / a,
                    fixed["code_bytes"] / 1024, result["code_bytes"] / 1024), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1:])
