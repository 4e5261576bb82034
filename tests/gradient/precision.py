#!/usr/bin/env python3
"""Compares derivatives in float with those in double, row by row, relative to the largest element.

usage: precision.py float.tsv double.tsv    Prints the rows that differ; the exit code counts.
"""
import math
import sys

LIMIT = 3e-5  # sums of a few dozen products lose some units in the last place
# The rounding of these inputs alone changes the derivatives by more.
LOOSE = {"Cast to float and back": 1e-3}


def rows(path):
    for line in open(path):
        name, *numbers = line.rstrip("\n").split("\t")
        yield name, [float(n) for n in numbers]


def main():
    bad = 0
    for (name, got), (_, want) in zip(rows(sys.argv[1]), rows(sys.argv[2])):
        # Where all derivatives cancel out, only noise is left.
        scale = max([1e-2, *map(abs, want)])
        error = max((abs(a - b) for a, b in zip(got, want)), default=0) / scale
        if not error <= LOOSE.get(name, LIMIT) or not math.isfinite(error):
            print(f"{name}: {error:.1e}")
            bad += 1
    return 1 if bad else 0


sys.exit(main())
