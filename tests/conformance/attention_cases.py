"""Attention as exporters write it: products, factors, masks and a softmax among transposes."""
import numpy as np

from case_writer import case, data, f4, i8, node, rng


def attend(q, k, v, scale=1.0, mask=0.0):
    """q [.., rows, width], k [.., keys, width], v [.., keys, columns], in double precision."""
    x = q.astype(np.float64) @ np.swapaxes(k, -1, -2) * scale + mask
    e = np.exp(x - x.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True) @ v).astype(f4)


def heads(x, count):
    """[batch, length, count * width] -> [batch, count, length, width]"""
    return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


def joined(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def split_heads(letter, perm=(0, 2, 1, 3)):
    return [node("Reshape", [letter, "heads"], [letter + "_split"]),
            node("Transpose", [letter + "_split"], [letter + "_heads"], perm=list(perm))]


def whole(weighing, opset, name, inputs, y, init, shapes=None):
    """q, k, v [batch, length, hidden]; the nodes `weighing` make "weights" from "product"."""
    nodes = (split_heads("q") + split_heads("k", (0, 2, 3, 1)) + split_heads("v") +
             [node("MatMul", ["q_heads", "k_heads"], ["product"])] + weighing +
             [node("MatMul", ["weights", "v_heads"], ["parts"]),
              node("Transpose", ["parts"], ["turned"], perm=[0, 2, 1, 3]),
              node("Reshape", ["turned", "flat"], ["y"])])
    case("Softmax_%d_attention_%s" % (opset, name), opset, nodes, inputs, {"y": y}, init=init,
         shapes=shapes)


def shape_constants(count):
    return {"heads": np.array([0, 0, count, -1], i8), "flat": np.array([0, 0, -1], i8)}


def encoder_cases():
    q, k, v = data(2, 11, 15), data(2, 19, 15, seed=1), data(2, 19, 21, seed=2)
    mask = np.where(rng().uniform(size=(2, 1, 1, 19)) < 0.3, f4(-10000), f4(0))
    y = joined(attend(heads(q, 3), heads(k, 3), heads(v, 3), 1 / 2.25, mask))
    scaled = [node("Div", ["product", "d"], ["scaled"]), node("Add", ["scaled", "m"], ["masked"]),
              node("Softmax", ["masked"], ["weights"], axis=3)]
    init = dict(shape_constants(3), d=np.array(2.25, f4))
    for opset in (11, 13):
        whole(scaled, opset, "encoder", {"q": q, "k": k, "v": v, "m": mask}, y, init)
    # Extents that only the run tells.
    sizes = ((3, 5), (21, 40))
    sets = [(data(1, a, 12), data(1, b, 12, seed=1), data(1, b, 12, seed=2)) for a, b in sizes]
    for opset in (11, 13):  # Softmax-11 works on a matrix
        whole([node("Softmax", ["product"], ["weights"], axis=3 if opset == 11 else -1)], opset,
              "free", {n: [s[i] for s in sets] for i, n in enumerate("qkv")},
              [joined(attend(*(heads(x, 2) for x in s))) for s in sets], shape_constants(2),
              {"q": ["b", "n", 12], "k": ["b", "m", 12], "v": ["b", "m", 12], "y": ["b", "n", 12]})


def packed_cases():
    """One product for queries, keys and values: split, or as slices of five axes."""
    x = data(2, 37, 3 * 2 * 8)
    parts = [heads(p, 2) for p in np.split(x, 3, -1)]
    ready = [node("MatMul", ["q_heads", "k_heads"], ["product"]),
             node("Softmax", ["product"], ["weights"], axis=-1),
             node("MatMul", ["weights", "v_heads"], ["y"])]
    nodes = [node("Split", ["x"], ["q", "k", "v"], axis=-1)]
    nodes += split_heads("q") + split_heads("k", (0, 2, 3, 1)) + split_heads("v") + ready
    case("Softmax_13_attention_split", 13, nodes, {"x": x}, {"y": attend(*parts)},
         init=shape_constants(2))
    nodes = [node("Reshape", ["x", "five"], ["split"]),
             node("Transpose", ["split"], ["turned"], perm=[2, 0, 3, 1, 4])]
    nodes += [node("Gather", ["turned", c], [c + "_heads"], axis=0) for c in "qv"]
    nodes += [node("Gather", ["turned", "k"], ["k_rows"], axis=0),
              node("Transpose", ["k_rows"], ["k_heads"], perm=[0, 1, 3, 2])] + ready
    init = {c: np.array(i, i8) for i, c in enumerate("qkv")}
    case("Softmax_13_attention_five", 13, nodes, {"x": x}, {"y": attend(*parts)},
         init=dict(init, five=np.array([0, 0, 3, 2, 8], i8)))


def decoder_case():
    """One query, with a cache of keys and values that is handed on."""
    q, k, v = (data(1, 2, 1, 20, seed=s) for s in range(3))
    past_k, past_v = data(1, 2, 33, 20, seed=3), data(1, 2, 33, 20, seed=4)
    keys, values = np.concatenate([past_k, k], 2), np.concatenate([past_v, v], 2)
    case("Softmax_13_attention_cache", 13,
         [node("Concat", ["past_k", "k"], ["keys"], axis=2),
          node("Concat", ["past_v", "v"], ["values"], axis=2),
          node("Transpose", ["keys"], ["turned"], perm=[0, 1, 3, 2]),
          node("MatMul", ["q", "turned"], ["product"]), node("Mul", ["s", "product"], ["scaled"]),
          node("Softmax", ["scaled"], ["weights"], axis=-1),
          node("MatMul", ["weights", "values"], ["parts"]),
          node("Transpose", ["parts"], ["y"], perm=[0, 2, 1, 3])],
         {"q": q, "k": k, "v": v, "past_k": past_k, "past_v": past_v},
         {"y": attend(q, keys, values, 0.3).transpose(0, 2, 1, 3), "keys": keys, "values": values},
         init={"s": np.array([0.3], f4)})


def mask_cases():
    """Numbers and truth as masks; keys whose columns lie together; factors before the product."""
    q, k, v = data(2, 3, 40, 24), data(2, 3, 24, 75, seed=1), data(3, 75, 9, seed=2)
    late = np.triu(np.ones((40, 75), bool), 36)
    numbers = np.where(late, f4(-np.inf), data(40, 75, seed=3))
    keys = k.transpose(0, 1, 3, 2)
    tail = [node("Softmax", ["masked"], ["weights"], axis=-1),
            node("MatMul", ["weights", "v"], ["y"])]
    case("Softmax_13_attention_numbers", 13,
         [node("Mul", ["q", "s"], ["qs"]), node("Mul", ["k", "s"], ["ks"]),
          node("MatMul", ["qs", "ks"], ["product"]), node("Add", ["m", "product"], ["masked"])] +
         tail, {"q": q, "k": k, "v": v, "m": numbers}, {"y": attend(q, keys, v, 0.25, numbers)},
         init={"s": np.array(0.5, f4)})
    for name, order in (("kept", ["m", "product", "low"]), ("masked", ["m", "low", "product"])):
        m = ~late if name == "kept" else late
        case("Softmax_13_attention_" + name, 13,
             [node("MatMul", ["q", "k"], ["product"]), node("Where", order, ["masked"])] + tail,
             {"q": q, "k": k, "v": v, "m": m},
             {"y": attend(q, keys, v, 1.0, np.where(late, -np.inf, 0))},
             init={"low": np.array(-np.inf, f4)})


def careful_cases():
    """As exporters take care of causal masks beside those of padding, and of rows that see nothing."""
    q, k, v = data(2, 2, 17, 8), data(2, 2, 17, 8, seed=1), data(2, 2, 17, 8, seed=2)
    causal = np.tril(np.ones((1, 1, 17, 17), bool))
    padding = np.where(np.arange(17) < [[[[17]]], [[[12]]]], f4(0), f4(-1e9)).reshape(2, 1, 1, 17)
    turned = [node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]),
              node("MatMul", ["q", "kt"], ["product"])]
    case("Softmax_13_attention_causal", 13,
         turned + [node("Div", ["product", "d"], ["scaled"]),
                   node("Where", ["causal", "scaled", "low"], ["seen"]),
                   node("Add", ["seen", "padding"], ["masked"]),
                   node("Softmax", ["masked"], ["weights"], axis=-1),
                   node("MatMul", ["weights", "v"], ["y"])],
         {"q": q, "k": k, "v": v, "padding": padding},
         {"y": attend(q, k, v, 1 / 3, np.where(causal, padding, -1e9))},
         init={"d": np.array(3, f4), "low": np.array(-1e9, f4), "causal": causal})
    blind = np.ones((2, 1, 17, 17), bool)
    blind[0, 0, 3] = blind[1, 0, 12:] = False
    y = attend(q, k, v, 1, np.where(blind, 0, -1e9)) * blind[..., :1]
    case("Softmax_13_attention_blind", 13,
         turned + [node("Where", ["seen", "zero", "low"], ["mask"]),
                   node("Add", ["product", "mask"], ["masked"]),
                   node("Softmax", ["masked"], ["all"], axis=-1), node("IsNaN", ["all"], ["none"]),
                   node("Where", ["none", "zero", "all"], ["weights"]),
                   node("MatMul", ["weights", "v"], ["y"])],
         {"q": q, "k": k, "v": v, "seen": blind}, {"y": y.astype(f4)},
         init={"zero": np.array(0, f4), "low": np.array(-np.inf, f4)})


