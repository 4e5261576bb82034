#!/usr/bin/env bash
# --input: the caller's tensor has another type, order of axes and scale than the model's input.
. "$(dirname "$0")/check.sh"
needs numpy onnx
cat >models.py <<'END'
import os
import numpy as np, onnx
from onnx import TensorProto as T, helper as h, numpy_helper as n

def model(name, elem, shape, picture, want):
    os.makedirs(f"{name}/test_data_set_0")
    graph = h.make_graph([h.make_node("Neg", ["rgb:0"], ["y"])], "g", [h.make_tensor_value_info("rgb:0", elem, shape)],
                         [h.make_tensor_value_info("y", elem, shape)])
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8), f"{name}/model.onnx")
    for file, t in (("input_0", picture), ("output_0", -want)):
        open(f"{name}/test_data_set_0/{file}.pb", "wb").write(n.from_array(t).SerializeToString())

rng = np.random.default_rng(2)
mean, scale = np.float32([123.5, 116, 103]), np.float32([0.5, 0.25, 2])
picture = rng.integers(0, 256, (1, 4, 5, 3)).astype(np.uint8)
real = ((picture.astype(np.float32) - mean) * scale).transpose(0, 3, 1, 2)
model("nhwc", T.FLOAT, [1, 3, 4, 5], picture, real)
model("nchw", T.FLOAT, ["n", 3, "h", 5], picture.transpose(0, 3, 1, 2).copy(), real)
model("half", T.FLOAT16, [1, 3, 4, 5], picture, (picture.astype(np.float32) * np.float32(0.5)).astype(np.float16)
      .transpose(0, 3, 1, 2))
signed = rng.integers(-2000, 2000, (2, 7)).astype(np.int16)
model("samples", T.FLOAT, [2, 7], signed, signed.astype(np.float32) * np.float32(2**-15))
END
"$python" models.py
verify() { exits 0 "$onnxc" verify "$@" --atol 0 --rtol 0; }
colours=mean=123.5,116,103,scale=0.5,0.25,2
check "bytes, channels last" verify nhwc --input "rgb:0:u8,$colours,layout=nhwc"
check "open sizes" verify nchw --input "rgb:0:uint8,$colours"
check "float16" verify half --input rgb:0:u8,scale=0.5,layout=nhwc
check "16-bit samples" verify samples --input rgb:0:i16,scale=0.000030517578125
check "the port" sh -c "'$onnxc' nhwc/model.onnx -q -o out/m --input rgb:0:u8,layout=nhwc && grep -q 'u8\[1,4,5,3\]  \"rgb:0\"' out/m.h"
refused() { # exit code, words, format
  check "$3 is refused" says "$1" "$2" "$onnxc" nhwc/model.onnx -o out/r --input "$3"
}
refused 1 "the model has no such input; it has rgb:0" x:u8
refused 1 "'u9' is no type of numbers such as u8" rgb:0:u9
refused 1 "2 numbers for 3 channels" rgb:0:u8,mean=1,2
refused 2 "is not NAME:TYPE" rgb
refused 2 "'size=3' is none of mean=N, scale=N, layout=nchw|nhwc" rgb:0:u8,size=3
refused 2 "'red' is no number" rgb:0:u8,mean=red
check "nothing is written" test ! -e out/r.cpp
finish
