#!/usr/bin/env bash
# --operator: an operator outside the standard as a call of the user's function template; --keep-output: other outputs.
. "$(dirname "$0")/check.sh"
needs numpy onnx
cat >models.py <<'END'
import os
import numpy as np, onnx
from onnx import TensorProto as T, helper as h, numpy_helper as n

def model(name, rows, declared=True):
    nodes = [h.make_node("MatMul", ["x", "w"], ["a"], name="product"),
             h.make_node("Shrink2", ["a", "shift"], ["b", "count"], name="act", domain="acme", alpha=0.5,
                         steps=[1, 2], mode="fast", scales=[0.25, 2.0]),
             h.make_node("Relu", ["b"], ["y"], name="relu")]
    value = h.make_tensor_value_info
    outputs = [value("y", T.FLOAT, [rows, 3])] + ([value("count", T.INT64, [1])] if declared else [])
    graph = h.make_graph(nodes, "g", [value("x", T.FLOAT, [rows, 4])], outputs,
                         [n.from_array(np.float32([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]), "w"),
                          n.from_array(np.float32(0.5), "shift")],
                         value_info=[value("b", T.FLOAT, [rows, 3])] if declared else [])
    os.makedirs(f"{name}/test_data_set_0")
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17), h.make_opsetid("acme", 1)], ir_version=8),
              f"{name}/model.onnx")
    x = np.random.default_rng(1).standard_normal((2, 4)).astype(np.float32)
    b = np.float32(0.5) * (x[:, :3] + x[:, 3:]) + np.float32(0.5)
    for file, t in (("input_0", x), ("output_0", np.maximum(b, 0)), ("output_1", np.int64([(b > 2).sum()]))):
        open(f"{name}/test_data_set_0/{file}.pb", "wb").write(n.from_array(t).SerializeToString())

def with_function(name):
    """The operator has a function in the model, and no declared types."""
    model(name, "n", False)
    m = onnx.load(f"{name}/model.onnx")
    body = [h.make_node("Constant", [], ["half"], value_float=0.5), h.make_node("Mul", ["x", "half"], ["m"]),
            h.make_node("Add", ["m", "s"], ["y"]), h.make_node("Constant", [], ["two"], value_float=2.0),
            h.make_node("Greater", ["y", "two"], ["g"]), h.make_node("Cast", ["g"], ["i"], to=T.INT64),
            h.make_node("ReduceSum", ["i"], ["sum"], keepdims=0), h.make_node("Constant", [], ["one"], value_ints=[1]),
            h.make_node("Reshape", ["sum", "one"], ["count"])]
    m.functions.append(h.make_function("acme", "Shrink2", ["x", "s"], ["y", "count"], body, [h.make_opsetid("", 17)],
                                       ["alpha", "steps", "mode", "scales"]))
    m.graph.output.append(h.make_tensor_value_info("count", T.INT64, [1]))
    onnx.save(m, f"{name}/model.onnx")

model("fixed", 2)
with_function("function")
model("open", "n")
model("undeclared", 2, False)
END
"$python" models.py
cat >shrink.hpp <<'END'
// acme::Shrink2: alpha * x + shift, and how many results are above scales[1].
#pragma once
#include <cstdint>
template <class S, class T>
void Shrink2(S s, const T* x, const T* shift, T* y, std::int64_t* count) {
  static_assert(S::mode[0] == 'f' && S::steps[1] == 2, "attributes are constants");
  count[0] = 0;
  for (std::int64_t i = 0; i < s.in0[0] * s.in0[1]; ++i) {
    y[i] = static_cast<T>(S::alpha * x[i] + shift[0]);
    count[0] += y[i] > S::scales[1];
  }
}
END
with="--operator acme::Shrink2=shrink.hpp"
# shellcheck disable=SC2086
{
  check "computed by the user's function" exits 0 "$onnxc" verify fixed open function $with
  check "its own function computes the same" exits 0 "$onnxc" verify function
  check "which is not in the code" sh -c "'$onnxc' function/model.onnx -q -o out/f $with && ! grep -q reduce_ out/f.cpp && grep -q '::Shrink2(' out/f.cpp"
  check "the header is one of the files" sh -c "'$onnxc' fixed/model.onnx -q -o out/m $with && cmp out/shrink.hpp shrink.hpp"
  check "without a declared type" says 1 "has no type and shape in the model's value_info" "$onnxc" undeclared/model.onnx -o out/u $with
}
check "the message names the option" says 1 "acme::Shrink2 is unknown; its domain has no operators that onnxc knows; --operator acme::Shrink2=HEADER" \
  "$onnxc" fixed/model.onnx -o out/m
