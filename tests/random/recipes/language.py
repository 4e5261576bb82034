"""What exporters of language models write: attention, experts, packed weights, of com.microsoft."""
import numpy as np

from recipes.registry import recipe

MS = "com.microsoft"


def real(g, shape, const=None, lo=-1, hi=1):
    return g.fresh("float", shape, const=const, lo=lo, hi=hi, exact=False)


def packed(g, shape):
    return g.const(g.np_rng().randint(0, 256, shape).astype(np.uint8), hidden=True)


def floats(shape, mag=99):
    return "float", shape, -mag, mag, None


@recipe(language=10, contrib=2)
def linear_attention(g):
    rule = g.rng.choice(["linear", "gated", "delta", "gated_delta"])
    b, t, kv, per = g.rng.choice([1, 2]), g.rng.choice([1, 3, 5]), g.rng.choice([1, 2]), g.rng.choice([1, 2])
    dk, dv = g.rng.choice([3, 4, 8]), g.rng.choice([2, 5, 8])
    heads = kv * per
    q, k = real(g, (b, t, heads * dk)), real(g, (b, t, kv * dk))
    v = real(g, (b, t, kv * dv))
    past = real(g, (b, kv, dk, dv)) if g.chance(0.6) else None
    decay = real(g, (b, t, g.rng.choice([kv, kv * dk])), lo=-1, hi=0) if "gated" in rule else None
    beta = real(g, (b, t, g.rng.choice([1, kv])), lo=0, hi=1) if "delta" in rule else None
    g.op("LinearAttention", [q, k, v, past, decay, beta], [floats((b, t, heads * dv)), floats((b, kv, dk, dv))],
         domain=MS, q_num_heads=heads, kv_num_heads=kv, update_rule=rule,
         scale=g.rng.choice([None, 0.5]), chunk_size=g.rng.choice([None, 2]))


@recipe(language=8, contrib=2)
def causal_conv(g):
    b, c, t, k = g.rng.choice([1, 2]), g.rng.choice([1, 3, 8]), g.rng.choice([1, 2, 5, 9]), g.rng.choice([1, 2, 4])
    bias = real(g, (c,), True) if g.chance(0.6) else None
    past = real(g, (b, c, k - 1)) if g.chance(0.6) else None
    g.op("CausalConvWithState", [real(g, (b, c, t)), real(g, (c, 1, k), True), bias, past],
         [floats((b, c, t)), floats((b, c, k - 1))], domain=MS, activation=g.rng.choice([None, "none", "silu", "swish"]))


@recipe(language=6, contrib=2)
def gates(g):
    kind = g.rng.choice(["LinearAttentionGate", "GatedRMSNorm", "GatedAdd"])
    shape = (g.rng.choice([1, 2]), g.rng.choice([1, 3]), g.rng.choice([2, 4, 7]))
    if kind == "LinearAttentionGate":
        inputs = [real(g, shape), real(g, shape[-1:], True), real(g, shape[-1:], True), real(g, shape)]
        return g.op(kind, inputs, [floats(shape), floats(shape)], domain=MS)
    second = real(g, shape if kind == "GatedAdd" else shape[-1:])
    gate = real(g, shape[:-1] + (1,) if kind == "GatedAdd" else shape)
    return g.op(kind, [real(g, shape), second, gate], [floats(shape)], domain=MS,
                epsilon=0.1 if kind == "GatedRMSNorm" else None)


def expert_sizes(g):
    """rows, width, hidden, experts and how many of them are asked."""
    experts = g.rng.choice([2, 4])
    return g.rng.choice([1, 3, 6]), g.rng.choice([16, 32]), g.rng.choice([16, 32]), experts, g.rng.randint(1, experts)


@recipe(language=8, contrib=2)
def experts(g):
    rows, width, hidden, count, k = expert_sizes(g)
    kind = g.rng.choice(["relu", "gelu", "silu", "identity", "swiglu"])
    inner = 2 * hidden if kind == "swiglu" else hidden
    inputs = [real(g, (rows, width)), real(g, (rows, count), False), real(g, (count, inner, width), True),
              real(g, (count, inner), True) if g.chance(0.5) else None, real(g, (count, width, hidden), True),
              real(g, (count, width), True) if g.chance(0.5) else None]
    gated = {"swiglu_fusion": 1, "activation_alpha": 1.702, "activation_beta": 1.0} if kind == "swiglu" else {}
    g.op("MoE", inputs, [floats((rows, width), 1e4)], domain=MS, k=k, activation_type=kind,
         normalize_routing_weights=g.rng.choice([0, 1]), **gated)


