#!/usr/bin/env python3
"""Random models with Gradient nodes as a file of cases; PyTorch gives the expected values.

usage: models.py FIRST_SEED COUNT OUT.case

Equal seeds give equal models. A model has nodes of most differentiable operators, with broadcasting
and shared values, If, Loop and Scan with random bodies, and Gradients by inputs, weights and
intermediate tensors, at the tensors themselves or at other points, of Gradients, and in bodies.
"""
import random
import sys

import torch

from builder import Builder
from graph import literal, type_of

HEAD = '<ir_version: 10, opset_import: ["": 22, "ai.onnx.preview.training": 1]>'

def model(seed):
    b = Builder(random.Random(seed), f"m{seed}")
    empty = b.random.random() < 0.08
    for _ in range(b.random.randint(2, 4)):
        rank = b.random.randint(0, 3)
        shape = [b.random.choice([0, 1, 2] if empty else [1, 2, 3, 4]) for _ in range(rank)]
        b.weight(shape)
    gradients = []
    for _ in range(b.random.randint(1, 3)):
        b.grow(b.random.randint(3, 12))
        gradients += b.gradient()
    return b, gradients


def case(seed):
    b, gradients = model(seed)
    values = b.env.values
    if not all(torch.isfinite(values[g]).all() and
               (values[g].numel() == 0 or values[g].detach().abs().max() < 1e6) for g in gradients):
        return ""
    results = gradients + [o for o in dict.fromkeys(b.random.sample(b.pool, min(3, len(b.pool))))
                           if o not in gradients and o not in b.inputs + b.weights]
    def typed(names):
        return ", ".join(f"{type_of(values[n])} {n}" for n in names)
    weights = ", ".join(f"{type_of(values[w])} {w} = {literal(values[w])}" for w in b.weights)
    lines = [f"=== {b.graph.name}", HEAD,
             f"({typed(b.inputs)}) => ({typed(results)}) {f'<{weights}> ' if weights else ''}{{"]
    lines += [n.text().rstrip() for n in b.graph.nodes] + ["}", "rtol 1e-8 atol 1e-8"]
    lines += [f"given {type_of(values[i])} {i} = {literal(values[i])}" for i in b.inputs]
    lines += [f"expect {type_of(values[r])} {r} = {literal(values[r])}" for r in results]
    return "\n".join(lines) + "\n\n"


def main():
    first, count, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with open(out, "w") as f:
        for seed in range(first, first + count):
            f.write(case(seed))


main()
