"""A build of the compiler, the tests that faults meet, and what they give without a fault."""
import concurrent.futures
import fcntl
import glob
import hashlib
import itertools
import os
import pickle
import random
import re
import shlex
import shutil
import subprocess
import sys

import faults
from reach import Blocks, Reach, Recording

MOST_VERIFIED = 8  # changed cases that are run
MOST_COMPILED = 1500  # models, of those that a fault may change: more of them seldom show what these do not
OWN = os.path.join(faults.ROOT, "tests", "conformance", "cases")
STANDARD = "/usr/share/libonnx-testdata/data/node"
TARGETS = ("generic:1", "cortex-m0plus:1", "native:2")  # with the number of threads
PROGRAMS = ("unit_tests", "mutation_outputs", "onnxc")
# By far the longest of the unit tests. Only for faults in graphs and their text form: the digests of cases show the others.
SLOWEST_TEST = "text IR round-trips after every pass over every own model"
SCRIPTS = ("cli", "devices", "tasks", "training")  # folders of tests/
# In the units of tests/times.tsv: one script that enters a function, and all that a fault there meets.
LONGEST_SCRIPT, MOST_OF_SCRIPTS = 16.0, 25.0


def operators_in(path):
    return re.findall(r'\.name = "(\w+)"', faults.read(path))


def operators_near(path):
    """Those of a file of operators; of the whole folder for one that only helps them."""
    files = [path, *sorted(glob.glob(os.path.join(faults.ROOT, os.path.dirname(path), "*.cpp")))]
    return operators_in(path) or [name for file in files for name in operators_in(file)]


def is_derived(names):
    """Whether the test of derivatives has rows of these names."""
    tables = glob.glob(os.path.join(faults.ROOT, "tests", "gradient", "*.txt"))
    rows = (row for table in tables for row in faults.read(table).splitlines())
    return bool(names) and any(re.search(names, row.split("|")[0]) for row in rows if not row.startswith("#"))


def script_times():
    """Of those of SCRIPTS that are not too long, the shortest first."""
    rows = (line.split("\t") for line in faults.read("tests/times.tsv").splitlines() if not line.startswith("#"))
    times = [(float(time), name) for name, time in rows if name.split(".")[0] in SCRIPTS]
    return {name.replace(".", "/") + ".sh": time for time, name in sorted(times) if time <= LONGEST_SCRIPT}


def first_of(times, most):
    """As many of the first names as take no more than `most` together, but one at least."""
    ends = itertools.accumulate(times.values())
    return [name for at, (name, end) in enumerate(zip(times, ends)) if at == 0 or end <= most]


def name_of(model):
    return os.path.basename(os.path.dirname(model)).removeprefix("test_").replace("_", "").lower()


