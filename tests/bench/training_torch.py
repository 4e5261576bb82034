#!/usr/bin/env python3
"""Prints the microseconds that a training step of a model of training.py takes in PyTorch.

usage: training_torch.py NAME        fails without PyTorch
"""
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SECONDS = 1.5


class Char(nn.Module):
    def __init__(self, vocabulary, hidden):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.lstm = nn.LSTM(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, x):
        return self.out(self.lstm(self.embedding(x))[0]).transpose(1, 2)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x):
        batch, steps, width = x.shape
        parts = self.qkv(x).split(width, 2)
        q, k, v = (p.view(batch, steps, self.heads, -1).transpose(1, 2) for p in parts)
        scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
        future = torch.triu(torch.ones(steps, steps, dtype=torch.bool), 1)
        y = scores.masked_fill(future, float("-inf")).softmax(-1) @ v
        return self.proj(y.transpose(1, 2).reshape(batch, steps, width))

    def forward(self, x):
        x = x + self.attend(self.n1(x))
        return x + self.down(F.gelu(self.up(self.n2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, steps, vocabulary, width, heads, blocks):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(steps, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(blocks)))
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, x):
        h = self.blocks(self.tokens(x) + self.positions.weight[: x.shape[1]])
        return self.out(self.norm(h)).transpose(1, 2)


def mlp(*widths):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def cnn(size, *channels):
    layers, before = [], 1
    for c in channels:
        layers += [nn.Conv2d(before, c, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        before, size = c, size // 2
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(before * size * size, 10))


def ds_cnn(channels):
    layers = [nn.Conv2d(1, channels, (10, 4), 2, (5, 1)), nn.BatchNorm2d(channels), nn.ReLU()]
    for _ in range(4):
        layers += [nn.Conv2d(channels, channels, 3, 1, 1, groups=channels), nn.BatchNorm2d(channels), nn.ReLU(),
                   nn.Conv2d(channels, channels, 1), nn.BatchNorm2d(channels), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 12))


def last_layer():
    model = ds_cnn(64).eval()
    for p in model[:-1].parameters():
        p.requires_grad_(False)
    return model


def ids(most, *shape):
    return torch.randint(0, most, shape)


def sgd(rate, momentum=0.0):
    return lambda p: torch.optim.SGD(p, rate, momentum)


def adam(rate):
    return lambda p: torch.optim.Adam(p, rate)


def adamw(p):
    return torch.optim.AdamW(p, 0.001)


MODELS = {
    "logreg_4_3": lambda: (mlp(4, 3), torch.randn(16, 4), ids(3, 16), sgd(0.1)),
    "mlp_4_16_3": lambda: (mlp(4, 16, 3), torch.randn(16, 4), ids(3, 16), adam(0.01)),
    "mlp_784_128_10": lambda: (mlp(784, 128, 10), torch.randn(32, 784), ids(10, 32), sgd(0.1)),
    "mlp_784_512_512_10": lambda: (mlp(784, 512, 512, 10), torch.randn(64, 784), ids(10, 64), adam(0.001)),
    "cnn_8x8_8_16": lambda: (cnn(8, 8, 16), torch.randn(16, 1, 8, 8), ids(10, 16), sgd(0.05, 0.9)),
    "cnn_28x28_32_64": lambda: (cnn(28, 32, 64), torch.randn(32, 1, 28, 28), ids(10, 32), sgd(0.05, 0.9)),
    "lstm_64": lambda: (Char(32, 64), ids(32, 8, 32), ids(32, 8, 32), adam(0.003)),
    "gpt_64": lambda: (Gpt(32, 65, 64, 4, 2), ids(65, 8, 32), ids(65, 8, 32), adamw),
    "gpt_128": lambda: (Gpt(64, 65, 128, 4, 4), ids(65, 12, 64), ids(65, 12, 64), adamw),
    "ds_cnn_last_layer": lambda: (last_layer(), torch.randn(1, 1, 49, 10), ids(12, 1), sgd(0.1)),
    "ds_cnn": lambda: (ds_cnn(64).train(), torch.randn(16, 1, 49, 10), ids(12, 16), sgd(0.05, 0.9)),
}


def main():
    torch.set_num_threads(1)
    model, x, labels, optimizer = MODELS[sys.argv[1]]()
    update = optimizer([p for p in model.parameters() if p.requires_grad])
    times, start = [], time.perf_counter()
    while time.perf_counter() - start < SECONDS or len(times) < 10:
        begin = time.perf_counter()
        update.zero_grad(set_to_none=True)
        F.cross_entropy(model(x), labels).backward()
        update.step()
        times.append(time.perf_counter() - begin)
    print(min(times) * 1e6)


if __name__ == "__main__":
    main()
