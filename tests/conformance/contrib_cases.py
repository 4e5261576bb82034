"""Operators outside the standard that ONNX Runtime has on no CPU, and the experimental ones of the
first opsets; the others are in recorded_cases.py. Also models of theirs that are wrong."""
import math

import numpy as np
from onnx import TensorProto

from case_writer import case, data, f4, i4, i8, node, refused

MS = "com.microsoft"


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x.astype(np.float64) / math.sqrt(2))).astype(f4)


def fast_gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def one(name, op, inputs, outputs, init=None, **attributes):
    n = node(op, list(inputs) + list(init or {}), list(outputs), domain=MS, **attributes)
    case(name, 1, n, inputs, outputs, init=init, domain=MS)


def forms():
    x, b, skip = data(2, 3, 4), data(4, seed=8), data(2, 3, 4, seed=9)
    one("BiasAdd_1", "BiasAdd", {"x": x, "b": b, "skip": skip}, {"y": x + b + skip})
    one("BiasDropout_1", "BiasDropout", {"x": x, "b": b, "skip": skip},
        {"y": x + b + skip, "mask": np.ones(x.shape, bool)})
    wide = data(2, 1, 3, 4, seed=10)
    total = data(2, 5, 3, 4)
    one("BiasSoftmax_1", "BiasSoftmax", {"x": total, "b": wide}, {"y": softmax(total + wide)}, axis=3,
        is_inner_broadcast=0)
    flat = softmax((total + wide).reshape(2, 60)).reshape(total.shape)
    one("BiasSoftmax_1_flat", "BiasSoftmax", {"x": total, "b": wide}, {"y": flat}, axis=1,
        is_inner_broadcast=1)
    one("BiasSplitGelu_1", "BiasSplitGelu", {"x": x, "b": b},
        {"y": (x + b)[..., :2] * gelu((x + b)[..., 2:])})
    w = data(4, 5, seed=11, low=-0.5, high=0.5)
    one("GemmFastGelu_1", "GemmFastGelu", {"x": x}, {"y": fast_gelu(x @ w + 3)},
        init={"w": w, "b": np.full(5, 3, f4)})
    one("FusedMatMulActivation_1", "FusedMatMulActivation", {"x": x, "w": w.T.copy()},
        {"y": np.maximum(0.5 * (x @ w), 0.1 * 0.5 * (x @ w))}, transB=1, alpha=0.5, activation="LeakyRelu",
        activation_alpha=0.1)
    scale = data(4, seed=12)
    one("SimplifiedLayerNormalization_1_suffix", "SimplifiedLayerNormalization", {"x": x, "s": scale},
        {"y": (x / np.sqrt((x ** 2).mean(axis=-1, keepdims=True) + 1e-5) * scale).astype(f4)})
    image = data(1, 1, 3, 3)
    at = np.array([[[-1, -1], [0, 0], [1, 0]]], f4).reshape(1, 1, 3, 2)
    one("GridSample_1", "GridSample", {"x": image, "at": at},
        {"y": np.array([[[[image[0, 0, 0, 0], image[0, 0, 1, 1], image[0, 0, 1, 2]]]]], f4)},
        align_corners=1)
    q = np.arange(-6, 6).astype(np.int8).reshape(3, 4)
    mean = np.rint((q.astype(f4) - 1).mean(axis=1, keepdims=True) * 0.3 / 0.25) + 2
    one("QLinearReduceMean_1", "QLinearReduceMean", {"x": q}, {"y": mean.astype(np.int8)},
        init={"sx": np.array(0.3, f4), "zx": np.array(1, np.int8), "sy": np.array(0.25, f4),
              "zy": np.array(2, np.int8)}, axes=[1], keepdims=1)


def experimental():
    x = data(2, 3)
    softplus = lambda v: np.log(np.exp(v) + 1)
    for kind, suffix in ((f4, ""), (np.float64, "_float64")):
        v = x.astype(kind)
        alpha, beta = kind(0.5), kind(1.5)
        for op, f in (("ParametricSoftplus", softplus), ("ScaledTanh", np.tanh)):
            case(op + "_1" + suffix, 1, node(op, ["x"], ["y"], alpha=0.5, beta=1.5), {"x": v},
                 {"y": alpha * f(beta * v)})
        case("Scale_1" + suffix, 1, node("Scale", ["x"], ["y"], scale=2.5), {"x": v}, {"y": v * kind(2.5)})
    values = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    case("GivenTensorFill_1", 1, node("GivenTensorFill", [], ["y"], values=values, shape=[2, 3]), {},
         {"y": np.array(values, f4).reshape(2, 3)})
    case("GivenTensorFill_1_like", 1,
         node("GivenTensorFill", ["x"], ["y"], values=values, extra_shape=[3]), {"x": np.zeros(2, f4)},
         {"y": np.array(values, f4).reshape(2, 3)})


def wrong(name, op, inputs, message, **attributes):
    """inputs: arrays, None for one that is left out."""
    names = ["" if v is None else "x%d" % i for i, v in enumerate(inputs)]
    given = {n: v for n, v in zip(names, inputs) if v is not None}
    refused(name, 1, node(op, names, ["y"], domain=MS, **attributes), given, message, domain=MS)


