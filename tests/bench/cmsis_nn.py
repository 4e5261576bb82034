#!/usr/bin/env python3
"""Instructions of int8 layers for each multiply-accumulate, or element that a pool reads, in QEMU, next to those of CMSIS-NN.

usage: cmsis_nn.py ONNXC CMSIS_NN

CMSIS_NN: a folder with the sources of CMSIS-NN. Both are compiled at -O2; weights have a scale for each channel, inputs are noise;
the layer alone is counted, with whole images. Needs arm-none-eabi-g++ and qemu-system-arm. Prints the table of docs/firmware.md.
"""
import glob
import os
import subprocess
import sys
import tempfile

import instruction_counts as ic

CORES = ("cortex-m4f", "cortex-m55")
POOLS = {"average": "AveragePool", "max": "MaxPool"}
# Kind, height and width of the input, channels in and out, window, stride, pads above and left.
LAYERS = [
    ("conv", 49, 10, 1, 64, 10, 4, 2, 4, 1), ("conv", 96, 96, 1, 8, 3, 3, 2, 0, 0), ("conv", 48, 48, 3, 8, 3, 3, 2, 0, 0),
    ("conv", 32, 32, 3, 16, 3, 3, 1, 1, 1), ("conv", 28, 28, 1, 8, 5, 5, 1, 2, 2), ("conv", 32, 32, 16, 16, 3, 3, 1, 1, 1),
    ("conv", 16, 16, 32, 32, 3, 3, 1, 1, 1), ("conv", 16, 16, 32, 64, 3, 3, 2, 0, 0), ("conv", 8, 8, 64, 64, 3, 3, 1, 1, 1),
    ("conv", 4, 4, 128, 128, 3, 3, 1, 1, 1), ("conv", 1, 64, 16, 32, 1, 5, 1, 0, 2),
    ("conv", 32, 32, 16, 32, 1, 1, 2, 0, 0), ("conv", 48, 48, 8, 16, 1, 1, 1, 0, 0), ("conv", 24, 24, 32, 32, 1, 1, 1, 0, 0),
    ("conv", 12, 12, 16, 96, 1, 1, 1, 0, 0), ("conv", 12, 12, 96, 24, 1, 1, 1, 0, 0),
    ("conv", 25, 5, 64, 64, 1, 1, 1, 0, 0), ("conv", 6, 6, 128, 128, 1, 1, 1, 0, 0), ("conv", 3, 3, 256, 256, 1, 1, 1, 0, 0),
    ("depthwise", 25, 5, 64, 64, 3, 3, 1, 1, 1), ("depthwise", 48, 48, 8, 8, 3, 3, 1, 1, 1),
    ("depthwise", 48, 48, 16, 16, 3, 3, 2, 0, 0), ("depthwise", 6, 6, 128, 128, 3, 3, 1, 1, 1),
    ("depthwise", 12, 12, 96, 96, 5, 5, 1, 2, 2), ("depthwise", 1, 64, 32, 32, 1, 9, 1, 0, 4),
    ("dense", 1, 1, 640, 128, 1, 1, 1, 0, 0), ("dense", 1, 1, 128, 128, 1, 1, 1, 0, 0), ("dense", 1, 1, 64, 10, 1, 1, 1, 0, 0),
    ("average", 25, 5, 64, 64, 25, 5, 1, 0, 0), ("average", 16, 16, 32, 32, 2, 2, 2, 0, 0), ("max", 32, 32, 16, 16, 2, 2, 2, 0, 0),
    ("max", 24, 24, 32, 32, 3, 3, 2, 0, 0),
]


def sizes(layer):
    """Height and width of the output; multiply-accumulates, or elements that a pool reads."""
    kind, h, w, c_in, c_out, k_h, k_w, stride, top, left = layer
    if kind in POOLS:
        out_h, out_w = (h - k_h) // stride + 1, (w - k_w) // stride + 1
    else:
        out_h, out_w = (h + stride - 1) // stride, (w + stride - 1) // stride
    return out_h, out_w, out_h * out_w * c_out * k_h * k_w * (c_in if kind in ("conv", "dense") else 1)


def case(layer):
    """The layer as a model, in the text form of docs/cases.md."""
    kind, h, w, c_in, c_out, k_h, k_w, stride, top, left = layer
    out_h, out_w, _ = sizes(layer)
    if kind == "dense":
        return f"""=== layer
<ir_version: 8, opset_import: ["": 17]>
(uint8[1,{c_in}] x) => (uint8[1,{c_out}] y) <float s = {{0.02}}, uint8 z = {{0}}, float t = {{0.002}}, int8 n = {{0}}, int8[{c_in},{c_out}] w = integers(1, -128, 128)> {{
  y = QLinearMatMul (x, s, z, w, t, n, s, z)
}}
given uint8[1,{c_in}] x = integers(2, 0, 256)
"""
    if kind in POOLS:
        return f"""=== layer
<ir_version: 8, opset_import: ["": 17]>
(int8[1,{h},{w},{c_in}] x) => (int8[1,{out_h},{out_w},{c_out}] y) <float s = {{0.02}}, int8 z = {{3}}> {{
  image = Transpose <perm = [0, 3, 1, 2]> (x)
  a = DequantizeLinear (image, s, z)
  b = {POOLS[kind]} <kernel_shape = [{k_h}, {k_w}], strides = [{stride}, {stride}]> (a)
  c = QuantizeLinear (b, s, z)
  y = Transpose <perm = [0, 2, 3, 1]> (c)
}}
given int8[1,{h},{w},{c_in}] x = integers(2, -128, 128)
"""
    down, right = (out_h - 1) * stride + k_h - h - top, (out_w - 1) * stride + k_w - w - left
    group = c_in if kind == "depthwise" else 1
    return f"""=== layer
<ir_version: 8, opset_import: ["": 17]>
(uint8[1,{c_in},{h},{w}] x) => (uint8[1,{c_out},{out_h},{out_w}] y) <float s = {{0.02}}, uint8 z = {{0}}, float[{c_out}] t = uniform(3, 0.001, 0.002), int8[{c_out}] n = integers(4, 0, 1), int8[{c_out},{c_in // group},{k_h},{k_w}] w = integers(1, -128, 128)> {{
  y = QLinearConv <kernel_shape = [{k_h}, {k_w}], strides = [{stride}, {stride}], pads = [{top}, {left}, {max(down, 0)}, {max(right, 0)}], group = {group}> (x, s, z, w, t, n, s, z)
}}
given uint8[1,{c_in},{h},{w}] x = integers(2, 0, 256)
"""


