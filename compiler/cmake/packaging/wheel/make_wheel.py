#!/usr/bin/env python3
"""Packs onnxc and its Python module into a wheel; the same bytes for the same program.

usage: make_wheel.py PROGRAM FOLDER [LICENCE...]

PROGRAM is a static Linux program, an onnxc.exe, or a program with shared libraries, whose wheel fits machines like this
one only. The wheel's name, which says for which machines it is, is printed. LICENCE: texts of what is linked in.
"""
import base64
import hashlib
import os
import re
import struct
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine of ELF
PT_INTERP = 3


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(onnxc VERSION ([0-9.]+)", file.read()).group(1)


def platform(program):
    """The platform tag of a program, by its first bytes."""
    if program[:2] == b"MZ":
        return "win_amd64"
    if program[:5] != b"\x7fELF\x02":
        sys.exit("neither a 64-bit ELF program nor an exe")
    machine = MACHINES.get(struct.unpack_from("<H", program, 18)[0])
    if machine is None:
        sys.exit("a program for another machine than x86-64 and aarch64")
    table, size, count = struct.unpack_from("<Q", program, 32)[0], *struct.unpack_from("<HH", program, 54)
    kinds = {struct.unpack_from("<I", program, table + i * size)[0] for i in range(count)}
    if PT_INTERP in kinds:
        return f"linux_{machine}"
    return f"manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}"


def metadata(name):
    return (f"Metadata-Version: 2.1\nName: onnxc\nVersion: {name}\n"
            "Summary: Compiles ONNX models to standalone C++\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.8\nRequires-Dist: numpy\n").encode()


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def files_of(program, tag, licences):
    """(name, bytes, whether it runs) of each file of the wheel."""
    name = version()
    info, windows = f"onnxc-{name}.dist-info", program[:2] == b"MZ"
    tags = "".join(f"Tag: py3-none-{t}\n" for t in tag.split("."))
    yield "onnxc/__init__.py", read(HERE, "onnxc", "__init__.py"), False
    yield f"onnxc-{name}.data/scripts/onnxc{'.exe' if windows else ''}", program, True
    for licence in [os.path.join(ROOT, "LICENSE"), *licences]:
        yield f"{info}/licenses/{os.path.basename(licence)}", read(licence), False
    yield f"{info}/METADATA", metadata(name), False
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: onnxc\nRoot-Is-Purelib: false\n{tags}".encode(), False


def row(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def add(archive, name, data, runs=False):
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    # pip gives the right to run to regular files only.
    entry.external_attr = (0o100755 if runs else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


def make(program_path, folder, licences):
    """Writes the wheel into a folder, and returns its path."""
    program = read(program_path)
    tag = platform(program)
    path = os.path.join(folder, f"onnxc-{version()}-py3-none-{tag}.whl")
    os.makedirs(folder, exist_ok=True)
    with zipfile.ZipFile(path + ".new", "w") as archive:
        record = ""
        for name, data, runs in files_of(program, tag, licences):
            add(archive, name, data, runs)
            record += row(name, data)
        record_name = f"onnxc-{version()}.dist-info/RECORD"
        add(archive, record_name, (record + f"{record_name},,\n").encode())
    os.replace(path + ".new", path)
    return path


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    print(make(arguments[0], arguments[1], arguments[2:]))


if __name__ == "__main__":
    main(sys.argv[1:])
