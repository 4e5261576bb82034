#!/usr/bin/env bash
# The wheel in a fresh environment: the program, models from paths and bytes as functions, errors, the same bytes twice.
# usage: wheel_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
needs numpy
python=/usr/bin/python3 make=$source_dir/compiler/cmake/packaging/wheel/make_wheel.py
"$python" -c 'import ensurepip' 2>/dev/null || { echo "skipped: needs python3-venv"; exit 77; }
export XDG_CACHE_HOME=$work/cache CXXFLAGS=-O0

check "a wheel" "$python" "$make" "$onnxc" wheels "$source_dir/SECURITY.md"
check "the same bytes" sh -c "'$python' '$make' '$onnxc' again '$source_dir/SECURITY.md' && cmp wheels/*.whl again/*.whl"
rm -rf venv
check "an environment" "$python" -m venv --system-site-packages venv
check "install" venv/bin/pip install --no-index --no-deps wheels/*.whl
check "the program" sh -c "venv/bin/onnxc --version | grep -qx '$("$onnxc" --version)'"

cat >use.py <<'END'
import os
import sys

import numpy
import onnxc

folder = sys.argv[1]
assert os.path.samefile(onnxc.program(), "venv/bin/onnxc"), onnxc.program()
model = onnxc.compile(folder + "/01_mlp/model.onnx")
lengths = numpy.array([[6.1, 2.8, 4.7, 1.2]], "f4")
want = model(lengths)
assert want.shape == (1, 3) and abs(want.sum() - 1) < 1e-5, want
with open(folder + "/01_mlp/model.onnx", "rb") as file:
    data = file.read()
assert (onnxc.compile(data)(lengths=lengths) == want).all()
assert model.inputs[0].identifier == "lengths", model
assert onnxc.compile(data).module is onnxc.compile(data).module

def error(f):
    try:
        f()
    except onnxc.CompileError as found:
        return found
    raise AssertionError("no error")

broken = error(lambda: onnxc.compile(data[:100]))
assert broken.status == 1 and "not an ONNX model" in str(broken), broken
option = error(lambda: onnxc.compile(data, "--no-such-option"))
assert option.status == 2, option.status
os.environ["CXX"] = "/no/compiler"
none = error(lambda: onnxc.compile(folder + "/02_cnn/model.onnx"))
assert none.status is None and "/no/compiler" in str(none), none
END
check "models are functions" venv/bin/python use.py "$source_dir/examples"
check "nothing unfinished stays" [ -z "$(find cache/onnxc -maxdepth 1 -name 'new-*')" ]
finish