def of_onnxc(onnxc, layer, core, folder):
    with open(folder + "/layer.case", "w", encoding="utf-8") as file:
        file.write(case(layer))
    ic.call([onnxc, "verify", "--export", folder + "/own", folder + "/layer.case"])
    model = glob.glob(folder + "/own/**/model.onnx", recursive=True)[0]
    report, counts = ic.count(onnxc, model + ":--ram-limit=999999999", core, folder)
    # Without the reordering of an image that comes channels first.
    return sum(n for s, n in zip(ic.statements_of(report), counts["instructions"])
               if any(step["macs"] or "pool" in step["kernel"] for step in s))


def library(cmsis, core, folder):
    """All of CMSIS-NN for 8 bits as an archive."""
    flags, _, _ = ic.board_of(core)
    sources = [p for p in glob.glob(cmsis + "/Source/**/*.c", recursive=True)
               if "_s8" in p or "_s4" in p or "NNSupportFunctions" in p]
    flags = [f for f in flags if not f.startswith(("-std", "-fno-exceptions", "-fno-rtti"))]
    for source in sources:
        # Files for floats of 16 bits do not compile for each core, and are not needed.
        subprocess.run(["arm-none-eabi-gcc", *flags, "-w", "-O2", f"-I{cmsis}/Include", "-c", source, "-o",
                        f"{folder}/{os.path.basename(source)}.o"], stderr=subprocess.DEVNULL, check=False)
    ic.call(["arm-none-eabi-ar", "rcs", folder + "/libcmsis.a", *glob.glob(folder + "/*.c.o")])


def of_cmsis(cmsis, layer, core, folder, archive):
    kind, h, w, c_in, c_out, k_h, k_w, stride, top, left = layer
    out_h, out_w, _ = sizes(layer)
    names = {"IN_H": h, "IN_W": w, "IN_C": c_in, "OUT_C": c_out, "OUT_H": out_h, "OUT_W": out_w, "K_H": k_h, "K_W": k_w,
             "STRIDE": stride, "PAD_H": top, "PAD_W": left, "WEIGHTS": c_out * k_h * k_w * (1 if kind == "depthwise" else c_in)}
    with open(folder + "/layer.h", "w", encoding="utf-8") as file:
        file.write("".join(f"#define {k} {v}\n" for k, v in names.items()) + f"#define {kind.upper()}\n")
    flags, board, addresses = ic.board_of(core)
    ic.call(["arm-none-eabi-g++", *flags, "-w", "-O2", f"-I{ic.ROOT}", f"-I{folder}", f"-I{cmsis}/Include", "-nostdlib",
             "-nostartfiles", "-T", ic.ROOT + "/tests/firmware/link.ld", "-Wl,--gc-sections", addresses,
             ic.HERE + "/cmsis_nn.cpp", ic.ROOT + "/tests/firmware/startup.cpp", archive, "-lm", "-lc", "-lgcc", "-o",
             folder + "/m.elf"])
    text = ic.call(["qemu-system-arm", "-M", board, "-display", "none", "-monitor", "none", "-serial", "none",
                    "-semihosting-config", "enable=on,target=native", "-icount", "shift=0", "-kernel", folder + "/m.elf"],
                   stdin=subprocess.DEVNULL)
    clock, ticks = map(int, text.split())
    return round(ticks * 2e6 / clock)


def name(layer):
    kind, h, w, c_in, c_out, k_h, k_w, stride, _, _ = layer
    kind += " pool" if kind in POOLS else ""
    window = "" if kind == "dense" else f" {k_h}x{k_w}" + (f", stride {stride}" if stride > 1 else "") + f", {h}x{w}"
    return f"{kind}{window}, {c_in}" + (f" to {c_out}" if kind in ("conv", "dense") else "") + " channels"


def main(onnxc, cmsis):
    print("| layer | " + " | ".join(f"{core}: onnxc | CMSIS-NN | ratio" for core in CORES) + " |")
    print("|---|" + "---|" * 3 * len(CORES))
    with tempfile.TemporaryDirectory() as root:
        for core in CORES:
            os.mkdir(f"{root}/{core}")
            library(cmsis, core, f"{root}/{core}")
        for layer in LAYERS:
            cells = []
            for core in CORES:
                with tempfile.TemporaryDirectory() as folder:
                    ours = of_onnxc(onnxc, layer, core, folder)
                    theirs = of_cmsis(cmsis, layer, core, folder, f"{root}/{core}/libcmsis.a")
                macs = sizes(layer)[2]
                cells.append(f"{ours / macs:.2f} | {theirs / macs:.2f} | {theirs / ours:.2f}")
            print(f"| {name(layer)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
