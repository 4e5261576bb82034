#!/usr/bin/env python3
"""Compares the greedy tokens of compiled int4 language models with a float64 evaluation.

usage: greedy_tokens.py ONNXC [--positions 1000] [--seeds 3] [--layers 2] [--hidden 128]
           [--heads 4] [--kv-heads 2] [--ffn 256] [--vocab 512] [--part 40] [--random-every 0]
           [--weights FILE.npz] [--keep DIR] [-- OPTION...]
    FILE.npz: float weights [columns, depth] in place of random ones, by the names of weights() here,
        as train_tokens.py writes them
    OPTION: of onnxc, like --target native or --threads 2

The models have the form that ONNX Runtime GenAI's builder writes for CPUs: MatMulNBits with 4 bits,
GroupQueryAttention with rotary embedding, caches of fixed capacity. The compiled model generates
its greedy tokens one at a time, after a random first one. With --random-every N each Nth token is
a random one, for models that repeat themselves. A second compilation reads the same tokens in
parts of --part. The reference, by NumPy, evaluates the dequantised weights in float64 after the
same tokens, so that one tie does not end the comparison.

Prints one row for each model and each way to read: positions, how many have the same greedy token,
ties (another token, but the two logits of the reference are within 1e-5 of the largest), those that
differ, different tokens chosen, the smallest distance of the two largest logits of the reference,
and the largest error of a logit, both relative to the largest logit of the position. The exit code
is 0 if no token differs. Code is compiled with $CXX and $CXXFLAGS (default: g++ -O2).
Needs python3-onnx and python3-numpy.
"""
import argparse
import glob
import os
import shlex
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BLOCK = 32
EPSILON = 1e-5
THETA = 10000.0
TIE = 1e-5
CONTRIB = "com.microsoft"
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "greedy_tokens.cpp")


def weights(o, seed):
    """Float weights by name, [columns, depth]; those of --weights in place of random ones."""
    random = np.random.default_rng(seed)
    kv = o.hidden // o.heads * o.kv_heads
    shapes = {"embed": (o.vocab, o.hidden), "norm": (o.hidden,), "head": (o.vocab, o.hidden)}
    for i in range(o.layers):
        shapes.update({f"{i}.norm": (o.hidden,), f"{i}.q": (o.hidden, o.hidden),
                       f"{i}.k": (kv, o.hidden), f"{i}.v": (kv, o.hidden),
                       f"{i}.o": (o.hidden, o.hidden), f"{i}.mlp_norm": (o.hidden,),
                       f"{i}.gate": (o.ffn, o.hidden), f"{i}.up": (o.ffn, o.hidden),
                       f"{i}.down": (o.hidden, o.ffn)})
    given = np.load(o.weights) if o.weights else {}
    out = {}
    for name, shape in shapes.items():
        gain = len(shape) == 1
        value = random.uniform(0.8, 1.2, shape) if gain else random.standard_normal(shape)
        if not gain and name != "embed":
            value /= np.sqrt(shape[1])
        out[name] = np.asarray(given[name] if name in given else value, np.float32)
        if out[name].shape != shape:
            sys.exit(f"{o.weights}: {name}: {out[name].shape} in place of {shape}")
    return out


class Int4:
    """A matrix [columns, depth] in blocks of 4-bit integers with a scale each; 8 is zero."""

    def __init__(self, matrix):
        blocks = matrix.reshape(len(matrix), -1, BLOCK)
        peak = np.take_along_axis(blocks, np.abs(blocks).argmax(-1)[..., None], -1)
        self.scale = np.where(peak == 0, 1, peak / -8).astype(np.float32)
        self.level = np.clip(np.rint(blocks / self.scale) + 8, 0, 15).astype(np.uint8)

    def packed(self):
        return self.level[..., 0::2] | self.level[..., 1::2] << 4

    def float64(self):
        value = (self.level.astype(np.float64) - 8) * self.scale
        return value.reshape(len(value), -1)


