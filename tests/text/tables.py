#!/usr/bin/env python3
"""Writes the tables of Unicode below compiler/ops/text from Python's unicodedata, or compares.

usage: tables.py [--check] [ROOT]

With --check it writes nothing and fails where a table differs; a Python with another version of
Unicode is skipped: the tables state theirs.
"""
import argparse
import os
import re
import sys
import unicodedata

LAST = 0x10FFFF


def categories():
    """Where a general category begins; one that alternates with the next is stored as a pair."""
    names = [unicodedata.category(chr(c)) for c in range(LAST + 1)]
    c = 0
    while c <= LAST:
        end = c + 1
        if c < LAST and names[c + 1] != names[c]:
            while end <= LAST and names[end] == names[c + (end - c) % 2]:
                end += 1
        if end - c >= 4:  # "Lu Ll Lu Ll": one row
            end -= (end - c) % 2
            yield c, end - 1, names[c], names[c + 1]
        else:
            end = c + 1
            while end <= LAST and names[end] == names[c]:
                end += 1
            if names[c] != "Cn":
                yield c, end - 1, names[c], names[c]
        c = end


def decompositions():
    """Single steps: the character, whether canonical, what it becomes."""
    for c in range(LAST + 1):
        text = unicodedata.decomposition(chr(c))
        if not text:
            continue
        words = text.split()
        canonical = not words[0].startswith("<")
        yield c, canonical, [int(w, 16) for w in words if not w.startswith("<")]


def excluded():
    """Canonical decompositions into pairs that composition does not undo."""
    for c, canonical, parts in decompositions():
        if canonical and len(parts) == 2 and unicodedata.normalize("NFC", chr(c)) != chr(c):
            yield c


def classes():
    """Runs of equal combining classes other than 0."""
    first, last, kind = 0, -1, 0
    for c in range(LAST + 2):
        here = unicodedata.combining(chr(c)) if c <= LAST else 0
        if here != kind:
            if kind:
                yield first, last, kind
            first, kind = c, here
        last = c


def wrapped(items):
    line, out = "", []
    for item in items:
        if len(line) + len(item) > 99:
            out.append(line.rstrip())
            line = ""
        line += item + " "
    return out + [line.rstrip()]


def tables():
    version = unicodedata.unidata_version
    head = f"// Unicode {version}, written by tests/text/tables.py: "
    rows = [f"{{{a},{b},\"{x}\",\"{y}\"}}," for a, b, x, y in categories()]
    yield "unicode_categories.inc", [
        head + "first, last, categories of even and", "// odd places from the first on."
    ] + wrapped(rows)
    rows = [",".join(map(str, [c, int(k), len(p), *p])) + "," for c, k, p in decompositions()]
    yield "unicode_decompositions.inc", [
        head + "character, whether canonical,", "// the number of characters that it becomes, these."] + wrapped(rows)
    yield "unicode_excluded.inc", [
        head + "characters that", "// composition does not make of their two parts."
    ] + wrapped(f"{c}," for c in excluded())
    yield "unicode_classes.inc", [head + "first, last,", "// combining class."] + wrapped(
        f"{{{a},{b},{k}}}," for a, b, k in classes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("root", nargs="?", default=os.path.join(os.path.dirname(__file__), "../.."))
    args = parser.parse_args()
    failures = 0
    for name, lines in tables():
        path = os.path.join(args.root, "compiler/ops/text", name)
        text = "\n".join(lines) + "\n"
        if not args.check:
            with open(path, "w") as file:
                file.write(text)
            continue
        with open(path) as file:
            have = file.read()
        version = re.match(r"// Unicode ([\d.]+)", have).group(1)
        if version != unicodedata.unidata_version:
            print(f"skip: {name} is of Unicode {version}, Python knows {unicodedata.unidata_version}")
            failures += bool(os.environ.get("NO_SKIP"))
        elif have != text:
            print(f"FAIL {name} is not what this script writes")
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
