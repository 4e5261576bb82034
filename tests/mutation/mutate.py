#!/usr/bin/env python3
"""Plants faults in the compiler, one at a time, and counts how many the tests notice.

usage: mutate.py [--seed S] [--count N] [--minutes M] [--build DIR] [--jobs J] [--only TEXT] [--list]
       mutate.py --again LOG... [--minutes M] [--build DIR] [--jobs J]    the survivors that these runs printed

The N faults of a seed are always the same. A fault is noticed when unit_tests fail, or when it changes
what onnxc makes of one of the own cases or of the standard's where they are installed, for any machine, for this one
and two threads, or for a small core, and `onnxc verify` fails for one of the first changed ones; code for the small
core is run here. Those that neither noticed meet the test of derivatives, if their file has some, or the short tests of
the command line, if it is no operator's. The others are printed as survivors, with their lines, for a reader to judge. The source tree is not touched: the
work is done in J copies, DIR/0/source and so on.
"""
import argparse
import concurrent.futures
import glob
import itertools
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Import, graphs, passes, the schedule, and ten families of operators. Folders with what is in them.
FAMILIES = ["attention", "convolution", "elementwise", "matmul", "movement", "normalization", "pooling", "quantization", "recurrent",
            "reduction"]
PARTS = ["compiler/onnx/read", "compiler/ir", "compiler/passes", "compiler/schedule",
         *(f"compiler/ops/{family}" for family in FAMILIES)]
MOST_VERIFIED = 8  # changed cases that are run
STANDARD = "/usr/share/libonnx-testdata/data/node"
TARGETS = ("generic:1", "cortex-m0plus:1", "native:2")  # with the number of threads
# By far the longest of the unit tests, for what the digests of cases mostly show as well: it comes last.
SLOWEST_TEST = "text IR round-trips after every pass over every own model"

SHORT_TEST = 4.0  # in the units of tests/times.tsv

# Each rule: a name, what to look for, what to put in its place.
RULES = [
    ("comparison", re.compile(r" (<|<=|>|>=|==|!=) "),
     {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}),
    ("arithmetic", re.compile(r" (\+|-|\*|/) "), {"+": "-", "-": "+", "*": "+", "/": "*"}),
    ("logic", re.compile(r" (&&|\|\|) "), {"&&": "||", "||": "&&"}),
    ("negation", re.compile(r"(?<=[( ])(!)(?=[a-z(*])"), {"!": ""}),
]
NUMBER = re.compile(r"(?<![\w.{])(\d+)(?![\w.])")
ARGUMENTS = re.compile(r"\b\w+\((\w+(?:\.\w+)*), (\w+(?:\.\w+)*)\)")
STATEMENT = re.compile(r"\s+(?:if \(.*\) )?(?:[\w.>\[\]()-]+ (?:[+*-]?=|\+=) .*|[\w.>-]+\(.*\)|\+\+[\w.]+|continue|"
                       r"return|throw .*|break);$")


def is_code(line):
    text = line.strip()
    return bool(text) and not text.startswith(("//", "#", "using ", "namespace ", "template", "static_assert", "case "))


def faults_of(path, lines):
    """(path, line number, rule, new line) of every fault."""
    for number, line in enumerate(lines):
        if not is_code(line):
            continue
        code = line.split("  //")[0]
        quotes = [i for i, c in enumerate(code) if c == '"']
        free = lambda at: sum(q < at for q in quotes) % 2 == 0
        for rule, pattern, new in RULES:
            for m in pattern.finditer(code):
                if free(m.start(1)):
                    yield path, number, rule, code[:m.start(1)] + new[m.group(1)] + code[m.end(1):]
        for m in NUMBER.finditer(code):
            if free(m.start(1)):
                yield path, number, "constant", code[:m.start(1)] + str(int(m.group(1)) + 1) + code[m.end(1):]
        for m in ARGUMENTS.finditer(code):
            if free(m.start()) and m.group(1) != m.group(2):
                yield (path, number, "swap",
                       code[:m.start(1)] + m.group(2) + ", " + m.group(1) + code[m.end(2):])
        before = lines[number - 1].rstrip() if number else ""
        if STATEMENT.fullmatch(code) and before.endswith((";", "{", "}", ")", "else")):
            indent = code[:len(code) - len(code.lstrip())]
            yield path, number, "statement", indent + "{}"


def all_faults(only):
    for part in PARTS:
        for folder, folders, files in os.walk(os.path.join(ROOT, part)):
            folders.sort()
            for file in sorted(f for f in files if f.endswith(".cpp")):
                full = os.path.join(folder, file)
                path = os.path.relpath(full, ROOT)
                if only in path:
                    with open(full, encoding="utf-8") as source:
                        yield from faults_of(path, source.read().split("\n"))


