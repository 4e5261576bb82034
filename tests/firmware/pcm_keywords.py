#!/usr/bin/env python3
"""Prints keyword spotters that take 20 ms of sound a call, from samples to scores, as cases: `mfcc` by DFT and 10 cepstral
coefficients, `bands` by STFT and the logarithms of 40 mel bands. Their states are inputs and outputs.
usage: pcm_keywords.py"""
import math

NEW, FRAME, BANDS, ROWS, WORDS = 320, 512, 40, 49, 12
CHANNELS, BLOCKS = 32, 3


def cosines(count):
    """The orthonormal DCT of the bands; the first coefficient, much larger than the others, is scaled."""
    table = [[math.cos(math.pi * k * (2 * n + 1) / (2 * BANDS)) * math.sqrt((2 if k else 0.125) / BANDS)
              for k in range(count)] for n in range(BANDS)]
    return ", ".join("%.7g" % v for row in table for v in row)


# Name: features a row, how the frame becomes a spectrum, how the bands become a row, more constants, scale.
FORMS = {
    "mfcc": (10, """  windowed = Mul (scaled, hann)
  signal = Reshape (windowed, signal_shape)
  complex = DFT <onesided = 1> (signal)""", "  row = MatMul (logs, dct)",
             f"int64[3] signal_shape = {{1, {FRAME}, 1}}, "
             f"float[{BANDS},10] dct = {{{cosines(10)}}}", 0.25),
    "bands": (BANDS, """  signal = Reshape (scaled, signal_shape)
  complex = STFT <onesided = 1> (signal, step, hann, length)""", "  row = Identity (logs)",
              f"int64[3] signal_shape = {{1, {FRAME}, 1}}, int64 length = {{{FRAME}}}, int64 step = {{{NEW}}}", 0.125),
}


def network(features, image_scale):
    """Layers of 8-bit integers: constants, nodes. x is the image. The scale of a bias is exactly that of its sums."""
    shapes = [(CHANNELS, 1, 10, 4, 4 / 1024)]
    for _ in range(BLOCKS):
        shapes += [(CHANNELS, 1, 3, 3, 9 / 1024), (CHANNELS, CHANNELS, 1, 1, 5 / 1024)]
    constants, lines, x = ["int8 low = {-128}", "float s = {0.25}", "int8 zero = {0}"], [], "x"
    for i, (out, of, h, w, scale) in enumerate(shapes):
        constants += [f"int8[{out},{of},{h},{w}] w{i} = integers({i}, -64, 65)", f"float t{i} = {{{scale}}}",
                      f"int32[{out}] b{i} = integers({i}, -2000, 2000)",
                      f"float u{i} = {{{scale * (0.25 if i else image_scale)}}}"]
        group = CHANNELS if i and of == 1 else 1
        # An odd count of pixels, so that their mean never lies between two bytes.
        sizes = (f"strides = [2, {2 if features == 10 else 3}], pads = [4, 1, 5, {2 if features == 10 else 1}]" if i == 0
                 else f"pads = [{h // 2}, {w // 2}, {h // 2}, {w // 2}], group = {group}")
        lines += [f"v{i} = DequantizeLinear (w{i}, t{i}, zero)", f"a{i} = DequantizeLinear (b{i}, u{i})",
                  f"c{i} = Conv <{sizes}> ({x}, v{i}, a{i})", f"r{i} = Relu (c{i})", f"q{i} = QuantizeLinear (r{i}, s, low)",
                  f"x{i} = DequantizeLinear (q{i}, s, low)"]
        x = f"x{i}"
    constants += [f"int8[{WORDS},{CHANNELS}] w = integers(99, -64, 65)", "float t = {0.01}"]
    lines += [f"p = GlobalAveragePool ({x})", "pq = QuantizeLinear (p, s, low)", "pd = DequantizeLinear (pq, s, low)",
              "f = Flatten (pd)", "v = DequantizeLinear (w, t, zero)", "g = Gemm <transB = 1> (f, v)",
              "scores = QuantizeLinear (g, s, zero)"]
    return constants, lines


def case(name):
    features, spectrum, row, more, scale = FORMS[name]
    constants, lines = network(features, scale)
    old = FRAME - NEW
    constants += [more, "float full = {3.0517578e-05}", f"int64 frame_length = {{{FRAME}}}", "int64[1] height = {2}",
                  f"int64 bands = {{{BANDS}}}", "int64 rate = {16000}", "float lowest = {20}", "float highest = {7600}",
                  "float floor = {1e-3}", f"float fs = {{{scale}}}", f"int64[1] new = {{{NEW}}}", f"int64[1] frame = {{{FRAME}}}",
                  "int64[1] one = {1}", f"int64[1] rows = {{{ROWS}}}", f"int64[4] row_shape = {{1, 1, 1, {features}}}",
                  f"int64[2] power_shape = {{1, {FRAME // 2 + 1}}}"]
    joined = "\n  ".join(lines)
    return f"""=== {name}
<ir_version: 8, opset_import: ["": 17]>
(int16[{NEW}] pcm, int16[{old}] past, int8[1,1,{ROWS - 1},{features}] past_rows) =>
    (int8[1,{WORDS}] scores, float[1,{features}] row, int16[{old}] next, int8[1,1,{ROWS - 1},{features}] next_rows)
<{", ".join(constants)}> {{
  samples = Concat <axis = 0> (past, pcm)
  next = Slice (samples, new, frame)
  floats = Cast <to = 1> (samples)
  scaled = Mul (floats, full)
  hann = HannWindow (frame_length)
{spectrum}
  squares = ReduceSumSquare <keepdims = 0, axes = [-1]> (complex)
  power = Reshape (squares, power_shape)
  mel = MelWeightMatrix (bands, frame_length, rate, lowest, highest)
  energies = MatMul (power, mel)
  positive = Add (energies, floor)
  logs = Log (positive)
{row}
  one_row = Reshape (row, row_shape)
  quantised = QuantizeLinear (one_row, fs, zero)
  image = Concat <axis = 2> (past_rows, quantised)
  next_rows = Slice (image, one, rows, height)
  x = DequantizeLinear (image, fs, zero)
  {joined}
}}
given int16[{NEW}] pcm = integers(1, -8000, 8000)
given int16[{old}] past = integers(2, -8000, 8000)
given int8[1,1,{ROWS - 1},{features}] past_rows = integers(3, -100, 100)
"""


print("\n".join(case(name) for name in FORMS))
