#!/usr/bin/env python3
"""What a schema cannot say about the statements of a release.

usage: check_statements.py spdx FOLDER VERSION | provenance FOLDER VERSION COMMIT
"""
import collections
import json
import os
import sys


def load(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def sums(folder):
    with open(os.path.join(folder, "SHA256SUMS"), encoding="utf-8") as file:
        return {name: digest for digest, name in (line.split() for line in file)}


def spdx(folder, version):
    tree, known = load(folder, f"onnxc-{version}.spdx.json"), sums(folder)
    ids = [tree["SPDXID"], *(package["SPDXID"] for package in tree["packages"])]
    assert len(set(ids)) == len(ids), collections.Counter(ids).most_common(1)
    files = {p["SPDXID"]: p for p in tree["packages"] if "packageFileName" in p}
    for package in files.values():
        assert package["checksums"][0]["checksumValue"] == known[package["packageFileName"]], package
        assert package["downloadLocation"].endswith("/" + package["packageFileName"]), package
    kinds = collections.Counter(r["relationshipType"] for r in tree["relationships"])
    assert kinds["DESCRIBES"] == len(files), kinds
    for r in tree["relationships"]:
        assert r["spdxElementId"] in ids and r["relatedSpdxElement"] in ids, r
    described = {r["relatedSpdxElement"] for r in tree["relationships"]}
    assert described == set(ids) - {tree["SPDXID"]}, set(ids) - described
    assert kinds["STATIC_LINK"] > 0 and kinds["DEPENDS_ON"] > 0, kinds


def provenance(folder, version, commit):
    tree, known = load(folder, f"onnxc-{version}.provenance.json"), sums(folder)
    subjects = {s["name"]: s["digest"]["sha256"] for s in tree["subject"]}
    assert all(known[name] == digest for name, digest in subjects.items()), subjects
    made_later = {f"onnxc-{version}.provenance.json", f"onnxc-{version}-recipes.tar.gz"}
    assert set(known) - set(subjects) == made_later, set(known) ^ set(subjects)
    used = tree["predicate"]["buildDefinition"]["resolvedDependencies"]
    assert used[0]["digest"]["gitCommit"] == commit, used[0]
    assert any(m.get("name") == "linux/onnxc" for m in used), used
    assert any(m.get("uri", "").startswith("pkg:deb/debian/libprotobuf-dev@") for m in used), used


if __name__ == "__main__":
    {"spdx": spdx, "provenance": provenance}[sys.argv[1]](*sys.argv[2:])