def quantised(floats):
    """What the model holds: q, k and v are one matrix, all but the embedding is int4."""
    out = dict(floats)
    for name in [n for n in floats if n.endswith(".q")]:
        parts = [out.pop(name[:-1] + part) for part in "qkv"]
        out[name[:-1] + "qkv"] = np.concatenate(parts)
    return {n: Int4(w) if w.ndim == 2 and n != "embed" else w for n, w in out.items()}


def rotary(o):
    """Cosines and sines of the angles, [positions, half a head]: float32, as the model has them."""
    half = o.hidden // o.heads // 2
    angle = np.arange(o.capacity)[:, None] / THETA ** (np.arange(half) / half)
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


class Builder:
    """Writes the model as ONNX."""

    def __init__(self, o, held):
        self.o, self.held, self.nodes, self.constants = o, held, [], []

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind, inputs, outputs, domain="", **attributes):
        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def linear(self, name, x, output=None):
        matrix = self.held[name]
        columns, blocks, _ = matrix.level.shape
        data = self.constant(name + ".q4", matrix.packed())
        scales = self.constant(name + ".scales", matrix.scale.reshape(-1))
        return self.node("MatMulNBits", [x, data, scales], [output or name + ".out"], CONTRIB,
                         K=blocks * BLOCK, N=columns, bits=4, block_size=BLOCK, accuracy_level=4)

    def skip_norm(self, name, x, skip):
        """The norm of the sum, and the sum."""
        outputs = [name + ".out", "", "", name + ".sum"]
        gain = self.constant(name, self.held[name])
        self.node("SkipSimplifiedLayerNormalization", [x, skip, gain], outputs, CONTRIB,
                  epsilon=EPSILON)
        return outputs[0], outputs[3]

    def lengths(self):
        """attention_mask -> seqlens_k, total_sequence_length."""
        axis, one = self.constant("axis", np.array([1])), self.constant("one", np.array(1))
        total = self.node("ReduceSum", ["attention_mask", axis], ["ones"], keepdims=0)
        last = self.node("Sub", [total, one], ["last"])
        shape = self.node("Shape", ["attention_mask"], ["mask_shape"])
        length = self.node("Gather", [shape, one], ["length"], axis=0)
        return [self.node("Cast", [x], [name], to=TensorProto.INT32)
                for x, name in ((last, "seqlens_k"), (length, "total_sequence_length"))]

    def attention(self, i, x, shared):
        o = self.o
        caches = [f"{p}.{i}.{n}" for p in ("past_key_values", "present") for n in ("key", "value")]
        x = self.linear(f"{i}.qkv", x)
        x = self.node("GroupQueryAttention", [x, "", "", *caches[:2], *shared],
                      [f"{i}.attention", *caches[2:]], CONTRIB, num_heads=o.heads,
                      kv_num_heads=o.kv_heads, do_rotary=1, rotary_interleaved=0,
                      scale=(o.hidden // o.heads) ** -0.5)
        return self.linear(f"{i}.o", x)

    def feed_forward(self, i, x):
        gate = self.linear(f"{i}.gate", x)
        sigmoid = self.node("Sigmoid", [gate], [f"{i}.sigmoid"])
        silu = self.node("Mul", [gate, sigmoid], [f"{i}.silu"])
        return self.linear(f"{i}.down", self.node("Mul", [silu, self.linear(f"{i}.up", x)],
                                                  [f"{i}.product"]))

    def body(self):
        cos, sin = rotary(self.o)
        shared = [*self.lengths(), self.constant("cos", cos), self.constant("sin", sin)]
        residual = self.node("Gather", [self.constant("embed", self.held["embed"]), "input_ids"],
                             ["embedded"])
        x = self.node("SimplifiedLayerNormalization",
                      [residual, self.constant("0.norm", self.held["0.norm"])], ["0.norm.out"],
                      axis=-1, epsilon=EPSILON, stash_type=1)
        for i in range(self.o.layers):
            x, residual = self.skip_norm(f"{i}.mlp_norm", self.attention(i, x, shared), residual)
            after = f"{i + 1}.norm" if i + 1 < self.o.layers else "norm"
            x, residual = self.skip_norm(after, self.feed_forward(i, x), residual)
        self.linear("head", x, "logits")

    def model(self):
        o = self.o
        info = helper.make_tensor_value_info
        inputs = [info(name, TensorProto.INT64, ["batch_size", length]) for name, length in
                  (("input_ids", "sequence_length"), ("attention_mask", "total_sequence_length"))]
        outputs = [info("logits", TensorProto.FLOAT, ["batch_size", "sequence_length", o.vocab])]
        for i in range(o.layers):
            for part in "key", "value":
                for ports, when, axis in ((inputs, "past_key_values", "past_sequence_length"),
                                          (outputs, "present", "present_sequence_length")):
                    shape = ["batch_size", o.kv_heads, axis, o.hidden // o.heads]
                    ports.append(info(f"{when}.{i}.{part}", TensorProto.FLOAT, shape))
        self.body()
        graph = helper.make_graph(self.nodes, "decoder", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, ir_version=10, opset_imports=opsets)


class Reference:
    """The model in float64, all positions at once."""

    def __init__(self, o, held):
        self.o = o
        self.held = {n: w.float64() if isinstance(w, Int4) else w.astype(np.float64)
                     for n, w in held.items()}
        self.cos, self.sin = (x[:o.positions].astype(np.float64) for x in rotary(o))

    def norm(self, name, x):
        mean = np.mean(x * x, -1, keepdims=True)
        return x / np.sqrt(mean + EPSILON) * self.held[name]

    def rotated(self, x):
        first, second = np.split(x, 2, -1)
        return np.concatenate([first * self.cos - second * self.sin,
                               second * self.cos + first * self.sin], -1)

    def attention(self, i, x):
        o = self.o
        size = o.hidden // o.heads
        heads = (x @ self.held[f"{i}.qkv"].T).reshape(len(x), -1, size).transpose(1, 0, 2)
        q, k, v = np.split(heads, [o.heads, o.heads + o.kv_heads])
        k, v = (np.repeat(y, o.heads // o.kv_heads, 0) for y in (self.rotated(k), v))
        score = self.rotated(q) @ k.transpose(0, 2, 1) / np.sqrt(size)
        score = np.where(np.tri(len(x), dtype=bool), score, -np.inf)
        score = np.exp(score - score.max(-1, keepdims=True))
        y = score / score.sum(-1, keepdims=True) @ v
        return y.transpose(1, 0, 2).reshape(len(x), -1) @ self.held[f"{i}.o"].T

    def feed_forward(self, i, x):
        gate = x @ self.held[f"{i}.gate"].T
        product = gate / (1 + np.exp(-gate)) * (x @ self.held[f"{i}.up"].T)
        return product @ self.held[f"{i}.down"].T

    def logits(self, tokens):
        x = self.held["embed"][tokens]
        for i in range(self.o.layers):
            x = x + self.attention(i, self.norm(f"{i}.norm", x))
            x = x + self.feed_forward(i, self.norm(f"{i}.mlp_norm", x))
        return self.norm("norm", x) @ self.held["head"].T


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")


def machine(rest):
    """Flags of the compiler for the --target of onnxc; $CXXFLAGS has those of others."""
    target = dict(zip(rest, rest[1:])).get("--target", "")
    return ["-march=" + target] if target == "native" or target.startswith("x86-64") else []


def compiled(o, model, length, folder):
    """A program that reads `length` tokens in each step."""
    os.makedirs(folder)
    sizes = {"batch_size": 1, "sequence_length": length, "past_sequence_length": o.capacity,
             "total_sequence_length": f"1..{o.capacity}"}
    dims = [word for name, size in sizes.items() for word in ("--dim", f"{name}={size}")]
    run([o.onnxc, model, "-o", folder + "/net", *dims, *o.rest])
    with open(folder + "/caches.inc", "w") as file:
        for i in range(o.layers):
            for part in "key", "value":
                file.write(f"CACHE(past_key_values_{i}_{part}, present_{i}_{part})\n")
    with open(folder + "/net.h") as file:
        in_place = file.read().count("in place  out->present_") == 2 * o.layers
    sources = [path for end in ("cpp", "S") for path in glob.glob(f"{folder}/net*.{end}")]
    run([*shlex.split(os.environ.get("CXX", "g++")), "-std=c++17",
         *shlex.split(os.environ.get("CXXFLAGS", "-O2")), *machine(o.rest), "-pthread",
         f"-DIN_PLACE={in_place:d}", "-I" + folder, SOURCE, *sources,
         "-o", folder + "/run"])
    return folder


def logits_of(o, folder, tokens):
    padded = np.zeros(o.capacity, np.int64)
    padded[:o.positions] = tokens
    padded.tofile(folder + "/tokens")
    run([folder + "/run", folder + "/tokens", folder + "/logits"])
    return np.fromfile(folder + "/logits", np.float32).reshape(-1, o.vocab)[:o.positions]


def generated(o, folder, seed):
    """The tokens that a compiled model goes through, and its logits."""
    tokens = np.full(o.positions, -1, np.int64)
    random = np.random.default_rng(seed + 1)
    every = o.random_every or o.positions
    tokens[::every] = random.integers(0, o.vocab, len(tokens[::every]))
    got = logits_of(o, folder, tokens)
    greedy = np.concatenate([[0], got.argmax(-1)[:-1]])
    return np.where(tokens < 0, greedy, tokens), got


def row(name, got, want):
    """Prints what a model does; whether no token differs."""
    if not np.isfinite(got).all():
        print(f"{name}: logits that are not finite")
        return False
    every = np.arange(len(want))
    largest = np.abs(want).max(-1)
    ours, best = got.argmax(-1), want.argmax(-1)
    behind = (want[every, best] - want[every, ours]) / largest
    equal, tied = ours == best, (ours != best) & (behind <= TIE)
    second, first = np.sort(want, -1)[:, -2:].T
    gap = (first - second) / largest
    error = np.abs(got - want).max(-1) / largest
    differing = np.flatnonzero(~equal & ~tied)
    print(f"{name:24} {len(want):9} {equal.sum():6} {tied.sum():5} {len(differing):9} "
          f"{len(set(ours)):8} {gap.min():13.1e} {error.max():6.1e}", flush=True)
    for at in differing[:3]:
        print(f"    position {at}: token {ours[at]}, not {best[at]}, {behind[at]:.1e} apart")
    return len(differing) == 0


def compare(o, seed, folder):
    held = quantised(weights(o, seed))
    os.makedirs(folder, exist_ok=True)
    onnx.save(Builder(o, held).model(), folder + "/model.onnx")
    model = folder + "/model.onnx"
    tokens, got = generated(o, compiled(o, model, 1, folder + "/one"), seed)
    want = Reference(o, held).logits(tokens)
    good = row(f"seed {seed}, one by one", got, want)
    got = logits_of(o, compiled(o, model, o.part, folder + "/parts"), tokens)
    return row(f"seed {seed}, {o.part} at a time", got, want) and good


def options():
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("onnxc"), parser.add_argument("--weights"), parser.add_argument("--keep")
    sizes = {"positions": 1000, "seeds": 3, "layers": 2, "hidden": 128, "heads": 4, "kv-heads": 2,
             "ffn": 256, "vocab": 512, "part": 40, "random-every": 0}
    for name, value in sizes.items():
        parser.add_argument("--" + name, type=int, default=value)
    o = parser.parse_args(words[:split])
    o.rest = words[split + 1:]
    if o.hidden % BLOCK or o.ffn % BLOCK or o.hidden % (2 * o.heads) or o.heads % o.kv_heads:
        parser.error("sizes that heads, or blocks of %d, do not divide" % BLOCK)
    o.capacity = -(-o.positions // o.part) * o.part
    return o


def main():
    o = options()
    print(f"{'model':24} positions  equal  ties differing   chosen  smallest gap   error")
    failed = 0
    for seed in range(1, o.seeds + 1):
        with tempfile.TemporaryDirectory() as work:
            folder = os.path.join(o.keep or work, f"seed_{seed}")
            failed += not compare(o, seed, folder)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
