"""Fits positive numbers to sums, for the tables of estimates."""


def fit(counts, measured, parts, usual, pull, negligible, width=0.2, steps=2500):
    """Logarithms x for which counts @ exp(parts @ x) comes close to what was measured.

    counts: [rows, names]; parts: [names, numbers], whose logarithms add up to that of a name; usual, pull: [numbers], where
    they are without data, and how much they stay there. Relative deviations beyond `width` count less than their square;
    `negligible` is an amount that may be missing. By Adam. Needs numpy.
    """
    import numpy as np

    measured, usual, pull = (np.array(x, float) for x in (measured, usual, pull))
    counts, parts = np.array(counts, float), np.array(parts, float)
    x, mean, square = usual.copy(), 0, 0
    for i in range(1, steps + 1):
        weights = np.exp(parts @ x)
        predicted = counts @ weights
        off = np.clip(np.log((predicted + negligible) / (measured + negligible)) / width, -1, 1)
        slope = (parts.T @ (weights * (counts.T @ (off / (predicted + negligible)))) + pull * (x - usual)) / len(measured)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        x -= 0.03 * (1 - i / steps) * (mean / (1 - 0.9**i)) / (np.sqrt(square / (1 - 0.999**i)) + 1e-8)
    return x
