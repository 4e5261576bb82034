#!/usr/bin/env python3
"""Makes the files of a release from build folders: archives, wheels, checksums, a list of parts, recipes.

usage: release.py OUTPUT BUILD_FOLDER... [--address URL] [--homepage URL] [--builder URI] [--shared]

A build folder has what it has: a program, onnxc.exe, Debian packages, the package for node. Programs that need libraries
are packed with --shared only. ADDRESS is the folder that the files will be downloaded from. The same input gives the
same bytes: times are SOURCE_DATE_EPOCH, by default that of the commit.
"""
import argparse
import collections
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGING = os.path.dirname(HERE)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(PACKAGING)))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(PACKAGING, "wheel")]
import make_wheel  # noqa: E402
import recipes  # noqa: E402
import statements  # noqa: E402

# A file of the release. parts: what is linked into it. needs: packages that it asks for, of a Debian package.
Artefact = collections.namedtuple("Artefact", "name parts needs")
MACH_O = b"\xcf\xfa\xed\xfe"
MACH_O_MACHINES = {0x01000007: "x86_64", 0x0100000C: "arm64"}


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"git {words[0]}: {done.stderr.decode().strip()}")
    return done.stdout


def system_of(program):
    """The system of a program, such as linux-x86_64, and whether it runs without libraries of others."""
    if program[:4] == MACH_O:
        return "macos-" + MACH_O_MACHINES[struct.unpack_from("<I", program, 4)[0]], True
    tag = make_wheel.platform(program)
    if tag == "win_amd64":
        return "windows-x86_64", True
    machine = "aarch64" if tag.endswith("aarch64") else "x86_64"
    return f"linux-{machine}", not tag.startswith("linux_")


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


