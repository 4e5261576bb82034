#!/usr/bin/env python3
"""Writes recorded/: cases of operators outside the standard, with ONNX Runtime's answers.

Their meaning is what ONNX Runtime does, so its results are the expected ones; each case says in
recorded.txt which version gave them. The models are in recorded_cases.py.
usage: record.py [NAME...]     only the cases whose names start so
Needs python3-onnx, python3-numpy, node, and ORT_NODE_DIR: a folder with node_modules/onnxruntime-node.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import numpy as np
from onnx import TensorProto, helper, numpy_helper

import case_writer
import recorded_cases

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "recorded")
NAMES = {"float32": np.float32, "float64": np.float64, "float16": np.float16, "uint8": np.uint8,
         "int8": np.int8, "uint16": np.uint16, "int16": np.int16, "int32": np.int32,
         "uint32": np.uint32, "int64": np.int64, "uint64": np.uint64, "bool": np.bool_}


def model_bytes(case, outputs=None):
    """The model; outputs: arrays to declare, else they are left to inference."""
    infos = []
    for name in case["outputs"]:
        if outputs is None:
            elem = case["types"].get(name, TensorProto.FLOAT)
            infos.append(helper.make_tensor_value_info(name, elem, None))
        else:
            infos.append(case_writer.info_of(outputs[name], name))
    graph = helper.make_graph(
        case["nodes"], case["name"],
        [case_writer.info_of(v, k, case["shapes"].get(k)) for k, v in case["inputs"].items()],
        infos, initializer=[case_writer.tensor_of(v, k) for k, v in case["init"].items()])
    imports = [helper.make_opsetid("", case["opset"]), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=imports, producer_name="")
    model.ir_version = case_writer.ir_version(case["opset"])
    return model.SerializeToString()


def run(cases, work):
    jobs = []
    for number, case in enumerate(cases):
        prefix = os.path.join(work, str(number))
        with open(prefix + ".onnx", "wb") as f:
            f.write(model_bytes(case))
        inputs = []
        for k, v in case["inputs"].items():
            path = "%s_%s.in" % (prefix, k)
            np.ascontiguousarray(v).tofile(path)
            kind = "bool" if v.dtype == np.bool_ else str(v.dtype)
            inputs.append({"name": k, "type": kind, "dims": list(v.shape), "file": path})
        jobs.append({"model": prefix + ".onnx", "inputs": inputs, "outputs": prefix + "_out"})
    return [run_one(job) for job in jobs]


def run_one(job):
    """In a process of its own: a model may end it."""
    path = job["outputs"] + ".job"
    with open(path, "w") as f:
        json.dump([job], f)
    done = subprocess.run(["node", os.path.join(HERE, "run_ort.mjs"), path],
                          stderr=subprocess.DEVNULL)
    if done.returncode:
        return {"error": "ended with %d" % done.returncode}
    return json.load(open(job["outputs"] + ".json"))


def write(case, answer):
    folder = os.path.join(FOLDER, case["name"])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "test_data_set_0"))
    outputs = {o["name"]: np.fromfile(o["file"], NAMES[o["type"]]).reshape(o["dims"])
               for o in answer["outputs"]}
    with open(os.path.join(folder, "model.onnx"), "wb") as f:
        f.write(model_bytes(case, outputs))
    for role, values in (("input", case["inputs"]), ("output", outputs)):
        for i, (k, v) in enumerate(values.items()):
            with open(os.path.join(folder, "test_data_set_0", "%s_%d.pb" % (role, i)), "wb") as f:
                f.write(case_writer.tensor_of(v, k).SerializeToString())
    if case["tolerance"] is not None:
        with open(os.path.join(folder, "data.json"), "w") as f:
            f.write(json.dumps({"rtol": 0.0, "atol": case["tolerance"]}) + "\n")
    with open(os.path.join(folder, "recorded.txt"), "w") as f:
        f.write("ONNX Runtime %s, CPU, no graph optimisations\n" % answer["version"])


def main(prefixes):
    cases = [c for c in recorded_cases.make()
             if not prefixes or any(c["name"].startswith(p) for p in prefixes)]
    if not prefixes:
        shutil.rmtree(FOLDER, ignore_errors=True)
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        for case, answer in zip(cases, run([c["stand_in"] or c for c in cases], work)):
            if "error" in answer:
                print("%s: %s" % (case["name"], answer["error"]))
                bad += 1
            else:
                write(case, answer)
    print("%d cases, %d refused by ONNX Runtime" % (len(cases), bad))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