check "an operator of no node" says 1 "--operator acme::Other: no node has this operator" "$onnxc" fixed/model.onnx \
  -o out/n --operator acme::Shrink2=shrink.hpp --operator acme::Other=shrink.hpp
printf 'template <class S> void Relu(S s, const float* x, float* y) {\n  for (int i = 0; i < s.in0[0] * s.in0[1]; ++i) y[i] = 7 * x[i];\n}\n' >relu.hpp
check "an operator of the standard" sh -c "'$onnxc' fixed/model.onnx -q -o out/r $with --operator ai.onnx::Relu=relu.hpp && grep -q '::Relu(' out/r.cpp"
# The results are right, and one element more is written.
printf 'template <class S> void Relu(S, const float* x, float* y) {\n  for (int i = 0; i < 7; ++i) y[i] = x[i] > 0 ? x[i] : 0;\n}\n' >wide.hpp
# shellcheck disable=SC2086
check "memory after a buffer is watched" says 4 "memory after a buffer was written" \
  "$onnxc" verify fixed $with --operator ai.onnx::Relu=wide.hpp
# What a model names reaches the code as a member only if it is one; headers of the user replace no file of ours.
cat >kinds.py <<'END'
import onnx
from onnx import TensorProto as T, helper as h

def save(name, attributes, ins=[2, 3], out=(T.FLOAT, [2, 3])):
    node = h.make_node("F", ["x"], ["y"], domain="acme")
    node.attribute.extend(h.make_attribute(k, v) for k, v in attributes.items())
    graph = h.make_graph([node], "g", [h.make_tensor_value_info("x", T.FLOAT, ins)], [h.make_tensor_value_info("y", *out)])
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17), h.make_opsetid("acme", 1)], ir_version=8), name)

save("code.onnx", {"a = 1; int evil": 1})
save("keyword.onnx", {"class": 1})
save("dims.onnx", {"in0": 1})
save("texts.onnx", {}, out=(T.STRING, [2, 3]))
save("plain.onnx", {})
both = onnx.load("plain.onnx")
both.graph.node.append(h.make_node("G", ["x"], ["z"], domain="acme"))
both.graph.output.append(h.make_tensor_value_info("z", T.FLOAT, [2, 3]))
onnx.save(both, "both.onnx")
END
"$python" kinds.py
mkdir -p one two
echo 'template <class S, class T> void F(S, const T*, T*) {}' | tee one/f.hpp two/f.hpp one/m.h >/dev/null
for name in code keyword; do
  check "$name: no member" says 1 "cannot be the name of a member in C++" "$onnxc" $name.onnx -o out/k --operator acme::F=one/f.hpp
done
check "a member of ours" says 1 "has the name of a member that holds dimensions" "$onnxc" dims.onnx -o out/k --operator acme::F=one/f.hpp
check "strings" says 1 "is a tensor of strings" "$onnxc" texts.onnx -o out/k --operator acme::F=one/f.hpp
check "a header of ours" says 1 "cannot have a header m.h of the user" "$onnxc" plain.onnx -o out/m --operator acme::F=one/m.h
check "two headers of one name" says 1 "cannot have a header f.hpp of the user" "$onnxc" both.onnx -o out/k \
  --operator acme::F=one/f.hpp --operator acme::G=two/f.hpp
check "sizes of the old batch" says 1 "is declared for another batch" "$onnxc" plain.onnx -o out/k --operator acme::F=one/f.hpp --dim x:0=4
check "the header is a dependency" sh -c "'$onnxc' plain.onnx -q -o out/d -MD --operator acme::F=one/f.hpp && grep -q 'one/f.hpp' out/d.d"
check "no such header" says 5 "cannot read no.hpp" "$onnxc" fixed/model.onnx -o out/n --operator acme::Shrink2=no.hpp
check "no header" says 2 "is not DOMAIN::NAME=HEADER" "$onnxc" fixed/model.onnx -o out/n --operator acme::Shrink2
check "nothing is written" test ! -e out/n.cpp

# --keep-output keeps what is named, in that order, also inner tensors, and drops what only others need.
ports() { "$onnxc" "$mlp" -q -o out/other "$@" && grep -o '^ \* output  *[a-z]*' out/other.h | awk '{ print $3 }' | tr '\n' ' ' >ports.txt; }
check "an inner tensor" sh -c "$(declare -f ports); onnxc='$onnxc' mlp='$mlp'; ports --keep-output logits --keep-output h && [ \"\$(cat ports.txt)\" = 'logits h ' ]"
check "what only others need is gone" sh -c "! grep -q softmax out/other.cpp"
check "an unknown output" says 1 "no node or input makes a tensor of this name, did you mean logits" "$onnxc" "$mlp" -o out/n --keep-output logit
finish
