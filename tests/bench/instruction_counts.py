#!/usr/bin/env python3
"""Counts the instructions of models on microcontrollers, step by step, in QEMU.

usage: instruction_counts.py measure ONNXC RESULTS MODEL...   runs each model on each core; appends to RESULTS
       instruction_counts.py show RESULTS                     millions of instructions of each model and core

RESULTS is a file of JSON lines, one for each model and core; what is in it is not measured again. MODEL may be followed by
:--OPTION for models that need one. Inputs are noise. Needs arm-none-eabi-g++ and qemu-system-arm. Instructions are
not cycles.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CORES = ("cortex-m0plus", "cortex-m4f", "cortex-m55")
C_TYPES = {"float": "float", "double": "double", "bool": "bool"}


def c_type(name):
    return C_TYPES.get(name) or (f"std::{name}_t" if re.fullmatch(r"u?int\d+", name) else None)


def arrays_of(ports, kind):
    """Definitions of memory for ports, and the statements that hand it over."""
    lines, statements = [], []
    for i, port in enumerate(ports):
        size = 1
        for extent in port["shape"]:
            size *= int(extent)
        lines.append(f"inline {c_type(port['type'])} {kind}{i}[{max(size, 1)}];")
        statements.append(f"  {kind}.{port['identifier']} = {kind}{i};")
    return lines, statements


def noise_of(ports):
    """Statements that fill the inputs: floats and bytes with noise, other integers with zeros."""
    lines = []
    for i, port in enumerate(ports):
        if port["type"] == "float":
            lines.append(f"  for (float& v : in{i}) v = static_cast<float>(next() >> 8) / 8388608.0f - 1.0f;")
        elif port["type"] in ("uint8", "int8"):
            lines.append(f"  for (auto& v : in{i}) v = static_cast<{c_type(port['type'])}>(next() >> 24);")
    return lines


def ports_header(report, header):
    name, caps = report["name"], report["name"].upper()
    with open(header, encoding="utf-8") as file:
        text = file.read()
    steps = re.search(rf"{caps}_STEPS (\d+)", text).group(1)
    inputs, give = arrays_of(report["inputs"], "in")
    outputs, take = arrays_of(report["outputs"], "out")
    return "\n".join([
        f'#pragma once\n#include "{os.path.basename(header)}"', f"constexpr int kSteps = {steps};", *inputs, *outputs,
        f"alignas({caps}_ARENA_ALIGN) inline unsigned char arena[{caps}_ARENA_BYTES + 1];",
        "inline std::uint32_t noise = 1;", "inline std::uint32_t next() { return noise = noise * 1664525u + 1013904223u; }",
        "inline bool run_model(int (*f)(void*, std::uint32_t, const char*), void* context) {", *noise_of(report["inputs"]),
        f"  const {name}_hook hook = {{f, context}};", f"  {name}_inputs in = {{}};", f"  {name}_outputs out = {{}};",
        *give, *take, "  in.hook_ = &hook;", f"  return {name}_run(&in, &out, arena) == {caps}_OK;", "}", ""])


def call(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False, **more)
    if done.returncode != 0:
        raise OSError((done.stderr or done.stdout or f"{command[0]}: {done.returncode}").strip()[-400:])
    return done.stdout + done.stderr


def board_of(core):
    """Flags of the compiler, board of QEMU, and addresses for the linker."""
    script = ('. "$source_dir/tests/firmware/boards.sh"; use_core "$1"; '
              'echo $cpu $flags; echo $board; echo --defsym=code=$code,--defsym=fast=$fast,--defsym=large=$large')
    text = call(["bash", "-c", script, "bash", core], env={**os.environ, "source_dir": ROOT})
    flags, board, addresses = text.splitlines()
    return flags.split(), board, "-Wl," + addresses


def build(flags, addresses, folder):
    compiler = ["arm-none-eabi-g++", *flags, "-O2", f"-I{ROOT}", f"-I{folder}"]
    objects = []
    for source, more in ((folder + "/m.cpp", []), (HERE + "/instruction_counts.cpp", []),
                         (ROOT + "/tests/firmware/startup.cpp", []),
                         (ROOT + "/tests/firmware/memory.cpp", ["-fno-tree-loop-distribute-patterns"])):
        objects.append(f"{folder}/{os.path.basename(source)}.o")
        call([*compiler, *more, "-c", source, "-o", objects[-1]])
    call([*compiler, "-nostdlib", "-nostartfiles", "-T", ROOT + "/tests/firmware/link.ld", "-Wl,--gc-sections", addresses,
          *objects, "-lm", "-lgcc", "-o", folder + "/m.elf"])


def count(onnxc, word, core, folder):
    """The report of a model and the instructions of each of its statements."""
    model, *options = word.split(":")
    report = folder + "/r.json"
    call([onnxc, model, "-o", folder + "/m", "--name", "m", "--target", core, "--no-heap", "--hook", "-q", "--report", report,
          *options])
    with open(report, encoding="utf-8") as file:
        report = json.load(file)
    with open(folder + "/ports.h", "w", encoding="utf-8") as file:
        file.write(ports_header(report, folder + "/m.h"))
    flags, board, addresses = board_of(core)
    build(flags, addresses, folder)
    # An instruction takes a nanosecond there.
    text = call(["qemu-system-arm", "-M", board, "-display", "none", "-monitor", "none", "-serial", "none",
                 "-semihosting-config", "enable=on,target=native", "-icount", "shift=0", "-kernel", folder + "/m.elf"],
                stdin=subprocess.DEVNULL)
    lines = [line.rsplit(" ", 1) for line in text.splitlines()]
    a_tick = 2e6 / int(lines[0][1])
    return report, [(name, round(int(ticks) * a_tick)) for name, ticks in lines[1:]]


def statements_of(report):
    """The steps of each statement: a line-buffered group is one."""
    statements, group = [], None
    for step in report["steps"]:
        if step.get("kind") != "call":
            continue
        kept = {k: step[k] for k in ("kernel", "family", "shape", "work", "macs", "moved_bytes") if k in step}
        if group is not None and step.get("group") == group:
            statements[-1].append(kept)
        else:
            statements.append([kept])
        group = step.get("group")
    return statements


def measure(onnxc, results, words):
    known = set()
    if os.path.exists(results):
        with open(results, encoding="utf-8") as file:
            known = {(r["model"], r["core"]) for r in map(json.loads, file)}
    with open(results, "a", encoding="utf-8") as file:
        for word in words:
            for core in CORES:
                if (word, core) in known:
                    continue
                row = {"model": word, "core": core}
                try:
                    with tempfile.TemporaryDirectory() as folder:
                        report, counts = count(onnxc, word, core, folder)
                    statements = statements_of(report)
                    if len(statements) != len(counts):
                        raise OSError(f"{len(counts)} steps ran, {len(statements)} are in the report")
                    row.update(arena=report["memory"]["arena_bytes"], instructions=sum(n for _, n in counts),
                               statements=[{"steps": s, "instructions": n} for s, (_, n) in zip(statements, counts)])
                except (OSError, subprocess.SubprocessError, KeyError) as error:
                    row["error"] = str(error)
                file.write(json.dumps(row) + "\n")
                file.flush()


def show(results):
    table = collections.defaultdict(dict)
    with open(results, encoding="utf-8") as file:
        for row in map(json.loads, file):
            table[row["model"]][row["core"]] = row.get("instructions")
    print("%-60s" % "model", *("%14s" % c for c in CORES))
    for model, counts in table.items():
        print("%-60s" % model[-60:], *("%14.2f" % (counts[c] / 1e6) if counts.get(c) else "%14s" % "-" for c in CORES))


def main(arguments):
    if len(arguments) > 3 and arguments[0] == "measure":
        return measure(arguments[1], arguments[2], arguments[3:])
    if len(arguments) == 2 and arguments[0] == "show":
        return show(arguments[1])
    sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