def sample(seed, count, only):
    """Evenly from the parts and the rules: first a file, then a rule, then a place."""
    tree = {}
    for fault in all_faults(only):
        tree.setdefault(fault[0], {}).setdefault(fault[2], []).append(fault)
    chance = random.Random(seed)
    chosen, seen = [], set()
    for _ in range(50 * count):
        rules = tree[chance.choice(sorted(tree))]
        fault = chance.choice(rules[chance.choice(sorted(rules))])
        if fault not in seen and len(chosen) < count:
            seen.add(fault)
            chosen.append(fault)
    return chosen


def survivors(logs):
    """The faults of these logs, at the places that they have now; those whose code is gone are left out."""
    printed = re.compile(r"^(?:unseen [^:]*|no effect): (.+):(\d+): (\w+): (.*)$", re.M)
    for log in logs:
        with open(log, encoding="utf-8") as text:
            for path, at, rule, line in printed.findall(text.read()):
                same = [f for f in all_faults(path) if f[2] == rule and f[3].strip() == line]
                yield from sorted(same, key=lambda f: abs(f[1] + 1 - int(at)))[:1]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def operators_in(path):
    return re.findall(r'\.name = "(\w+)"', read(path))


def is_derived(names):
    """Whether the test of derivatives has rows of these names."""
    rows = (row for table in glob.glob(os.path.join(ROOT, "tests", "gradient", "*.txt")) for row in read(table).splitlines())
    return bool(names) and any(re.search(names, row.split("|")[0]) for row in rows if not row.startswith("#"))


def short_tests():
    """Scripts of the command line whose time is known to be short."""
    for line in read("tests/times.tsv").splitlines():
        name, _, time_taken = line.partition("\t")
        if name.startswith("cli.") and float(time_taken) <= SHORT_TEST:
            yield name.replace(".", "/") + ".sh"


