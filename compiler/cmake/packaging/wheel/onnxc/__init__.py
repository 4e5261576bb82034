# SPDX-License-Identifier: Apache-2.0
"""ONNX models as functions of numpy arrays, by way of C++ that this machine's compiler builds.

    model = onnxc.compile("model.onnx")
    y = model(x)
"""
import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile

__all__ = ["CompileError", "Model", "compile", "program"]


class CompileError(RuntimeError):
    """The model cannot become a function. `status` is the exit code of onnxc, or None if the C++ compiler failed."""

    def __init__(self, text, status=None):
        super().__init__(text)
        self.status = status


class Model:
    """A compiled model. `inputs` and `outputs` are its ports, `module` is the package that `onnxc python` wrote."""

    def __init__(self, module):
        self.module, self.inputs, self.outputs = module, module.inputs, module.outputs

    def __call__(self, *arrays, **named):
        """The outputs, as `run` of docs/python.md gives them. Raises ValueError, TypeError, and ModelError of the module."""
        return self.module.run(*arrays, **named)

    def __repr__(self):
        return f"Model({', '.join(map(repr, self.inputs))} -> {', '.join(map(repr, self.outputs))})"


def program():
    """The path of the onnxc that was installed with this module, else of the one on PATH."""
    try:
        files = importlib.metadata.files("onnxc") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name in ("onnxc", "onnxc.exe"):
            return str(file.locate().resolve())
    path = shutil.which("onnxc")
    if path is None:
        raise CompileError("no onnxc on PATH")
    return path


def compile(model, *options):
    """Makes a Model of the path of a model, of its bytes, or of an onnx.ModelProto.

    options: those of `onnxc compile`, one string each, such as "--dim", "batch=8". The C++ is compiled with $CXX
    $CXXFLAGS (default: g++ -O3) and kept in $XDG_CACHE_HOME/onnxc for the same code. Raises CompileError.
    """
    os.makedirs(_cache(), exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="new-", dir=_cache()) as folder:
        generated = _generate(_path_of(model, folder), folder, options)
        with open(os.path.join(generated, "model.json"), encoding="utf-8") as file:
            name = json.load(file)["library"]
        kept = os.path.join(_cache(), "models", name)
        _keep(generated, kept)
    return Model(_load(f"_onnxc_{name}", kept))


def _cache():
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "onnxc")


def _path_of(model, folder):
    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    data = model if isinstance(model, (bytes, bytearray, memoryview)) else model.SerializeToString()
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(data)
    return path


def _generate(path, folder, options):
    generated = os.path.join(folder, "package", "model")
    done = subprocess.run([program(), "python", path, "-o", generated, "-q", *options], stderr=subprocess.PIPE, text=True,
                          encoding="utf-8", check=False)
    if done.returncode != 0:
        raise CompileError(done.stderr.strip(), done.returncode)
    return generated


def _keep(generated, kept):
    """Moves what was generated to where it stays, unless it is there: its name stands for its text."""
    os.makedirs(os.path.dirname(kept), exist_ok=True)
    try:
        os.rename(generated, kept)
    except OSError:
        if not os.path.isdir(kept):
            raise


def _load(name, folder):
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, "__init__.py"),
                                                  submodule_search_locations=[folder])
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        del sys.modules[name]
        raise CompileError(str(error)) from error
    except BaseException:
        del sys.modules[name]
        raise
    return module


def __getattr__(name):
    if name == "__version__":
        return importlib.metadata.version("onnxc")
    raise AttributeError(f"module 'onnxc' has no attribute {name!r}")
