#!/usr/bin/env python3
"""Writes models of one operator each, in sizes that networks use, for compare.sh.

Each takes long enough (about a millisecond) for the binding of ONNX Runtime not to matter.
usage: operators.py OUT_DIR [NAME_PART...]    writes OUT_DIR/NAME/{model.onnx,test_data_set_0/}
Needs python3-onnx and python3-numpy.
"""
import os
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

f4, i8 = np.float32, np.int64
RNG = np.random.RandomState(1)
CASES = {}


def numbers(*shape):
    return RNG.uniform(-1, 1, shape).astype(f4)


def case(name, op, inputs, weights=(), opset=17, domain="", outputs=1, **attributes):
    """One node: inputs are passed to the call, weights ([] for one left out) are constants that follow
    them."""
    CASES[name] = (op, list(inputs), list(weights), opset, domain, outputs, attributes)


def conv(name, batch_shape, weight_shape, op="Conv", **attributes):
    out = weight_shape[1] * attributes.get("group", 1) if op == "ConvTranspose" else weight_shape[0]
    case(name, op, [numbers(*batch_shape)], [numbers(*weight_shape) / 16, numbers(out)], **attributes)


def windows():
    pads = {"pads": [1, 1, 1, 1]}
    conv("conv_1x1", (1, 128, 28, 28), (256, 128, 1, 1))
    conv("conv_3x3", (1, 64, 56, 56), (64, 64, 3, 3), **pads)
    conv("conv_3x3_stride2", (1, 64, 56, 56), (128, 64, 3, 3), strides=[2, 2], **pads)
    conv("conv_5x5", (1, 32, 56, 56), (64, 32, 5, 5), pads=[2] * 4)
    conv("conv_dilated", (1, 64, 56, 56), (64, 64, 3, 3), pads=[2] * 4, dilations=[2, 2])
    conv("conv_first_layer", (1, 3, 224, 224), (32, 3, 7, 7), strides=[2, 2], pads=[3] * 4)
    conv("conv_grouped", (1, 128, 56, 56), (128, 32, 3, 3), group=4, **pads)
    conv("conv_grouped_narrow", (1, 128, 56, 56), (128, 4, 3, 3), group=32, **pads)
    conv("conv_depthwise", (1, 128, 112, 112), (128, 1, 3, 3), group=128, **pads)
    conv("conv_depthwise_5x5", (1, 128, 56, 56), (128, 1, 5, 5), group=128, pads=[2] * 4)
    conv("conv_1d", (1, 128, 1000), (128, 128, 5), pads=[2, 2])
    conv("conv_3d", (1, 16, 16, 32, 32), (16, 16, 3, 3, 3), pads=[1] * 6)
    case("conv_weights_given", "Conv", [numbers(1, 64, 28, 28), numbers(64, 64, 3, 3)], **pads)
    conv("conv_transpose_3d", (1, 16, 8, 16, 16), (16, 16, 2, 2, 2), "ConvTranspose", strides=[2] * 3)
    conv("conv_batch_8", (8, 64, 28, 28), (64, 64, 3, 3), **pads)
    conv("conv_transpose", (1, 64, 32, 32), (64, 32, 4, 4), "ConvTranspose", strides=[2, 2], **pads)
    conv("conv_transpose_2x2", (1, 64, 64, 64), (64, 32, 2, 2), "ConvTranspose", strides=[2, 2])
    conv("conv_transpose_1d", (1, 64, 1000), (64, 64, 4), "ConvTranspose", strides=[2], pads=[1, 1])
    case("max_pool", "MaxPool", [numbers(1, 64, 112, 112)], kernel_shape=[3, 3], strides=[2, 2], **pads)
    case("average_pool", "AveragePool", [numbers(1, 64, 112, 112)], kernel_shape=[2, 2], strides=[2, 2])
    case("max_pool_1d", "MaxPool", [numbers(1, 128, 8000)], kernel_shape=[4], strides=[4])
    case("max_pool_3d", "MaxPool", [numbers(1, 16, 16, 56, 56)], kernel_shape=[2] * 3, strides=[2] * 3)
    case("average_pool_padded", "AveragePool", [numbers(1, 64, 56, 56)], kernel_shape=[3, 3], **pads)
    case("average_pool_3d", "AveragePool", [numbers(1, 16, 16, 56, 56)], kernel_shape=[2] * 3, strides=[2] * 3)
    case("global_average_pool", "GlobalAveragePool", [numbers(1, 512, 56, 56)])
    case("lrn", "LRN", [numbers(1, 64, 56, 56)], size=5)
    scales = np.array([1, 1, 2, 2], f4)
    image = numbers(1, 64, 64, 64)
    case("resize_nearest", "Resize", [image], [[], scales], mode="nearest", coordinate_transformation_mode="asymmetric",
         nearest_mode="floor")
    case("resize_linear", "Resize", [image], [[], scales], mode="linear")
    case("resize_cubic", "Resize", [image], [[], scales], mode="cubic")
    case("grid_sample", "GridSample", [image, numbers(1, 64, 64, 2)])
    case("depth_to_space", "DepthToSpace", [numbers(1, 256, 64, 64)], blocksize=2)
    case("space_to_depth", "SpaceToDepth", [numbers(1, 64, 128, 128)], blocksize=2)


