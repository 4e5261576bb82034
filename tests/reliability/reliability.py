#!/usr/bin/env python3
"""Long runs in pieces, whose results are kept, and the table of docs/reliability.md that they make.

usage: reliability.py run [--minutes M] [--count N] [ROW...]
           runs pieces in turn until M minutes are over (default: 30), each of N models, seconds of fuzzing, ... in place
           of what the row has
       reliability.py table         prints the table
       reliability.py write FILE    puts it into FILE, in the place of the one there
       reliability.py check FILE    whether FILE holds that table
       reliability.py list          the rows and their commands

A piece has a seed that no piece of its row had before, takes at most half an hour and adds a line to log.jsonl: row, seed, count,
passed, failed, known, seconds by the clock and of one core, commit. ONNXC: the compiler to test, by default the newest
build. ORT_NODE_DIR: a folder with node_modules/onnxruntime-node. A piece without its tools is skipped, and adds no line.
"""
import argparse
import collections
import datetime
import json
import os
import re
import resource
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LOG = os.path.join(HERE, "log.jsonl")
MOST_SECONDS = 1800
SKIPPED = 77

Row = collections.namedtuple("Row", "what unit count command")
RANDOM = "tests/random/run.sh --seed {seed} --count {count} --no-shrink"
# Of coverage-guided fuzzing a piece counts seconds. The inputs that it found go on in the next one.
FUZZ = "BUILD_DIR=$PWD/build/fuzz tests/fuzz/run.sh --seconds {count} "
METAMORPHIC = "SAME_CASES=1 CXX=clang++ CXXFLAGS=-O0 tests/metamorphic/run.sh {onnxc} {work} "
# {seed}, {count}: of the piece.
ROWS = {
    "random": Row("random models against ONNX Runtime", "models", 400, RANDOM + " --oracle ort"),
    "random-plain": Row("random models against builds without optimisation", "models", 400, RANDOM + " --oracle plain"),
    "random-unoptimised": Row("random models, `--plain`, against ONNX Runtime", "models", 400, RANDOM + " --oracle ort --options=--plain"),
    "random-no-heap": Row("random models, `--no-heap`", "models", 400, RANDOM + " --oracle plain --sizes fixed --options=--no-heap"),
    "random-open": Row("random models with open sizes", "models", 400, RANDOM + " --oracle plain --sizes names"),
    "random-threads": Row("random models, `--threads 2`", "models", 400, RANDOM + ' --oracle plain --options "--threads 2"'),
    "random-size": Row("random models, `--optimize size`", "models", 400, RANDOM + ' --oracle plain --options "--optimize size"'),
    "random-strict": Row("random models, `--fp strict`", "models", 400, RANDOM + ' --oracle plain --options "--fp strict"'),
    "random-clang": Row("random models, compiled by clang", "models", 200, RANDOM + " --oracle plain --cxx clang++"),
    "random-sanitized": Row("random models under AddressSanitizer and UndefinedBehaviorSanitizer", "models", 200,
                            'CXXFLAGS="-O1 -fsanitize=address,undefined -fno-sanitize-recover=all" ' + RANDOM + " --oracle plain"),
    "random-scalar": Row("random models with open sizes on a processor without vectors", "models", 400,
                         'CXXFLAGS="-O0 -U__SSE2__" ' + RANDOM + " --oracle plain --sizes some --options \"--target generic\""),
    "random-small": Row("random models with open sizes for a Cortex-M0+, built for this machine", "models", 400,
                        RANDOM + " --oracle plain --sizes some --cxx $PWD/tests/host_cxx.sh --options \"--target cortex-m0plus\""),
    "random-bits": Row("options that must not change a bit", "models", 400, RANDOM + " --oracle plain --bits"),
    "random-s390x": Row("random models on big-endian s390x under QEMU", "models", 100,
                        RANDOM + " --oracle plain --cxx \"s390x-linux-gnu-g++ -static\" --options \"--target generic --run-with qemu-s390x\""),
    "random-i386": Row("random models on i386 under QEMU", "models", 100,
                       RANDOM + " --oracle plain --cxx \"i686-linux-gnu-g++ -msse2 -mfpmath=sse\" --options \"--target generic --run-with qemu-i386\""),
    "fuzz-import": Row("fuzzing: import, checks, shape inference", "executions", 600, FUZZ + "import"),
    "fuzz-compile": Row("fuzzing: compilation, also for microcontrollers and with training", "executions", 600, FUZZ + "compile"),
    "fuzz-training": Row("fuzzing: compilation of models with `training_info`", "executions", 600, FUZZ + "training"),
    "fuzz-devices": Row("fuzzing: compilation of models with annotations for devices", "executions", 600, FUZZ + "devices"),
    "fuzz-text_ir": Row("fuzzing: the text form of graphs", "executions", 300, FUZZ + "text_ir"),
    "fuzz-images": Row("fuzzing: image decoders, one after the other", "executions", 80, FUZZ + "images"),
    **{f"fuzz-image_{name.lower()}": Row(f"fuzzing: image decoder of {name}", "executions", 600, FUZZ + f"image_{name.lower()}")
       for name in ("BMP", "JPEG", "JPEG2000", "PNG", "PNM", "TIFF", "WebP")},
    "fuzz-regex": Row("fuzzing: regular expressions", "executions", 600, FUZZ + "regex"),
    "fuzz-tokenizer": Row("fuzzing: tokenizers", "executions", 600, FUZZ + "tokenizer"),
    "fuzz-generated": Row("fuzzing: inputs of generated code, models of `tests/fuzz/generated.case`", "executions", 660, FUZZ + "generated"),
    "mutants": Row("faults planted in the compiler, of which unit tests, own cases and the standard's did not notice the failed ones", "faults", 60,
                   "tests/mutation/mutate.py --seed {seed} --count {count} --minutes 25 --jobs 2"),
    "mutants-again": Row("the failed ones among them, planted again after tests were added", "faults", 1,
                         "tests/mutation/mutate.py --again build/reliability/mutants/*.log --minutes 25 --jobs 2"),
    "faults": Row("failing allocations and system calls, kills, runs that disturb each other", "checks", 1,
                  "FULL=1 bash tests/faults/faults_test.sh {onnxc} {work}"),
    "faults-generated": Row("each allocation of the generated code of the own cases fails", "cases", 1,
                            "{onnxc} verify tests/conformance/cases --allocation-faults 100000"),
    "server": Row("runs of a server's eight threads, an arena each, and ThreadSanitizer", "runs", 10000000,
                  "RUNS={count} bash tests/reliability/load_test.sh {onnxc} {work}"),
    "server-large": Row("the same with MobileNetV2, by time", "runs", 1200,
                        "/usr/bin/python3 tests/bench/networks.py {work}_models mobilenet_v2 >/dev/null && LIMIT={count} RUNS=1000000 "
                        "MODEL={work}_models/mobilenet_v2/model.onnx bash tests/reliability/load_test.sh {onnxc} {work}"),
    "same-bytes": Row("output of onnxc built by clang and for other systems against g++ on Linux", "models", 200,
                      "MODELS={count} bash tests/hosts/same_bytes_test.sh {onnxc} {work}"),
    # A piece takes one in so many cases; as many pieces take all.
    "metamorphic": Row("equal models of the standard's cases, 17 kinds: nodes reordered, names changed, bodies wrapped, sizes opened",
                       "variants", 36, METAMORPHIC + "/usr/share/libonnx-testdata/data {count} {seed}"),
    "metamorphic-own": Row("the same of the cases of this project", "variants", 24, METAMORPHIC + "tests/conformance/cases {count} {seed}"),
    "metamorphic-sizes": Row("cases of this project with open sizes, each of them fixed and each bounded", "cases", 1,
                             "FULL=1 CXX=clang++ tests/metamorphic/sizes.sh {onnxc} {work}"),
    "metamorphic-overlap": Row("cases of this project whose operands overlap, optimised against plain code", "cases", 1,
                               "FULL=1 CXX=clang++ CXXFLAGS=-O0 tests/metamorphic/overlap.sh {onnxc} {work}"),
    "wrong-sizes": Row("sizes that do not fit, one at a time, for the standard's cases with open sizes, under AddressSanitizer and UndefinedBehaviorSanitizer", "runs", 12,
                       "tests/metamorphic/wrong_sizes.sh {onnxc} {work} /usr/share/libonnx-testdata/data {count} {seed}"),
    "wrong-sizes-own": Row("the same for the cases of this project", "runs", 24,
                           "CXX=clang++ tests/metamorphic/wrong_sizes.sh {onnxc} {work} tests/conformance/cases {count} {seed}"),
}


