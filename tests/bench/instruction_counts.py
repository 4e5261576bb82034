#!/usr/bin/env python3
"""Counts the instructions of models on microcontrollers, step by step, in QEMU, and fits the estimate of
compiler/schedule/instruction_counts.inc to them.

usage: instruction_counts.py measure ONNXC RESULTS MODEL...   runs each model on each core; appends to RESULTS
       instruction_counts.py curves ONNXC RESULTS MODEL...    the same for each program of `inspect --tradeoff`
       instruction_counts.py show RESULTS                     millions of instructions of each model and core
       instruction_counts.py fit RESULTS                      prints the table, with the present rows of kernels without data
       instruction_counts.py cycles ONNXC RESULTS MODEL...    estimates cycles of each step by cycles_plugin.cpp
       instruction_counts.py fit_cycles RESULTS               prints compiler/schedule/cycles.inc
       instruction_counts.py check ONNXC RESULTS              how far estimates of this ONNXC lie from what was counted,
                                                              and whether they rank the programs of a model alike

RESULTS is a file of JSON lines, one for each model and core; what is in it is not measured again. MODEL may be followed by
:--OPTION for models that need one. Inputs are noise. Needs arm-none-eabi-g++ and qemu-system-arm, to fit numpy.
Instructions are not cycles: an estimate of these follows from the manuals of the cores.
"""
import collections
import functools
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import log_fit

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CORES = ("cortex-m0plus", "cortex-m3", "cortex-m4f", "cortex-m55")  # columns of the table
# In the order of cycles_plugin.cpp, with the core of CORES whose code they run.
CYCLES = {"cortex-m0plus": "cortex-m0plus", "cortex-m3": "cortex-m3", "cortex-m4f": "cortex-m4f", "cortex-m7": "cortex-m4f",
          "cortex-m33": "cortex-m4f", "cortex-m55": "cortex-m55"}
# Instructions without data: of a multiply-accumulate, an element of the input, one of the output, a call.
USUAL = {"mac": 4, "input": 3, "output": 10, "call": 300}
PULL, PULL_OF_KERNEL = 0.03, 0.05  # to these, of a kernel to its family
LINE_BUFFERED = "_line_buffered"
FEW_CHANNELS, OF_FEW_CHANNELS = 4, " of few channels"
PULL_OF_ROWS = 1  # of a line-buffered kernel to the one of whole images: only a call for each row makes it another
NEGLIGIBLE = 500  # instructions by which a step may be off
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
                         (ROOT + "/tests/firmware/startup.cpp", [])):
        objects.append(f"{folder}/{os.path.basename(source)}.o")
        call([*compiler, *more, "-c", source, "-o", objects[-1]])
    call([*compiler, "-nostdlib", "-nostartfiles", "-T", ROOT + "/tests/firmware/link.ld", "-Wl,--gc-sections", addresses,
          *objects, "-lm", "-lc", "-lgcc", "-o", folder + "/m.elf"])


def compiled(onnxc, word, core, folder):
    """The report of a model, of which folder/m.elf is the program, and what runs it in QEMU."""
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
    return report, ["qemu-system-arm", "-M", board, "-display", "none", "-monitor", "none", "-serial", "none",
                    "-semihosting-config", "enable=on,target=native", "-kernel", folder + "/m.elf"]


def count(onnxc, word, core, folder):
    """The report of a model and the instructions of each of its statements."""
    report, run = compiled(onnxc, word, core, folder)
    # An instruction takes a nanosecond there.
    text = call([*run, "-icount", "shift=0"], stdin=subprocess.DEVNULL)
    lines = [line.rsplit(" ", 1) for line in text.splitlines()]
    a_tick = 2e6 / int(lines[0][1])
    return report, {"instructions": [round(int(ticks) * a_tick) for _, ticks in lines[1:]]}


@functools.cache
def plugin():
    path = os.path.join(tempfile.mkdtemp(), "cycles.so")
    call(["g++", "-std=c++20", "-O2", "-shared", "-fPIC", HERE + "/cycles_plugin.cpp", "-o", path])
    return path


def count_cycles(onnxc, word, core, folder):
    """The report of a model; of each statement instructions, loads of constants and cycles on the cores of CYCLES."""
    report, run = compiled(onnxc, word, core, folder)
    symbols = call(["arm-none-eabi-nm", folder + "/m.elf"])
    mark = re.search(r"^(\w+) t \w*measure\w*$", symbols, re.MULTILINE).group(1)
    begin, size = re.search(r"\.rodata +\w+ +(\w+) \w+ (\w+)", call(["arm-none-eabi-readelf", "-SW", folder + "/m.elf"])).groups()
    where = f"mark=0x{mark},constants=0x{begin},end={int(begin, 16) + int(size, 16)}"
    text = call([*run, "-plugin", f"{plugin()},{where}"], stdin=subprocess.DEVNULL)
    # What came before the first step is no statement's.
    lines = [[int(n) for n in line.split()[1:]] for line in text.splitlines() if line.startswith("counted ")][1:]
    names = ["instructions", "constant_loads", *CYCLES]
    return report, {name: [line[i] for line in lines] for i, name in enumerate(names)}


