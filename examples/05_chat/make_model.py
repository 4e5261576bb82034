#!/usr/bin/python3
"""Trains a tiny decoder on a few dozen questions and answers, and writes model.onnx, tokenizer.json
and genai_config.json. Needs python3-onnx and torch; a minute or two on one core.
"""
import collections
import json
import os
import random

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, HEADS, LAYERS, CONTEXT, MERGES = 32, 4, 2, 96, 120
SIZE = WIDTH // HEADS
END = "<|end|>"

COLOURS = {"grass": "green", "the sky": "blue", "snow": "white", "coal": "black", "a banana": "yellow",
           "blood": "red", "an orange": "orange", "a mouse": "grey", "chocolate": "brown"}
SOUNDS = {"a cat": "meow", "a dog": "woof", "a cow": "moo", "a duck": "quack", "a sheep": "baa",
          "a pig": "oink", "an owl": "hoo", "a bee": "buzz"}
CAPITALS = {"France": "Paris", "Italy": "Rome", "Spain": "Madrid", "Japan": "Tokyo", "Egypt": "Cairo",
            "Norway": "Oslo", "Peru": "Lima", "Kenya": "Nairobi", "Germany": "Berlin"}


def pairs():
    out = [("hello", "Hello! Ask me about colours, sounds, capitals or sums."),
           ("who are you?", "A very small model, compiled to C++."),
           ("thank you", "You are welcome."), ("good bye", "Good bye!")]
    out += [(f"what colour is {k}?", f"{k[0].upper()}{k[1:]} is {v}.") for k, v in COLOURS.items()]
    out += [(f"what does {k} say?", f"{v.capitalize()}!") for k, v in SOUNDS.items()]
    out += [(f"what is the capital of {k}?", f"It is {v}.") for k, v in CAPITALS.items()]
    out += [(f"what is {a} and {b}?", f"{a} and {b} is {a + b}.") for a in range(1, 6) for b in range(1, 6)]
    return [f"You: {question}\nBot: {answer}{END}\n" for question, answer in out]


# ---- tokenizer ----------------------------------------------------------------------------------


def alphabet():
    """The printable bytes of ASCII, blank and line feed, as GPT-2 writes them."""
    return {b: chr(b) if 33 <= b < 127 else chr(256 + b) for b in [10, *range(32, 127)]}


def words(text):
    """As the pattern of tokenizer.json divides plain English."""
    import re
    return re.findall(r" ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", text)


def learn(texts):
    letters = alphabet()
    vocab = {c: i for i, c in enumerate(letters.values())}
    split = collections.Counter(w for t in texts for part in t.split(END) for w in words(part))
    parts = {w: [letters[b] for b in w.encode()] for w in split}
    merges = []
    for _ in range(MERGES):
        count = collections.Counter()
        for w, p in parts.items():
            for pair in zip(p, p[1:]):
                count[pair] += split[w]
        if not count:
            break
        a, b = max(count.items(), key=lambda item: (item[1], item[0]))[0]
        merges.append([a, b])
        vocab.setdefault(a + b, len(vocab))
        for p in parts.values():
            i = 0
            while i + 1 < len(p):
                if p[i] == a and p[i + 1] == b:
                    p[i:i + 2] = [a + b]
                i += 1
    return vocab, merges, {w: [vocab[x] for x in p] for w, p in parts.items()}


def tokenizer(vocab, merges):
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    pattern = r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    return {
        "version": "1.0", "truncation": None, "padding": None, "normalizer": None,
        "added_tokens": [{"id": len(vocab), "content": END, "single_word": False, "lstrip": False,
                          "rstrip": False, "normalized": False, "special": True}],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False},
            level]},
        "post_processor": level, "decoder": level,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "vocab": vocab, "merges": merges}}


# ---- training -----------------------------------------------------------------------------------


