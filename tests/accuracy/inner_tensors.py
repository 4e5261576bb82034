#!/usr/bin/env python3
"""Compares the inner tensors of models with those that ONNX Runtime computes without optimisations.

usage: inner_tensors.py ONNXC --ort DIR [--groups N] [--scaled S] [--restart OPERATOR] [--keep DIR]
           MODEL... [-- OPTION...]
    DIR: a folder with node_modules/onnxruntime-node
    MODEL: a file, or a folder with model.onnx; test_data_set_0 next to it has the inputs
    OPTION: of onnxc verify, like --fp strict

Each model is compared twice. First all tensors at once, `onnxc verify --layers`: then each tensor
exists, and little is fused. Then those of the main graph in N groups (default 4; 0: each on its
own), each a model whose outputs are the tensors of one group: whatever is between them is fused as
usual. Of loops the first round is compared. Values are right within 1e-5 of each, or within S
(default 1e-4) of the largest of a tensor; integers are exact.

A value between two quanta may be rounded either way, and what follows then differs by more than
rounding. With --restart QuantizeLinear, what reads the result of such a node gets that of ONNX
Runtime, so that each part of the model is compared on its own; quantised values may be one quantum
away. The same with another operator where that of ONNX Runtime is less precise.

Strings, sequences and optional values are not compared, nor by `--layers` tensors whose name others
have, too. Prints one row for each model: tensors compared at once, those of which ONNX Runtime has
none, how many of integers are off, the largest errors, of the largest value of a tensor, at once
(without integers) and in groups. The exit code is 0 if all tensors agree.
Needs node, python3-onnx and python3-numpy.
"""
import argparse
import collections
import glob
import itertools
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
FLOATS = [onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16]
QUANTA = [onnx.TensorProto.INT8, onnx.TensorProto.UINT8, onnx.TensorProto.INT16,
          onnx.TensorProto.UINT16]
QUANTIZE = "QuantizeLinear"
Lifted = collections.namedtuple("Lifted", "name rounds elem")


class Problem(Exception):
    """Why a model has no result."""


def info_of(name, elem, dims=None):
    info = onnx.ValueInfoProto(name=name)
    if elem:
        info.type.tensor_type.elem_type = elem
    if dims is not None:
        shape = info.type.tensor_type.shape
        shape.SetInParent()
        for d in dims:
            shape.dim.add().dim_value = d
    return info


def bodies_of(node):
    return [a.g for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]


def results_of(graph):
    return [o for node in graph.node for o in node.output if o]


def all_results(graph):
    """Those of bodies, too; a name may be in it more than once."""
    inner = [all_results(body) for node in graph.node for body in bodies_of(node)]
    return results_of(graph) + list(itertools.chain(*inner))


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


def with_types(model):
    try:
        return onnx.shape_inference.infer_shapes(model)
    except Exception:  # onnx does not know all operators
        return model


def comparable(graph):
    """The results of nodes that may be tensors of numbers, with their types, 0 if unknown."""
    types = {o: 0 for o in results_of(graph)}
    for v in [*graph.value_info, *graph.output]:
        if v.name not in types:
            continue
        types[v.name] = v.type.tensor_type.elem_type
        if (v.type.WhichOneof("value") not in (None, "tensor_type")
                or types[v.name] == onnx.TensorProto.STRING):
            del types[v.name]
    return types


