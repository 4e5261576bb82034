#!/usr/bin/env python3
"""Trains the language model of greedy_tokens.py on text, byte by byte, and writes its float weights.

usage: train_tokens.py FILE.npz TEXT... [--steps 600] [--length 256] [--batch 8] [--layers 2]
           [--hidden 128] [--heads 4] [--kv-heads 2] [--ffn 256]

TEXT: files, of which each 50th part is kept for the loss that is printed last, in nats per byte.
Then: greedy_tokens.py ONNXC --weights FILE.npz --vocab 256 --seeds 1 and the same sizes.
Needs python3-torch and python3-numpy.
"""
import argparse
import math

import numpy as np
import torch
from torch.nn import functional

from greedy_tokens import EPSILON, THETA, weights

PARTS = 50


def rotated(x):
    """x: [batch, heads, positions, size], first and second half of a head as pairs."""
    half = x.shape[-1] // 2
    angle = torch.arange(x.shape[2])[:, None] / THETA ** (torch.arange(half) / half)
    cos, sin = torch.cos(angle), torch.sin(angle)
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def norm(x, gain):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPSILON) * gain


class Model:
    """The parameters by the names of greedy_tokens.weights."""

    def __init__(self, o):
        self.o = o
        self.held = {name: torch.tensor(value * (0.1 if name == "embed" else 1.0), requires_grad=True)
                     for name, value in weights(o, 1).items()}

    def attention(self, i, x):
        batch, length, hidden = x.shape
        size = hidden // self.o.heads
        q, k, v = ((x @ self.held[f"{i}.{part}"].T).view(batch, length, -1, size).transpose(1, 2)
                   for part in "qkv")
        shared = self.o.heads // self.o.kv_heads
        k, v = (y.repeat_interleave(shared, 1) for y in (rotated(k), v))
        score = rotated(q) @ k.transpose(-1, -2) / math.sqrt(size)
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        y = score.masked_fill(later, -math.inf).softmax(-1) @ v
        return y.transpose(1, 2).reshape(batch, length, hidden) @ self.held[f"{i}.o"].T

    def feed_forward(self, i, x):
        gate, up = (x @ self.held[f"{i}.{part}"].T for part in ("gate", "up"))
        return (functional.silu(gate) * up) @ self.held[f"{i}.down"].T

    def loss(self, tokens):
        """tokens: [batch, length + 1]."""
        x = self.held["embed"][tokens[:, :-1]]
        for i in range(self.o.layers):
            x = x + self.attention(i, norm(x, self.held[f"{i}.norm"]))
            x = x + self.feed_forward(i, norm(x, self.held[f"{i}.mlp_norm"]))
        logits = norm(x, self.held["norm"]) @ self.held["head"].T
        return functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def samples(text, o):
    at = torch.randint(len(text) - o.length - 1, (o.batch,))
    return torch.stack([text[i:i + o.length + 1] for i in at.tolist()])


def options():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("npz"), parser.add_argument("texts", nargs="+")
    sizes = {"steps": 600, "length": 256, "batch": 8, "layers": 2, "hidden": 128, "heads": 4,
             "kv-heads": 2, "ffn": 256}
    for name, value in sizes.items():
        parser.add_argument("--" + name, type=int, default=value)
    o = parser.parse_args()
    o.vocab, o.weights = 256, None
    return o


def main():
    o = options()
    torch.manual_seed(1)
    text = np.concatenate([np.fromfile(path, np.uint8) for path in o.texts])
    kept = len(text) // PARTS
    text = torch.tensor(text.astype(np.int64))
    model = Model(o)
    optimizer = torch.optim.AdamW(model.held.values(), lr=3e-3, weight_decay=0.01)
    for step in range(o.steps):
        optimizer.param_groups[0]["lr"] = 3e-3 * min(1, (step + 1) / 50, (o.steps - step) / o.steps + 0.02)
        optimizer.zero_grad()
        loss = model.loss(samples(text[kept:], o))
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}: {loss.item():.3f}", flush=True)
    with torch.no_grad():
        print(f"kept text: {np.mean([model.loss(samples(text[:kept], o)).item() for _ in range(8)]):.3f}")
    np.savez(o.npz, **{name: value.detach().numpy() for name, value in model.held.items()})


if __name__ == "__main__":
    main()
