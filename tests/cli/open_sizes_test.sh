#!/usr/bin/env bash
# Sizes that depend on the inputs: work and memory in terms of them, in every place that shows
# figures; the options of a compilation for every command that reads a model.
. "$(dirname "$0")/check.sh"

needs numpy onnx
"$python" - <<'END'
import os

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as n


def save(name, nodes, inputs, outputs, weights=()):
    graph = h.make_graph(nodes, name, inputs, outputs, list(weights))
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, name + ".onnx")


value = h.make_tensor_value_info
weight = n.from_array(np.ones((1000, 1024), np.float32) / 1000, "w")
save("dense", [h.make_node("MatMul", ["x", "w"], ["m"]), h.make_node("MatMul", ["m", "v"], ["y"])],
     [value("x", T.FLOAT, ["batch", 1000])], [value("y", T.FLOAT, ["batch", 4])],
     [weight, n.from_array(np.ones((1024, 4), np.float32), "v")])
save("two", [h.make_node("MatMul", ["a", "b"], ["y"])],
     [value("a", T.FLOAT, ["rows", None]), value("b", T.FLOAT, ["inner", 3])],
     [value("y", T.FLOAT, ["rows", 3])])
save("ports", [h.make_node("MatMul", ["x", "w"], ["m"]), h.make_node("Add", ["m", "bias"], ["y"])],
     [value("x", T.FLOAT, ["batch", "length", 4]), value("bias", T.FLOAT, [3])],
     [value("y", T.FLOAT, ["batch", "length", 3])],
     [n.from_array(np.arange(12, dtype=np.float32).reshape(4, 3), "w")])