def logged():
    if not os.path.exists(LOG):
        return []
    with open(LOG, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True).stdout.strip()


def newest_onnxc():
    build = os.path.join(ROOT, "build")
    found = [os.path.join(build, d, "onnxc") for d in [".", *os.listdir(build)]] if os.path.isdir(build) else []
    found = [p for p in found if os.access(p, os.X_OK) and os.path.isfile(p)]
    return max(found, key=os.path.getmtime) if found else sys.exit("no onnxc: build it, or set ONNXC")


def numbers_of(text):
    """What a runner says last: passed, failed, and of known limits. Of fuzzing, executions that passed."""
    executions = sum(int(n) for n in re.findall(r"(\d+) executions", text))
    line = ([m for m in re.finditer(r"(\d+) passed, (\d+) failed(?:, (\d+) \w+)?", text)] or [None])[-1]
    if line:
        numbers = [int(n or 0) for n in line.groups()]
        return [executions, *numbers[1:]] if executions else numbers
    line = re.search(r"(\d+) noticed, (\d+) survived", text)
    return [int(line.group(1)), int(line.group(2)), 0] if line else None


def core_seconds():
    """Of the pieces so far: one core's time. By the clock they take longer where others run, shorter on several cores."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def reserve_seed(name, work, log):
    """By the file of its output, as pieces of a row may run at the same time."""
    seed = 1 + max([r["seed"] for r in log if r["row"] == name], default=1000)
    while True:
        try:
            with open(os.path.join(work, f"{seed}.log"), "x", encoding="utf-8"):
                return seed
        except FileExistsError:
            seed += 1


def run_piece(name, count, onnxc, log):
    """Adds a line to the log, unless the row cannot run here."""
    row = ROWS[name]
    count = count or row.count
    work = os.path.join(ROOT, "build", "reliability", name)
    os.makedirs(work, exist_ok=True)
    seed = reserve_seed(name, work, log)
    command = row.command.format(seed=seed, count=count, onnxc=onnxc, work=os.path.join(work, "work"))
    begin, used = time.time(), core_seconds()
    environment = {**os.environ, "ONNXC": onnxc, "BUILD_DIR": os.path.join(work, "build"), "ONNXC_SOURCE": ROOT}
    # With its children, of which `timeout` ends all.
    done = subprocess.run(["timeout", str(MOST_SECONDS), "bash", "-c", command], cwd=ROOT, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    text, code = done.stdout, done.returncode
    with open(os.path.join(work, f"{seed}.log"), "w", encoding="utf-8") as file:
        file.write(text)
    numbers = numbers_of(text)
    if code == SKIPPED or numbers is None:
        print(f"{name}: {'skipped' if code == SKIPPED else f'no result, exit code {code}'}: {text.strip()[-200:]}")
        return None
    line = dict(row=name, seed=seed, count=count, passed=numbers[0], failed=numbers[1], known=numbers[2],
                seconds=round(time.time() - begin), core=round(core_seconds() - used),
                edges=sum(int(n) for n in re.findall(r"cov: (\d+)", text)), commit=git("rev-parse", "--short", "HEAD"),
                date=datetime.date.today().isoformat())
    with open(LOG, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    print(f"{name}, seed {seed}: {numbers[0]} passed, {numbers[1]} failed, {line['seconds']} s", flush=True)
    return line


def run(minutes, count, names):
    end, onnxc, left = time.time() + 60 * minutes, os.environ.get("ONNXC") or newest_onnxc(), list(names or ROWS)
    while left and time.time() < end:
        name = left.pop(0)
        if run_piece(name, count, os.path.abspath(onnxc), logged()):
            left.append(name)


def table():
    lines = ["| what | number | failed | explained | pieces | commits | repeat |", "|---|---|---|---|---|---|---|"]
    log = logged()
    for name, row in ROWS.items():
        pieces = [r for r in log if r["row"] == name]
        if not pieces:
            continue
        total, failed, known = (sum(r[k] for r in pieces) for k in ("passed", "failed", "known"))
        commits = list(dict.fromkeys(r["commit"] for r in pieces))
        span = commits[0] if len(commits) == 1 else f"{commits[0]} to {commits[-1]}"
        edges = max(r.get("edges", 0) for r in pieces)
        what = f"{row.what}; edges of the code reached: {edges}" if edges else row.what
        lines.append(f"| {what} | {total + failed} {row.unit} | {failed} | {known} | {len(pieces)}, {sum(r['seconds'] for r in pieces)} s "
                     f"| {span} | `reliability.py run {name}` |")
    return "\n".join(lines) + "\n"


def write(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin = text.index("| what | number |")
    end = text.index("\n\n", begin) + 1
    with open(path, "w", encoding="utf-8") as file:
        file.write(text[:begin] + table() + text[end:])


def main(arguments):
    if arguments[:1] == ["run"]:
        parser = argparse.ArgumentParser(prog="reliability.py run")
        parser.add_argument("--minutes", type=float, default=30)
        parser.add_argument("--count", type=int)
        parser.add_argument("rows", nargs="*", metavar="ROW")
        options = parser.parse_args(arguments[1:])
        unknown = [name for name in options.rows if name not in ROWS]
        if unknown:
            parser.error(f"no such row: {unknown[0]}")
        return run(options.minutes, options.count, options.rows)
    if arguments == ["table"]:
        return print(table(), end="")
    if arguments == ["list"]:
        return print("".join(f"{name}: {row.command}\n" for name, row in ROWS.items()), end="")
    if arguments[:1] == ["write"] and len(arguments) == 2:
        return write(arguments[1])
    if arguments[:1] == ["check"] and len(arguments) == 2:
        with open(arguments[1], encoding="utf-8") as file:
            return sys.exit(0 if table() in file.read() else f"{arguments[1]} is not what `reliability.py table` prints")
    sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
