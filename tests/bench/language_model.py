#!/usr/bin/env python3
"""Measures a compiled int4 language model against the memory of this machine.

usage: language_model.py ONNXC [--past 32,1024] [--threads 1,2] [--targets native,x86-64-v3]
           [--capacities 1088] [--prompt TOKENS] [--rounds 5] [--steps 40] [--keep DIR]

The model has the shape of SmolLM2-135M and the form that ONNX Runtime GenAI's builder writes for
CPUs: MatMulNBits with 4 bits, whose weights the embedding shares, and GroupQueryAttention with
caches of fixed capacity, in place, logits of the last token alone. Weights are random: times
depend on the shapes. --prompt measures a call with so many tokens and empty caches instead.

Compiled programs and a streaming read of as many bytes run in turn; each time is the least, and
the median, of all rounds. Bytes are the weights and the part of the caches that a token reads, the
fraction is that of the bandwidth of the streaming read with as many threads. Memory is in large
pages where the system gives them. Code is compiled with $CXX and $CXXFLAGS (default: g++ -O3).
Needs python3-onnx and python3-numpy, Linux.
"""
import argparse
import glob
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import types

import numpy as np
import onnx
from onnx import helper

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "accuracy"))
import greedy_tokens  # noqa: E402

SHAPE = {"layers": 30, "hidden": 576, "heads": 9, "kv_heads": 3, "ffn": 1536, "vocab": 49152}
SOURCE = os.path.join(HERE, "language_model.cpp")


class RandomBlocks:
    """A matrix [columns, depth] of random 4-bit integers, as greedy_tokens.Int4 has it."""

    def __init__(self, random, columns, depth):
        shape = (columns, depth // greedy_tokens.BLOCK)
        self.level = random.integers(0, 16, (*shape, greedy_tokens.BLOCK), np.uint8)
        self.scale = (random.uniform(0.8, 1.2, shape) / (4.6 * np.sqrt(depth))).astype(np.float32)

    def packed(self):
        return self.level[..., 0::2] | self.level[..., 1::2] << 4


class Builder(greedy_tokens.Builder):
    """The model of greedy_tokens.py with rows of the logits' weights as embedding, and logits of
    the last token (the builder's option `prune_lm_head`)."""

    def linear(self, name, x, output=None):
        if name == "head":
            x = self.node("Gather", [x, self.constant("last_row", np.array([-1]))], ["last_out"],
                          axis=1)
        return super().linear(name, x, output)

    def node(self, kind, inputs, outputs, domain="", **attributes):
        if outputs != ["embedded"]:
            return super().node(kind, inputs, outputs, domain, **attributes)
        head = self.held["head"]
        flat = self.constant("embed.q4", head.packed().reshape(len(head.level), -1))
        scales = self.constant("embed.scales", head.scale)
        return super().node("GatherBlockQuantized", [flat, inputs[1], scales], outputs,
                            greedy_tokens.CONTRIB, bits=4, block_size=greedy_tokens.BLOCK,
                            gather_axis=0, quantize_axis=1)


def write_model(path, capacity):
    o = types.SimpleNamespace(capacity=capacity, **SHAPE)
    random = np.random.default_rng(1)
    kv = o.hidden // o.heads * o.kv_heads
    # The float embedding is a stand-in: rows of the head take its place.
    held = {"embed": np.zeros((1, o.hidden), np.float32),
            "head": RandomBlocks(random, o.vocab, o.hidden)}
    names = ["norm"] + [f"{i}.{n}" for i in range(o.layers) for n in ("norm", "mlp_norm")]
    held.update({n: random.uniform(0.8, 1.2, o.hidden).astype(np.float32) for n in names})
    for i in range(o.layers):
        for name, columns, depth in (("qkv", o.hidden + 2 * kv, o.hidden), ("o", o.hidden, o.hidden),
                                     ("gate", o.ffn, o.hidden), ("up", o.ffn, o.hidden),
                                     ("down", o.hidden, o.ffn)):
            held[f"{i}.{name}"] = RandomBlocks(random, columns, depth)
    onnx.save(Builder(o, held).model(), path)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compiled(o, model, folder, target, threads, capacity):
    os.makedirs(folder)
    sizes = {"batch_size": 1, "sequence_length": o.prompt or 1, "past_sequence_length": capacity,
             "total_sequence_length": f"1..{capacity}"}
    dims = [word for name, size in sizes.items() for word in ("--dim", f"{name}={size}")]
    run([o.onnxc, model, "-o", folder + "/net", *dims, "--target", target, "--weights", "extern",
         *(["--threads", str(threads)] if threads > 1 else [])])
    with open(folder + "/caches.inc", "w") as file:
        for i in range(SHAPE["layers"]):
            for part in "key", "value":
                file.write(f"CACHE(past_key_values_{i}_{part}, present_{i}_{part})\n")
    sources = [path for end in ("cpp", "S") for path in glob.glob(f"{folder}/net*.{end}")]
    run([*shlex.split(os.environ.get("CXX", "g++")), "-std=c++17", "-march=" + target, "-pthread",
         *shlex.split(os.environ.get("CXXFLAGS", "-O3")), "-I" + folder, SOURCE, *sources,
         "-o", folder + "/run"])
    return folder


def measure(o, programs):
    """Times of a token and of the streaming read, in milliseconds, and figures of the program."""
    times = {}
    for _ in range(o.rounds):
        for key, folder in programs.items():
            for past in o.past:
                if past >= key[2]:
                    continue
                words = run([folder + "/run", folder + "/net_weights.bin", str(past), str(o.steps)])
                least, median, read, size, peak = map(float, words.split())
                times.setdefault((*key, past), []).append((least, median, read, size, peak))
    return times


def options():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("onnxc"), parser.add_argument("--keep")
    numbers = lambda text: [int(word) for word in text.split(",")]
    for name, value in (("past", "32,1024"), ("threads", "1,2"), ("capacities", "1088")):
        parser.add_argument("--" + name, type=numbers, default=numbers(value))
    parser.add_argument("--targets", type=lambda text: text.split(","),
                        default=["native", "x86-64-v3"])
    for name, value in ("prompt", 0), ("rounds", 5), ("steps", 40):
        parser.add_argument("--" + name, type=int, default=value)
    o = parser.parse_args()
    o.past = [0] if o.prompt else o.past
    return o


def main():
    o = options()
    with tempfile.TemporaryDirectory() as work:
        folder = o.keep or work
        os.makedirs(folder, exist_ok=True)
        write_model(folder + "/model.onnx", max(o.capacities))
        programs = {(t, n, c): compiled(o, folder + "/model.onnx", f"{folder}/{t}_{n}_{c}", t, n, c)
                    for t in o.targets for n in o.threads for c in o.capacities}
        times = measure(o, programs)
    print("| target | threads | capacity | past | ms, least | median | tokens/s | read GB/s | % of it | peak MB |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for key, rows in times.items():
        least, size, peak = min(r[0] for r in rows), rows[0][3], max(r[4] for r in rows)
        median = statistics.median(r[1] for r in rows)
        # The read is that of any program with as many threads: the machine is the same.
        read = min(r[2] for other, all_rows in times.items() if other[1] == key[1]
                   and other[3] == key[3] for r in all_rows)
        print("| %s | %d | %d | %d |" % key, f"{least:.2f} | {median:.2f} | {1000 / least:.0f} | "
              f"{size / read * 1e-6:.1f} | {100 * read / least:.0f} | {peak * 1e-6:.0f} |")


if __name__ == "__main__":
    main()
