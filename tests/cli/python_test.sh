#!/usr/bin/env bash
# onnxc python: packages give what was recorded, for every kind of input and output; errors are exceptions; wheels.
. "$(dirname "$0")/check.sh"
needs numpy onnx
export XDG_CACHE_HOME=$work/cache CXXFLAGS=-O1 PYTHONDONTWRITEBYTECODE=1

cat >models.py <<'END'
"""Models for what the examples do not have."""
import onnx
from onnx import TensorProto as T, helper as h

def save(name, nodes, inputs, outputs, initializers=(), opsets=(("", 17), ("ai.onnx.ml", 3))):
    graph = h.make_graph(nodes, name, inputs, outputs, initializers)
    model = h.make_model(graph, opset_imports=[h.make_opsetid(*o) for o in opsets], ir_version=8)
    onnx.save(model, name + ".onnx")

value = h.make_tensor_value_info
save("pick", [h.make_node("Gather", ["table", "at"], ["class"])], [value("at", T.INT64, ["n"])],
     [value("class", T.FLOAT, ["n", 2])], [h.make_tensor("table", T.FLOAT, [3, 2], [0, 1, 2, 3, 4, 5])])
save("ones", [h.make_node("NonZero", ["x"], ["where"]), h.make_node("ReduceSum", ["x"], ["total"], keepdims=0)],
     [value("x", T.FLOAT, ["n", "m"])], [value("where", T.INT64, [2, "k"]), value("total", T.FLOAT, [])])
classifier = h.make_node("LinearClassifier", ["x"], ["label", "scores"], domain="ai.onnx.ml",
                         coefficients=[1.0, 0.0, 0.0, 1.0, -1.0, -1.0], intercepts=[0.0, 0.0, 0.5],
                         classlabels_strings=["cat", "dog", "cow"], post_transform="SOFTMAX")
zip_map = h.make_node("ZipMap", ["scores"], ["probabilities"], domain="ai.onnx.ml",
                      classlabels_strings=["cat", "dog", "cow"])
maps = onnx.TypeProto()
maps.sequence_type.elem_type.map_type.key_type = T.STRING
maps.sequence_type.elem_type.map_type.value_type.tensor_type.elem_type = T.FLOAT
save("pets", [classifier, zip_map], [value("x", T.FLOAT, [2, 2])],
     [value("label", T.STRING, [2]), h.make_value_info("probabilities", maps)])
save("upper", [h.make_node("StringNormalizer", ["words"], ["upper"], case_change_action="UPPER")],
     [value("words", T.STRING, ["n"])], [value("upper", T.STRING, ["n"])])
pair = h.make_sequence_type_proto(h.make_tensor_type_proto(T.FLOAT, [None]))
save("split", [h.make_node("SequenceAt", ["given", "one"], ["second"]), h.make_node("SequenceErase", ["given", "one"], ["rest"])],
     [h.make_value_info("given", pair)], [value("second", T.FLOAT, ["n"]), h.make_value_info("rest", pair)],
     [h.make_tensor("one", T.INT64, [], [1])])
END
"$python" models.py
"$onnxc" python "$mlp" -o flowers -q
"$onnxc" python "$cnn" -o shapes -q --weights incbin
"$onnxc" python "$cnn" -o outside -q --weights extern
"$onnxc" python "$cnn" -o threads -q --threads 2
"$onnxc" python "$source_dir/tests/golden/dynamic.onnx" -o dynamic -q
for name in pick ones pets upper split; do "$onnxc" python $name.onnx -o $name -q; done
"$onnxc" python pets.onnx -o scores -q --zipmap tensor

recorded() { # package, data
  "$python" - "$@" <<'END'
import importlib, glob, os, sys
import numpy as np, onnx
from onnx import numpy_helper
package = importlib.import_module(sys.argv[1])
for folder in glob.glob(sys.argv[2]):
    def read(kind):
        files = sorted(glob.glob(f"{folder}/{kind}_*.pb"))
        return [numpy_helper.to_array(onnx.load_tensor(f)) for f in files]
    got = package.run(*read("input"))
    want = read("output")
    got = [got] if len(want) == 1 else got
    for g, w in zip(got, want):
        assert g.shape == w.shape and g.dtype == w.dtype, (g.shape, g.dtype)
        assert np.max(np.abs(g - w)) <= 1e-6, np.max(np.abs(g - w))
END
}
check "recorded data" recorded flowers "$examples/01_mlp/test_data_set_*"
check "weights in a file" recorded shapes "$examples/02_cnn/test_data_set_*"
check "weights outside" recorded outside "$examples/02_cnn/test_data_set_*"
check "threads" recorded threads "$examples/02_cnn/test_data_set_*"