class Bench:
    """A copy of the sources with its build, and what the sound compiler makes of the cases."""

    def __init__(self, build):
        self.build = build
        # Objects of two copies are then the same to ccache.
        self.environment = {**os.environ, "CCACHE_BASEDIR": build}
        self.source = os.path.join(build, "source")
        tracked = subprocess.run(["git", "-C", ROOT, "ls-files"], check=True, capture_output=True, text=True)
        for file in tracked.stdout.split("\n"):
            self.copy(file)
        self.objects = os.path.join(self.source, "build")
        subprocess.run(["cmake", "-S", self.source, "-B", self.objects, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None",
                        "-DCMAKE_CXX_FLAGS=-O1", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON", "-DONNXC_UNITY_BUILD=OFF",
                        "-DONNXC_BUILD_TESTS=ON",
                        *([] if not shutil.which("ccache") else ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]),
                        *([] if not shutil.which("ld.lld") else ["-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld"])],
                       check=True, stdout=subprocess.DEVNULL)
        if not self.compile():
            sys.exit("the unchanged sources do not compile")
        self.cases = os.path.join(build, "cases")
        subprocess.run([self.tool("onnxc"), "verify", f"{self.source}/tests/conformance/cases", "--export",
                        self.cases], capture_output=True)
        self.list = os.path.join(build, "models.txt")
        models = [f"{folder}/model.onnx" for top in (self.cases, STANDARD) for folder, _, files in sorted(os.walk(top))
                  if "model.onnx" in files]
        random.Random(0).shuffle(models)  # the first ones that a fault changes are then of several files
        self.models = models
        self.sound = dict(self.digests())
        if not self.unit_tests("~" + SLOWEST_TEST):
            sys.exit("the unit tests fail without a fault")
        self.commands = [test for test in short_tests() if self.script(test)]

    def copy(self, file):
        old, new = os.path.join(ROOT, file), os.path.join(self.source, file)
        if not os.path.isfile(old):
            return
        content = open(old, "rb").read()
        if not os.path.exists(new) or open(new, "rb").read() != content:
            os.makedirs(os.path.dirname(new), exist_ok=True)
            open(new, "wb").write(content)

    def tool(self, name):
        for folder in (self.objects, os.path.join(self.objects, "tests")):
            if os.path.isfile(os.path.join(folder, name)):
                return os.path.join(folder, name)
        raise FileNotFoundError(name)

    def compile(self):
        done = subprocess.run(["cmake", "--build", self.objects, "--target", "onnxc", "unit_tests", "mutation_outputs"],
                              capture_output=True, env=self.environment)
        return done.returncode == 0

    def unit_tests(self, name):
        try:
            return subprocess.run([self.tool("unit_tests"), "--abort", name], capture_output=True, timeout=300).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def script(self, test, *arguments):
        """Whether this script of tests/ passes."""
        work = os.path.join(self.build, "scripts")
        try:
            done = subprocess.run(["bash", os.path.join(self.source, "tests", test), self.tool("onnxc"), work, *arguments],
                                  capture_output=True, timeout=300, env={**os.environ, "ONNXC_SOURCE": self.source})
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def scripts_fail(self, path):
        if path.startswith("compiler/ops/"):
            names = "|".join(operators_in(path))
            return "gradient(" in read(path) and is_derived(names) and not self.script("gradient/rules_test.sh", names)
        if path.startswith("compiler/passes/autodiff/"):
            return not self.script("gradient/rules_test.sh")
        return not all(self.script(test) for test in self.commands)

    def digests(self, path=""):
        """(model, digest for each target) of every own case, first of those of the operators in the file of a fault."""
        operators = tuple(name.lower() for name in operators_in(path)) if path else ()
        models = sorted(self.models, key=lambda m: not self.name(m).startswith(operators))
        with open(self.list, "w") as out:
            out.writelines(f"{model}\n" for model in models)
        with subprocess.Popen([self.tool("mutation_outputs"), self.list, *TARGETS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as outputs:
            try:
                for line in outputs.stdout:
                    *digests, model = line.rstrip("\n").split(" ", len(TARGETS))
                    yield model, digests
            finally:
                outputs.kill()

    def changed(self, path):
        """(model, target) of the first ones."""
        differ = ((model, target) for model, digests in self.digests(path)
                  for target, digest, sound in zip(TARGETS, digests, self.sound.get(model, TARGETS)) if digest != sound)
        return list(itertools.islice(differ, MOST_VERIFIED))

    @staticmethod
    def name(model):
        return os.path.basename(os.path.dirname(model)).removeprefix("test_").replace("_", "").lower()

    def case_of(self, model):
        """FILE.case:NAME of an exported model, the folder of another one."""
        if not model.startswith(self.cases):
            return os.path.dirname(model)
        parts = os.path.relpath(os.path.dirname(model), self.cases).split(os.sep)
        return f"{self.source}/tests/conformance/cases/{parts[-2]}.case:{parts[-1]}"

    def fails(self, changed):
        return any(self.fails_on(target, [m for m, t in changed if t == target]) for target in TARGETS)

    def fails_on(self, target, models):
        if not models:
            return False
        try:
            done = subprocess.run([self.tool("onnxc"), "verify", *map(self.case_of, models), "--timeout", "60", "--",
                                   "--target", target.split(":")[0], "--threads", target.split(":")[1]],
                                  capture_output=True, timeout=600, env={**os.environ, "CXX": os.path.join(ROOT, "tests", "host_cxx.sh")})
        except subprocess.TimeoutExpired:
            return True
        return done.returncode != 0

    def judge(self, fault):
        """invalid, killed by unit tests, by cases or by scripts, or a survivor: unseen or without effect."""
        path, number, _, line = fault
        file = os.path.join(self.source, path)
        lines = read(path).split("\n")
        lines[number] = line
        open(file, "w").write("\n".join(lines))
        try:
            if not self.compile():
                return "invalid"
            if not self.unit_tests("~" + SLOWEST_TEST):
                return "unit"
            changed = self.changed(path)
            if changed and (self.fails(changed[:1]) or changed[1:] and self.fails(changed[1:])):
                return "cases"
            if not self.unit_tests(SLOWEST_TEST):
                return "unit"
            if self.scripts_fail(path):
                return "scripts"
            return f"unseen ({len(changed)} outputs differ)" if changed else "no effect"
        finally:
            self.copy(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "mutation"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="files whose path holds this")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--again", nargs="+")
    options = parser.parse_args()
    faults = list(survivors(options.again)) if options.again else sample(options.seed, options.count, options.only)
    if options.list:
        for path, number, rule, line in faults:
            print(f"{path}:{number + 1}: {rule}: {line.strip()}")
        return
    end = time.monotonic() + 60 * options.minutes
    benches = queue.SimpleQueue()
    for job in range(options.jobs):
        benches.put(Bench(os.path.join(options.build, str(job))))
    totals = {}

    def judge(fault):
        if time.monotonic() > end:
            return
        bench = benches.get()
        try:
            verdict = bench.judge(fault)
        finally:
            benches.put(bench)
        totals[verdict.split(" ")[0]] = totals.get(verdict.split(" ")[0], 0) + 1
        path, number, rule, line = fault
        print(f"{verdict}: {path}:{number + 1}: {rule}: {line.strip()}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as threads:
        list(threads.map(judge, faults))
    killed = sum(totals.get(by, 0) for by in ("unit", "cases", "scripts"))
    survived = totals.get("unseen", 0) + totals.get("no", 0)
    print(f"{killed} noticed, {survived} survived, {totals.get('invalid', 0)} did not compile"
          + (f": {100 * killed / (killed + survived):.0f} %" if killed + survived else ""))


main()
