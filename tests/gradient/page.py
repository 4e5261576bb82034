#!/usr/bin/env python3
"""Writes the table of errors into docs/gradients.md, below its heading, as powers of ten.

usage: page.py errors.tsv docs/gradients.md    errors.tsv is what rules_test.sh leaves
"""
import math
import sys

HEADING = "## Measured errors\n"


def power(text):
    """An error rounded up to a power of ten: what does not change from machine to machine."""
    if not text:
        return ""
    value = float(text)
    return "0" if value == 0 else f"1e{math.ceil(math.log10(value))}"


def main():
    errors, page = sys.argv[1:]
    lines = ["", "| row | first derivative | second derivative |", "|---|---|---|"]
    for line in open(errors):
        name, first, second, _ = line.rstrip("\n").split("\t")
        lines.append(f"| {name} | {power(first)} | {power(second)} |")
    text = open(page).read()
    head = text[:text.index(HEADING) + len(HEADING)]
    with open(page, "w") as f:
        f.write(head + "\n".join(lines) + "\n")


main()
