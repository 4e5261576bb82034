#!/usr/bin/env python3
"""Finds, for every (operator, since_version) of docs/OPERATORS.md, a case that contains it.

Rewrites coverage.tsv next to it. Cases of our own named after the operator come first, then those
of the release that Debian packages, then any other of the given folders. With the standard's
Changelog*.md, operators that docs/OPERATORS.md does not list yet count as well.
usage: coverage.py ONNXC [CHANGELOG.md...] CASES_FOLDER...    Needs python3-onnx.
"""
import os
import re
import subprocess
import sys
import tempfile

import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGED = "/v1.12.0/"


def known_versions():
    """domain, operator -> since_versions."""
    versions, domain = {}, ""
    for line in open(os.path.join(HERE, "../../docs/OPERATORS.md")):
        cells = [c.strip() for c in line.split("|")]
        if line.startswith("## "):
            domain = line[3:].strip()
        elif len(cells) > 3 and re.match(r"\d+(, \d+)*$", cells[2]):
            versions[domain, cells[1]] = [int(v) for v in cells[2].split(",")]
    return versions


def standard_versions(path):
    """As known_versions, from headings like <a name="ai.onnx.ml.Scaler-1">."""
    versions = {}
    for name, version in re.findall(r'^### <a name="([\w.]+)-(\d+)">', open(path).read(), re.M):
        domain, _, op = name.rpartition(".")
        versions.setdefault((domain or "ai.onnx", op), []).append(int(version))
    return {key: sorted(all) for key, all in versions.items()}


def nodes_of(nodes, opsets):
    for n in nodes:
        yield n.domain or "ai.onnx", n.op_type, opsets
        for a in n.attribute:
            for g in [a.g] + list(a.graphs):
                yield from nodes_of(g.node, opsets)


def pairs_of(path, versions):
    model = onnx.load(path, load_external_data=False)
    imports = lambda m: {i.domain or "ai.onnx": i.version for i in m.opset_import}
    nodes = list(nodes_of(model.graph.node, imports(model)))
    for f in model.functions:
        nodes += nodes_of(f.node, imports(f))
    for domain, op, opsets in nodes:
        known = versions.get((domain, op), [])
        in_force = [v for v in known if v <= opsets.get(domain, 0)]
        if in_force:
            yield domain, op, in_force[-1]


def models(folder):
    for base, _, files in os.walk(folder, followlinks=True):
        if "model.onnx" in files:
            yield os.path.relpath(base, folder), os.path.join(base, "model.onnx")


def own_models(onnxc, work):
    """Of the files of cases, named cases/FILE.case:NAME."""
    subprocess.check_call([onnxc, "verify", "--export", work, os.path.join(HERE, "cases")])
    for name, path in models(work):
        yield "cases/%s.case:%s" % tuple(name.split(os.sep)), path


def rank(name, pair):
    if re.match(r"cases/\w+\.case:%s_%d(_|$)" % pair[1:], name):
        return 0, name
    return 1 if PACKAGED in name else 2, name


def main(onnxc, paths):
    versions, first = {}, {}
    for changelog in (p for p in paths if p.endswith(".md")):
        versions.update(standard_versions(changelog))
    versions.update(known_versions())
    with tempfile.TemporaryDirectory() as work:
        found = [own_models(onnxc, work)] + [models(p) for p in paths if not p.endswith(".md")]
        for name, path in (pair for group in found for pair in group):
            for pair in pairs_of(path, versions):
                first[pair] = min(first.get(pair, name), name, key=lambda n: rank(n, pair))
    with open(os.path.join(HERE, "coverage.tsv"), "w") as out:
        out.write("# domain, operator, since_version, a case with it; by coverage.py\n")
        for pair in sorted(first):
            out.write("%s\t%s\t%d\t%s\n" % (pair + (first[pair],)))
    missing = [(d, o, v) for (d, o), all in versions.items() for v in all if (d, o, v) not in first]
    for pair in sorted(missing):
        print("no case: %s %s %d" % pair)
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