def statements_of(report):
    """The steps of each statement: a line-buffered group is one."""
    statements, group = [], None
    for step in report["steps"]:
        if step.get("kind") != "call":
            continue
        kept = {k: step[k] for k in ("kernel", "family", "shape", "rows", "work", "macs", "moved_bytes") if k in step}
        if group is not None and step.get("group") == group:
            statements[-1].append(kept)
        else:
            statements.append([kept])
        group = step.get("group")
    return statements


def measure(onnxc, results, words, cores=CORES, count_steps=count):
    known = set()
    if os.path.exists(results):
        with open(results, encoding="utf-8") as file:
            known = {(r["model"], r["core"]) for r in map(json.loads, file)}
    with open(results, "a", encoding="utf-8") as file:
        for word in words:
            for core in cores:
                if (word, core) in known:
                    continue
                row = {"model": word, "core": core}
                try:
                    with tempfile.TemporaryDirectory() as folder:
                        report, counts = count_steps(onnxc, word, core, folder)
                    statements = statements_of(report)
                    if len(statements) != len(counts["instructions"]):
                        raise OSError(f"{len(counts['instructions'])} steps ran, {len(statements)} are in the report")
                    row.update(arena=report["memory"]["arena_bytes"], instructions=sum(counts["instructions"]),
                               statements=[{"steps": s, **{name: numbers[i] for name, numbers in counts.items()}}
                                           for i, s in enumerate(statements)])
                except (OSError, subprocess.SubprocessError, KeyError, AttributeError) as error:
                    row["error"] = str(error)
                file.write(json.dumps(row) + "\n")
                file.flush()


def cycles(onnxc, results, words):
    measure(onnxc, results, words, count_steps=count_cycles)


def curves(onnxc, results, words):
    """Measures the programs for speed between the fastest and the smallest."""
    for word in words:
        model, *options = word.split(":")
        for core in CORES:
            text = call([onnxc, "inspect", model, "--tradeoff", "--json", "--target", core, *options])
            for program in json.loads(text)["alternatives"]:
                if program["options"].startswith("--ram-limit") or not program["options"]:
                    limit = f"--ram-limit={program['arena_bytes']}"
                    measure(onnxc, results, [":".join([word, limit])], [core])


def rows_of(results):
    with open(results, encoding="utf-8") as file:
        return [row for row in map(json.loads, file) if "instructions" in row]


def show(results):
    table = collections.defaultdict(dict)
    for row in rows_of(results):
        table[row["model"]][row["core"]] = row["instructions"]
    print("%-60s" % "model", *("%14s" % c for c in CORES))
    for model, counts in table.items():
        print("%-60s" % model[-60:], *("%14.2f" % (counts[c] / 1e6) if counts.get(c) else "%14s" % "-" for c in CORES))


def elements(shapes):
    """Elements of the input and of the output of "[1,3,8,8] -> [1,4]"."""
    texts = re.findall(r"\[([^]]*)\]", shapes)
    sizes = [math.prod(int(n) for n in text.split(",") if n) for text in texts]
    return (sizes[0], sizes[-1]) if "->" in shapes and len(sizes) > 1 else (0, sizes[-1] if sizes else 0)


def row_name(step):
    """The row of the table, as compiler/schedule/instructions.cpp chooses it."""
    x = re.match(r"\[\d+,(\d+),", step["shape"])
    few = step["kernel"].startswith("conv2d") and x and int(x.group(1)) <= FEW_CHANNELS
    return step["kernel"] + (OF_FEW_CHANNELS if few else "")


def features(statement):
    """What the estimate counts: (family, row, kind) of work."""
    counts = collections.Counter()
    for step in statement["steps"]:
        inputs, outputs = elements(step["shape"])
        for kind, count in ("mac", step["macs"]), ("input", inputs), ("output", outputs), ("call", step.get("rows", 1)):
            counts[step["family"], row_name(step), kind] += count
    return counts


def by_images(row):
    """The row of the kernel of whole images."""
    return row.replace(LINE_BUFFERED, "")


def fit_core(rows):
    """Instructions of each family and kernel by kind of work."""
    import numpy as np

    statements = [s for r in rows for s in r["statements"]
                  if all(isinstance(step.get("macs"), int) and "shape" in step for step in s["steps"])]
    counts = [features(s) for s in statements]
    names = sorted({n for c in counts for n in c})
    # A family's number, by which a kernel differs from it, and by which its line-buffered form differs from that.
    families = sorted({(f, kind) for f, _, kind in names})
    kernels = sorted({(by_images(k), kind) for _, k, kind in names})
    by_rows = [(k, kind) for _, k, kind in names if LINE_BUFFERED in k]
    parts = [[(f, kind) == row for row in families] + [(by_images(k), kind) == row for row in kernels] +
             [(k, kind) == row for row in by_rows] for f, k, kind in names]
    usual = [np.log(USUAL[kind]) for _, kind in families] + [0] * (len(kernels) + len(by_rows))
    pull = [PULL] * len(families) + [PULL_OF_KERNEL] * len(kernels) + [
        PULL_OF_KERNEL if kind == "call" else PULL_OF_ROWS for _, kind in by_rows]
    x = log_fit.fit([[c.get(n, 0) for n in names] for c in counts], [s["instructions"] for s in statements], parts, usual,
                    pull, NEGLIGIBLE, 0.1, 4000)
    table = collections.defaultdict(lambda: dict(USUAL))
    for (family, kind), value in zip(families, x):
        table[family][kind] = float(np.exp(value))
    for (_, kernel, kind), value in zip(names, np.exp(np.array(parts, float) @ x)):
        table[kernel][kind] = float(value)
    return table


