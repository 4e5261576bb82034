#!/usr/bin/env python3
"""A tiny decoder with caches, its genai_config.json, and what it generates by plain NumPy.

usage: decoder.py write DIR           DIR/net.onnx, DIR/genai_config.json
       decoder.py text DIR TEXT COUNT  the tokens of a greedy search, without caches
"""
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import samples  # noqa: E402
import slow  # noqa: E402

WIDTH, HEADS, LAYERS, CONTEXT = 16, 2, 2, 64
SIZE = WIDTH // HEADS


def weights(vocabulary):
    random = np.random.RandomState(3)
    make = lambda *shape: (random.randn(*shape) / 3).astype(np.float32)
    out = {"embed": make(vocabulary, WIDTH), "positions": make(CONTEXT, WIDTH)}
    for layer in range(LAYERS):
        for name in "qkvo":
            out[f"{name}{layer}"] = make(WIDTH, WIDTH)
        out[f"up{layer}"], out[f"down{layer}"] = make(WIDTH, 2 * WIDTH), make(2 * WIDTH, WIDTH)
    out["head"] = make(WIDTH, vocabulary)
    return out


def logits(w, ids):
    """Of the last token, all at once."""
    count = len(ids)
    x = w["embed"][ids] + w["positions"][:count]
    for layer in range(LAYERS):
        heads = lambda name: (x @ w[f"{name}{layer}"]).reshape(count, HEADS, SIZE).transpose(1, 0, 2)
        score = heads("q") @ heads("k").transpose(0, 2, 1) * np.float32(SIZE**-0.5)
        score = np.where(np.tri(count, dtype=bool), score, np.float32(-1e9))
        score = np.exp(score - score.max(-1, keepdims=True))
        score /= score.sum(-1, keepdims=True)
        x = x + (score @ heads("v")).transpose(1, 0, 2).reshape(count, WIDTH) @ w[f"o{layer}"]
        x = x + np.maximum(x @ w[f"up{layer}"], 0) @ w[f"down{layer}"]
    return x[-1] @ w["head"]


class Writer:
    """Nodes of a graph, one after the other."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, name, value):
        from onnx import numpy_helper
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, inputs, output=None, **attributes):
        from onnx import helper
        output = output or f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output


def add_layer(g, w, layer, x, bias, names):
    c, n = g.constant, g.node

    def heads(name):
        y = n("MatMul", [x, c(f"{name}{layer}", w[f"{name}{layer}"])])
        y = n("Reshape", [y, names["split"]])
        return n("Transpose", [y], perm=[0, 2, 1, 3])

    q = heads("q")
    for name, part in ("k", "key"), ("v", "value"):
        n("Concat", [f"past_key_values.{layer}.{part}", heads(name)], f"present.{layer}.{part}", axis=2)
    score = n("MatMul", [q, n("Transpose", [f"present.{layer}.key"], perm=[0, 1, 3, 2])])
    score = n("Softmax", [n("Add", [n("Mul", [score, names["scale"]]), bias])], axis=-1)
    y = n("Transpose", [n("MatMul", [score, f"present.{layer}.value"])], perm=[0, 2, 1, 3])
    y = n("MatMul", [n("Reshape", [y, names["join"]]), c(f"o{layer}", w[f"o{layer}"])])
    x = n("Add", [x, y])
    y = n("Relu", [n("MatMul", [x, c(f"up{layer}", w[f"up{layer}"])])])
    return n("Add", [x, n("MatMul", [y, c(f"down{layer}", w[f"down{layer}"])])])


def model(w):
    from onnx import TensorProto, helper
    g = Writer()
    c, n = g.constant, g.node
    value = helper.make_tensor_value_info
    names = {"split": c("split", np.array([0, 0, HEADS, SIZE])), "join": c("join", np.array([0, 0, WIDTH])),
             "scale": c("scale", np.float32(SIZE**-0.5))}
    one = c("one", np.array(1))
    total = n("Gather", [n("Shape", ["attention_mask"]), one])
    keys = n("Range", [c("zero", np.array(0)), total, one])
    seen = n("LessOrEqual", [keys, n("Unsqueeze", ["position_ids", c("axis2", np.array([2]))])])
    bias = n("Where", [seen, c("visible", np.float32(0)), c("hidden", np.float32(-1e9))])
    bias = n("Unsqueeze", [bias, c("axis1", np.array([1]))])
    x = n("Add", [n("Gather", [c("embed", w["embed"]), "input_ids"]),
                  n("Gather", [c("positions", w["positions"]), "position_ids"])])
    inputs = [value(name, TensorProto.INT64, ["batch_size", size]) for name, size in
              (("input_ids", "sequence_length"), ("attention_mask", "total_sequence_length"),
               ("position_ids", "sequence_length"))]
    outputs = [value("logits", TensorProto.FLOAT, ["batch_size", "sequence_length", len(w["embed"])])]
    for layer in range(LAYERS):
        for part in "key", "value":
            shape = ["batch_size", HEADS, "past_sequence_length", SIZE]
            inputs.append(value(f"past_key_values.{layer}.{part}", TensorProto.FLOAT, shape))
            shape = ["batch_size", HEADS, "total_sequence_length", SIZE]
            outputs.append(value(f"present.{layer}.{part}", TensorProto.FLOAT, shape))
        x = add_layer(g, w, layer, x, bias, names)
    n("MatMul", [x, c("head", w["head"])], "logits")
    graph = helper.make_graph(g.nodes, "decoder", inputs, outputs, g.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def config(vocabulary, end):
    decoder = {"filename": "net.onnx", "head_size": SIZE, "num_key_value_heads": HEADS,
               "num_hidden_layers": LAYERS, "hidden_size": WIDTH, "num_attention_heads": HEADS,
               "inputs": {"input_ids": "input_ids", "attention_mask": "attention_mask",
                          "position_ids": "position_ids", "past_key_names": "past_key_values.%d.key",
                          "past_value_names": "past_key_values.%d.value"},
               "outputs": {"logits": "logits", "present_key_names": "present.%d.key",
                           "present_value_names": "present.%d.value"}}
    return {"model": {"bos_token_id": end, "eos_token_id": [end], "pad_token_id": end, "type": "llama",
                      "context_length": 2048, "vocab_size": vocabulary, "decoder": decoder},
            "search": {"do_sample": False, "max_length": 2048, "top_k": 50, "top_p": 0.9,
                       "temperature": 0.8, "repetition_penalty": 1.0, "num_beams": 1}}


def main():
    spec = samples.gpt2()
    end = spec["added_tokens"][0]["id"]
    w = weights(end + 1)
    if sys.argv[1] == "write":
        import onnx
        onnx.save(model(w), os.path.join(sys.argv[2], "net.onnx"))
        for name, value in ("tokenizer", spec), ("genai_config", config(end + 1, end)):
            with open(os.path.join(sys.argv[2], name + ".json"), "w") as file:
                json.dump(value, file)
        return
    ids = slow.encode("gpt2", spec, sys.argv[3])
    given = len(ids)
    while len(ids) < given + int(sys.argv[4]):
        ids.append(int(np.argmax(logits(w, ids))))
        if ids[-1] == end:
            break
    sys.stdout.buffer.write(slow.decode(spec, ids[given:]) + b"\n")


if __name__ == "__main__":
    main()