def stack_case():
    """Products of a stack of batch * heads matrices, of which the mask sees both axes."""
    q, k, v = data(2, 13, 24), data(2, 21, 24, seed=1), data(2, 21, 24, seed=2)
    mask = np.where(rng().uniform(size=(2, 1, 13, 21)) < 0.3, f4(-100), f4(0))
    nodes = split_heads("q") + split_heads("k") + split_heads("v")
    nodes += [node("Reshape", [c + "_heads", "stack"], [c + "_stack"]) for c in "qkv"]
    nodes += [node("Transpose", ["k_stack"], ["kt"], perm=[0, 2, 1]),
              node("MatMul", ["q_stack", "kt"], ["product"]),
              node("Reshape", ["product", "apart"], ["product4"]),
              node("Add", ["product4", "m"], ["masked4"]),
              node("Reshape", ["masked4", "together"], ["masked"]),
              node("Softmax", ["masked"], ["weights"], axis=-1),
              node("MatMul", ["weights", "v_stack"], ["parts"]),
              node("Reshape", ["parts", "result"], ["parts4"]),
              node("Transpose", ["parts4"], ["turned"], perm=[0, 2, 1, 3]),
              node("Reshape", ["turned", "flat"], ["y"])]
    shapes = {"stack": [6, -1, 8], "apart": [2, 3, 13, 21], "together": [6, 13, 21],
              "result": [2, 3, 13, 8]}
    init = dict(shape_constants(3), **{n: np.array(s, i8) for n, s in shapes.items()})
    case("Softmax_13_attention_stack", 13, nodes, {"q": q, "k": k, "v": v, "m": mask},
         {"y": joined(attend(heads(q, 3), heads(k, 3), heads(v, 3), 1, mask))}, init=init)


