"""Compiles the model's C++ into a shared library, with $CXX and $CXXFLAGS, once."""
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

_SUFFIX = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")


def read_spec(folder):
    with open(os.path.join(folder, "model.json"), encoding="utf-8") as file:
        return json.load(file)


def file_name(spec):
    """Changes with the code, so that no old library is taken for a new one."""
    return spec["library"] + _SUFFIX


def library(folder, spec):
    """The path of the library: next to this file, or in the user's cache where that is
    read-only."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    places = [folder, os.path.join(cache, "onnxc")]
    for place in places:
        path = os.path.join(place, file_name(spec))
        if os.path.exists(path):
            return path
    for place in places:
        try:
            os.makedirs(place, exist_ok=True)
        except OSError:
            continue
        if os.access(place, os.W_OK):
            return compile_to(folder, spec, place)
    return compile_to(folder, spec, tempfile.mkdtemp(prefix="onnxc"))


def compile_to(folder, spec, place):
    """Compiles the library into a folder; returns its path."""
    path = os.path.join(place, file_name(spec))
    unfinished = f"{path}.{os.getpid()}"
    source = os.path.join(folder, "src")
    command = [*_compiler(), "-std=c++17", *shlex.split(os.environ.get("CXXFLAGS", "-O3")), *spec["flags"],
               "-shared", "-fPIC", "-fvisibility=hidden", '-DONNXC_API=__attribute__((visibility("default")))',
               "-I", source, *(os.path.join(source, s) for s in spec["sources"]), "-o", unfinished,
               *(["-lm"] if sys.platform != "win32" else [])]
    try:
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    except OSError as error:
        raise ImportError(f"{spec['name']}: {command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise ImportError(f"{spec['name']}: {command[0]} failed:\n{done.stderr[:2000]}")
    os.replace(unfinished, path)
    return path


def _compiler():
    if os.environ.get("CXX"):
        return shlex.split(os.environ["CXX"])
    for name in ("g++", "clang++", "c++"):
        if shutil.which(name):
            return [name]
    raise ImportError("no C++ compiler found: set CXX, or install the package as a wheel")
