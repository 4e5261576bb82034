#!/usr/bin/env python3
"""Writes own/: cases of operators in versions, types or modes that the ONNX suite leaves out.

Also refused/: models that onnxc must not accept, with a part of the message. Every expected value
comes from naive NumPy code in the *_cases.py here. Random operators have no fixed values: their
models compute statistics of many numbers in the graph, compared with a tolerance.
usage: generate.py [--check]    --check compares with what is there instead of writing
Needs python3-onnx and python3-numpy.
"""
import os
import sys

sys.dont_write_bytecode = True
import attention_cases
import case_writer
import complex_cases
import contrib_cases
import einsum_cases
import model_cases
import layout_cases
import loop_cases
import ml_cases
import mode_cases
import quantized_cases
import recurrent_cases
import size_cases
import string_cases
import tree_cases
import version_cases
import volume_cases


def main(arguments):
    folder = os.path.dirname(os.path.abspath(__file__))
    for group in (version_cases, complex_cases, mode_cases, size_cases, ml_cases, string_cases,
                  tree_cases, contrib_cases, model_cases, quantized_cases,
                  recurrent_cases, attention_cases, einsum_cases, volume_cases,
                  layout_cases, loop_cases):
        group.make()
    if "--check" in arguments:
        return case_writer.check(folder)
    case_writer.write(folder)
    print("%d cases" % len(case_writer.CASES))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