def hostile():
    z = lambda *shape, kind=f4: np.zeros(shape, kind)
    wrong("Attention_1_heads", "Attention", [z(1, 2, 4), z(4, 12)], "attribute \"num_heads\": 0 heads",
          num_heads=0)
    wrong("Attention_1_width", "Attention", [z(1, 2, 4), z(4, 12)], "3 does not divide 4", num_heads=3)
    wrong("Attention_1_sizes", "Attention", [z(1, 2, 4), z(4, 12)], "attribute \"qkv_hidden_sizes\"",
          num_heads=2, qkv_hidden_sizes=[4, 4])
    wrong("Attention_1_lengths", "Attention", [z(1, 2, 4), z(4, 12), None, z(3, kind=i4)],
          "input \"mask_index\": 3 lengths for a batch of 1", num_heads=2)
    wrong("Attention_1_rotary", "Attention", [z(1, 2, 4), z(4, 12)], "attribute \"do_rotary\"", num_heads=2,
          do_rotary=1)
    wrong("MultiHeadAttention_1_packed", "MultiHeadAttention", [z(1, 2, 4)], "rank 3, packed needs 5",
          num_heads=2)
    wrong("MultiHeadAttention_1_past", "MultiHeadAttention",
          [z(1, 2, 4), z(1, 2, 4), z(1, 2, 4), None, None, None, z(1, 2, 1, 2)],
          "past_key and past_value go together", num_heads=2)
    lengths = [None, None, z(1, kind=i4), z(kind=i4)]
    wrong("GroupQueryAttention_1_heads", "GroupQueryAttention", [z(1, 2, 6), z(1, 2, 4), z(1, 2, 4)] + lengths,
          "attribute \"kv_num_heads\": 2 heads do not divide 3", num_heads=3, kv_num_heads=2)
    wrong("GroupQueryAttention_1_angles", "GroupQueryAttention",
          [z(1, 2, 8), z(1, 2, 4), z(1, 2, 4)] + lengths, "input 7 \"cos_cache\": is needed with do_rotary",
          num_heads=2, kv_num_heads=1, do_rotary=1)
    wrong("GroupQueryAttention_1_window", "GroupQueryAttention",
          [z(1, 2, 8), z(1, 2, 4), z(1, 2, 4)] + lengths, "attribute \"local_window_size\": -7 is below -1",
          num_heads=2, kv_num_heads=1, local_window_size=-7)
    wrong("RotaryEmbedding_1_rank", "RotaryEmbedding",
          [z(2, 4), z(1, kind=i8), z(9, 2), z(9, 2)], "input 0 \"input\": rank 2, needs 3 or 4")
    wrong("RotaryEmbedding_1_angles", "RotaryEmbedding",
          [z(1, 2, 4), z(1, kind=i8), z(9, 0), z(9, 0)], "input 2 \"cos_cache\": has no angles")
    u1 = np.uint8
    wrong("MatMulNBits_1_block", "MatMulNBits", [z(1, 32), z(4, 1, 10, kind=u1), z(4)],
          "attribute \"block_size\": 20 is no power of two from 16 on", K=32, N=4, block_size=20)
    wrong("MatMulNBits_1_bits", "MatMulNBits", [z(1, 32), z(4, 1, 16, kind=u1), z(4)],
          "attribute \"bits\": 3 is not 2, 4 or 8", K=32, N=4, block_size=32, bits=3)
    wrong("MatMulNBits_1_size", "MatMulNBits", [z(1, 32), z(4, 1, 15, kind=u1), z(4)], "input 1 \"B\"",
          K=32, N=4, block_size=32)
    wrong("MatMulNBits_1_huge", "MatMulNBits", [z(1, 32), z(4, 1, 16, kind=u1), z(4)],
          "attribute \"K\"", K=2 ** 62, N=2 ** 62, block_size=32)
    wrong("QLinearConcat_1_triples", "QLinearConcat",
          [z(), z(kind=u1), z(2, kind=u1), z()], "4 of them; after two come triples", axis=0)
    wrong("QLinearAdd_1_scale", "QLinearAdd",
          [z(2, kind=u1), z(2), z(kind=u1), z(2, kind=u1), z(), z(kind=u1), z(), z(kind=u1)],
          "input 1 \"A_scale\"")
    wrong("FusedConv_1_activation", "FusedConv", [z(1, 1, 3, 3), z(1, 1, 1, 1)],
          "attribute \"activation\": \"Conv\" is no activation", activation="Conv")
    wrong("FusedConv_1_params", "FusedConv", [z(1, 1, 3, 3), z(1, 1, 1, 1)],
          "attribute \"activation_params\"", activation="Relu", activation_params=[1.0, 2.0, 3.0, 4.0])
    wrong("QGemm_1_output", "QGemm",
          [z(2, 2, kind=u1), z(), z(kind=u1), z(2, 2, kind=u1), z(), z(kind=u1), None, z()],
          "y_scale and y_zero_point go together")
    wrong("EmbedLayerNormalization_1_segments", "EmbedLayerNormalization",
          [z(1, 2, kind=i4), z(1, 2, kind=i4), z(3, 4), z(3, 4), None, z(4), z(4)],
          "segment_ids and segment_embedding go together")
    for op in ("BeamSearch", "Sampling", "WhisperBeamSearch"):
        wrong(op + "_1", op, [z(1, 2, kind=i4)], "search in the program around it", eos_token_id=2)
    wrong("Inverse_1_rank", "Inverse", [z(3)], "input 0 \"X\": rank 1, needs at least 2")
    wrong("FastGelu_1_bias", "FastGelu", [z(2, 3), z(4)], "node 0")


def make():
    forms()
    experimental()
    hostile()