def parameters(vocabulary):
    torch.manual_seed(1)
    make = lambda *shape: (torch.randn(*shape) * shape[0]**-0.5).requires_grad_()
    out = {"embed": (torch.randn(vocabulary, WIDTH) * 0.3).requires_grad_(),
           "positions": (torch.randn(CONTEXT, WIDTH) * 0.1).requires_grad_()}
    for layer in range(LAYERS):
        out.update({f"{n}{layer}": make(WIDTH, WIDTH) for n in "qkvo"})
        out[f"up{layer}"], out[f"down{layer}"] = make(WIDTH, 2 * WIDTH), make(2 * WIDTH, WIDTH)
        out[f"norm_a{layer}"] = torch.ones(WIDTH).requires_grad_()
        out[f"norm_b{layer}"] = torch.ones(WIDTH).requires_grad_()
    out["norm"] = torch.ones(WIDTH).requires_grad_()
    out["head"] = make(WIDTH, vocabulary)
    return out


def normed(x, scale):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * scale


def forward(p, ids):
    batch, count = ids.shape
    x = p["embed"][ids] + p["positions"][:count]
    mask = torch.full((count, count), -1e9).triu(1)
    for layer in range(LAYERS):
        y = normed(x, p[f"norm_a{layer}"])
        q, k, v = ((y @ p[f"{n}{layer}"]).view(batch, count, HEADS, SIZE).transpose(1, 2) for n in "qkv")
        score = torch.softmax(q @ k.transpose(2, 3) * SIZE**-0.5 + mask, -1)
        x = x + (score @ v).transpose(1, 2).reshape(batch, count, WIDTH) @ p[f"o{layer}"]
        y = normed(x, p[f"norm_b{layer}"])
        x = x + torch.relu(y @ p[f"up{layer}"]) @ p[f"down{layer}"]
    return normed(x, p["norm"]) @ p["head"]


def train(texts, encode, vocabulary, steps=1000):
    torch.set_num_threads(1)
    random.seed(2)
    p = parameters(vocabulary)
    optimizer = torch.optim.Adam(p.values(), lr=6e-3)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=steps)
    length = CONTEXT
    for step in range(steps):
        rows = []
        for _ in range(8):
            ids = []
            while len(ids) < length + 1:
                ids += encode(random.choice(texts))
            rows.append(ids[:length + 1])
        batch = torch.tensor(rows)
        loss = torch.nn.functional.cross_entropy(forward(p, batch[:, :-1]).flatten(0, 1),
                                                 batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        plan.step()
        if step % 100 == 0:
            print(step, float(loss), flush=True)
    return {name: value.detach().numpy() for name, value in p.items()}


# ---- the model ----------------------------------------------------------------------------------


class Graph:
    def __init__(self, weights):
        self.nodes, self.constants, self.weights = [], [], weights

    def weight(self, name):
        return self.constant(name, self.weights[name])

    def constant(self, name, value):
        if name not in [c.name for c in self.constants]:
            self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, inputs, output=None, **attributes):
        output = output or f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def normed(self, x, scale):
        square = self.node("ReduceMean", [self.node("Mul", [x, x])], axes=[-1])
        size = self.node("Sqrt", [self.node("Add", [square, self.constant("epsilon", np.float32(1e-5))])])
        return self.node("Mul", [self.node("Div", [x, size]), self.weight(scale)])


def add_layer(g, layer, x, bias):
    n = g.node
    split = g.constant("split", np.array([0, 0, HEADS, SIZE]))
    join = g.constant("join", np.array([0, 0, WIDTH]))
    y = g.normed(x, f"norm_a{layer}")

    def heads(name):
        part = n("Reshape", [n("MatMul", [y, g.weight(f"{name}{layer}")]), split])
        return n("Transpose", [part], perm=[0, 2, 1, 3])

    q = heads("q")
    for name, part in ("k", "key"), ("v", "value"):
        n("Concat", [f"past_key_values.{layer}.{part}", heads(name)], f"present.{layer}.{part}", axis=2)
    score = n("MatMul", [q, n("Transpose", [f"present.{layer}.key"], perm=[0, 1, 3, 2])])
    score = n("Mul", [score, g.constant("scale", np.float32(SIZE**-0.5))])
    score = n("Softmax", [n("Add", [score, bias])], axis=-1)
    seen = n("Transpose", [n("MatMul", [score, f"present.{layer}.value"])], perm=[0, 2, 1, 3])
    x = n("Add", [x, n("MatMul", [n("Reshape", [seen, join]), g.weight(f"o{layer}")])])
    y = g.normed(x, f"norm_b{layer}")
    y = n("Relu", [n("MatMul", [y, g.weight(f"up{layer}")])])
    return n("Add", [x, n("MatMul", [y, g.weight(f"down{layer}")])])


