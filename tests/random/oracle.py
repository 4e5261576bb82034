"""Expected outputs of random models: what ONNX Runtime computes.

Needs node, and ORT_NODE_DIR: a folder with node_modules/onnxruntime-node.
"""
import glob
import json
import os
import re
import subprocess
import tempfile

import numpy as np

from build import NAMES, pb

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance", "run_ort.mjs")
JS_NAMES = {"float": "float32", "double": "float64"}
PLAIN_NAMES = {v: k for k, v in JS_NAMES.items()}
BATCH = 50

# Parts of messages with which onnxc refuses what the standard allows, and why.
KNOWN_REFUSALS = {
    "its rank is known only at run time": "a rank that sizes or elements decide has no C++ type",
    "error[no-heap]": "a size without a bound, or a value that grows, and --no-heap was asked for",
}

# What ONNX Runtime computes otherwise than the standard says, and recipes therefore leave out:
# - Dropout before opset 12: its mask is all false in inference; the standard leaves it open.
# - Gather of blocks of strings: their first string alone is copied.
# - AffineGrid with align_corners: the only position of an axis of one is 1. PyTorch, to which the standard
#   refers, says 0.
# - Loop without an iteration: open sizes of what its body collects are 0.
# - OneHot of a scalar, Scan outputs without a rank in the body: refused by ONNX Runtime.


def known_refusal(message):
    return any(part in message for part in KNOWN_REFUSALS)


def available():
    folder = os.environ.get("ORT_NODE_DIR", "")
    return os.path.isdir(os.path.join(folder, "node_modules", "onnxruntime-node"))


def numbered(folder, kind):
    paths = glob.glob(os.path.join(glob.escape(folder), "test_data_set_0", f"{kind}_*.pb"))
    return sorted(paths, key=lambda p: int(re.search(r"_(\d+)\.pb$", p)[1]))


def job_input(path, prefix):
    tensor = pb.TensorProto.FromString(open(path, "rb").read())
    kind = NAMES[tensor.data_type]
    file = f"{prefix}_{os.path.basename(path)}.in"
    if kind == "string":
        with open(file, "w") as out:
            json.dump([s.decode() for s in tensor.string_data], out)
    else:
        with open(file, "wb") as out:
            out.write(tensor.raw_data)
    return {"name": tensor.name, "type": JS_NAMES.get(kind, kind), "dims": list(tensor.dims), "file": file}


def output_tensor(output):
    kind = PLAIN_NAMES.get(output["type"], output["type"])
    tensor = pb.TensorProto(name=output["name"], data_type=NAMES.index(kind), dims=output["dims"])
    if kind == "string":
        tensor.string_data.extend(s.encode() for s in json.load(open(output["file"])))
    else:
        tensor.raw_data = open(output["file"], "rb").read()
    return tensor


def has_nonfinite(tensor):
    kind = NAMES[tensor.data_type]
    dtype = {"float": np.float32, "double": np.float64, "float16": np.float16}.get(kind)
    return dtype is not None and not np.isfinite(np.frombuffer(tensor.raw_data, dtype)).all()


def ask(folders, work):
    """Runs a batch; the one that ends the process is marked, the others run again."""
    left, answers = list(folders), {}
    while left:
        jobs = []
        for i, folder in enumerate(left):
            prefix = os.path.join(work, str(i))
            for old in glob.glob(prefix + "_out*"):
                os.remove(old)
            jobs.append({"model": os.path.join(folder, "model.onnx"), "outputs": prefix + "_out",
                         "inputs": [job_input(p, prefix) for p in numbered(folder, "input")]})
        with open(os.path.join(work, "jobs.json"), "w") as out:
            json.dump(jobs, out)
        done = subprocess.run(["timeout", "300", "node", SCRIPT, os.path.join(work, "jobs.json")],
                              stderr=subprocess.DEVNULL)
        finished = 0
        for folder, job in zip(left, jobs):
            if not os.path.exists(job["outputs"] + ".json"):
                break
            answers[folder] = json.load(open(job["outputs"] + ".json"))
            if "error" not in answers[folder]:
                answers[folder]["tensors"] = [output_tensor(o) for o in answers[folder]["outputs"]]
            finished += 1
        if finished < len(left):
            answers[left[finished]] = {"error": f"ended with {done.returncode}"}
            finished += 1
        left = left[finished:]
    return answers


def answer(folders):
    """Writes output_N.pb; returns what could not be answered: folder -> message."""
    refused = {}
    for start in range(0, len(folders), BATCH):
        with tempfile.TemporaryDirectory() as work:
            for folder, reply in ask(folders[start:start + BATCH], work).items():
                if "error" in reply:
                    refused[folder] = reply["error"]
                    continue
                for i, tensor in enumerate(reply["tensors"]):
                    with open(os.path.join(folder, "test_data_set_0", f"output_{i}.pb"), "wb") as out:
                        out.write(tensor.SerializeToString())
    return refused
