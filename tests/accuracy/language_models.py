#!/usr/bin/env python3
"""Compares language models, and what belongs to them, with ONNX Runtime on random inputs.

usage: language_models.py ONNXC --ort DIR [--past N] [--scaled S] [--keep DIR] MODEL... [-- OPTION...]
    DIR: a folder with node_modules/onnxruntime-node
    MODEL: as exporters write them: decoders with a cache, encoders, embeddings
    OPTION: of onnxc verify, like --threads 2

Inputs get their sizes from the names of their dynamic dimensions and their values from their names:
token ids, positions that continue the cache, masks of ones, lengths. The first run is a prompt with
an empty cache, the second one token after a cache of N (default 5) positions. Values are right
within S (default 1e-4) of the largest of an output, of models with float16 within 20 times as much.
Prints one row for each model and run. The exit code is 0 if all outputs agree that ONNX Runtime can
compute. Needs node, python3-onnx and python3-numpy.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

from inner_tensors import Problem, run_ort

PROMPT = 4  # tokens


def size_of(dim, tokens, past):
    if dim.HasField("dim_value"):
        return dim.dim_value
    name = dim.dim_param.lower()

    def has(*words):
        return any(w in name for w in words)

    if has("total", "plus_seq") or (has("past") and has("plus")):
        return past + tokens
    if has("past"):
        return past
    if has("batch_plus"):
        return 2
    if has("seq", "length", "decode"):
        return tokens
    if has("patches", "height", "width"):
        return 8
    if has("num_tokens", "image_tokens", "frames"):
        return tokens
    return 1


def values_of(info, dims, rng, tokens, past):
    kind = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[info.type.tensor_type.elem_type]
    name = info.name
    if np.issubdtype(kind, np.floating):
        return rng.standard_normal(dims).astype(kind)
    if kind == np.bool_:
        return np.ones(dims, kind) if past else np.zeros(dims, kind)
    if "mask" in name:
        return np.ones(dims, kind)
    if "position" in name:
        return (past + np.broadcast_to(np.arange(dims[-1]), dims)).astype(kind)
    if "input_ids" in name:
        return rng.integers(0, 50, dims).astype(kind)
    if "cumulative" in name:
        return np.array([0, tokens], kind)
    if "past_sequence" in name or "values_length" in name:
        return np.full(dims, past, kind)
    return np.full(dims, 1, kind)


def tensors_for(graph, rng, tokens, past):
    weights = {w.name for w in graph.initializer}
    tensors = {}
    for info in graph.input:
        if info.name in weights:
            continue
        dims = [size_of(d, tokens, past) for d in info.type.tensor_type.shape.dim]
        tensors[info.name] = numpy_helper.from_array(values_of(info, dims, rng, tokens, past), info.name)
    return tensors


def has_float16(graph):
    kinds = [w.data_type for w in graph.initializer]
    kinds += [i.type.tensor_type.elem_type for i in graph.input]
    return onnx.TensorProto.FLOAT16 in kinds


def save_data(folder, prefix, tensors):
    for i, tensor in enumerate(tensors):
        with open(os.path.join(folder, "%s_%d.pb" % (prefix, i)), "wb") as file:
            file.write(tensor.SerializeToString())


def compare(options, path, tokens, past, work):
    model = onnx.load(path)
    inputs = tensors_for(model.graph, np.random.default_rng(tokens + past), tokens, past)
    names = [o.name for o in model.graph.output]
    wanted = run_ort(model, names, inputs, options.ort, work)
    save_data(work, "input", inputs.values())
    save_data(work, "output", [wanted[n] for n in names])
    scaled = options.scaled * (20 if has_float16(model.graph) else 1)
    done = subprocess.run([options.onnxc, "verify", "--model", path, work, "--scaled", str(scaled),
                           *options.rest], capture_output=True, text=True)
    return done.returncode, (done.stdout + done.stderr).strip().splitlines()


def main():
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("onnxc"), parser.add_argument("models", nargs="+")
    parser.add_argument("--ort", required=True), parser.add_argument("--keep")
    parser.add_argument("--past", type=int, default=5)
    parser.add_argument("--scaled", type=float, default=1e-4)
    options = parser.parse_args(words[:split])
    options.rest = words[split + 1:]
    failed = 0
    for path in options.models:
        for tokens, past in ((PROMPT, 0), (1, options.past)):
            with tempfile.TemporaryDirectory() as work:
                try:
                    code, lines = compare(options, path, tokens, past, options.keep or work)
                except Problem as problem:
                    code, lines = "-", [str(problem)]
            failed += code not in (0, "-")
            print("%s: %d tokens after %d:" % (path, tokens, past), " / ".join(lines[-1 if code == 0 else -3:]),
                  flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
