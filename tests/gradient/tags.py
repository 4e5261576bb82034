#!/usr/bin/env python3
"""Operators that the standard tags as differentiable, against the tables of rules.

usage: tags.py TABLE...    Prints what is wrong; the exit code says whether something is.

tagged.tsv has the 120 operators of ai.onnx with a differentiable input and a differentiable output,
as its document Operators.md states them: name, inputs, and `missing` where there is no
rule yet. Any other operator must be in a row of the tables; a missing one must not.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    tables = "".join(open(path).read() for path in sys.argv[1:])
    problems = []
    for line in open(os.path.join(HERE, "tagged.tsv")):
        name, _, missing = line.rstrip("\n").split("\t")
        tested = re.search(rf"\b{name} [<(]", tables) is not None
        if tested == bool(missing):
            problems.append(f"{name}: {'has a row now' if tested else 'no row tests its derivative'}")
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