def products():
    case("gemm_row", "Gemm", [numbers(1, 2048)], [numbers(2048, 2048), numbers(2048)])
    case("gemm_batch", "Gemm", [numbers(64, 1024)], [numbers(1024, 1024), numbers(1024)])
    case("gemm_transposed", "Gemm", [numbers(64, 1024)], [numbers(1024, 1024), numbers(1024)], transB=1)
    case("matmul_dynamic", "MatMul", [numbers(256, 256), numbers(256, 256)])
    case("matmul_heads", "MatMul", [numbers(1, 12, 128, 64), numbers(1, 12, 64, 128)])
    case("gemm_left_transposed", "Gemm", [numbers(256, 256), numbers(256, 256)], transA=1)
    case("matmul_half", "MatMul", [numbers(64, 512).astype(np.float16)], [numbers(512, 512).astype(np.float16)])
    case("matmul_narrow", "MatMul", [numbers(4096, 256)], [numbers(256, 6)])
    case("matmul_double", "MatMul", [numbers(256, 256).astype(np.float64)], [numbers(256, 256).astype(np.float64)])
    case("matmul_int32", "MatMul", [RNG.randint(-9, 9, (128, 256)).astype(np.int32)],
         [RNG.randint(-9, 9, (256, 128)).astype(np.int32)])
    case("einsum_bhid", "Einsum", [numbers(4, 8, 64, 64), numbers(4, 8, 64, 64)], equation="bhid,bhjd->bhij")
    case("einsum_batch", "Einsum", [numbers(8, 64, 256)], [numbers(256, 128)], equation="btc,cd->btd")


def recurrent():
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        weights = [numbers(1, gates * 128, 64) / 8, numbers(1, gates * 128, 128) / 11, numbers(1, 2 * gates * 128)]
        case(op.lower(), op, [numbers(50, 1, 64)], weights, hidden_size=128)
    weights = [numbers(2, 4 * 64, 64) / 8, numbers(2, 4 * 64, 64) / 8, numbers(2, 8 * 64)]
    case("lstm_both_ways_batch_8", "LSTM", [numbers(50, 8, 64)], weights, hidden_size=64, direction="bidirectional")


def elementwise():
    rows, other = numbers(512, 1024), numbers(512, 1024)
    positive = np.abs(rows) + f4(0.1)
    for op in ("Relu", "Sigmoid", "Tanh", "Exp", "Erf", "HardSwish", "Elu", "Softplus", "Sin", "Abs", "Floor", "Round"):
        case("map_" + op.lower(), op, [rows])
    case("map_gelu", "Gelu", [rows], opset=20)
    for op in ("Log", "Sqrt", "Reciprocal"):
        case("map_" + op.lower(), op, [positive])
    case("map_clip", "Clip", [rows], [np.array(-0.5, f4), np.array(0.5, f4)])
    case("add", "Add", [rows, other])
    case("add_row", "Add", [rows, numbers(1024)])
    case("mul_column", "Mul", [rows, numbers(512, 1)])
    case("div", "Div", [rows, positive])
    case("pow", "Pow", [positive, other])
    case("max", "Max", [rows, other])
    case("greater", "Greater", [rows, other])
    case("where", "Where", [rows > 0, rows, other])
    case("add_int64", "Add", [RNG.randint(0, 9, (512, 1024)), RNG.randint(0, 9, (512, 1024))])
    case("cast_to_half", "Cast", [rows], to=TensorProto.FLOAT16)
    case("cast_from_half", "Cast", [rows.astype(np.float16)], to=TensorProto.FLOAT)
    case("cast_to_int64", "Cast", [rows * 100], to=TensorProto.INT64)
    case("cast_from_int32", "Cast", [RNG.randint(0, 99, (512, 1024)).astype(np.int32)], to=TensorProto.FLOAT)
    case("add_half", "Add", [rows.astype(np.float16), other.astype(np.float16)])
    case("quantize", "QuantizeLinear", [rows], [np.array(0.01, f4), np.array(128, np.uint8)])
    case("dequantize", "DequantizeLinear", [RNG.randint(0, 255, (512, 1024)).astype(np.uint8)],
         [np.array(0.01, f4), np.array(128, np.uint8)])


