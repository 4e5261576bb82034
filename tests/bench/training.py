#!/usr/bin/env python3
"""Times training steps of eleven models, and of the same models in PyTorch where it is installed.

usage: training.py ONNXC [NAME_PART...] [--models DIR]
One thread, float32, the whole step: forward, loss, backward, optimiser. PyTorch runs before and
after each model of ours; the better time counts. In addition to the times: step / own inference,
the arena of training and its lower bound, and the state. Needs python3-onnx and python3-numpy.
PyTorch is only a yardstick with OpenBLAS (Debian: python3-torch libopenblas0-pthread).
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

import onnx

import training_models as models

GPT_SMALL, GPT_LARGE = (8, 32, 65, 64, 4, 2), (12, 64, 65, 128, 4, 4)
# name: builder, its arguments, optimiser, learning rate, what is trained
MODELS = {
    "logreg_4_3": (models.mlp, (16, 4, 3), "sgd", 0.1, "*"),
    "mlp_4_16_3": (models.mlp, (16, 4, 16, 3), "adam", 0.01, "*"),
    "mlp_784_128_10": (models.mlp, (32, 784, 128, 10), "sgd", 0.1, "*"),
    "mlp_784_512_512_10": (models.mlp, (64, 784, 512, 512, 10), "adam", 0.001, "*"),
    "cnn_8x8_8_16": (models.cnn, (16, 8, 8, 16), "momentum", 0.05, "*"),
    "cnn_28x28_32_64": (models.cnn, (32, 28, 32, 64), "momentum", 0.05, "*"),
    "lstm_64": (models.lstm, (8, 32, 32, 64), "adam", 0.003, "*"),
    "gpt_64": (models.gpt, GPT_SMALL, "adamw", 0.001, "*"),
    "gpt_128": (models.gpt, GPT_LARGE, "adamw", 0.001, "*"),
    "ds_cnn_last_layer": (models.ds_cnn, (1, 64, False), "sgd", 0.1, "out.*"),
    "ds_cnn": (models.ds_cnn, (16, 64, True), "momentum", 0.05, "*"),
}
WEIGHT_DECAY = 0.01


def trained_weights(graph, pattern):
    """Patterns for the weights: not what only shapes, masks or scales the graph."""
    if pattern != "*":
        return [pattern]
    fixed = (".shape", ".joined", ".mask", ".mean", ".var", "direction")
    names = [w.name for w in graph.initializer]
    scales = {f"b{i}.scale" for i in range(9)}
    return [n for n in names if not n.endswith(fixed) and n not in scales and not n[1:].isdigit()]


def decay_weights(model, rate):
    """AdamW: weights shrink by rate * WEIGHT_DECAY in addition to what Adam does."""
    for node in model.training_info[0].algorithm.node:
        if node.op_type == "Adam":
            node.attribute.append(onnx.helper.make_attribute("norm_coefficient_post", rate * WEIGHT_DECAY))


def keep_statistics(model):
    """Running means and variances are variables."""
    for node in model.graph.node:
        if node.op_type == "BatchNormalization" and len(node.output) == 3:
            for key, value in zip(node.input[3:], node.output[1:]):
                model.graph.output.append(onnx.helper.make_empty_tensor_value_info(value))
                pair = model.training_info[0].update_binding.add()
                pair.key, pair.value = key, value


def make(onnxc, folder, name):
    build, arguments, optimizer, rate, pattern = MODELS[name]
    plain, trained = os.path.join(folder, name + ".plain.onnx"), os.path.join(folder, name + ".onnx")
    build(plain, *arguments)
    command = [onnxc, "prepare", plain, "--loss", "softmax_cross_entropy", "--lr", str(rate), "-o", trained,
               "--optimizer", "adam" if optimizer == "adamw" else optimizer]
    for weight in trained_weights(onnx.load(plain).graph, pattern):
        command += ["--train", weight]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    model = onnx.load(trained)
    if optimizer == "adamw":
        decay_weights(model, rate)
    keep_statistics(model)
    onnx.save(model, trained)
    return plain, trained


def bench(onnxc, model, *options):
    command = [onnxc, "bench", model, "--target", "native", "--json", *options]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def torch_time(name):
    """Microseconds of a step in a process of its own; None without PyTorch."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "training_torch.py")
    limits = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    done = subprocess.run([sys.executable, script, name], env=limits, stdout=subprocess.PIPE)
    return float(done.stdout) if done.returncode == 0 else None


def row(onnxc, folder, name):
    plain, trained = make(onnxc, folder, name)
    theirs = [torch_time(name)]
    step, forward = bench(onnxc, trained, "--train"), bench(onnxc, plain)
    theirs.append(torch_time(name))
    times = [t for t in theirs if t is not None]
    ours = step["min_ms"] * 1e3
    ratio = min(times) / ours if times else math.nan
    bound = step["arena_lower_bound_bytes"]
    print(f"{name:20} {ours:10.1f} {min(times) if times else math.nan:10.1f} {ratio:7.2f} "
          f"{ours / (forward['min_ms'] * 1e3):6.2f} {step['arena_bytes'] / 1024:9.1f} "
          f"{step['arena_bytes'] / bound if bound else 1:6.3f} {step['state_bytes']:9}", flush=True)
    return ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("onnxc")
    parser.add_argument("--models", help="keep the ONNX files in this folder")
    parser.add_argument("names", nargs="*", help="parts of names")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.models or temporary
        os.makedirs(folder, exist_ok=True)
        print(f"{'model':20} {'step us':>10} {'torch us':>10} {'faster':>7} {'/ run':>6} "
              f"{'arena KiB':>9} {'/bound':>6} {'state':>9}")
        chosen = [n for n in MODELS if not options.names or any(p in n for p in options.names)]
        ratios = [row(options.onnxc, folder, name) for name in chosen]
    known = [r for r in ratios if not math.isnan(r)]
    if known:
        print(f"geometric mean {math.exp(sum(map(math.log, known)) / len(known)):.2f}")


if __name__ == "__main__":
    main()
