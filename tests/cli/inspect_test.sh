#!/usr/bin/env bash
# inspect: layers, node list, pictures, what a run takes; the JSON has the same.
. "$(dirname "$0")/check.sh"
needs numpy onnx
"$python" - <<'END'
import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as n


def constant(name, value, dtype=np.float32):
    return n.from_array(np.array(value, dtype), name)


weights = [constant("w1", np.ones((8, 16))), constant("w2", np.ones((16, 3))), constant("one", 1.0),
           constant("s", 0.5), constant("z", 3, np.uint8)]
body = h.make_graph([h.make_node("Add", ["a", "one"], ["t"], "inner")], "then", [],
                    [h.make_tensor_value_info("t", T.FLOAT, None)])
other = h.make_graph([h.make_node("Sub", ["a", "one"], ["e"])], "else", [],
                     [h.make_tensor_value_info("e", T.FLOAT, None)])
nodes = [h.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
         h.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
         h.make_node("MatMul", ["d", "w1"], ["a"], "first"),
         h.make_node("If", ["c"], ["b"], "branch", then_branch=body, else_branch=other),
         h.make_node("MatMul", ["b", "w2"], ["m"], "second"),
         h.make_node("Softmax", ["m"], ["y"], 'quote " < & \\ end', axis=-1)]
graph = h.make_graph(nodes, "net", [h.make_tensor_value_info("x", T.FLOAT, ["batch", 8]),
                                    h.make_tensor_value_info("c", T.BOOL, [])],
                     [h.make_tensor_value_info("y", T.FLOAT, ["batch", 3])], weights)
model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)
model.doc_string = "A small net."
entry = model.metadata_props.add()
entry.key, entry.value = "author", "somebody"
onnx.save(model, "net.onnx")

step = h.make_graph([h.make_node("MatMul", ["s", "w"], ["t"]), h.make_node("Identity", ["go"], ["still"])],
                    "step", [h.make_tensor_value_info("i", T.INT64, []), h.make_tensor_value_info("go", T.BOOL, []),
                             h.make_tensor_value_info("s", T.FLOAT, [8, 8])],
                    [h.make_tensor_value_info("still", T.BOOL, []), h.make_tensor_value_info("t", T.FLOAT, [8, 8])])
loop = h.make_graph([h.make_node("Loop", ["n", "", "x"], ["y"], body=step)], "rounds",
                    [h.make_tensor_value_info("n", T.INT64, []), h.make_tensor_value_info("x", T.FLOAT, [8, 8])],
                    [h.make_tensor_value_info("y", T.FLOAT, [8, 8])], [constant("w", np.eye(8))])
onnx.save(h.make_model(loop, opset_imports=[h.make_opsetid("", 17)], ir_version=8), "rounds.onnx")

port = [h.make_tensor_value_info(name, T.FLOAT, [4]) for name in "xby"]
port[0].type.tensor_type.shape.dim[0].denotation = "DATA_CHANNEL"
parts = h.make_graph([h.make_node("BiasGelu", ["x", "b"], ["y"], "both", domain="com.microsoft")], "parts", port[:2],
                     port[2:])
opsets = [h.make_opsetid("", 17), h.make_opsetid("com.microsoft", 1)]
onnx.save(h.make_model(parts, opset_imports=opsets, ir_version=8), "parts.onnx")
END

"$onnxc" inspect net.onnx --layers >text.log
"$onnxc" inspect net.onnx --layers --json >net.json
"$onnxc" inspect net.onnx --nodes >nodes.log
has() { grep -qE -- "$1" "${2:-text.log}" || { cat "${2:-text.log}"; return 1; }; }

check "doc" has '^doc +"A small net\."$'
check "metadata" has '^metadata +"author" = "somebody"$'
check "scale of an input" has '"x"  f32\[batch,8\]  real = \(integer - 3\) \* 0\.5$'
check "hint: size" has '^hint +batch is open: --dim batch=1 gives it a fixed size and code of about [0-9.]+ KiB, not [0-9.]+ KiB, --dim batch=1\.\.8 a bound$'
check "hint: integers" has '^hint +--io int8 makes integers'
check "titles" has '^  layer +operator +output +bytes +parameters +MACs +share$'
check "a layer" has '^  first +MatMul-13 +f32\[batch,16\] +about 64 bytes \* batch +128 +about 128 \* batch MAC +72\.7 %$'
check "its share is the rest" has '^  second +MatMul-13 +f32\[batch,3\] +about 12 bytes \* batch +48 +about 48 \* batch MAC +27\.3 %$'
check "a layer in a branch" has '^    inner +Add-14 +f32\[batch,16\] +about 64 bytes \* batch$'
check "totals" has '^  total +about [0-9]+ bytes \* batch +17[0-9] +about 176 \* batch MAC +100 %$'
"$onnxc" inspect parts.onnx --layers >parts.log
check "the meaning of a dimension, without one of the tensor" has '^denotation +"x" \["DATA_CHANNEL"\]$' parts.log
check "a part of a node" has '^  both/y#1 +Add +f32\[4\] +16 bytes$' parts.log
check "another part" has '^  both/y +Gelu +f32\[4\] +16 bytes$' parts.log
check "without layers" sh -c "! '$onnxc' inspect net.onnx | grep -q '^layers'"
work_is() { [ "$("$onnxc" inspect rounds.onnx "${@:2}" | sed -n 's/^work *//p')" = "$1" ]; }
check "rounds that the data decide" work_is "512 MAC with one round of each loop"
check "rounds that are known" work_is "512 kMAC" --fix-input n=1000
check "bench does not make a rate of one round" sh -c \
  "'$onnxc' bench rounds.onnx | grep -qx 'work      512 MAC with one round of each loop'"