def rows_and_axes():
    rows = numbers(512, 1024)
    for op in ("ReduceMean", "ReduceMax", "ReduceL2", "ReduceLogSumExp"):
        case(op.lower() + "_rows", op, [rows], axes=[1])
        case(op.lower() + "_columns", op, [rows], axes=[0])
    case("reduce_middle", "ReduceMean", [numbers(16, 256, 128)], axes=[1])
    case("reduce_image", "ReduceMean", [numbers(1, 256, 56, 56)], axes=[2, 3])
    case("argmax_rows", "ArgMax", [rows], axis=1)
    case("argmax_channels", "ArgMax", [numbers(1, 21, 128, 128)], axis=1)
    case("softmax_rows", "Softmax", [rows], axis=1)
    case("softmax_channels", "Softmax", [numbers(1, 21, 128, 128)], axis=1)
    case("log_softmax", "LogSoftmax", [rows], axis=1)
    case("layer_norm", "LayerNormalization", [rows], [numbers(1024), numbers(1024)])
    case("rms_norm", "RMSNormalization", [rows], [numbers(1024)], opset=23)
    case("instance_norm", "InstanceNormalization", [numbers(1, 64, 112, 112)], [numbers(64), numbers(64)])
    case("group_norm", "GroupNormalization", [numbers(1, 64, 64, 64)], [numbers(64), numbers(64)], opset=21,
         num_groups=8)
    case("batch_norm", "BatchNormalization", [numbers(1, 64, 112, 112)],
         [numbers(64), numbers(64), numbers(64), np.abs(numbers(64)) + f4(0.5)])
    case("lp_normalization", "LpNormalization", [rows], axis=1)
    case("cumsum_rows", "CumSum", [rows], [np.array(1, i8)])
    case("cumsum_columns", "CumSum", [rows], [np.array(0, i8)])
    case("top_k", "TopK", [rows], [np.array([10], i8)], outputs=2)
    case("top_k_all", "TopK", [rows], [np.array([1024], i8)], outputs=2)
    case("dft", "DFT", [numbers(64, 1024, 1)], axis=1)
    case("stft", "STFT", [numbers(1, 64000, 1)], [np.array(160, i8), numbers(400)])


def movement():
    rows = numbers(512, 1024)
    case("transpose", "Transpose", [rows], perm=[1, 0])
    case("transpose_heads", "Transpose", [numbers(1, 512, 16, 64)], perm=[0, 2, 1, 3])
    case("transpose_nhwc", "Transpose", [numbers(1, 64, 112, 112)], perm=[0, 2, 3, 1])
    case("transpose_5d", "Transpose", [numbers(8, 16, 8, 16, 32)], perm=[0, 3, 1, 4, 2])
    case("transpose_bytes", "Transpose", [RNG.randint(0, 99, (1024, 1024)).astype(np.uint8)], perm=[1, 0])
    case("concat_rows", "Concat", [rows, numbers(512, 512)], axis=1)
    case("split", "Split", [rows], outputs=4, axis=1, opset=13)
    case("slice_step", "Slice", [rows], [np.array(v, i8) for v in ([0, 0], [512, 1024], [0, 1], [2, 2])])
    case("pad_constant", "Pad", [numbers(1, 64, 112, 112)], [np.array([0, 0, 1, 1, 0, 0, 1, 1], i8)])
    case("pad_reflect", "Pad", [numbers(1, 64, 112, 112)], [np.array([0, 0, 1, 1, 0, 0, 1, 1], i8)], mode="reflect")
    case("tile", "Tile", [numbers(64, 1024)], [np.array([8, 2], i8)])
    case("expand", "Expand", [numbers(512, 1, 32)], [np.array([512, 32, 32], i8)])
    table, ids = numbers(30000, 256), RNG.randint(0, 30000, 2048)
    case("gather_rows", "Gather", [ids], [], opset=17)
    CASES["gather_rows"] = ("Gather", [ids], [table], 17, "", 1, {"weights_first": True})
    case("gather_columns", "Gather", [rows], [RNG.randint(0, 1024, 512)], axis=1)
    case("gather_elements", "GatherElements", [rows, RNG.randint(0, 1024, (512, 1024))], axis=1)
    case("gather_nd", "GatherND", [numbers(64, 64, 64), RNG.randint(0, 64, (4096, 2))])
    case("scatter_nd", "ScatterND", [rows, RNG.permutation(512)[:256].reshape(-1, 1), numbers(256, 1024)])
    case("scatter_elements", "ScatterElements", [rows, RNG.randint(0, 1024, (512, 64)), numbers(512, 64)], axis=1)
    case("one_hot", "OneHot", [RNG.randint(0, 1000, 512)], [np.array(1000, i8), np.array([0, 1], f4)])
    case("trilu", "Trilu", [numbers(8, 256, 256)])
    case("non_zero", "NonZero", [(rows > 0.9).astype(f4)])
    case("compress", "Compress", [rows, RNG.rand(512) > 0.5], axis=0)
    boxes = np.sort(RNG.rand(1, 2000, 4).astype(f4).reshape(1, 2000, 2, 2), axis=2).reshape(1, 2000, 4)
    case("non_max_suppression", "NonMaxSuppression", [boxes, RNG.rand(1, 1, 2000).astype(f4)],
         [np.array(200, i8), np.array(0.5, f4), np.array(0.1, f4)])
    case("roi_align", "RoiAlign", [numbers(1, 64, 50, 50), RNG.rand(64, 4).astype(f4) * 20 + f4([0, 0, 20, 20]),
                                   np.zeros(64, i8)], output_height=7, output_width=7, sampling_ratio=2)


