"""Cases of operators outside the standard, for record.py."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

CASES = []
f4, f2, i4, i8, u1, s1 = np.float32, np.float16, np.int32, np.int64, np.uint8, np.int8
MS = "com.microsoft"


def data(*shape, seed=3, low=-1.0, high=1.0):
    return np.random.RandomState(seed).uniform(low, high, shape).astype(f4)


def ints(kind, *shape, seed=5, low=None, high=None):
    info = np.iinfo(kind)
    low = info.min if low is None else low
    high = info.max + 1 if high is None else high
    return np.random.RandomState(seed).randint(low, high, shape).astype(kind)


def case(name, op, inputs, outputs=("y",), init=None, opset=13, domain=MS, tolerance=None, shapes=None,
         types=None, order=None, **attributes):
    """One node. inputs: name -> array in the order of the operator; None leaves one out. init: names
    of those that are constants of the model."""
    init = init or ()
    node = helper.make_node(op, [k if v is not None else "" for k, v in inputs.items()], outputs,
                            domain=domain, **attributes)
    given = {k: v for k, v in inputs.items() if v is not None}
    entry = {
        "name": name, "nodes": [node], "opset": opset,
        "inputs": {k: v for k, v in given.items() if k not in init},
        "init": {k: v for k, v in given.items() if k in init},
        "outputs": [o for o in outputs if o], "types": types or {}, "shapes": shapes or {},
        "tolerance": tolerance, "stand_in": None}
    CASES.append(entry)
    return entry


def same_as(entry):
    """The case added last means the same as this one, and ONNX Runtime on the CPU takes only this one."""
    CASES[:] = [c for c in CASES if c is not entry]
    CASES[-1]["stand_in"] = entry


def activations():
    x = data(2, 3, 8, low=-2, high=3)
    case("Gelu_1", "Gelu", {"x": x})
    case("FastGelu_1", "FastGelu", {"x": x})
    case("FastGelu_1_bias", "FastGelu", {"x": x, "bias": data(8)})
    case("BiasGelu_1", "BiasGelu", {"x": x, "bias": data(8)})
    case("QuickGelu_1", "QuickGelu", {"x": x})
    case("QuickGelu_1_alpha", "QuickGelu", {"x": x}, alpha=0.5)


def products():
    a, b = data(2, 3, 4, 5), data(2, 3, 5, 6, seed=4)
    case("FusedMatMul_1", "FusedMatMul", {"a": a, "b": b}, alpha=0.5)
    case("FusedMatMul_1_turned", "FusedMatMul",
         {"a": np.swapaxes(a, 2, 3).copy(), "b": np.swapaxes(b, 2, 3).copy()}, transA=1, transB=1)
    case("FusedMatMul_1_batch", "FusedMatMul",
         {"a": data(4, 2, 3, 5), "b": data(5, 2, 3, 6, seed=4)}, transBatchA=1, transBatchB=1, alpha=2.0)
    case("FusedMatMul_1_batch_turned", "FusedMatMul",
         {"a": data(5, 2, 3, 4), "b": data(6, 2, 3, 5, seed=4)}, transBatchA=1, transBatchB=1, transA=1,
         transB=1)
    case("FusedMatMul_1_vector", "FusedMatMul", {"a": data(5), "b": data(2, 5, 3)}, transA=1)
    case("FusedMatMul_1_weights", "FusedMatMul", {"a": data(3, 5), "b": data(7, 5)}, init="b", transB=1,
         alpha=0.25)
    case("TransposeMatMul_1", "TransposeMatMul", {"a": data(5, 3), "b": data(5, 7)}, transA=1, alpha=3.0)
    case("FusedGemm_1", "FusedGemm", {"a": data(3, 5), "b": data(7, 5), "c": data(7)}, transB=1,
         activation="LeakyRelu", activation_alpha=0.2, alpha=0.5, beta=2.0)


def convolutions():
    x, w, b = data(1, 3, 5, 5), data(4, 3, 3, 3, seed=4), data(4, seed=5)
    for name, activation, params in (("Relu", "Relu", None), ("Tanh", "Tanh", None),
                                     ("Sigmoid", "Sigmoid", None), ("LeakyRelu", "LeakyRelu", [0.1]),
                                     ("Clip", "Clip", [-0.5, 0.75]),
                                     ("HardSigmoid", "HardSigmoid", [0.3, 0.4])):
        more = {"activation_params": params} if params else {}
        case("FusedConv_1_" + name, "FusedConv", {"x": x, "w": w, "b": b}, init="wb",
             activation=activation, pads=[1, 1, 1, 1], strides=[2, 2], **more)
    case("FusedConv_1", "FusedConv", {"x": x, "w": w}, kernel_shape=[3, 3])
    case("FusedConv_1_sum", "FusedConv", {"x": x, "w": w, "b": b, "z": data(1, 4, 3, 3, seed=6)}, init="wb",
         activation="Relu")


def norms():
    x, skip = data(2, 3, 8), data(2, 3, 8, seed=4)
    gamma, beta, bias = data(8, seed=5), data(8, seed=6), data(8, seed=7)
    case("SkipLayerNormalization_1", "SkipLayerNormalization",
         {"x": x, "skip": skip, "gamma": gamma, "beta": beta}, init=("gamma", "beta"), epsilon=1e-5)
    case("SkipLayerNormalization_1_bias", "SkipLayerNormalization",
         {"x": x, "skip": skip, "gamma": gamma, "beta": beta, "bias": bias},
         outputs=("y", "", "", "sum"))
    case("SkipLayerNormalization_1_row", "SkipLayerNormalization",
         {"x": x, "skip": skip[:1], "gamma": gamma}, outputs=("y", "", "", "sum"))
    case("SkipLayerNormalization_1_rows", "SkipLayerNormalization",
         {"x": x, "skip": skip[0], "gamma": gamma, "beta": beta})
    case("SkipSimplifiedLayerNormalization_1", "SkipSimplifiedLayerNormalization",
         {"x": x, "skip": skip, "gamma": gamma}, outputs=("y", "", "", "sum"), epsilon=1e-6)
    case("SkipSimplifiedLayerNormalization_1_bias", "SkipSimplifiedLayerNormalization",
         {"x": x, "skip": skip, "gamma": gamma, "bias": bias}, init=("gamma", "bias"))
    case("SimplifiedLayerNormalization_1", "SimplifiedLayerNormalization", {"x": x, "scale": gamma},
         domain="", epsilon=1e-6)
    case("SimplifiedLayerNormalization_1_axis", "SimplifiedLayerNormalization",
         {"x": x, "scale": data(3, 8, seed=8)}, domain="", axis=1, stash_type=1)
    case("LayerNormalization_1", "LayerNormalization", {"x": x, "scale": gamma, "b": beta}, domain="",
         axis=-1)
    ids, segments = ints(i4, 2, 5, low=0, high=9), ints(i4, 2, 5, low=0, high=2)
    tables = {"word": data(9, 8), "position": data(7, 8, seed=4)}
    ends = {"gamma": gamma, "beta": beta}
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], i4)
    kinds = {"index": TensorProto.INT32}
    case("EmbedLayerNormalization_1", "EmbedLayerNormalization",
         {"ids": ids, "segments": segments, **tables, "segment": data(2, 8, seed=6), **ends, "mask": mask},
         outputs=("y", "index"), types=kinds, init=("word", "position", "segment", "gamma", "beta"))
    case("EmbedLayerNormalization_1_plain", "EmbedLayerNormalization",
         {"ids": ids, "segments": None, **tables, "segment": None, **ends}, outputs=("y", "index"),
         types=kinds)
    case("EmbedLayerNormalization_1_positions", "EmbedLayerNormalization",
         {"ids": ids, "segments": segments, **tables, "segment": data(2, 8, seed=6), **ends, "mask": None,
          "positions": ints(i4, 2, 5, low=0, high=7, seed=9)}, outputs=("y", "index", "sum"), types=kinds)


def standard():
    x = data(2, 4, 4)
    case("Trilu_1", "Trilu", {"x": x, "k": np.array(1, i8)}, upper=0)
    case("Pad_1", "Pad", {"x": x[0], "pads": np.array([1, 0, 0, 2], i8), "value": np.array([3], f4)})
    case("Pad_1_reflect", "Pad", {"x": x[0], "pads": np.array([1, 0, 0, 2], i8)}, mode="reflect")
    case("Unique_1", "Unique", {"x": np.array([2, 1, 1, 3, 4, 3], f4)}, outputs=("y", "index", "counts"),
         types={"index": TensorProto.INT64, "counts": TensorProto.INT64})
    case("Range_1", "Range", {"start": np.array(2, i8), "limit": np.array(9, i8)},
         types={"y": TensorProto.INT64})
    case("Range_1_delta", "Range",
         {"start": np.array(2, f4), "limit": np.array(9, f4), "delta": np.array(1.5, f4)})
    case("ExpandDims_1", "ExpandDims", {"x": x, "axis": np.array(-1, i4)}, init=("axis",))
    case("GatherND_1", "GatherND", {"x": x, "index": np.array([[0, 1], [1, 3]], i4)})
    case("Inverse_1", "Inverse", {"x": data(2, 3, 3) + 2 * np.eye(3, dtype=f4)})
    case("Inverse_1_double", "Inverse", {"x": (data(4, 4) + 2 * np.eye(4)).astype(np.float64)},
         types={"y": TensorProto.DOUBLE})
    for kind, elem in ((s1, TensorProto.INT8), (u1, TensorProto.UINT8), (np.int16, TensorProto.INT16),
                       (np.uint16, TensorProto.UINT16)):
        name = np.dtype(kind).name
        scale, zero = np.array(0.03, f4), np.array(7, kind)
        case("QuantizeLinear_1_" + name, "QuantizeLinear", {"x": data(3, 8, low=-5, high=5), "scale": scale,
                                                           "zero": zero}, types={"y": elem})
        case("DequantizeLinear_1_" + name, "DequantizeLinear",
             {"x": ints(kind, 3, 8), "scale": scale, "zero": zero})
    case("QuantizeLinear_1_axis", "QuantizeLinear",
         {"x": data(3, 4, low=-5, high=5), "scale": data(3, low=0.01, high=0.1), "zero": ints(u1, 3)},
         types={"y": TensorProto.UINT8}, axis=0)
    case("DequantizeLinear_1_axis", "DequantizeLinear",
         {"x": ints(s1, 3, 4), "scale": data(3, low=0.01, high=0.1), "zero": ints(s1, 3)}, axis=0)
    case("DequantizeLinear_1_int32", "DequantizeLinear",
         {"x": ints(i4, 8, low=-1000, high=1000), "scale": np.array(0.5, f4)})


def attention():
    batch, length, hidden, heads = 2, 4, 8, 2
    x, w = data(batch, length, 6), data(6, 3 * hidden, seed=4)
    b = data(3 * hidden, seed=5)
    base = {"x": x, "w": w, "b": b}
    const = ("w", "b")

    def attend(name, mask=None, past=None, bias=None, outputs=("y",), more=None, init=const, **attributes):
        inputs = dict(more or base, mask=mask, past=past, bias=bias)
        while list(inputs.values())[-1] is None:
            inputs.popitem()
        case("Attention_1" + name, "Attention", inputs, outputs=outputs, init=init, num_heads=heads,
             **attributes)
        return CASES[-1]

    attend("")
    attend("_no_bias", more={"x": x, "w": w, "b": None}, init=())
    same_as(attend("", more={"x": x, "w": w, "b": 0 * b}))
    attend("_unidirectional", unidirectional=1, scale=0.3)
    attend("_lengths", mask=np.array([2, 4], i4))
    attend("_starts", mask=np.array([3, 4, 1, 0], i4))
    attend("_mask", mask=np.array([[1, 1, 0, 0], [1, 0, 1, 1]], i4), mask_filter_value=-50.0)
    attend("_mask_unidirectional", mask=np.array([[1, 1, 0, 0], [1, 0, 1, 1]], i4), unidirectional=1)
    attend("_mask3", mask=ints(i4, batch, length, length, low=0, high=2))
    attend("_bias", bias=data(1, heads, length, length, seed=9))
    attend("_bias_mask", bias=data(batch, 1, length, length, seed=9), mask=np.array([3, 4], i4))
    past = data(2, batch, heads, 3, hidden // heads, seed=8)
    attend("_past", past=past, outputs=("y", "present"), unidirectional=1)
    attend("_past_mask", past=past, outputs=("y", "present"), mask=ints(i4, batch, 7, low=0, high=2),
           unidirectional=1)
    mask = ints(i4, batch, 1, 9, 9, low=0, high=2)
    attend("_past_mask4", past=past, outputs=("y", "present"), mask=mask)
    same_as(attend("", past=past, outputs=("y", "present"), mask=mask[:, 0, 3:7, :7].copy()))
    attend("_present", outputs=("y", "present"))
    attend("_sizes", more={"x": x, "w": data(6, 20, seed=4), "b": data(20, seed=5)},
           qkv_hidden_sizes=[8, 8, 4])
    attend("_sizes_past", past=past, outputs=("y", "present"), qkv_hidden_sizes=[8, 8, 8])


def multi_head():
    batch, length, keys, hidden, heads, v_hidden = 2, 3, 5, 8, 2, 4
    q, k, v = data(batch, length, hidden), data(batch, keys, hidden, seed=4), data(batch, keys, hidden, seed=5)
    width = hidden // heads

    def attend(name, inputs, outputs=("y",), **attributes):
        return case("MultiHeadAttention_1" + name, "MultiHeadAttention", inputs, outputs=outputs,
                    num_heads=heads, **attributes)

    def rest(bias=None, mask=None, add=None, past_k=None, past_v=None):
        all = {"bias": bias, "mask": mask, "add": add, "past_k": past_k, "past_v": past_v}
        while all and list(all.values())[-1] is None:
            all.popitem()
        return all

    base = {"q": q, "k": k, "v": v}
    attend("", base)
    attend("_bias", {**base, **rest(bias=data(3 * hidden, seed=7))}, scale=0.7)
    attend("_narrow_values", {"q": q, "k": k, "v": data(batch, keys, v_hidden, seed=5),
                              **rest(bias=data(2 * hidden + v_hidden, seed=7))})
    attend("_lengths", {**base, **rest(mask=np.array([2, 5], i4))})
    attend("_mask", {**base, **rest(mask=ints(i4, batch, keys, low=0, high=2))})
    attend("_mask3", {**base, **rest(mask=ints(i4, batch, length, keys, low=0, high=2))})
    attend("_add", {**base, **rest(add=data(1, heads, length, keys, seed=8))})
    attend("_add_mask", {**base, **rest(add=data(batch, heads, length, keys, seed=8),
                                        mask=ints(i4, batch, keys, low=0, high=2))})
    own_k, own_v = data(batch, length, hidden, seed=4), data(batch, length, hidden, seed=5)
    attend("_unidirectional", {"q": q, "k": own_k, "v": own_v}, unidirectional=1)
    packed = data(batch, length, heads, 3, width)
    flat = lambda x, i: x[:, :, :, i].reshape(x.shape[0], x.shape[1], hidden).copy()
    attend("_packed_qkv", {"q": packed})
    same_as(attend("", {"q": flat(packed, 0), "k": flat(packed, 1), "v": flat(packed, 2)}))
    packed = data(batch, keys, heads, 2, width, seed=4)
    attend("_packed_kv", {"q": q, "k": packed})
    same_as(attend("", {"q": q, "k": flat(packed, 0), "v": flat(packed, 1)}))
    attend("_heads", {"q": q, "k": data(batch, heads, keys, width, seed=4),
                      "v": data(batch, heads, keys, width, seed=5)})
    attend("_heads_bias", {"q": q, "k": data(batch, heads, keys, width, seed=4),
                           "v": data(batch, heads, keys, width, seed=5), **rest(bias=data(3 * hidden, seed=7))})
    present = ("y", "present_k", "present_v")
    attend("_present", {"q": q, "k": own_k, "v": own_v}, outputs=present)
    pk, pv = data(batch, heads, 2, width, seed=8), data(batch, heads, 2, width, seed=9)
    attend("_past", {"q": q, "k": own_k, "v": own_v, **rest(past_k=pk, past_v=pv)}, outputs=present)
    attend("_past_causal", {"q": q, "k": own_k, "v": own_v,
                            **rest(past_k=pk, past_v=pv, bias=data(3 * hidden, seed=7),
                                   mask=ints(i4, batch, 5, low=0, high=2))},
           outputs=present, unidirectional=1)


def grouped():
    heads, kv, width = 4, 2, 16
    angles = 6

    def attend(name, batch, length, past, lengths, total, packed=False, rotary=False, ids=None, bias=None,
               sinks=None, kind=f4, known=True, **attributes):
        q = data(batch, length, heads * width)
        k, v = data(batch, length, kv * width, seed=4), data(batch, length, kv * width, seed=5)
        inputs = {"q": q, "k": k, "v": v}
        if packed:
            inputs = {"q": np.concatenate([q, k, v], axis=2), "k": None, "v": None}
        old = past is not None
        inputs["past_k"] = data(batch, kv, past, width, seed=6) if old else None
        inputs["past_v"] = data(batch, kv, past, width, seed=7) if old else None
        inputs["lengths"], inputs["total"] = np.array(lengths, i4), np.array(total, i4)
        table = np.outer(np.arange(angles * 2), 1 / 10 ** np.linspace(0, 1, width // 2))
        inputs["cos"] = np.cos(table).astype(f4) if rotary else None
        inputs["sin"] = np.sin(table).astype(f4) if rotary else None
        inputs["ids"], inputs["bias"], inputs["sinks"] = ids, bias, sinks
        inputs = {a: b.astype(kind) if b is not None and b.dtype == f4 else b for a, b in inputs.items()}
        while list(inputs.values())[-1] is None:
            inputs.popitem()
        elem = TensorProto.FLOAT if kind == f4 else TensorProto.FLOAT16
        outputs = ("y", "present_k", "present_v")
        case("GroupQueryAttention_1" + name, "GroupQueryAttention", inputs, outputs=outputs,
             init=("total",) if known else (), types={o: elem for o in outputs},
             tolerance=2e-3 if kind == f2 else None, num_heads=heads, kv_num_heads=kv,
             do_rotary=int(rotary), **attributes)

    attend("_prompt", 2, 4, None, [3, 3], 4)
    attend("_prompt_padded", 2, 4, None, [1, 3], 4)
    attend("_prompt_rotary", 1, 4, None, [3], 4, rotary=True)
    attend("_prompt_buffer", 1, 4, 6, [3], 4, rotary=True, rotary_interleaved=1)
    attend("_token", 2, 1, 5, [3, 5], 6)
    attend("_token_buffer", 2, 1, 8, [3, 5], 6, rotary=True)
    attend("_token_run", 2, 1, 5, [3, 5], 6, known=False)
    attend("_packed", 2, 3, None, [2, 2], 3, packed=True, rotary=True)
    attend("_packed_token", 2, 1, 4, [4, 4], 5, packed=True, scale=0.2)
    attend("_window", 1, 6, None, [5], 6, local_window_size=3)
    attend("_window_token", 1, 1, 7, [7], 8, local_window_size=3)
    attend("_softcap", 1, 4, None, [3], 4, softcap=0.5)
    attend("_chunk", 1, 3, 4, [6], 7, rotary=True)
    attend("_ids", 1, 1, 4, [4], 5, rotary=True, ids=np.array([[2]], i8))
    attend("_ids_prompt", 1, 3, None, [2], 3, rotary=True, ids=np.array([[2, 3, 4]], i8))
    attend("_bias", 2, 2, None, [1, 1], 2, bias=data(1, heads, 2, 2, seed=9))
    attend("_bias_softcap", 1, 1, 3, [3], 4, bias=data(1, 1, 1, 4, seed=9), softcap=0.7)
    attend("_smooth", 1, 3, None, [2], 3, smooth_softmax=1)
    attend("_sinks", 1, 3, None, [2], 3, sinks=data(heads, seed=9))
    attend("_float16", 1, 3, None, [2], 3, kind=f2, rotary=True)
    attend("_whole", 2, 3, None, [2, 2], 3, causal=0)


def rotary():
    cos, sin = data(9, 2, seed=4), data(9, 2, seed=5)
    ids = np.array([[1, 2, 3], [4, 7, 8]], i8)
    x4 = data(2, 2, 3, 4)
    x3 = data(2, 3, 8)
    base = {"cos": cos, "sin": sin}
    case("RotaryEmbedding_1", "RotaryEmbedding", {"x": x3, "ids": ids, **base}, init=("cos", "sin"))
    case("RotaryEmbedding_1_offset", "RotaryEmbedding", {"x": x3, "ids": np.array([4], i8), **base})
    case("RotaryEmbedding_1_heads", "RotaryEmbedding", {"x": x4, "ids": ids, **base}, interleaved=1)
    case("RotaryEmbedding_1_part", "RotaryEmbedding", {"x": data(2, 3, 16), "ids": ids, **base},
         num_heads=2, rotary_embedding_dim=4)
    case("RotaryEmbedding_1_scale", "RotaryEmbedding", {"x": x3, "ids": ids, **base}, scale=0.5)


def n_bits():
    def product(name, m, k, n, block, bits, zeros=None, bias=False, kind=f4, shape=None, flat=False):
        blocks = -(-k // block)
        r = np.random.RandomState(k)
        inputs = {"x": data(*(shape or (m,)), k).astype(kind),
                  "w": r.randint(0, 256, (n, blocks, block * bits // 8)).astype(u1),
                  "scales": data(n * blocks if flat else n, *(() if flat else (blocks,)), low=0.01, high=0.1).astype(kind)}
        inputs["zeros"] = None
        if zeros == "packed":
            inputs["zeros"] = r.randint(0, 256, (n * ((blocks * bits + 7) // 8),)).astype(u1)
            if not flat:
                inputs["zeros"] = inputs["zeros"].reshape(n, -1)
        elif zeros:
            inputs["zeros"] = data(n, blocks, low=6, high=9).astype(kind)
        inputs["groups"] = None
        inputs["bias"] = data(n, seed=9).astype(kind) if bias else None
        while list(inputs.values())[-1] is None:
            inputs.popitem()
        elem = TensorProto.FLOAT if kind == f4 else TensorProto.FLOAT16
        case("MatMulNBits_1" + name, "MatMulNBits", inputs, init=("w", "scales", "zeros", "bias"), K=k, N=n,
             block_size=block, bits=bits, accuracy_level=1, types={"y": elem},
             tolerance=0.02 if kind == f2 else None)

    product("", 3, 64, 6, 32, 4)
    product("_row", 1, 64, 6, 32, 4, zeros="packed")
    product("_odd", 1, 50, 5, 16, 4, zeros="packed", bias=True)
    product("_rows", 7, 80, 5, 32, 4, zeros="packed", shape=(2, 4), flat=True)
    product("_real_zeros", 2, 48, 4, 16, 4, zeros="real")
    product("_8", 2, 64, 5, 32, 8)
    product("_8_zeros", 5, 40, 5, 16, 8, zeros="packed", bias=True)
    product("_2", 2, 64, 4, 32, 2, zeros="packed")
    product("_float16", 2, 64, 5, 32, 4, kind=f2, zeros="packed")


def tables():
    r = np.random.RandomState(4)
    ids = np.array([[3, 0], [-1, 2]], i8)
    table = {"x": r.randint(0, 256, (4, 20)).astype(u1), "ids": ids, "scales": data(4, 3, low=0.01, high=0.1)}
    case("GatherBlockQuantized_1", "GatherBlockQuantized", table, init=("x", "scales"), block_size=16)
    case("GatherBlockQuantized_1_zeros", "GatherBlockQuantized",
         {**table, "ids": ids[0].astype(i4), "zeros": r.randint(0, 256, (4, 2)).astype(u1)}, init=("x", "scales"),
         block_size=16, quantize_axis=1)
    case("GatherBlockQuantized_1_8", "GatherBlockQuantized",
         {"x": r.randint(0, 256, (4, 32)).astype(u1), "ids": ids, "scales": data(4, 2, low=0.01, high=0.1),
          "zeros": r.randint(0, 256, (4, 2)).astype(u1)}, init=("x", "scales"), bits=8, block_size=16)


def quantised():
    for kind, elem, name in ((u1, TensorProto.UINT8, "uint8"), (s1, TensorProto.INT8, "int8")):
        quanta = {"types": {"y": elem}, "tolerance": 1}
        sa, sb, sy = np.array(0.02, f4), np.array(0.03, f4), np.array(0.04, f4)
        za, zb, zy = np.array(5, kind), np.array(-3 if kind == s1 else 120, kind), np.array(9, kind)
        a, b = ints(kind, 2, 3, 4), ints(kind, 2, 3, 4, seed=6)
        pair = lambda x, y: {"a": x, "sa": sa, "za": za, "b": y, "sb": sb, "zb": zb, "sy": sy, "zy": zy}
        scales = ("sa", "sb", "sy", "za", "zb", "zy")
        for op in ("QLinearAdd", "QLinearMul"):
            case(op + "_1_" + name, op, pair(a, b), init=scales, **quanta)
            case(op + "_1_broadcast_" + name, op, pair(a, ints(kind, 3, 1, seed=6)), **quanta)
            case(op + "_1_scalar_" + name, op, pair(ints(kind, 1, seed=6), b), init=scales, **quanta)
        one = {"x": a, "sa": sa, "za": za, "sy": np.array(1 / 256, f4), "zy": zy}
        case("QLinearSigmoid_1_" + name, "QLinearSigmoid", one, init=scales, **quanta)
        case("QLinearLeakyRelu_1_" + name, "QLinearLeakyRelu", {**one, "sy": sy}, init=scales, alpha=0.2,
             **quanta)
        image = ints(kind, 1, 3, 5, 5)
        sb = np.array(0.0317, f4)  # no ties
        window = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}
        for include in (0, 1):
            case("QLinearAveragePool_1_%d_%s" % (include, name), "QLinearAveragePool",
                 {**one, "x": image, "sy": sb}, init=scales, count_include_pad=include, **window, **quanta)
        case("QLinearAveragePool_1_last_" + name, "QLinearAveragePool",
             {**one, "x": np.moveaxis(image, 1, -1).copy(), "sy": sb}, init=scales, channels_last=1, **window,
             **quanta)
        case("QLinearGlobalAveragePool_1_" + name, "QLinearGlobalAveragePool",
             {**one, "x": image, "sy": sb}, init=scales, **quanta)
        case("QLinearGlobalAveragePool_1_last_" + name, "QLinearGlobalAveragePool",
             {**one, "x": np.moveaxis(image, 1, -1).copy(), "sy": sb}, init=scales, channels_last=1, **quanta)
        case("QLinearConcat_1_" + name, "QLinearConcat",
             {"sy": sy, "zy": zy, "a": a, "sa": sa, "za": za, "b": b, "sb": sy, "zb": zy}, init=scales, axis=1,
             **quanta)
        case("QLinearSoftmax_1_" + name, "QLinearSoftmax",
             {**one, "sy": np.array(1 / 256, f4), "zy": np.array(0 if kind == u1 else -128, kind)}, init=scales,
             opset_attribute=13, axis=-1, **quanta)
        case("QLinearSoftmax_1_old_" + name, "QLinearSoftmax",
             {**one, "sy": np.array(1 / 256, f4), "zy": np.array(0 if kind == u1 else -128, kind)}, init=scales,
             opset_attribute=12, axis=1, **quanta)
        case("QLinearWhere_1_" + name, "QLinearWhere",
             {"c": ints(u1, 2, 3, 4, low=0, high=2).astype(bool), "a": a, "sa": sa, "za": za, "b": b, "sb": sb,
              "zb": zb, "sy": sy, "zy": zy}, init=scales, **quanta)
        case("NhwcMaxPool_1_" + name, "NhwcMaxPool", {"x": np.moveaxis(image, 1, -1).copy()}, types={"y": elem},
             **window)
        x, w = ints(kind, 4, 16), ints(kind, 16, 6, seed=6)
        column = data(6, low=0.01, high=0.05)
        zeros = ints(kind, 6, seed=8)
        case("MatMulIntegerToFloat_1_" + name, "MatMulIntegerToFloat",
             {"a": x, "b": w, "sa": sa, "sb": column, "za": za, "zb": zeros, "bias": data(6)})
        case("MatMulIntegerToFloat_1_plain_" + name, "MatMulIntegerToFloat",
             {"a": x, "b": w, "sa": sa, "sb": sb})
        case("DynamicQuantizeMatMul_1_" + name, "DynamicQuantizeMatMul",
             {"a": data(2, 3, 16), "b": w, "sb": column, "zb": zeros, "bias": data(6)},
             init=("b", "sb", "zb", "bias"), tolerance=0.02)
        case("DynamicQuantizeMatMul_1_plain_" + name, "DynamicQuantizeMatMul",
             {"a": data(3, 16), "b": w, "sb": sb}, init=("b", "sb"), tolerance=0.02)
        gemm = {"a": x, "sa": sa, "za": za, "b": w.T.copy(), "sb": sb, "zb": zb, "c": ints(i4, 6, low=-99, high=99)}
        case("QGemm_1_" + name, "QGemm", {**gemm, "sy": np.array(2.5, f4), "zy": zy}, transB=1, alpha=0.5, **quanta)
        case("QGemm_1_real_" + name, "QGemm", gemm, transB=1)
        case("QGemm_1_columns_" + name, "QGemm",
             {**gemm, "b": w, "sb": column, "zb": zeros, "c": None, "sy": np.array(2.5, f4), "zy": zy}, **quanta)
        if kind == u1:
            for weights in (u1, s1):
                case("QAttention_1_" + np.dtype(weights).name, "QAttention",
                     {"x": ints(u1, 2, 4, 6), "w": ints(weights, 6, 24), "b": data(24), "sx": np.array(0.01, f4),
                      "sw": np.array(0.01, f4), "mask": np.array([3, 4], i4), "zx": np.array(120, u1),
                      "zw": np.array(3, weights)}, init=("w", "b", "sx", "sw", "zx", "zw"), num_heads=2)
                case("QAttention_1_past_" + np.dtype(weights).name, "QAttention",
                     {"x": ints(u1, 2, 4, 6), "w": ints(weights, 6, 24), "b": data(24), "sx": np.array(0.01, f4),
                      "sw": data(24, low=0.005, high=0.02), "mask": None, "zx": np.array(120, u1),
                      "zw": ints(weights, 24, seed=9, low=0, high=9), "past": data(2, 2, 2, 3, 4)},
                     init=("w", "b", "sx", "sw", "zx", "zw"), outputs=("y", "present"), num_heads=2,
                     unidirectional=1)
            case("QLinearConv_1_last", "QLinearConv",
                 {"x": np.moveaxis(image, 1, -1).copy(), "sx": sa, "zx": za, "w": ints(s1, 4, 3, 3, 3),
                  "sw": sb, "zw": np.array(0, s1), "sy": np.array(1.5, f4), "zy": zy},
                 init=("w", "sx", "zx", "sw", "zw", "sy", "zy"), channels_last=1, **quanta)


def recurrences():
    x = data(4, 2, 5)
    for kind, suffix, ends, columns in ((u1, "", 1, False), (s1, "_both", 2, True)):
        size = (ends, 24) if columns else (ends,)
        inputs = {"x": x, "w": ints(kind, ends, 5, 24, low=-20 if kind == s1 else 100, high=20 if kind == s1 else 150),
                  "r": ints(kind, ends, 6, 24, seed=6, low=-20 if kind == s1 else 100, high=20 if kind == s1 else 150),
                  "b": data(ends, 48, seed=7), "lengths": None, "h": data(ends, 2, 6, seed=8), "c": None, "p": None,
                  "ws": data(*size, seed=9, low=0.01, high=0.02),
                  "wz": np.full(size, 0 if kind == s1 else 125, kind),
                  "rs": data(*size, seed=10, low=0.01, high=0.02),
                  "rz": np.full(size, 0 if kind == s1 else 125, kind)}
        case("DynamicQuantizeLSTM_1" + suffix, "DynamicQuantizeLSTM", inputs, outputs=("y", "last", "state"),
             init=("w", "r", "b", "ws", "wz", "rs", "rz"), hidden_size=6, tolerance=0.01,
             direction="bidirectional" if ends == 2 else "forward")


def decoder(vocabulary=7):
    """Scores that depend on tokens, positions and a cache; two heads of width 2."""
    node = helper.make_node
    info = helper.make_tensor_value_info
    values = {"table": data(vocabulary, vocabulary, seed=2), "place": data(32, vocabulary, seed=4),
              "w": data(vocabulary, 8, seed=6), "row": data(vocabulary, seed=8),
              "split": np.array([0, 0, 2, 2, 2], i8)}
    nodes = [node("Gather", ["table", "input_ids"], ["words"]),
             node("Gather", ["place", "position_ids"], ["places"]),
             node("Add", ["words", "places"], ["sum"]),
             node("MatMul", ["sum", "w"], ["heads"]),
             node("Reshape", ["heads", "split"], ["apart"]),
             node("Transpose", ["apart"], ["new"], perm=[2, 0, 3, 1, 4]),
             node("Concat", ["past_0", "new"], ["present_0"], axis=3),
             node("ReduceSum", ["present_0", "axes"], ["kept"], keepdims=0),
             node("ReduceSum", ["attention_mask", "one"], ["count"]),
             node("Cast", ["count"], ["number"], to=1),
             node("Div", ["kept", "number"], ["share"]),
             node("Unsqueeze", ["share", "two"], ["wide"]),
             node("Mul", ["wide", "row"], ["shift"]),
             node("Add", ["sum", "shift"], ["logits"])]
    values["axes"], values["one"], values["two"] = (np.array(v, i8) for v in ([0, 2, 3, 4], [1], [2]))
    nodes[7] = node("ReduceSum", ["present_0", "axes"], ["flat"], keepdims=0)
    nodes.insert(8, node("Unsqueeze", ["flat", "one"], ["kept"]))
    past = [2, "batch", 2, "past", 2]
    return helper.make_graph(
        nodes, "decoder",
        [info("input_ids", TensorProto.INT32, ["batch", "length"]),
         info("position_ids", TensorProto.INT32, ["batch", "length"]),
         info("attention_mask", TensorProto.INT32, ["batch", "total"]),
         info("past_0", TensorProto.FLOAT, past)],
        [info("logits", TensorProto.FLOAT, ["batch", "length", vocabulary]),
         info("present_0", TensorProto.FLOAT, [2, "batch", 2, "total", 2])],
        initializer=[numpy_helper.from_array(v, k) for k, v in values.items()])


def searches():
    ids = np.array([[0, 0, 3, 5], [1, 6, 2, 4]], i4)

    def search(name, least=None, penalty=None, allowed=None, first=None, mask=None, ids=ids, most=10, **attributes):
        inputs = {"ids": ids, "most": np.array([most], i4), "least": least and np.array([least], i4),
                  "penalty": penalty and np.array([penalty], f4), "allowed": allowed, "first": first, "mask": mask}
        while list(inputs.values())[-1] is None:
            inputs.popitem()
        attributes = {"eos_token_id": 2, "pad_token_id": 0, **attributes}
        case("GreedySearch_1" + name, "GreedySearch", inputs, types={"y": TensorProto.INT32}, decoder=decoder(),
             **attributes)

    search("")
    search("_first", init_decoder=decoder())
    search("_penalty", penalty=1.7)
    search("_least", least=8, eos_token_id=5)
    search("_allowed", allowed=np.array([1, 1, 1, 1, 0, 1, 0], i4))
    search("_prefix", init_decoder=decoder(), first=np.array([[1, 0, 0, 1, 1, 0, 1], [0, 1, 1, 0, 1, 1, 1]], i4))
    search("_mask", mask=np.array([[0, 1, 1, 1], [1, 1, 1, 1]], i4))
    search("_one", ids=ids[1:], most=6)


def make():
    CASES.clear()
    for group in (activations, products, convolutions, norms, standard, attention, multi_head, grouped, rotary,
                  n_bits, tables, quantised, recurrences, searches):
        group()
    for c in CASES:
        for a in c["nodes"][0].attribute:
            if a.name == "opset_attribute":
                a.name = "opset"
    return CASES
