"""LSTM, GRU and RNN with constant weights: units in blocks, both directions, sequences of several lengths."""
import numpy as np

from case_writer import case, data, f4, node


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, h, c, r, peephole):
    i, o, f, g = np.split(x + h @ r.T, 4)
    pi, po, pf = np.split(peephole, 3)
    c2 = sigmoid(f + pf * c) * c + sigmoid(i + pi * c) * np.tanh(g)
    return sigmoid(o + po * c2) * np.tanh(c2), c2


def gru(x, h, r, late, after):
    (xz, xr, xh), (rz, rr, rh) = np.split(x, 3), np.split(r, 3)
    z, reset = sigmoid(xz + h @ rz.T), sigmoid(xr + h @ rr.T)
    hidden = reset * (h @ rh.T + late) if after else (reset * h) @ rh.T + late
    return (1 - z) * np.tanh(xh + hidden) + z * h


def walk(x, lengths, h, cell):
    """All states and the last ones of one direction; cell(x, h, b) is the state after one step of sequence b."""
    y, last = np.zeros((len(x), len(lengths), h.shape[-1])), h.copy()
    for b, length in enumerate(lengths):
        for t in range(length):
            last[b] = y[t, b] = cell(x[t, b], last[b], b)
    return y, last


def turned(x, lengths):
    """The first steps of each sequence in reverse."""
    out = x.copy()
    for b, length in enumerate(lengths):
        out[:length, b] = x[:length, b][::-1]
    return out


def both(x, w, b, bias, lengths, h, cell):
    """cell(d) gives the cell of direction d. Y and Y_h."""
    ys, lasts = [], []
    for d in range(2):
        inputs = x if d == 0 else turned(x, lengths)
        y, last = walk(inputs @ w[d].T + b[d][:len(w[d])] + bias[d], lengths, h[d], cell(d))
        ys.append(y if d == 0 else turned(y, lengths))
        lasts.append(last)
    return np.stack(ys, 1).astype(f4), np.stack(lasts).astype(f4)


def operator_cases(batch, hidden):
    seq, size = 4, 5
    lengths = np.array([seq, 0, 2][:batch], np.int32)
    x = data(seq, batch, size).astype(np.float64)
    h = data(2, batch, hidden, seed=5).astype(np.float64)

    def weights(gates):
        return [data(*s, seed=i, low=-0.4, high=0.4) for i, s in enumerate(
            [(2, gates * hidden, size), (2, gates * hidden, hidden), (2, 2 * gates * hidden)], 1)]

    def add(name, op, init, wanted, extra=(), **attributes):
        names = ["x", "w", "r", "b", "lengths", "h", *extra]
        case("%s_22_%dx%d" % (name, batch, hidden), 22,
             node(op, names, list(wanted), hidden_size=hidden, direction="bidirectional", **attributes),
             {"x": x.astype(f4), "lengths": lengths, "h": h.astype(f4),
              **({"c": h.astype(f4)} if extra else {})}, wanted, init=init, tolerance=2e-6)

    w, r, b = weights(1)
    cell = lambda d: lambda v, state, _: np.tanh(v + state @ r[d].T)
    y, last = both(x, w, b, b[:, hidden:], lengths, h, cell)
    add("RNN", "RNN", {"w": w, "r": r, "b": b}, {"y": y, "last": last})

    w, r, b = weights(3)
    early = np.concatenate([b[:, 3 * hidden:5 * hidden], np.zeros((2, hidden), f4)], 1)
    for after in (0, 1):
        cell = lambda d: lambda v, state, _: gru(v, state, r[d], b[d][5 * hidden:], after)
        y, last = both(x, w, b, early, lengths, h, cell)
        add("GRU_%s" % ("before", "after")[after], "GRU", {"w": w, "r": r, "b": b}, {"y": y, "last": last},
            linear_before_reset=after)

    w, r, b = weights(4)
    p = data(2, 3 * hidden, seed=9, low=-0.4, high=0.4)
    cells = h.copy()

    def cell_of(d):
        def step(v, state, at):
            state, cells[d][at] = lstm(v, state, cells[d][at], r[d], p[d])
            return state
        return step

    y, last = both(x, w, b, b[:, 4 * hidden:], lengths, h, cell_of)
    add("LSTM", "LSTM", {"w": w, "r": r, "b": b, "p": p}, {"y": y, "last": last, "cells": cells.astype(f4)},
        extra=("c", "p"))


def make():
    operator_cases(1, 32)
    operator_cases(3, 48)