def attention():
    q, k, v = (numbers(1, 12, 128, 64) for _ in range(3))
    case("attention", "Attention", [q, k, v], opset=23)
    case("attention_causal", "Attention", [q, k, v], opset=23, is_causal=1)
    case("attention_one_row", "Attention", [q[:, :, :1], numbers(1, 12, 512, 64), numbers(1, 12, 512, 64)], opset=23)
    flat = [numbers(1, 128, 768) for _ in range(3)]
    case("multi_head_attention", "MultiHeadAttention", flat, domain="com.microsoft", num_heads=12)


def quantised():
    step, zero = np.array(0.02, f4), np.array(3, np.uint8)
    a, b = (RNG.randint(0, 255, (512, 1024)).astype(np.uint8) for _ in range(2))
    case("qlinear_add", "QLinearAdd", [a], [step, zero, b, step, zero, step, zero], domain="com.microsoft")
    case("qlinear_sigmoid", "QLinearSigmoid", [a], [step, zero, step, zero], domain="com.microsoft")
    weights = RNG.randint(-127, 127, (1024, 1024)).astype(np.int8)
    small = RNG.randint(0, 255, (64, 1024)).astype(np.uint8)
    case("matmul_integer", "MatMulInteger", [small], [weights, np.array(3, np.uint8)], opset=10)
    case("dynamic_quantize", "DynamicQuantizeLinear", [numbers(512, 1024)], outputs=3)
    case("dynamic_quantize_matmul", "DynamicQuantizeMatMul", [numbers(64, 1024)], [weights, numbers(1024)],
         domain="com.microsoft")
    image = RNG.randint(0, 255, (1, 64, 56, 56)).astype(np.uint8)
    case("conv_integer", "ConvInteger", [image], [RNG.randint(-127, 127, (64, 64, 3, 3)).astype(np.int8), zero],
         pads=[1] * 4, opset=10)
    case("qlinear_global_average_pool", "QLinearGlobalAveragePool", [np.concatenate([image] * 4, 1)],
         [step, zero, step, zero], domain="com.microsoft")
    case("qlinear_average_pool", "QLinearAveragePool", [np.concatenate([image] * 4, 1)], [step, zero, step, zero],
         domain="com.microsoft", kernel_shape=[3, 3], strides=[2, 2])


def model_of(op, inputs, weights, opset, domain, outputs, attributes):
    weights_first = attributes.pop("weights_first", False)
    given = [("x%d" % i, a) for i, a in enumerate(inputs)]
    fixed = [("w%d" % i if not isinstance(a, list) else "", a) for i, a in enumerate(weights)]
    order = fixed + given if weights_first else given + fixed
    results = ["y%d" % i for i in range(outputs)]
    node = helper.make_node(op, [name for name, _ in order], results, name=op, domain=domain, **attributes)
    graph = helper.make_graph(
        [node], "operator",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype) if hasattr(
            helper, "np_dtype_to_tensor_dtype") else numpy_helper.from_array(a).data_type, a.shape) for n, a in given],
        [helper.make_empty_tensor_value_info(r) for r in results],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in fixed if n])
    opsets = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    return helper.make_model(graph, opset_imports=opsets, ir_version=8 if opset < 20 else 10), given


def write(folder, name):
    model, given = model_of(*CASES[name])
    data = os.path.join(folder, name, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    with open(os.path.join(folder, name, "model.onnx"), "wb") as f:
        f.write(model.SerializeToString())
    for i, (given_name, array) in enumerate(given):
        with open(os.path.join(data, "input_%d.pb" % i), "wb") as f:
            f.write(numpy_helper.from_array(np.ascontiguousarray(array), given_name).SerializeToString())


def main(arguments):
    for group in (windows, products, recurrent, elementwise, rows_and_axes, movement, attention, quantised):
        group()
    chosen = [n for n in CASES if len(arguments) < 2 or any(part in n for part in arguments[1:])]
    for name in chosen:
        write(arguments[0], name)
    print("%d models" % len(chosen))


if __name__ == "__main__":
    main(sys.argv[1:])