class Lifter:
    """Makes outputs of If, Loop and Scan from what is computed in their bodies."""

    def __init__(self):
        self.count = 0

    def fresh(self):
        self.count += 1
        return "lifted_%d" % self.count

    def lift(self, graph):
        """What the graph's nodes now also have as results: Lifted by the new name."""
        lifted = {}
        for node in graph.node:
            bodies = bodies_of(node)
            if not bodies or node.op_type not in ("If", "Loop", "Scan"):
                continue
            rounds = int(node.op_type != "If")
            for body in bodies:
                inner = {n: Lifted(n, 0, e) for n, e in comparable(body).items()}
                inner.update(self.lift(body))
                for name, known in inner.items():
                    if rounds or known.elem:
                        result = self.lift_one(node, bodies, body, name, known)
                        lifted[result] = known._replace(rounds=known.rounds + rounds)
        return lifted

    def lift_one(self, node, bodies, body, name, known):
        wanted = len(body.output) - (node.op_type == "Loop")
        node.output.extend([""] * (wanted - len(node.output)))
        for each in bodies:
            output = self.fresh()
            if each is body:
                each.node.append(onnx.helper.make_node("Identity", [name], [output]))
            else:  # of the other branch: no elements
                nothing = onnx.TensorProto(data_type=known.elem, dims=[0], raw_data=b"")
                each.node.append(onnx.helper.make_node("Constant", [], [output], value=nothing))
            each.output.append(info_of(output, known.elem))
        for a in node.attribute:
            if a.name in ("scan_output_axes", "scan_output_directions"):
                a.ints.append(0)
        node.output.append(self.fresh())
        return node.output[-1]


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


def run_ort(model, names, inputs, ort, work):
    """These tensors by name."""
    save_with_outputs(model, [info_of(n, 0) for n in names], work + "/all.onnx")
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
    tensors = {}
    for output in answer["outputs"]:
        kind = ONNX_NAMES.get(output["type"], output["type"])
        tensors[output["name"]] = onnx.TensorProto(
            name=output["name"], dims=output["dims"], raw_data=open(output["file"], "rb").read(),
            data_type=onnx.TensorProto.DataType.Value(kind.upper()))
    return tensors


