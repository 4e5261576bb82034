#!/usr/bin/env python3
"""Replaces the expected values in files of cases by the answers of ONNX Runtime.

For operators outside the standard: they mean what ONNX Runtime computes, on the CPU and without
graph optimisations. Large ones go to the side file FILE.data. Cases that onnxc must refuse stay.
usage: record.py ONNXC FILE.case [NAME...]     NAME: only these cases
Needs protoc, python3-protobuf, python3-numpy, node, and ORT_NODE_DIR: a folder with
node_modules/onnxruntime-node.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
from side_file import SideFile
from to_case import NAMES, pb, raw_bytes, tensor_text, wrapped

HERE = os.path.dirname(os.path.abspath(__file__))
# What ONNX Runtime's JavaScript interface calls differently.
JS_NAMES = {"float": "float32", "double": "float64"}
KEYWORDS = ("given ", "expect ", "refused ", "rtol ", "atol ")


def tensor_job(path, prefix):
    tensor = pb.TensorProto.FromString(open(path, "rb").read())
    kind = NAMES[tensor.data_type]
    file = "%s_%s.in" % (prefix, os.path.basename(path))
    with open(file, "wb") as out:
        out.write(raw_bytes(tensor, kind))
    return {"name": tensor.name, "type": JS_NAMES.get(kind, kind), "dims": list(tensor.dims),
            "file": file}


def ask(folder, data, work):
    """The answer to one data set. In a process of its own: a model may end it."""
    prefix = os.path.join(work, "job")
    inputs = sorted(f for f in os.listdir(data) if f.startswith("input_"))
    job = {"model": os.path.join(folder, "model.onnx"), "outputs": prefix + "_out",
           "inputs": [tensor_job(os.path.join(data, f), prefix) for f in inputs]}
    with open(prefix + ".json", "w") as out:
        json.dump([job], out)
    done = subprocess.run(["node", os.path.join(HERE, "run_ort.mjs"), prefix + ".json"],
                          stderr=subprocess.DEVNULL)
    if done.returncode:
        return {"error": "ended with %d" % done.returncode}
    return json.load(open(prefix + "_out.json"))


def expect_lines(output, side):
    elem = NAMES.index({v: k for k, v in JS_NAMES.items()}.get(output["type"], output["type"]))
    tensor = pb.TensorProto(name=output["name"], data_type=elem, dims=output["dims"],
                            raw_data=open(output["file"], "rb").read())
    return wrapped("expect " + tensor_text(tensor, side=side), "")


def statements(lines):
    """The lines after the model, those of one statement together."""
    out = []
    for line in lines:
        if line.startswith(KEYWORDS) or not line.strip() or line.startswith("#") or not out:
            out.append([line])
        else:
            out[-1].append(line)
    return out


def replaced(block, answers, side):
    """The text of a case with the outputs of the answers, one a data set."""
    start = next((i for i, line in enumerate(block) if line.startswith(KEYWORDS)), len(block))
    out, given, answers = block[:start], False, list(answers)
    tail = [s for s in statements(block[start:]) if s[0].strip()]
    for i, lines in enumerate(tail):
        if not lines[0].startswith("expect "):
            out += lines
        last = i + 1 == len(tail) or tail[i + 1][0].startswith("expect ")
        if lines[0].startswith("given ") and last:
            out += [line for o in answers.pop(0)["outputs"] for line in expect_lines(o, side)]
    for answer in answers:  # a model without inputs
        out += [line for o in answer["outputs"] for line in expect_lines(o, side)]
    return out + [""]


def record(block, folder, side):
    """The new text of a case; the old one and a message where ONNX Runtime refuses it."""
    sets = sorted((d for d in os.listdir(folder) if d.startswith("test_data_set_")),
                  key=lambda d: int(d.rsplit("_", 1)[1]))
    with tempfile.TemporaryDirectory() as work:
        answers = []
        for data in sets:
            os.makedirs(os.path.join(work, data))
            answers.append(ask(folder, os.path.join(folder, data), os.path.join(work, data)))
        for answer in answers:
            if "error" in answer:
                print("%s: %s" % (os.path.basename(folder), answer["error"]))
                return block
        return replaced(block, answers, side) if answers else block


def main(onnxc, file, names):
    text = open(file).read()
    side = SideFile(os.path.splitext(file)[0] + ".data")
    # A case begins with the comments above its name.
    blocks = [b.rstrip("\n").split("\n") for b in re.split(r"\n\n(?=(?:#.*\n)*=== )", text)]
    with tempfile.TemporaryDirectory() as work:
        subprocess.check_call([onnxc, "verify", "--export", work, file])
        stem = os.path.splitext(os.path.basename(file))[0]
        for i, block in enumerate(blocks):
            for name in (line[4:].strip() for line in block if line.startswith("=== ")):
                if not names or name in names:
                    blocks[i] = record(block, os.path.join(work, stem, name), side)
    with open(file, "w") as out:
        out.write(side.keep_what("\n\n".join("\n".join(b).rstrip("\n") for b in blocks) + "\n"))
    side.write()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], set(sys.argv[3:]))