says() { # what, script: it runs without an exception
  check "$1" "$python" -c "import numpy as np
def raises(kind, text, f, *args, **named):
    try: f(*args, **named)
    except kind as e: assert text in str(e), str(e)
    else: assert False, 'no error'
$2"
}
says "names and shapes" "
import flowers
assert str(flowers.inputs) == '(lengths: f32[1,4],)' and flowers.inputs[0].shape == (1, 4)
assert flowers.outputs[0].dtype == np.float32
y = flowers.run(lengths=[[6.1, 2.9, 4.7, 1.4]])
assert y.shape == (1, 3) and y.argmax() == 1"
says "open sizes" "
import dynamic
x = np.random.default_rng(1).standard_normal((3, 5, 8)).astype(np.float32)
whole = dynamic.run(x)
assert whole.shape == (3, 5, 8)
parts = np.concatenate([dynamic.run(x[i:i + 1]) for i in range(3)])
assert np.abs(whole - parts).max() <= 1e-6
assert dynamic.run(x[:0]).shape == (0, 5, 8)"
says "sizes that the data decide; scalars; several outputs" "
import ones
r = ones.run(np.eye(3, 4, dtype=np.float32))
assert (r.where == [[0, 1, 2], [0, 1, 2]]).all() and r.total == 3 and r.total.shape == ()
assert ones.run(np.ones((30, 40), np.float32)).where.shape == (2, 1200)
assert ones.run(np.zeros((2, 2), np.float32)).where.shape == (2, 0)"
says "a classifier: strings and maps" "
import pets
r = pets.run([[3, 0], [-2, -2]])
assert list(r.label) == ['cat', 'cow'] and list(r.probabilities[0]) == ['cat', 'dog', 'cow']
assert abs(sum(r.probabilities[1].values()) - 1) < 1e-6 and r.probabilities[0]['cat'] > 0.9"
says "its scores as a tensor" "
import pets, scores
a, b = pets.run([[3, 0], [-2, -2]]), scores.run([[3, 0], [-2, -2]])
assert scores.outputs[1].labels == ['cat', 'dog', 'cow'] and b.probabilities.shape == (2, 3)
assert all(b.probabilities[i, j] == np.float32(a.probabilities[i][k]) for i in range(2) for j, k in enumerate(scores.outputs[1].labels))"
says "strings that the run makes" "
import upper
assert list(upper.run(['a', 'straße' * 100, ''])) == ['A', 'STRASSE' * 100, ''] or list(upper.run(['ab'])) == ['AB']"
says "sequences" "
import split
r = split.run([np.float32([1]), np.float32([2, 3]), np.float32([])])
assert list(r.second) == [2, 3] and len(r.rest) == 2 and list(r.rest[0]) == [1] and r.rest[1].shape == (0,)"
says "a word of Python as a name" "
import pick
assert pick.outputs[0].identifier == 'class_' and pick.run([2, 0]).tolist() == [[4, 5], [0, 1]]"
says "errors" "
import flowers, pick
raises(pick.ModelError, 'an index points outside', pick.run, [3])
raises(ValueError, \"'lengths' has shape (4,), not (1, 4)\", flowers.run, np.zeros(4, np.float32))
raises(TypeError, \"'at_' is float64, not int64\", pick.run, np.zeros(2))
raises(TypeError, \"misses input 'at_'\", pick.run)
raises(TypeError, \"no input 'to'\", pick.run, [1], to=2)
raises(TypeError, \"no input 'length'\", flowers.run, length=[1])
raises(TypeError, 'takes 1 inputs', pick.run, [1], [2])
raises(TypeError, 'twice', pick.run, [1], at=[1])"
says "runs in threads, and in a child" "
import os, threading, threads
x = np.random.default_rng(1).standard_normal((1, 1, 16, 16)).astype(np.float32)
want, got = threads.run(x), []
ts = [threading.Thread(target=lambda: got.append(threads.run(x))) for _ in range(8)]
[t.start() for t in ts]; [t.join() for t in ts]
assert len(got) == 8 and all((g == want).all() for g in got)
child = os.fork()
if child == 0: os._exit(0 if (threads.run(x) == want).all() else 1)
assert os.waitpid(child, 0)[1] == 0"

# Wheels hold the compiled library: no compiler is needed to use one.
wheel() {
  "$python" -m pip wheel --no-build-isolation --no-deps --no-index -q ./"$1" -w wheels &&
    "$python" -m pip install --no-deps --no-index -q --target site wheels/"$1"-*.whl
}
"$python" -c 'import setuptools, wheel, pip' 2>/dev/null && {
  rm -f flowers/_flowers-* outside/_outside-*
  check "a wheel" wheel flowers
  check "a wheel with weights outside" wheel outside
  check "for this kind of machine" sh -c "ls wheels/flowers-1.0.0-py3-none-linux_*.whl"
  mkdir elsewhere
  check "it needs no compiler" sh -c "cd elsewhere && CXX=false PYTHONPATH=../site '$python' -c \
    'import flowers; assert flowers.run([[6.1, 2.9, 4.7, 1.4]]).argmax() == 1 and \"site\" in flowers.__file__'"
  check "weights are in it" sh -c "cd elsewhere && CXX=false PYTHONPATH=../site '$python' -c 'import outside; outside.run(__import__(\"numpy\").zeros((1, 1, 16, 16), \"f\"))'"
}
check "no compiler: a clear error" sh -c \
  "rm -f pick/_pick-*; CXX=no-such-compiler '$python' -c 'import pick' 2>&1 | grep -q 'ImportError: .*no-such-compiler'"
check "a broken compiler: its message" sh -c "CXX=false '$python' -c 'import pick' 2>&1 | grep -q 'ImportError: pick: false failed'"

# README: from PyTorch to Python.
"$python" -c 'import torch' 2>/dev/null && {
  mkdir readme
  awk '/^From PyTorch to Python/ { on = 1 } /^## / { on = 0 } on' "$source_dir/README.md" |
    awk '/^```/ { if ($0 != "```") name = "readme/" ++n substr($0, 4); else name = ""; next } name { print > name }'
  (cat readme/1python; echo 'torch.save(net, "net.pt")') >readme/export.py
  (cat readme/3python; echo 'import torch'
    echo 'assert (abs(probability - torch.load("net.pt")(torch.from_numpy(x)).detach().numpy()) <= 1e-6).all()') >readme/use.py
  check "README: PyTorch" sh -c "cd readme && '$python' export.py"
  check "README: onnxc" sh -c "cd readme && PATH=$(dirname "$onnxc"):\$PATH && . ./2sh"
  check "README: Python" sh -c "cd readme && '$python' use.py"
}

says "the signature" "
import flowers, inspect, pick
assert str(inspect.signature(flowers.run)) == '(lengths)' and str(inspect.signature(pick.run)) == '(at_)'"
stub() { grep -qxF "$2" "$1/__init__.pyi"; }
check "types: the signature" stub ones 'def run(x: ArrayLike) -> Outputs: ...'
check "types: an output" stub ones '    where: NDArray[np.int64]'
check "types: one output" stub flowers 'def run(lengths: ArrayLike) -> NDArray[np.float32]: ...'
check "types: Python" "$python" -c "import ast, glob
for f in glob.glob('*/__init__.pyi'): ast.parse(open(f).read())"
check "native, and says so" sh -c "'$onnxc' python '$mlp' -o spoken 2>&1 | grep -q 'note.target.: for machines like this one'"
check "a package that would hide another" prints "'numpy' would hide" "$onnxc" python "$mlp" -o numpy
check "a board" prints "no Python runs there" "$onnxc" python "$mlp" -o board --target cortex-m4f
check "nothing is written" test ! -e numpy -a ! -e board
check "a name that Python cannot import" exits 2 "$onnxc" python "$mlp" -o class
check "an option without a use" exits 2 "$onnxc" python "$mlp" -o flowers --hook
check "a bad model" exits 1 "$onnxc" python models.py -o flowers
check "the same bytes again" sh -c "cp -r flowers before && '$onnxc' python '$mlp' -o flowers -q && diff -r -x '*.so' -x build -x '*.egg-info' before flowers"
finish