check "JSON: not all rounds" sh -c "'$onnxc' inspect rounds.onnx --json | grep -q '\"macs_complete\": false'"
check "peak" sh -c "'$onnxc' inspect '$cnn' | grep -qE '^peak +[0-9.]+ KiB in use at \"'"

check "node list: graph" has '^graph "net" \(x: f32\[batch,8\], c: bool\[\]' nodes.log
check "node list: a weight" has '^  w1: f32\[8,16\]$' nodes.log
check "node list: a node" has '^  a: f32\[batch,16\] = MatMul-13 \(d, w1\)  # first$' nodes.log
check "node list: an attribute" has 'Softmax-13 \(m\) \{axis=-1\}' nodes.log
check "node list: a body" has '^    graph "then" \(\) -> \(t: f32\[batch,16\]\) \{$' nodes.log
check "node list: in it" has '^      t: f32\[batch,16\] = Add-14 \(a, one\)  # inner$' nodes.log

"$onnxc" inspect net.onnx --graph dot >net.dot
"$onnxc" inspect net.onnx --graph svg >net.svg
check "JSON, dot and svg" "$python" - <<'END'
import json
import re
import xml.etree.ElementTree as xml

net = json.load(open("net.json"))
assert net["doc"] == "A small net." and net["metadata"] == {"author": "somebody"}
assert len(net["hints"]) == 2 and net["hints"][0].startswith("batch is open")
assert (net["inputs"][0]["scale"], net["inputs"][0]["zero_point"]) == (0.5, 3)
assert "scale" not in net["inputs"][1]
layers = {layer["name"]: layer for layer in net["layers"]}
first = layers["first"]
assert (first["operator"], first["parameters"], first["macs"]) == ("MatMul-13", 128, "128*batch")
assert abs(first["share"] - 128 / 176) < 1e-9 and first["outputs"][0]["type"] == "f32[batch,16]"
assert layers["inner"]["depth"] == 1 and layers["inner"]["bytes"] == "64*batch"
assert "peak_bytes" in net and "peak_step" in net

dot = open("net.dot").read()
assert dot.startswith('digraph "net" {') and dot.rstrip().endswith("}")
boxes = dict(re.findall(r'^  (n\d+) \[label="(.*?)\\n', dot, re.M))
assert sorted(boxes.values()) == sorted(
    ["x", "c", "y", "QuantizeLinear", "DequantizeLinear", "MatMul", "If", "MatMul", "Softmax"])
edges = [(boxes[a], boxes[b]) for a, b in re.findall(r"^  (n\d+) -> (n\d+) ", dot, re.M)]
assert sorted(edges) == sorted([
    ("x", "QuantizeLinear"), ("QuantizeLinear", "DequantizeLinear"), ("DequantizeLinear", "MatMul"),
    ("MatMul", "If"), ("c", "If"), ("If", "MatMul"), ("MatMul", "Softmax"), ("Softmax", "y")])
assert r'quote \" < & \\ end' in dot

svg = xml.parse("net.svg").getroot()
space = "{http://www.w3.org/2000/svg}"
rects, paths = list(svg.iter(space + "rect")), list(svg.iter(space + "path"))
assert len(rects) == len(boxes) and len(paths) == len(edges)
x0, y0, width, height = map(float, svg.get("viewBox").split())
places = []
for r in rects:
    x, y, w, h = (float(r.get(k)) for k in ("x", "y", "width", "height"))
    assert x0 <= x and x + w <= x0 + width and y0 <= y and y + h <= y0 + height
    assert all(abs(y - b) > 1 or x + w <= a or a + c <= x for a, b, c in places), "boxes overlap"
    places.append((x, y, w))
titles = ["".join(t.itertext()) for t in svg.iter(space + "title")]
assert any('quote " < & \\ end' in t for t in titles)
for path in paths:
    numbers = list(map(float, re.findall(r"-?[\d.]+", path.get("d"))))
    assert numbers[1] < numbers[-1], "lines go down"
END
if installed dot; then check "Graphviz reads it" dot -Tsvg net.dot -o dot.svg; fi
for model in dynamic functions loop quantized trees words; do
  check "$model: a picture" sh -c "'$onnxc' inspect '$source_dir/tests/golden/$model.onnx' --graph svg |
    '$python' -c 'import sys, xml.etree.ElementTree as x; x.parse(sys.stdin)'"
done
spread=$source_dir/tests/golden/devices.onnx
check "figures of one device" sh -c "'$onnxc' inspect '$spread' --devices devices_2 | grep -q 'work  *35 MAC$'"
check "limits of one device" exits 0 "$onnxc" check "$spread" --devices devices_2 --target cortex-m4f --ram-limit 50
check "which the whole exceeds" exits 3 "$onnxc" check "$spread" --target cortex-m4f --ram-limit 50
check "figures of the whole" exits 0 sh -c "'$onnxc' inspect '$spread' | grep -q 'work  *70 MAC$'"
"$onnxc" verify --export cases "$source_dir/tests/conformance/cases/devices.case" >verify.log
parallel=$(find cases -path '*tensor_parallel/model.onnx')
"$onnxc" inspect "$parallel" >parallel.log
check "a configuration" has '^devices +"two": 2 \("left", "right"\)$' parallel.log
check "its JSON" sh -c "'$onnxc' inspect '$parallel' --json | tr -d ' \n' |
  grep -qF '\"configurations\":[{\"name\":\"two\",\"num_devices\":2,\"device\":[\"left\",\"right\"]}]'"
check "one form at a time" exits 2 "$onnxc" inspect net.onnx --json --graph svg
check "no other picture" exits 2 "$onnxc" inspect net.onnx --graph png
finish
