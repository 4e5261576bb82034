"""Fills the recipes of package managers with the version, addresses and hashes of a release.

A recipe is a folder of compiler/cmake/packaging/. In its files *.in, @VERSION@, @HOMEPAGE@, and
@NAME x@, @URL x@, @SHA256 x@, @SHA512 x@, @SRI x@ of the file onnxc-VERSION-x are replaced.
"""
import base64
import hashlib
import json
import os
import re

PACKAGING = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECIPES = ("conan", "conda", "homebrew", "nix", "scoop", "vcpkg", "winget")
MARK = re.compile(r"@([A-Z0-9]+)(?: ([\w.-]+))?@")


class Missing(Exception):
    """A recipe needs a file that this release does not have."""


def value(release, what, which):
    if which is None:
        return {"VERSION": release.version, "HOMEPAGE": release.options.homepage}[what]
    name = f"onnxc-{release.version}-{which}"
    if name not in [artefact.name for artefact in release.artefacts]:
        raise Missing(name)
    if what == "NAME":
        return name
    if what == "URL":
        return f"{release.options.address}/{name}"
    with open(os.path.join(release.output, name), "rb") as file:
        data = file.read()
    if what == "SRI":
        return "sha256-" + base64.b64encode(hashlib.sha256(data).digest()).decode()
    return {"SHA256": hashlib.sha256, "SHA512": hashlib.sha512}[what](data).hexdigest()


def filled(release, recipe):
    """(name, text) of the files of a recipe."""
    folder = os.path.join(PACKAGING, recipe)
    for name in sorted(os.listdir(folder)):
        if not os.path.isfile(os.path.join(folder, name)):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        if name == "vcpkg.json":  # in the tree it has no version
            port = json.loads(text)
            port = {("version" if k == "version-string" else k): v for k, v in port.items()}
            text = json.dumps({**port, "version": release.version}, indent=2) + "\n"
        if name.endswith(".in"):
            name, text = name[:-len(".in")], MARK.sub(lambda m: value(release, m.group(1), m.group(2)), text)
        yield name, text


def fill(release):
    """Writes OUTPUT/recipes and an archive of it."""
    folder = os.path.join(release.output, "recipes")
    for recipe in RECIPES:
        try:
            files = list(filled(release, recipe))
        except Missing as missing:
            print(f"recipe {recipe}: left out, there is no {missing}")
            continue
        os.makedirs(os.path.join(folder, recipe))
        for name, text in files:
            with open(os.path.join(folder, recipe, name), "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
    if os.path.isdir(folder):
        packed = f"onnxc-{release.version}-recipes"
        release.tar_gz(packed + ".tar.gz", folder, packed)