def shared_case():
    """Heads that share keys and values, which are repeated for them."""
    q, k, v = data(2, 6, 3, 8), data(2, 2, 19, 8, seed=1), data(2, 2, 19, 8, seed=2)
    nodes = []
    for c in "kv":
        nodes += [node("Unsqueeze", [c, "two"], [c + "_apart"]),
                  node("Expand", [c + "_apart", "five"], [c + "_all"]),
                  node("Reshape", [c + "_all", "four"], [c + "_heads"])]
    nodes += [node("Transpose", ["k_heads"], ["kt"], perm=[0, 1, 3, 2]),
              node("MatMul", ["q", "kt"], ["product"]), node("Add", ["product", "m"], ["masked"]),
              node("Softmax", ["masked"], ["weights"], axis=-1),
              node("MatMul", ["weights", "v_heads"], ["parts"]),
              node("Transpose", ["parts"], ["y"], perm=[0, 2, 1, 3])]
    init = {"two": np.array([2], i8), "five": np.array([2, 2, 3, 19, 8], i8),
            "four": np.array([2, 6, 19, 8], i8)}
    mask = data(2, 1, 3, 19, seed=3)
    y = attend(q, k.repeat(3, 1), v.repeat(3, 1), 1, mask).transpose(0, 2, 1, 3)
    case("Softmax_13_attention_shared", 13, nodes, {"q": q, "k": k, "v": v, "m": mask}, {"y": y},
         init=init)


def make():
    for group in (encoder_cases, packed_cases, decoder_case, mask_cases, careful_cases, stack_case, shared_case):
        group()
