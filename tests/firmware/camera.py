#!/usr/bin/env python3
"""Prints one network of 8-bit integers after each of the preambles that exporters write for a camera's picture.
usage: camera.py"""

# Name: the picture's shape, the nodes from x to f, the constants that they read.
PREAMBLES = {
    "none": ("float", "1,3,96,96", "f = Identity (x)", ""),
    "pytorch": ("uint8", "1,3,96,96", "a = Cast <to = 1> (x)\n  f = Mul (a, k)", "float k = {0.003921569}"),
    "imagenet": ("uint8", "1,3,96,96", "a = Cast <to = 1> (x)\n  b = Div (a, k)\n  c = Sub (b, m)\n  f = Div (c, d)",
                 "float k = {255}, float[1,3,1,1] m = {0.485, 0.456, 0.406}, float[1,3,1,1] d = {0.229, 0.224, 0.225}"),
    "keras": ("uint8", "1,96,96,3", "a = Cast <to = 1> (x)\n  b = Mul (a, k)\n  c = Sub (b, one)\n"
              "  f = Transpose <perm = [0, 3, 1, 2]> (c)", "float k = {0.007843137}, float one = {1}"),
    "caffe": ("uint8", "1,96,96,3", "a = Cast <to = 1> (x)\n  b = Transpose <perm = [0, 3, 1, 2]> (a)\n  f = Sub (b, m)",
              "float[3,1,1] m = {123.7, 116.8, 103.9}"),
    "hwc": ("uint8", "96,96,3", "a = Transpose <perm = [2, 0, 1]> (x)\n  b = Cast <to = 1> (a)\n  c = Unsqueeze (b, front)\n"
            "  d = Mul (c, k)\n  f = Sub (d, m)",
            "float k = {0.00390625}, int64[1] front = {0}, float[3,1,1] m = {0.5, 0.25, 0.125}"),
    "padded": ("uint8", "1,96,96,3", "a = Cast <to = 1> (x)\n  b = Mul (a, k)\n  c = Transpose <perm = [0, 3, 1, 2]> (b)\n"
               "  f = Pad (c, border)", "float k = {0.003921569}, int64[8] border = {0, 0, 0, 0, 0, 0, 1, 1}"),
}


def case(name):
    element, shape, nodes, constants = PREAMBLES[name]
    layers = [(3, 8, 2, 1, 3), (8, 8, 1, 8, 3), (8, 16, 1, 1, 1), (16, 16, 2, 16, 3), (16, 32, 1, 1, 1)]
    weights, lines, x = [constants] if constants else [], [nodes], "f"
    weights += ["float s = {0.02}", "int8 z = {-128}", "float t = {0.01}", "int8 n = {0}"]
    lines += ["q0 = QuantizeLinear (f, s, z)", "x0 = DequantizeLinear (q0, s, z)"]
    for i, (c, m, stride, group, k) in enumerate(layers):
        pads = [0, 0, 0, 0] if name == "padded" and i == 0 else [k // 2] * 4
        weights.append(f"int8[{m},{c // group},{k},{k}] w{i} = integers({i}, -64, 64)")
        lines += [f"v{i} = DequantizeLinear (w{i}, t, n)",
                  f"c{i} = Conv <pads = {pads}, strides = [{stride}, {stride}], group = {group}> (x{i}, v{i})",
                  f"r{i} = Relu (c{i})", f"q{i + 1} = QuantizeLinear (r{i}, s, z)",
                  f"x{i + 1} = DequantizeLinear (q{i + 1}, s, z)"]
    lines += [f"p = GlobalAveragePool (x{len(layers)})", "y = QuantizeLinear (p, s, z)"]
    values = "uniform(1, 0, 2)" if element == "float" else "integers(1, 0, 256)"
    return (f"=== {name}\n<ir_version: 8, opset_import: [\"\": 17]>\n({element}[{shape}] x) => (int8[1,32,1,1] y) "
            f"<{', '.join(weights)}> {{\n  " + "\n  ".join(lines) + f"\n}}\ngiven {element}[{shape}] x = {values}\n")


print("\n".join(case(name) for name in PREAMBLES))