# Pooling by 2 twice: neither 1 nor odd sizes of a few rows do.
save("picture", [h.make_node("MaxPool", ["x"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
                 h.make_node("MaxPool", ["p"], ["y"], kernel_shape=[2, 2], strides=[2, 2])],
     [value("x", T.FLOAT, ["n", 3, "height", "width"])], [value("y", T.FLOAT, ["n", 3, None, None])])
save("gather", [h.make_node("Gather", ["x", "i"], ["y"])],
     [value("x", T.FLOAT, [1]), value("i", T.INT64, [64])], [value("y", T.FLOAT, [64])])
save("words", [h.make_node("Identity", ["x"], ["y"])], [value("x", T.STRING, ["n", 3])],
     [value("y", T.STRING, ["n", 3])])
save("first", [h.make_node("SequenceAt", ["s", "k"], ["y"])],
     [h.make_tensor_sequence_value_info("s", T.FLOAT, [2])], [value("y", T.FLOAT, [2])],
     [n.from_array(np.array(0), "k")])
data = h.make_sequence("s", onnx.SequenceProto.TENSOR,
                       [n.from_array(np.ones(2, np.float32), "t")] * 2)
os.mkdir("data")
open("data/input_0.pb", "wb").write(data.SerializeToString())
END

in_file() { grep -qF -- "$1" "$2" || { head -n 30 "$2"; return 1; }; }
work='about 1.03 M * batch'
heap='about 4.0 KiB * batch'

check "summary" prints "RAM 0 bytes and a heap of $heap, $work MAC" \
  "$onnxc" dense.onnx -o open/dense --report open/r.json
check "header: work" in_file "work      $work MAC" open/dense.h
check "header: heap" in_file "$heap at its peak" open/dense.h
check "JSON: work" in_file '"macs": "1028096*batch"' open/r.json
check "JSON: heap" in_file '"heap_bytes": "4096*batch"' open/r.json
check "inspect: work" prints "work        $work MAC" "$onnxc" inspect dense.onnx
check "inspect: heap" prints "heap $heap" "$onnxc" inspect dense.onnx
check "inspect: hint" prints "batch is open: --dim batch=1 gives it a fixed size" "$onnxc" inspect dense.onnx
check "inspect: JSON" prints '"heap_bytes": "4096*batch"' "$onnxc" inspect dense.onnx --json

# What the allocator provides is what the figure says.
program "the heap is that large" open_sizes -Iopen open/dense*.cpp

"$onnxc" ports.onnx -o open/ports -q
program "tensors with open dimensions" open_ports -Iopen open/ports.cpp

bound="--dim batch=1..8"
check "bounded summary" prints "KiB, at most 8.22 MMAC" \
  "$onnxc" dense.onnx -o bound/dense $bound --report bound/r.json
check "bounded header" in_file "work      at most 8.22 MMAC" bound/dense.h
check "bounded JSON" in_file '"most_macs": 8224768' bound/r.json
check "bounded inspect" prints "work        at most 8.22 MMAC" "$onnxc" inspect dense.onnx $bound
check "fixed inspect" prints "work        2.06 MMAC" "$onnxc" inspect dense.onnx --dim batch=2

for command in inspect check "verify $examples/01_mlp" bench; do
  model=
  [ "${command#verify}" != "$command" ] || model=$mlp
  # shellcheck disable=SC2086
  check "${command%% *} takes the options of a compilation" \
    exits 0 "$onnxc" $command $model -o x/y --name abc --target native --optimize size --no-heap \
    --ram-limit 1M -q
done
check "inspect, after dashes" prints "work        2.06 MMAC" "$onnxc" inspect dense.onnx -- --dim batch=2
check "check judges budgets" exits 3 "$onnxc" check dense.onnx --dim batch=1 --ram-limit 1K
check "check within them" exits 0 "$onnxc" check dense.onnx --dim batch=1 --ram-limit 1M
check "check: wrong size" exits 1 "$onnxc" check dense.onnx --dim bach=1
check "help leaves idle options out" sh -c "! '$onnxc' bench --help | grep -q -- --namespace"

check "bench takes 1" prints "batch is open: measured with --dim batch=1" "$onnxc" bench dense.onnx
check "bench takes sizes that compile" prints "measured with --dim rows=1 --dim a.1=1 --dim inner=1" \
  "$onnxc" bench two.onnx
picture="--dim n=1 --dim height=224 --dim width=224"
check "bench of a picture" prints "measured with $picture;" "$onnxc" bench picture.onnx
check "hint of a picture" prints "are open: $picture give them" "$onnxc" inspect picture.onnx
check "what fixed sizes save" prints "a fixed size and code of about" "$onnxc" inspect picture.onnx
# shellcheck disable=SC2086
check "the hint compiles" exits 0 "$onnxc" check picture.onnx $picture
check "work of the sizes that run" sh -c \
  "'$onnxc' bench dense.onnx --dim batch=1..4 --json 2>/dev/null | grep -q '\"macs_of_run\": 4112384'"
check "rates of the sizes that run" sh -c \
  "! '$onnxc' bench dense.onnx --dim batch=1..4 --profile 2>/dev/null | grep ' 0.00 \|?'"
check "how to choose another" prints "; --dim gives other sizes" "$onnxc" bench dense.onnx
check "bench, fixed" sh -c "! '$onnxc' bench dense.onnx --dim batch=3 2>&1 | grep 'is open'"
check "bench, bounded" prints "measured at batch=8" "$onnxc" bench dense.onnx $bound
notes_of_targets() { # words of bench
  "$onnxc" bench dense.onnx --targets generic,native "$@" 2>&1 >/dev/null | grep -c 'note\[open-size\]'
}
check "bench of targets tells once what it takes" [ "$(notes_of_targets)" = 1 ]
# shellcheck disable=SC2086
check "bench of targets tells once how large" [ "$(notes_of_targets $bound)" = 1 ]
check "bench of a status" exits 1 "$onnxc" bench gather.onnx
check "the status and the input" prints "the run ends with BAD_INDEX for random values of 'x' f32[1], 'i' i64[64]" \
  "$onnxc" bench gather.onnx
check "bench of strings" exits 0 "$onnxc" bench words.onnx
check "bench wants a sequence" exits 2 "$onnxc" bench first.onnx
check "bench of a sequence" exits 0 "$onnxc" bench first.onnx --data data
finish