def first_round(tensor, lifted):
    """The tensor of a body from those of all rounds; None without rounds."""
    if 0 in tensor.dims[:lifted.rounds]:
        return None
    repeated = 1
    for d in tensor.dims[:lifted.rounds]:
        repeated *= d
    return onnx.TensorProto(name=lifted.name, data_type=tensor.data_type,
                            dims=tensor.dims[lifted.rounds:],
                            raw_data=tensor.raw_data[:len(tensor.raw_data) // repeated])


def ask_ort(model, inputs, ort, work):
    """The tensors of the main graph in their order, and those of bodies."""
    typed = with_types(model)
    names = list(comparable(typed.graph))
    main = run_ort(model, names, inputs, ort, work)
    lifted = Lifter().lift(typed.graph)
    inner = []
    if lifted:
        try:
            answers = run_ort(typed, list(lifted), inputs, ort, work)
            inner = [first_round(answers[n], known) for n, known in lifted.items()]
        except Problem:  # what differs in size between rounds cannot be handed out
            pass
    return [main[n] for n in names], [t for t in inner if t]


def restarted(model, tensors, operator):
    """A copy of the model that gets the results of the operator as inputs, and these."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    results = {o for n in copy.graph.node if n.op_type == operator for o in n.output}
    given = {}
    for tensor in tensors:
        if tensor.name in results:
            again = onnx.TensorProto()
            again.CopyFrom(tensor)
            again.name += "_given"
            given[again.name] = again
            copy.graph.input.append(info_of(again.name, tensor.data_type, tensor.dims))

    def visit(graph):
        for node in graph.node:
            node.input[:] = [i + "_given" if i in results else i for i in node.input]
            for body in bodies_of(node):
                visit(body)

    visit(copy.graph)
    return copy, given


def write_tensors(folder, prefix, tensors):
    os.makedirs(folder, exist_ok=True)
    for i, tensor in enumerate(tensors):
        with open("%s/%s_%d.pb" % (folder, prefix, i), "wb") as out:
            out.write(tensor.SerializeToString())


def verify(onnxc, arguments):
    done = subprocess.run([onnxc, "verify", *arguments, "--json"], capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        raise Problem(" ".join(done.stderr.split())[-200:])
    return json.loads(done.stdout)


def largest(results):
    """The largest relative error; infinite where there is none in numbers."""
    errors = [float("inf") if r["max_rel"] is None else r["max_rel"] for r in results]
    return max(errors, default=0)


def compare_at_once(onnxc, model, inputs, tensors, options, work):
    model_file, recorded = work + "/model.onnx", work + "/recorded"
    onnx.save(model, model_file)
    write_tensors(recorded, "input", inputs.values())
    write_tensors(recorded, "tensor", tensors)
    return verify(onnxc, [model_file, "--layers", recorded, *options])


def compare_groups(onnxc, model, inputs, tensors, count, options, work):
    count = min(count or len(tensors), len(tensors))
    for k in range(count):
        folder, group = "%s/groups/%03d" % (work, k), tensors[k::count]
        write_tensors(folder + "/test_data_set_0", "input", inputs.values())
        write_tensors(folder + "/test_data_set_0", "output", group)
        save_with_outputs(model, [info_of(t.name, t.data_type) for t in group],
                          folder + "/model.onnx")
    found = verify(onnxc, [work + "/groups", *options])
    wrong = ["%s, group %s: %s" % (c["status"], os.path.basename(c["path"]), c["message"])
             for c in found["cases"] if c["status"] != "pass"]
    return found["cases"], wrong


def compare_model(args, options, path, work):
    if os.path.isdir(path):
        path = os.path.join(path, "model.onnx")
    model = onnx.load(path)
    inputs = inputs_of(os.path.dirname(os.path.abspath(path)), model.graph)
    tensors, inner = ask_ort(model, inputs, args.ort, work)
    tolerance = ["--rtol", "1e-5", "--scaled", str(args.scaled)]
    if args.restart:
        model, given = restarted(model, tensors, args.restart)
        inputs.update(given)
    quanta = {t.name for t in tensors if t.data_type in QUANTA and args.restart == QUANTIZE}
    if quanta:
        tolerance += ["--quanta", "1"]
    often = collections.Counter(all_results(model.graph))
    alone = [t for t in tensors + inner if often[t.name] == 1]
    at_once = compare_at_once(args.onnxc, model, inputs, alone, tolerance + options, work)
    integers = {t.name for t in alone if t.data_type not in FLOATS}
    wrong = ["%s, %s: %s" % (t["name"], t["nodes"], t["message"]) for t in at_once["tensors"]
             if not t["match"] and not (t["name"] in quanta and t["max_abs"] == 1)]
    off = [t for t in at_once["tensors"] if t["name"] in integers and t["max_abs"] != 0]
    print("%8d %8d %8d %10.2g" % (
        len(at_once["tensors"]), at_once["missing"], len(off),
        largest(t for t in at_once["tensors"] if t["name"] not in integers)), end="", flush=True)
    groups, wrong_too = compare_groups(args.onnxc, model, inputs, tensors, args.groups,
                                       tolerance + options, work)
    print(" %10.2g  " % largest(groups), end="")
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
    parser.add_argument("--scaled", type=float, default=1e-4, help="of the largest value")
    parser.add_argument("--restart", metavar="OPERATOR", help="at each of these")
    parser.add_argument("--keep", help="leave models and tensors in a new folder here")
    return parser.parse_args(own), options


def main():
    args, options = arguments()
    failed = 0
    print("%-28s %8s %8s %8s %10s %10s  first difference"
          % ("model", "tensors", "missing", "integers", "at once", "groups"))
    for path in args.models:
        name = os.path.basename(os.path.dirname(os.path.abspath(path)) if os.path.isfile(path)
                                else os.path.normpath(path))
        print("%-28s " % name, end="", flush=True)
        with tempfile.TemporaryDirectory() as work:
            try:
                if args.keep:
                    work = os.path.join(args.keep, name)
                    os.makedirs(work)
                wrong = compare_model(args, options, path, work)
            except (Problem, OSError) as problem:
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