def table_in_use():
    """The rows of the table that is there: kernels and families without data keep them."""
    with open(ROOT + "/compiler/schedule/instruction_counts.inc", encoding="utf-8") as file:
        return {re.match(r'\{"([^"]*)"', line).group(1): line.rstrip() for line in file}


def fit(results):
    rows = rows_of(results)
    families = {row_name(step): step["family"] for r in rows for s in r["statements"] for step in s["steps"]}
    tables = [fit_core([r for r in rows if r["core"] == core]) for core in CORES]
    rows = table_in_use()
    for name in set().union(*tables):
        # A kernel that a core does not run there takes what its family does.
        own = [t[name] if name in t else t[families.get(name, name)] for t in tables]
        cores = ", ".join("{%s}" % ", ".join("%.3g" % numbers[kind] for kind in USUAL) for numbers in own)
        rows[name] = f'{{"{name}", {{{cores}}}}},'
    print("\n".join(rows[name] for name in sorted(rows)))


def fit_cycles(results):
    """Cycles and loads of constants of an instruction, by kernel, by family where a core does not run it, by all where none does."""
    totals, families = collections.defaultdict(collections.Counter), {}
    for row in rows_of(results):
        for s in row["statements"]:
            families.update((step["kernel"], step["family"]) for step in s["steps"])
            # A line-buffered group counts for each of its kernels.
            for name in {"other"} | {step[k] for step in s["steps"] for k in ("kernel", "family")}:
                for core in (c for c, code in CYCLES.items() if code == row["core"]):
                    totals[name, core].update(instructions=s["instructions"], loads=s["constant_loads"], cycles=s[core])
    for name in sorted({name for name, _ in totals}):
        numbers = []
        for core in CYCLES:
            t = next(totals[n, core] for n in (name, families.get(name), "other") if (n, core) in totals)
            numbers.append("{%.3g, %.3g}" % (t["cycles"] / t["instructions"], t["loads"] / t["instructions"]))
        print(f'{{"{name}", {{{", ".join(numbers)}}}}},')


def ranks(numbers):
    order = sorted(numbers)
    return [order.index(n) + (order.count(n) - 1) / 2 for n in numbers]


def rank_correlation(a, b):
    import numpy as np

    a, b = ranks(a), ranks(b)
    return float(np.corrcoef(a, b)[0, 1]) if len(set(a)) > 1 and len(set(b)) > 1 else float(len(set(a)) == len(set(b)))


def check(onnxc, results):
    programs, ratios = collections.defaultdict(list), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for row in rows_of(results):
            model, *options = row["model"].split(":")
            report = folder + "/r.json"
            call([onnxc, model, "-o", folder + "/m", "--target", row["core"], "-q", "--report", report, *options])
            with open(report, encoding="utf-8") as file:
                estimate = json.load(file)["instructions"]
            ratios[row["core"]].append(estimate / row["instructions"])
            name = ":".join(w for w in row["model"].split(":") if not w.startswith("--ram-limit"))
            programs[row["core"], name].append((estimate, row["instructions"]))
    for core, list_ in ratios.items():
        off = sorted(abs(math.log(r)) for r in list_)
        print(f"{core}: {len(list_)} programs, half within {100 * math.expm1(off[len(off) // 2]):.0f} %, "
              f"nine of ten within {100 * math.expm1(off[len(off) * 9 // 10]):.0f} %")
    for (core, name), list_ in programs.items():
        counted = [n for _, n in list_]
        if len(list_) > 2:
            print(f"{rank_correlation(*zip(*list_)):6.2f} {core}, {len(list_)} programs within "
                  f"{100 * (max(counted) / min(counted) - 1):.0f} % {name[-60:]}")


def main(arguments):
    many, one = {"measure": measure, "curves": curves, "cycles": cycles}, {"show": show, "fit": fit, "fit_cycles": fit_cycles}
    if len(arguments) > 3 and arguments[0] in many:
        return many[arguments[0]](arguments[1], arguments[2], arguments[3:])
    if len(arguments) == 2 and arguments[0] in one:
        return one[arguments[0]](arguments[1])
    if len(arguments) == 3 and arguments[0] == "check":
        return check(*arguments[1:])
    sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