class Release:
    """What is collected: the folder, and the artefacts in it."""

    def __init__(self, options, version, epoch):
        self.options, self.version, self.epoch = options, version, epoch
        self.output, self.artefacts, self.inputs = options.output, [], {}

    def add(self, name, data, parts=(), needs=()):
        if any(artefact.name == name for artefact in self.artefacts):
            sys.exit(f"two build folders have {name}")
        write(os.path.join(self.output, name), data)
        self.artefacts.append(Artefact(name, list(parts), list(needs)))

    def input(self, folder, name):
        """A file of a build folder, which the statement about the build names with its hash."""
        data = read(folder, name)
        self.inputs[f"{os.path.basename(os.path.abspath(folder))}/{name}"] = hashlib.sha256(data).hexdigest()
        return data

    def tar_gz(self, name, folder, top, parts=()):
        """Packs a folder as `top`, sorted and without what differs from machine to machine."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path in files_below(folder):
                self.add_to_tar(archive, top, folder, path)
        self.add(name, self.compress(packed.getvalue()), parts)

    def add_to_tar(self, archive, top, folder, path):
        entry = tarfile.TarInfo(f"{top}/{path}")
        data = read(folder, path)
        entry.size, entry.mtime = len(data), self.epoch
        entry.mode = 0o755 if os.access(os.path.join(folder, path), os.X_OK) else 0o644
        archive.addfile(entry, io.BytesIO(data))

    def compress(self, data):
        packed = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=self.epoch) as file:
            file.write(data)
        return packed.getvalue()

    def zip(self, name, folder, parts):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for path in files_below(folder):
                make_wheel.add(archive, path, read(folder, path), os.access(os.path.join(folder, path), os.X_OK))
        self.add(name, packed.getvalue(), parts)


def files_below(folder):
    found = [os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names]
    return sorted(path.replace(os.sep, "/") for path in found)


def parts_of(folder):
    """What licences.cmake wrote about the libraries in a program."""
    path = os.path.join(folder, "parts.json")
    if not os.path.exists(path):
        sys.exit(f"{folder} has no parts.json: configure it again")
    return json.loads(read(path))


def stage(folder, program, stage_folder):
    """The files of an archive: what the build installs, or the program and the licences."""
    if os.path.exists(os.path.join(folder, "cmake_install.cmake")) and not program.endswith(".exe"):
        command = ["cmake", "--install", folder, "--prefix", stage_folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr.strip())
        return
    for name, source in ((f"bin/{program}", os.path.join(folder, program)),
                         ("lib/cmake/onnxc/OnnxcAddModel.cmake", os.path.join(ROOT, "compiler/cmake/OnnxcAddModel.cmake")),
                         ("share/doc/onnxc/copyright", os.path.join(ROOT, "LICENSE")),
                         ("share/doc/onnxc/THIRD_PARTY_LICENSES", os.path.join(folder, "THIRD_PARTY_LICENSES"))):
        if os.path.exists(source):
            target = os.path.join(stage_folder, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(source, target)
    os.chmod(os.path.join(stage_folder, "bin", program), 0o755)


def add_program(release, folder, name):
    system, alone = system_of(release.input(folder, name))
    if not alone and not release.options.shared:
        return
    parts = parts_of(folder) if alone and not system.startswith("macos") else []
    with tempfile.TemporaryDirectory() as stage_folder:
        stage(folder, name, stage_folder)
        packed = f"onnxc-{release.version}-{system}{'' if alone else '-shared'}"
        if name.endswith(".exe"):
            release.zip(packed + ".zip", stage_folder, parts)
        else:
            release.tar_gz(packed + ".tar.gz", stage_folder, packed, parts)
    if alone and not system.startswith("macos"):
        add_wheel(release, os.path.join(folder, name), os.path.join(folder, "THIRD_PARTY_LICENSES"), parts)


def add_wheel(release, program, licences, parts):
    with tempfile.TemporaryDirectory() as folder:
        more = [licences] if os.path.exists(licences) else []
        path = make_wheel.make(program, folder, more)
        release.add(os.path.basename(path), read(path), parts)


def add_debian_packages(release, folder):
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".deb"):
            continue
        if not name.startswith(f"onnxc_{release.version}_"):
            sys.exit(f"{folder}/{name} is not of version {release.version}")
        asked = subprocess.run(["dpkg-deb", "-f", os.path.join(folder, name), "Depends"], capture_output=True, text=True,
                               check=True).stdout.strip()
        needs = [need.strip() for need in asked.split(",") if need.strip()]
        release.add(name, release.input(folder, name), [] if needs else parts_of(folder), needs)


def add_node_package(release, folder):
    package = os.path.join(folder, "package")
    if not os.path.exists(os.path.join(package, "onnxc_node.wasm")):
        return
    for path in files_below(package):
        release.input(folder, "package/" + path)
    release.tar_gz(f"onnxc-{release.version}-wasm.tgz", package, "package", parts_of(folder))


def collect(release, folder):
    before = len(release.artefacts)
    cache = os.path.join(folder, "CMakeCache.txt")
    if os.path.exists(cache):
        found = re.search(r"^CMAKE_PROJECT_VERSION:\w+=(.*)$", read(cache).decode(), re.M)
        if found and found.group(1) != release.version:
            sys.exit(f"{folder} is a build of version {found.group(1)}, not {release.version}")
    for name in ("onnxc", "onnxc.exe"):
        if os.path.isfile(os.path.join(folder, name)):
            add_program(release, folder, name)
    add_debian_packages(release, folder)
    add_node_package(release, folder)
    if len(release.artefacts) == before:
        sys.exit(f"nothing of a release in {folder}")


def checksums(folder):
    names = sorted(name for name in os.listdir(folder) if name != "SHA256SUMS" and os.path.isfile(os.path.join(folder, name)))
    return "".join(f"{hashlib.sha256(read(folder, name)).hexdigest()}  {name}\n" for name in names)


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--address", default="https://onnxc.invalid/releases")
    parser.add_argument("--homepage", default="https://onnxc.invalid")
    parser.add_argument("--builder", default="urn:onnxc:by-hand")
    parser.add_argument("--shared", action="store_true")
    return parser.parse_args(words)


def main(words):
    options = arguments(words)
    version = make_wheel.version()
    commit = git("rev-parse", "HEAD").decode().strip()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct"))
    if os.path.isdir(options.output) and os.listdir(options.output):
        sys.exit(f"{options.output} is not empty")
    os.makedirs(options.output, exist_ok=True)
    release = Release(options, version, epoch)
    for folder in options.folders:
        collect(release, folder)
    source = git("archive", "--format=tar", f"--prefix=onnxc-{version}/", "HEAD")
    release.add(f"onnxc-{version}-source.tar.gz", release.compress(source))
    statements.write_parts(release)
    statements.write_provenance(release, commit, bool(git("status", "--porcelain", "-uno").strip()))
    recipes.fill(release)
    write(os.path.join(options.output, "SHA256SUMS"), checksums(options.output).encode())
    print("\n".join(sorted(os.listdir(options.output))))


if __name__ == "__main__":
    main(sys.argv[1:])