def model(weights):
    g = Graph(weights)
    n, c, value = g.node, g.constant, helper.make_tensor_value_info
    one = c("one", np.array(1))
    total = n("Gather", [n("Shape", ["attention_mask"]), one])
    keys = n("Range", [c("zero", np.array(0)), total, one])
    seen = n("LessOrEqual", [keys, n("Unsqueeze", ["position_ids", c("axis2", np.array([2]))])])
    bias = n("Where", [seen, c("visible", np.float32(0)), c("hidden", np.float32(-1e9))])
    bias = n("Unsqueeze", [bias, c("axis1", np.array([1]))])
    x = n("Add", [n("Gather", [g.weight("embed"), "input_ids"]),
                  n("Gather", [g.weight("positions"), "position_ids"])])
    inputs = [value(name, TensorProto.INT64, [1, size]) for name, size in
              (("input_ids", "sequence_length"), ("attention_mask", "total_sequence_length"),
               ("position_ids", "sequence_length"))]
    outputs = [value("logits", TensorProto.FLOAT, [1, "sequence_length", len(weights["embed"])])]
    for layer in range(LAYERS):
        for part in "key", "value":
            inputs.append(value(f"past_key_values.{layer}.{part}", TensorProto.FLOAT,
                                [1, HEADS, "past_sequence_length", SIZE]))
            outputs.append(value(f"present.{layer}.{part}", TensorProto.FLOAT,
                                 [1, HEADS, "total_sequence_length", SIZE]))
        x = add_layer(g, layer, x, bias)
    n("MatMul", [g.normed(x, "norm"), g.weight("head")], "logits")
    graph = helper.make_graph(g.nodes, "chat", inputs, outputs, g.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def config(vocabulary):
    decoder = {"filename": "model.onnx", "head_size": SIZE, "hidden_size": WIDTH,
               "num_attention_heads": HEADS, "num_key_value_heads": HEADS, "num_hidden_layers": LAYERS,
               "inputs": {"input_ids": "input_ids", "attention_mask": "attention_mask",
                          "position_ids": "position_ids", "past_key_names": "past_key_values.%d.key",
                          "past_value_names": "past_key_values.%d.value"},
               "outputs": {"logits": "logits", "present_key_names": "present.%d.key",
                           "present_value_names": "present.%d.value"}}
    return {"model": {"type": "decoder", "bos_token_id": vocabulary - 1, "eos_token_id": vocabulary - 1,
                      "pad_token_id": vocabulary - 1, "context_length": CONTEXT, "vocab_size": vocabulary,
                      "decoder": decoder},
            "search": {"do_sample": False, "max_length": CONTEXT, "num_beams": 1, "top_k": 1, "top_p": 1.0,
                       "temperature": 1.0, "repetition_penalty": 1.0}}


def main():
    texts = pairs()
    vocab, merges, known = learn(texts)

    def encode(text):
        first, rest = text.split(END)
        ids = [i for w in words(first) for i in known[w]]
        return ids + [len(vocab)] + [i for w in words(rest) for i in known[w]]

    weights = train(texts, encode, len(vocab) + 1)
    onnx.save(model(weights), os.path.join(HERE, "model.onnx"))
    for name, value in ("tokenizer", tokenizer(vocab, merges)), ("genai_config", config(len(vocab) + 1)):
        with open(os.path.join(HERE, name + ".json"), "w") as file:
            json.dump(value, file, indent=1 if name == "genai_config" else None)
            file.write("\n")


if __name__ == "__main__":
    main()