class Bench:
    """The sound build. Its objects and libraries serve all planted faults."""

    def __init__(self, folder, jobs):
        self.folder = folder
        self.objects = os.path.join(folder, "objects")
        os.makedirs(self.objects, exist_ok=True)
        self.lock = open(os.path.join(folder, "lock"), "w", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"another run uses {folder}")
        self.build()
        self.read_commands()
        self.cases = os.path.join(folder, "cases")
        shutil.rmtree(self.cases, ignore_errors=True)
        subprocess.run([self.program("onnxc"), "verify", OWN, "--export", self.cases], capture_output=True)
        self.models = [f"{at}/model.onnx" for top in (self.cases, STANDARD) for at, _, files in sorted(os.walk(top))
                       if "model.onnx" in files]
        self.script_times = script_times()
        random.Random(0).shuffle(self.models)  # the first ones that a fault changes are then of several files
        self.measure(jobs)

    def build(self):
        reach = os.path.join(self.folder, "reach.o")
        subprocess.run(["g++", "-O2", "-c", os.path.join(faults.ROOT, "tests/mutation/reach.cpp"), "-o", reach], check=True)
        linker = "-fuse-ld=lld " if shutil.which("ld.lld") else ""
        subprocess.run(["cmake", "-S", faults.ROOT, "-B", self.objects, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None",
                        "-DCMAKE_CXX_FLAGS=-O1 -g1 -finstrument-functions -finstrument-functions-exclude-file-list=/usr/,catch "
                        "-falign-functions=16", "-DONNXC_UNITY_BUILD=ON", "-DONNXC_BUILD_TESTS=ON",
                        f"-DCMAKE_EXE_LINKER_FLAGS={linker}-Wl,--wrap=_exit -Wl,--allow-multiple-definition {reach}"],
                       check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run(["cmake", "--build", self.objects, "--target", *PROGRAMS], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout[-2000:] + "the unchanged sources do not compile")

    def read_commands(self):
        """How each source is compiled, as arguments, and how each program is linked."""
        listed = subprocess.run(["ninja", "-C", self.objects, "-t", "commands", *PROGRAMS], check=True, capture_output=True, text=True)
        self.compilers, self.linkers = {}, {}
        for line in listed.stdout.splitlines():
            for command in line.split(" && "):
                words = shlex.split(command)
                if "-c" in words:
                    self.compilers.update(dict.fromkeys(sources_of(words[-1]), words))
                elif "-o" in words and os.path.basename(words[words.index("-o") + 1]) in PROGRAMS:
                    self.linkers[os.path.basename(words[words.index("-o") + 1])] = words

    def program(self, name):
        words = self.linkers[name]
        return os.path.join(self.objects, words[words.index("-o") + 1])

    def measure(self, jobs):
        """What tests enter, and the digests of all models. Kept for the next run."""
        programs = [self.program(name) for name in PROGRAMS]
        key = [digest_of(program) for program in programs] + [self.models, list(self.script_times)]
        kept = os.path.join(self.folder, "measured.pickle")
        if os.path.exists(kept):
            with open(kept, "rb") as file:
                old, values = pickle.load(file)
            if old == key:
                self.sound, self.tests, self.outputs, self.scripts = values
                return
        blocks = Blocks()
        self.tests, self.outputs, self.scripts = (Reach(blocks, program) for program in programs)
        with concurrent.futures.ThreadPoolExecutor(jobs) as threads:
            started = [threads.submit(measure) for measure in (self.measure_outputs, self.measure_tests)]
            started += [threads.submit(self.measure_script, test) for test in self.script_times]
            for done in started:
                done.result()
        for reach in (self.tests, self.outputs, self.scripts):
            reach.locate()
        with open(kept, "wb") as file:
            pickle.dump((key, (self.sound, self.tests, self.outputs, self.scripts)), file)

    def measure_tests(self):
        program = self.program("unit_tests")
        names = subprocess.run([program, "--list-test-names-only"], capture_output=True, text=True).stdout.splitlines()
        for name in names:
            if name == SLOWEST_TEST:
                continue
            with Recording() as recording:
                if not passes(command_of_tests(program, self.folder, [name]), recording.environment):
                    sys.exit(f"a unit test fails without a fault: {name}")
                self.tests.add(name, recording.files())

    def measure_outputs(self):
        program = self.program("mutation_outputs")
        self.sound = {}
        with Recording() as recording:
            for model, process, digests in digests_by(program, self.models, self.folder, recording.environment):
                self.sound[model] = digests
                file = recording.file(process)
                self.outputs.add(model, [file] if os.path.exists(file) else [])
                if os.path.exists(file):
                    os.remove(file)

    def measure_script(self, test):
        with Recording() as recording:
            folder = os.path.join(self.folder, "measured", test)
            if script_passes(test, self.program("onnxc"), folder, environment=recording.environment):
                self.scripts.add(test, recording.files())

    def case_of(self, model):
        """FILE.case:NAME of an exported model, the folder of another one."""
        if not model.startswith(self.cases):
            return os.path.dirname(model)
        parts = os.path.relpath(os.path.dirname(model), self.cases).split(os.sep)
        return f"{OWN}/{parts[-2]}.case:{parts[-1]}"


def digest_of(file):
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def sources_of(file):
    """Those of the project that a compiled file stands for; a unity build includes several."""
    with open(file, encoding="utf-8") as text:
        included = re.findall(r'#include "(.*\.cpp)"', text.read()) if file.endswith(".cxx") else [file]
    return [os.path.relpath(source, faults.ROOT) for source in included]


def passes(command, environment=None, timeout=300):
    try:
        return subprocess.run(command, capture_output=True, timeout=timeout, env=environment).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def listed(file, lines):
    with open(file, "w", encoding="utf-8") as out:
        out.writelines(f"{line}\n" for line in lines)
    return file


def command_of_tests(program, folder, names):
    """Runs the unit tests of these names, and fails if there are none."""
    escaped = [re.sub(r"[\\,\[\]~*]", r"\\\g<0>", name) for name in names]
    return [program, "--abort", "--warn", "NoTests", "--input-file", listed(os.path.join(folder, "tests.txt"), escaped)]


def digests_by(program, models, folder, environment=None):
    """(model, number of the process, a digest for each target) of models."""
    command = [program, listed(os.path.join(folder, "models.txt"), models), *TARGETS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment) as outputs:
        try:
            for line in outputs.stdout:
                process, *digests, model = line.rstrip("\n").split(" ", len(TARGETS) + 1)
                yield model, int(process), digests
        finally:
            outputs.kill()


def script_passes(test, onnxc, folder, *arguments, environment=None):
    """Whether this script of tests/ passes."""
    command = ["bash", os.path.join(faults.ROOT, "tests", test), onnxc, os.path.join(folder, "scripts"), *arguments]
    return passes(command, {**(environment or os.environ), "ONNXC_SOURCE": faults.ROOT})


class Trial:
    """One fault at a time, in a folder of its own."""

    def __init__(self, bench, folder):
        self.bench, self.folder = bench, folder
        os.makedirs(folder, exist_ok=True)

    def program(self, name):
        return os.path.join(self.folder, name)

    def run(self, command):
        return subprocess.run(command, cwd=self.bench.objects, capture_output=True).returncode == 0

    def compile(self, path, text):
        words = list(self.bench.compilers[path])
        source = os.path.join(self.folder, os.path.basename(path))
        listed(source, [text])
        for option in ("-MF", "-MT"):
            at = words.index(option)
            del words[at:at + 2]
        words.remove("-MD")
        words[words.index("-o") + 1] = self.program("mutant.o")
        words[-1] = source
        return self.run(words)

    def link(self, name):
        """With the fault before the libraries: the first definition of a function counts."""
        words = list(self.bench.linkers[name])
        at = words.index("-o") + 1
        words[at:at + 1] = [self.program(name), self.program("mutant.o")]
        if not self.run(words):
            sys.exit(f"cannot link {name}")

    def unit_tests(self, names):
        return not names or passes(command_of_tests(self.program("unit_tests"), self.folder, sorted(names)))

    def changed(self, path, models):
        """(model, target) of the first ones, of which those of the operators in the file come first."""
        operators = tuple(name.lower() for name in operators_in(path))
        order = sorted((m for m in self.bench.models if m in models), key=lambda m: not name_of(m).startswith(operators))
        outputs = digests_by(self.program("mutation_outputs"), order[:MOST_COMPILED], self.folder)
        differ = ((model, target) for model, _, digests in outputs
                  for target, digest, sound in zip(TARGETS, digests, self.bench.sound[model]) if digest != sound)
        return list(itertools.islice(differ, MOST_VERIFIED))

    def cases_fail(self, changed):
        return any(self.cases_fail_on(target, [m for m, t in changed if t == target]) for target in TARGETS)

    def cases_fail_on(self, target, models):
        name, threads = target.split(":")
        return bool(models) and not passes(
            [self.program("onnxc"), "verify", *map(self.bench.case_of, models), "--timeout", "60", "--", "--target", name,
             "--threads", threads],
            {**os.environ, "CXX": os.path.join(faults.ROOT, "tests", "host_cxx.sh")}, timeout=600)

    def scripts_fail(self, path, number):
        def fails(test, *arguments):
            return not script_passes(test, self.program("onnxc"), self.folder, *arguments)
        if path.startswith("compiler/ops/"):
            names = "|".join(operators_near(path))
            return "gradient" in faults.read(path) and is_derived(names) and fails("gradient/rules_test.sh", names)
        if path.startswith("compiler/passes/autodiff/"):
            return fails("gradient/rules_test.sh")
        entering = self.bench.scripts.of(path, number)
        times = {test: time for test, time in self.bench.script_times.items() if test in entering}
        return any(fails(test) for test in first_of(times, MOST_OF_SCRIPTS))

    def judge(self, fault):
        """invalid, killed by unit tests, by cases or by scripts, or a survivor: unseen, without effect or not reached."""
        path, number, _, line = fault
        lines = faults.read(path).split("\n")
        lines[number] = line
        if not self.compile(path, "\n".join(lines)):
            if not self.compile(path, faults.read(path)):
                sys.exit(f"{path} does not compile by itself")
            return "invalid"
        self.link("unit_tests")
        tests, models = self.bench.tests.of(path, number), self.bench.outputs.of(path, number)
        if not self.unit_tests(tests):
            return "unit"
        self.link("mutation_outputs")
        self.link("onnxc")
        changed = self.changed(path, models)
        if changed and (self.cases_fail(changed[:1]) or changed[1:] and self.cases_fail(changed[1:])):
            return "cases"
        if models and path.startswith("compiler/ir/") and not self.unit_tests({SLOWEST_TEST}):
            return "unit"
        if self.scripts_fail(path, number):
            return "scripts"
        if changed:
            return f"unseen ({len(changed)} outputs differ)"
        return "no effect" if tests or models else "not reached"
