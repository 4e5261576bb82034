#!/usr/bin/env python3
"""Compares the inner tensors of models with those that ONNX Runtime computes without optimisations.

usage: inner_tensors.py ONNXC --ort DIR [--groups N] [--scaled S] [--keep DIR] MODEL... [-- OPTION...]
    DIR: a folder with node_modules/onnxruntime-node
    MODEL: a file, or a folder with model.onnx; test_data_set_0 next to it has the inputs
    OPTION: of onnxc verify, like --quanta 1

Each model is compared twice. First all tensors at once, `onnxc verify --layers`: then each tensor
exists, and little is fused. Then in N groups (default 4; 0: each tensor on its own), each a model
whose outputs are the tensors of one group: whatever is between them is fused as usual. Values are right within
1e-5 of each, or within S (default 1e-5) of the largest of a tensor; integers are exact.
Tensors of bodies are not compared, ONNX Runtime cannot hand them out; nor are strings, sequences
and optional values. Prints one row for each model; the exit code is 0 if all tensors agree.
Needs node, python3-onnx and python3-numpy.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import onnx
from onnx import numpy_helper

RUN_ORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../conformance/run_ort.mjs")
JS_NAMES = {"float": "float32", "double": "float64"}  # others are as in ONNX
ONNX_NAMES = {js: name for name, js in JS_NAMES.items()}


class Problem(Exception):
    """Why a model has no result."""


def inputs_of(folder, graph):
    """The tensors of the first data set by name: that in their file, else that at their place."""
    paths = glob.glob(os.path.join(glob.escape(folder), "test_data_set_0", "input_*.pb"))
    paths.sort(key=lambda p: int(re.search(r"_(\d+)\.pb$", p)[1]))
    weights = {w.name for w in graph.initializer}
    names = [i.name for i in graph.input if i.name not in weights]
    tensors = {}
    for place, path in enumerate(paths):
        tensor = onnx.TensorProto.FromString(open(path, "rb").read())
        if tensor.name not in names:
            tensor.name = names[place]
        tensors[tensor.name] = tensor
    return tensors


def no_tensors(model):
    """Names of values that are known not to be tensors of numbers."""
    try:
        graph = onnx.shape_inference.infer_shapes(model).graph
    except Exception:  # onnx does not know all operators
        graph = model.graph
    return {v.name for v in [*graph.value_info, *graph.output]
            if v.type.WhichOneof("value") not in (None, "tensor_type")
            or v.type.tensor_type.elem_type == onnx.TensorProto.STRING}


def save_with_outputs(model, outputs, path):
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.output[:]
    copy.graph.output.extend(outputs)
    onnx.save(copy, path)


def job_input(tensor, file):
    kind = onnx.TensorProto.DataType.Name(tensor.data_type).lower()
    with open(file, "w" if kind == "string" else "wb") as out:
        if kind == "string":
            json.dump([s.decode() for s in tensor.string_data], out)
        else:
            out.write(numpy_helper.to_array(tensor).tobytes())
    return {"name": tensor.name, "type": JS_NAMES.get(kind, kind), "dims": list(tensor.dims),
            "file": file}


def ask_ort(model, inputs, ort, work):
    """All tensors that nodes of the graph compute, in their order."""
    skipped = no_tensors(model)
    names = [o for node in model.graph.node for o in node.output if o and o not in skipped]
    save_with_outputs(model, [onnx.ValueInfoProto(name=n) for n in names], work + "/all.onnx")
    job = {"model": work + "/all.onnx", "outputs": work + "/out",
           "inputs": [job_input(t, "%s/in_%d" % (work, i)) for i, t in enumerate(inputs.values())]}
    with open(work + "/jobs.json", "w") as out:
        json.dump([job], out)
    done = subprocess.run(["node", RUN_ORT, work + "/jobs.json"], capture_output=True, text=True,
                          env=dict(os.environ, ORT_NODE_DIR=os.path.abspath(ort)))
    if done.returncode:
        raise Problem("ONNX Runtime: " + done.stderr.strip()[-200:])
    answer = json.load(open(work + "/out.json"))
    if "error" in answer:
        raise Problem("ONNX Runtime: " + answer["error"])
    tensors = []
    for output in answer["outputs"]:
        kind = ONNX_NAMES.get(output["type"], output["type"])
        tensors.append(onnx.TensorProto(
            name=output["name"], dims=output["dims"], raw_data=open(output["file"], "rb").read(),
            data_type=onnx.TensorProto.DataType.Value(kind.upper())))
    return tensors


def write_tensors(folder, prefix, tensors):
    os.makedirs(folder, exist_ok=True)
    for i, tensor in enumerate(tensors):
        with open("%s/%s_%d.pb" % (folder, prefix, i), "wb") as out:
            out.write(tensor.SerializeToString())


def verify(onnxc, arguments):
    done = subprocess.run([onnxc, "verify", *arguments, "--json"], capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        raise Problem(done.stderr.strip()[-200:])
    return json.loads(done.stdout)


def largest(results):
    """The largest relative error; infinite where there is none in numbers."""
    errors = [float("inf") if r["max_rel"] is None else r["max_rel"] for r in results]
    return max(errors, default=0)


def compare_at_once(onnxc, path, inputs, tensors, options, work):
    write_tensors(work + "/recorded", "input", inputs.values())
    write_tensors(work + "/recorded", "tensor", tensors)
    found = verify(onnxc, [path, "--layers", work + "/recorded", *options])
    wrong = ["%s, %s: %s" % (t["name"], t["nodes"], t["message"])
             for t in found["tensors"] if not t["match"]]
    return found, wrong


def compare_groups(onnxc, model, inputs, tensors, count, options, work):
    count = min(count or len(tensors), len(tensors))
    for k in range(count):
        folder, group = "%s/groups/%03d" % (work, k), tensors[k::count]
        write_tensors(folder + "/test_data_set_0", "input", inputs.values())
        write_tensors(folder + "/test_data_set_0", "output", group)
        outputs = []
        for t in group:
            info = onnx.ValueInfoProto(name=t.name)
            info.type.tensor_type.elem_type = t.data_type
            outputs.append(info)
        save_with_outputs(model, outputs, folder + "/model.onnx")
    found = verify(onnxc, [work + "/groups", *options])
    wrong = ["%s, group %s: %s" % (c["status"], os.path.basename(c["path"]), c["message"])
             for c in found["cases"] if c["status"] != "pass"]
    return found, wrong


def compare_model(args, options, path, work):
    if os.path.isdir(path):
        path = os.path.join(path, "model.onnx")
    model = onnx.load(path)
    inputs = inputs_of(os.path.dirname(os.path.abspath(path)), model.graph)
    tensors = ask_ort(model, inputs, args.ort, work)
    all_options = ["--rtol", "1e-5", "--scaled", str(args.scaled), *options]
    at_once, wrong = compare_at_once(args.onnxc, path, inputs, tensors, all_options, work)
    print("%8d %8d %10.2g" % (len(at_once["tensors"]), at_once["missing"],
                              largest(at_once["tensors"])), end="", flush=True)
    compared = {t["name"] for t in at_once["tensors"]}
    groups, wrong_too = compare_groups(args.onnxc, model, inputs,
                                       [t for t in tensors if t.name in compared], args.groups,
                                       all_options, work)
    print(" %10.2g  " % largest(groups["cases"]), end="")
    return wrong + wrong_too


def arguments():
    own, options = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, options = own[:at], own[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("onnxc")
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--ort", required=True, help="a folder with node_modules/onnxruntime-node")
    parser.add_argument("--groups", type=int, default=4, help="0: each tensor on its own")
    parser.add_argument("--scaled", type=float, default=1e-5, help="of the largest value")
    parser.add_argument("--keep", help="leave models and tensors in this folder")
    return parser.parse_args(own), options


def main():
    args, options = arguments()
    failed = 0
    print("%-28s %8s %8s %10s %10s  first difference"
          % ("model", "tensors", "missing", "at once", "fused"))
    for path in args.models:
        name = os.path.basename(os.path.dirname(os.path.abspath(path)) if os.path.isfile(path)
                                else os.path.normpath(path))
        print("%-28s " % name, end="", flush=True)
        with tempfile.TemporaryDirectory() as work:
            if args.keep:
                work = os.path.join(args.keep, name)
                os.makedirs(work, exist_ok=True)
            try:
                wrong = compare_model(args, options, path, work)
            except Problem as problem:
                wrong = [str(problem)]
        print(wrong[0] if wrong else "none")
        for more in wrong[1:4]:
            print("    also " + more)
        if len(wrong) > 4:
            print("    and %d more" % (len(wrong) - 4))
        failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