@recipe(language=8, contrib=2)
def packed_experts(g):
    rows, width, hidden, count, k = expert_sizes(g)
    bits, block = g.rng.choice([4, 8]), g.rng.choice([0, 16])
    kind = g.rng.choice(["relu", "gelu", "silu", "swiglu"])
    inner = 2 * hidden if kind == "swiglu" else hidden
    per = 8 // bits

    def scales(rows, columns):
        shape = (count, rows, columns // block) if block else (count, rows)
        return real(g, shape, True, 0.01, 0.1)

    inputs = [real(g, (rows, width)), real(g, (rows, count), False),
              packed(g, (count, inner, width // per)), scales(inner, width), None,
              packed(g, (count, width, hidden // per)), scales(width, hidden)]
    gated = {"swiglu_fusion": 1, "activation_alpha": 1.702, "activation_beta": 1.0} if kind == "swiglu" else {}
    g.op("QMoE", inputs, [floats((rows, width), 1e5)], domain=MS, k=k, activation_type=kind,
         expert_weight_bits=bits, block_size=block or None, normalize_routing_weights=g.rng.choice([0, 1]), **gated)
    g.root.loose = True


@recipe(language=8, contrib=2)
def packed_weights(g):
    bits, block = g.rng.choice([2, 4, 4, 8]), g.rng.choice([16, 32, 64])
    k, n, rows = g.rng.choice([16, 24, 40, 64]), g.rng.choice([1, 3, 8, 17]), g.rng.choice([1, 2, 5])
    blocks = -(-k // block)
    inputs = [real(g, (rows, k)), packed(g, (n, blocks, block * bits // 8)), real(g, (n, blocks), True, 0.01, 0.1)]
    zeros = bias = None
    if g.chance(0.5):
        zeros = packed(g, (n, -(-blocks * bits // 8))) if g.chance(0.7) else real(g, (n, blocks), True, 1, 8)
    if g.chance(0.3):
        bias = real(g, (n,), True)
    g.op("MatMulNBits", [*inputs, zeros, None, bias], [floats((rows, n), 1e4)], domain=MS, K=k, N=n, bits=bits,
         block_size=block, accuracy_level=g.rng.choice([None, 1]))


@recipe(language=6, contrib=2)
def gather_blocks(g):
    bits, block = g.rng.choice([4, 8]), 16
    rows, k = g.rng.choice([3, 5]), g.rng.choice([16, 32, 40])
    blocks = -(-k // block)
    table = packed(g, (rows, k * bits // 8))
    ids = g.np_rng().randint(-rows, rows, g.shape(most=2)).astype(g.rng.choice([np.int32, np.int64]))
    zeros = packed(g, (rows, -(-blocks * bits // 8))) if g.chance(0.5) else None
    g.op("GatherBlockQuantized", [table, g.input(ids, str(ids.dtype), hidden=True),
                                  real(g, (rows, blocks), True, 0.01, 0.1), zeros],
         [floats(ids.shape + (k,))], domain=MS, bits=bits, block_size=block)


@recipe(language=12, contrib=2)
def cached_attention(g):
    """Rows of a batch at different places, windows, rotation, packed operands, caps and biases."""
    b, s, kv, per, d = g.rng.choice([1, 2]), g.rng.choice([1, 1, 3]), g.rng.choice([1, 2]), g.rng.choice([1, 2, 3]), 16
    heads = kv * per
    past = g.rng.choice([0, 0, 4]) if s > 1 else g.rng.choice([0, 4])
    if g.chance(0.3):
        qkv = [real(g, (b, s, (heads + 2 * kv) * d)), None, None]
    else:
        qkv = [real(g, (b, s, heads * d)), real(g, (b, s, kv * d)), real(g, (b, s, kv * d))]
    caches = [real(g, (b, kv, past, d)) for _ in range(2)] if past else [None, None]
    total = past + s
    # Prompts of a batch may end early; with a past, one token is at its own position in each row.
    ends = [total - 1] * b
    if b > 1 and (s == 1 or not past):
        ends[1] = g.rng.randint(max(s - 1, 0) if past else 0, total - 1)
    lengths = [g.const(np.asarray(ends, np.int32), hidden=True), g.const(np.int32(total), hidden=True)]
    rotary = []
    if g.chance(0.5):
        angles = g.np_rng().uniform(-3, 3, (12, d // 2)).astype(np.float32)
        rotary = [g.const(f(angles), "float", hidden=True) for f in (np.cos, np.sin)]
    cache = floats((b, kv, total, d))
    outputs = [floats((b, s, heads * d)), cache, cache]
    made = g.op("GroupQueryAttention", [*qkv, *caches, *lengths, *rotary], outputs, domain=MS, num_heads=heads,
                kv_num_heads=kv, do_rotary=1 if rotary else None, rotary_interleaved=g.rng.choice([None, 1]) if rotary else None,
                local_window_size=g.rng.choice([None, None, 2]), softcap=g.rng.choice([None, None, 0.7]),
                smooth_softmax=g.rng.choice([None, None, 1]), scale=g.rng.choice([None, 0.25]))
    # What follows the end of a row is unspecified.
    for value in made if len(set(ends)) > 1 else []:
        value.hidden = True
